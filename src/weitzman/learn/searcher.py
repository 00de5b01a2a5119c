"""The searcher: a policy, round after round.

Unless another is asked for, the policy is ``default``, a portfolio. ``learner=`` asks for algorithm CPB of
the paper [Atsidakou 2024]: predict each box's reservation value from its context, search by Weitzman's rule,
learn from what is revealed; ``policy=`` takes any policy. What is revealed is the feedback: ``"full"``, all
values, given when the round is closed; ``"opened"``, those of opened boxes; ``"probe"``, those of bought
looks (:mod:`weitzman.learn.probing`), the setting of the paper's theorem; ``"opened+probe"``, both;
``"chosen"``, that of the box that was kept; ``"total"``, the total alone (:mod:`weitzman.learn.revealed`).
"""

import os
from collections.abc import Hashable, Sequence
from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.feedback import Feedback
from weitzman.learn.bank_input import check_new_boxes, hash_of, places_of, value_in_hand
from weitzman.learn.explanation import BestPossible, Explanation, explain_order
from weitzman.learn.features import Encoding
from weitzman.learn.intake.given import Features, given_numbers, given_rows
from weitzman.learn.intake.past import PastLog, Watch, live_through, log_settings
from weitzman.learn.learner import Learner
from weitzman.learn.live import LiveSearch
from weitzman.learn.models.costs import CostMeans
from weitzman.learn.policy import Policy, Round, State, checked_round, decided
from weitzman.learn.record import Played, checked_record, checked_rows, first_sigma, play_at_once
from weitzman.learn.reopen import reopened
from weitzman.learn.settings import (
    bound_of,
    box_names,
    checked_policy,
    checked_unit,
    dimension_of,
    saved_settings,
    started,
)
from weitzman.learn.storage.costs import saved_state
from weitzman.learn.storage.format import pack, write_saved
from weitzman.search.numbers import whole_number
from weitzman.search.reservation import Sense, check_sense

Given = Any
Value = float | None
Names = Sequence[Hashable] | None


class Searcher:
    """Searches boxes whose values it learns to predict from contexts.

    Parameters
    ----------
    boxes
        The names of the boxes, distinct; or their number n, for names 0 … n − 1.
    dimension, features
        The length d of a context, or its features by name, for :meth:`weitzman.learn.features.Encoding.of`.
    policy
        What decides: a :class:`weitzman.Policy`, or its name as for :func:`weitzman.replay`: ``"default"``,
        ``"aware"``, ``"Ridge"``, … None: :class:`weitzman.ExploreThenCommit` under feedback ``"total"``, else
        ``default``, unless a learner, its optimism or bought looks are asked for.
    learner
        What learns reservation values for Weitzman's rule, in place of a policy; ``FTRL()`` where only
        ``optimism``, ``block`` or a feedback with ``"probe"`` is given, or ``"chosen"``.
    feedback
        ``"full"``, ``"opened"``, ``"probe"``, ``"opened+probe"``, ``"chosen"`` or ``"total"``.
    sense
        Whether smaller (``"min"``) or larger (``"max"``) values are better.
    optimism, block
        As for :class:`weitzman.Weitzman`, which is then the policy.
    least, most
        The best value that a box can hold, if known, by the sense: no look is made that could not be worth
        its cost, and a value beyond it is refused.
    explore, explore_for
        In what share of rounds a draw opens all, or what a policy would need (:class:`weitzman.Exploring`).
    unit, rng
        What values and costs are counted in, such as ``"$"``, and the seed of draws and of bought looks.

    Examples
    --------
    >>> searcher = Searcher(boxes=["a", "b"], dimension=1, feedback="full")
    >>> search = searcher.open(contexts=[[1.0], [1.0]], costs=[0.5, 0.5])
    >>> for box in search:
    ...     search.see({"a": 3.0, "b": 2.0}[box])
    >>> search.close(values={"a": 3.0, "b": 2.0}).total
    3.5
    """

    def __init__(
        self,
        *,
        boxes: int | Sequence[Hashable],
        dimension: int | None = None,
        features: Features | None = None,
        policy: Policy | str | None = None,
        learner: Learner | None = None,
        feedback: Feedback = "opened",
        sense: Sense = "min",
        least: float | None = None,
        most: float | None = None,
        optimism: float | Literal["auto"] = "auto",
        block: int | None = None,
        explore: float | None = None,
        explore_for: Policy | str | None = None,
        unit: str = "",
        rng: int = 0,
    ) -> None:
        self._name(box_names(boxes))
        self.encoding = None if features is None else Encoding.of(features)
        self.dimension = dimension_of(dimension, self.encoding)
        self.rng = whole_number(rng, "The seed rng", least=0)
        self.policy = checked_policy(
            policy, learner=learner, feedback=feedback, optimism=optimism, block=block,
            explore=explore, explore_for=explore_for,
        )  # fmt: skip
        self.feedback, self.sense, self.unit = feedback, check_sense(sense), checked_unit(unit)
        self.bound = bound_of(least, most, self.sense)
        self.least, self.most = (None if x is None else float(x) for x in (least, most))
        self.rounds = 0
        self._costs = CostMeans(len(self.names))
        self._sign = 1.0 if sense == "min" else -1.0
        self._player: Any = started(
            self.policy,
            boxes=len(self.names),
            dimension=self.dimension,
            feedback=feedback,
            seed=self.rng,
            sense=sense,
        )
        self._checks = not getattr(self._player, "refuses", False)

    @classmethod
    def from_log(
        cls,
        log: PastLog,
        policy: Policy | str = "default",
        *,
        feedback: Feedback = "opened",
        rng: int = 0,
        watch: Watch | None = None,
    ) -> "Searcher":
        """Return the searcher that a replay ends with; ``watch`` is given each round and its outcome."""
        searcher = cls(**log_settings(log, policy), feedback=feedback, rng=rng)
        return live_through(searcher, log.past(), watch)

    def _name(self, names: list[Hashable]) -> None:
        self.names = names
        self._every = np.arange(len(names))
        self._place = {name: i for i, name in enumerate(names)}

    def __reduce__(self) -> Any:
        return import_module("weitzman.learn.load").load, (self.to_bytes(),)

    def __repr__(self) -> str:
        return (
            f"Searcher({len(self.names)} boxes, dimension {self.dimension}, {self.policy!r}, "
            f"feedback {self.feedback!r}, {self.rounds} rounds)"
        )

    def open(
        self, contexts: Given, costs: Given = None, *, outside: Value = None, boxes: Names = None
    ) -> LiveSearch[Hashable]:
        """Begin a round.

        Parameters
        ----------
        contexts
            One row per box, or one by name of feature for all: of d numbers, or by name of feature; in order,
            by name of box, or a table of pandas, polars or Arrow (:mod:`weitzman.learn.intake.given`).
        costs
            What looks are expected to cost: one number ≥ 0, or one per box, by name where there are names.
            None: what they really cost so far (:mod:`weitzman.learn.models.costs`), and each look has to
            say it, ``see(value, cost=…)``.
        outside
            A value that you have without opening anything. None: at least one box is opened.
        boxes
            The names that the rows are for, if not all boxes are there.
        """
        shown = self._round(contexts, costs, outside, boxes)
        shown, rule = decided(self._player, shown)
        self.rounds += 1
        return LiveSearch(
            boxes=self._given_names(boxes),
            rule=rule,
            shown=shown,
            sense=self.sense,
            feedback=self.feedback,
            player=self._player,
            means=self._costs,
            guessed=costs is None,
        )

    def reopen(self, state: State | bytes) -> LiveSearch[Hashable]:
        """Return a search that was open in another process, to go on bit for bit.

        ``state`` is what :meth:`LiveSearch.state` or :meth:`LiveSearch.to_bytes` returned. This searcher was
        saved after the search was opened, or has learned as much since. It has not opened one round more.
        """
        return reopened(self, self._player, self._costs, state)

    def reservation_values(
        self, contexts: Given, costs: Given = None, *, outside: Value = None, boxes: Names = None
    ) -> Floats:
        """Return the reservation values by which a round would be searched, before its first look."""
        # Without the sign of a turned zero
        _, rule = decided(self._player, self._round(contexts, costs, outside, boxes))
        return self._sign * first_sigma(rule) + 0.0

    def explain(
        self, contexts: Given, costs: Given = None, *, outside: Value = None, boxes: Names = None
    ) -> Explanation:
        """Return why a round with these contexts would be searched in its order."""
        shown, rule = decided(self._player, self._round(contexts, costs, outside, boxes))
        names = self._given_names(boxes)
        if hasattr(self._player, "explain"):
            found: Explanation = self._player.explain(names, shown, self._sign)
        else:
            found = explain_order(names, shown.costs, first_sigma(rule), self.sense)
        return found.led_by(rule, names, shown, self.best_possible, self.unit)

    @property
    def best_possible(self) -> BestPossible | None:
        """The best value that a box can hold, said or found; None if it is not known."""
        return BestPossible.known(self.bound, self._player, self.sense, self.unit)

    def play(
        self,
        contexts: ArrayLike,
        costs: ArrayLike,
        values: ArrayLike,
        *,
        outside: ArrayLike | None = None,
        predictions: bool = False,
    ) -> Played:
        """Play a recorded sequence, bit for bit as round by round; for most learners in one compiled call.

        Parameters
        ----------
        contexts, costs, values
            Arrays T×n×d, one number or n or T×n, and T×n. A box whose context is all NaN is absent in that
            round, and its cost may be NaN; a value that is NaN is missing.
        outside
            The outside option, one number or one per round; None if there is none.
        predictions
            Whether to return ``reservation_values``; NaN where a rule looks again after every box.
        """
        record = checked_record(
            len(self.names),
            self.dimension,
            contexts=contexts,
            costs=costs,
            values=values,
            outside=outside,
            sign=self._sign,
            least=self.bound,
        )
        played = play_at_once(
            self._player, record, self.feedback, first=self.rounds, predictions=predictions
        )
        self.rounds += len(record)
        return played if self._sign > 0.0 else played.turned()

    def add_boxes(self, names: Sequence[Hashable]) -> None:
        """Let boxes join that have seen nothing."""
        check_new_boxes(self._player, self._place, names)
        self._player.add_boxes(len(names))
        self._costs.add_boxes(len(names))
        # A new list: searches that are open keep the old one
        self._name([*self.names, *names])

    def digest(self) -> str:
        """Return the number of rounds and a hash of what was learned; settings are not part of it."""
        return f"{self.rounds}-{hash_of(saved_state(self._player, self._costs))}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the searcher, without open searches, to a file; :func:`weitzman.load` goes on bit for bit."""
        write_saved(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return what :meth:`save` writes; :func:`weitzman.load` takes it too."""
        return pack(saved_settings(self), saved_state(self._player, self._costs))

    def _round(self, contexts: Given, costs: Given, outside: Value, boxes: Names) -> Round:
        places = self._every if boxes is None else places_of(self._place, boxes)
        if type(contexts) is not np.ndarray:
            contexts = given_rows(contexts, self.encoding, self._given_names(boxes))
        if costs is None:
            costs = self._costs.expected(places)
        elif type(costs) is not np.ndarray:
            costs = given_numbers(costs, self._given_names(boxes), "The costs")
        rows, prices = checked_rows(contexts, costs, count=len(places), dimension=self.dimension)
        hand = value_in_hand(outside, self._sign)
        shown = Round(rows, prices, hand, places, self.rounds, False, self.bound)
        return checked_round(shown) if self._checks else shown

    def _given_names(self, boxes: Names) -> Sequence[Hashable]:
        return self.names if boxes is None else list(boxes)
