"""The searcher: Weitzman's rule over learned reservation values, round after round.

Algorithm CPB of the paper [Atsidakou 2024]: predict each box's reservation value from its context,
search by Weitzman's rule, learn from what is revealed. What is revealed is the feedback:

- ``"full"``: the values of all boxes, given when the round is closed;
- ``"opened"``: those of the boxes that were opened, with optimism (:mod:`weitzman.learn.optimism`)
  against starvation;
- ``"probe"``: those of looks bought to learn (:mod:`weitzman.learn.probing`), and no others; the
  setting of the paper's theorem;
- ``"opened+probe"``: both.

::

    search = searcher.open(contexts, costs)
    for box in search:
        search.see(ask(box))
    outcome = search.close()

Several searches may be open at once; each is learned when it is closed. Rounds are numbered as they
are opened.
"""

import os
from collections.abc import Hashable, Sequence
from dataclasses import asdict
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.explanation import Explanation, explain_round
from weitzman.learn.ftrl import FTRL
from weitzman.learn.learner import Learner
from weitzman.learn.live import LiveSearch
from weitzman.learn.play import Feedback, Played, play
from weitzman.learn.probing import probes
from weitzman.learn.saved import write_saved
from weitzman.learn.settings import (
    box_names,
    checked_feedback,
    checked_optimism,
    plain_parameters,
)
from weitzman.search.numbers import finite_number, float_array, whole_number
from weitzman.search.reservation import Sense, check_sense

__all__ = ["Searcher"]

FloatArray = NDArray[np.float64]


class Searcher:
    """Searches boxes whose values it learns to predict from contexts.

    Parameters
    ----------
    boxes
        The names of the boxes, distinct; or their number n, for names 0 … n − 1.
    dimension
        The length d of a context.
    learner
        What learns the reservation values; ``FTRL()`` if None.
    feedback
        ``"full"``, ``"opened"``, ``"probe"`` or ``"opened+probe"``.
    sense
        Whether smaller (``"min"``) or larger (``"max"``) values are better.
    optimism
        How far the reservation values of little-known boxes are lowered, 0 for not at all;
        ``"auto"`` is 3/4 under ``"opened"`` and 0 otherwise.
    block
        k, for feedback with ``"probe"``: each box is bought once in k rounds.
        See :func:`weitzman.block_length`.
    rng
        The seed of the bought looks.

    Examples
    --------
    >>> searcher = Searcher(boxes=["a", "b"], dimension=1, feedback="full")
    >>> search = searcher.open(contexts=[[1.0], [1.0]], costs=[0.5, 0.5])
    >>> for box in search:
    ...     search.see({"a": 3.0, "b": 2.0}[box])
    >>> search.close(values={"a": 3.0, "b": 2.0}).total
    3.0
    """

    def __init__(
        self,
        *,
        boxes: int | Sequence[Hashable],
        dimension: int,
        learner: Learner | None = None,
        feedback: Feedback = "opened",
        sense: Sense = "min",
        optimism: float | Literal["auto"] = "auto",
        block: int | None = None,
        rng: int = 0,
    ) -> None:
        self.names = box_names(boxes)
        self._place = {name: i for i, name in enumerate(self.names)}
        self.dimension = whole_number(dimension, "The dimension", least=1)
        self.learner = FTRL() if learner is None else learner
        self.feedback = checked_feedback(feedback, block)
        self.sense = check_sense(sense)
        self.optimism = optimism
        self.block = None if block is None else whole_number(block, "The block", least=1)
        self.rng = whole_number(rng, "The seed rng", least=0)
        self.rounds = 0
        self._sign = 1.0 if sense == "min" else -1.0
        self._kappa = checked_optimism(optimism, feedback)
        self._learns = frozenset(feedback.split("+"))
        self._bank = self.learner.start(boxes=len(self.names), dimension=self.dimension)

    def __repr__(self) -> str:
        return (
            f"Searcher({len(self.names)} boxes, dimension {self.dimension}, {self.learner!r}, "
            f"feedback {self.feedback!r}, {self.rounds} rounds)"
        )

    def open(
        self,
        contexts: ArrayLike,
        costs: ArrayLike,
        *,
        outside: float | None = None,
        boxes: Sequence[Hashable] | None = None,
    ) -> LiveSearch[Hashable]:
        """Begin a round.

        Parameters
        ----------
        contexts
            One row of d numbers per box.
        costs
            One number ≥ 0, or one per box.
        outside
            A value to be had without opening anything. None: at least one box is opened.
        boxes
            The names that the rows are for, if not all boxes are there.
        """
        if outside is not None:
            outside = finite_number(outside, "The outside option", "be a finite number or None")
        rows, prices, places = self._rows(contexts, costs, boxes)
        sigma = self._bank.predict_arrays(rows, prices, places, self._kappa)
        bought: list[int] = []
        if self.block is not None:
            marks = self._probes(1)[0]
            bought = [r for r, p in enumerate(places) if marks[p]]
        search: LiveSearch[Hashable] = LiveSearch(
            boxes=self.names if boxes is None else list(boxes),
            sigma=sigma,
            sense=self.sense,
            outside=outside,
            places=places,
            contexts=rows,
            prices=prices,
            bought=bought,
            learns=self._learns,
            learn=self._bank.update_arrays,
        )
        self.rounds += 1
        return search

    def reservation_values(
        self,
        contexts: ArrayLike,
        costs: ArrayLike,
        *,
        boxes: Sequence[Hashable] | None = None,
    ) -> FloatArray:
        """Return the reservation values by which a round with these contexts would be searched."""
        rows, prices, places = self._rows(contexts, costs, boxes)
        return self._sign * self._bank.predict_arrays(rows, prices, places, self._kappa)

    def explain(
        self,
        contexts: ArrayLike,
        costs: ArrayLike,
        *,
        boxes: Sequence[Hashable] | None = None,
    ) -> Explanation:
        """Return why a round with these contexts would be searched in its order."""
        rows, prices, places = self._rows(contexts, costs, boxes)
        names = self.names if boxes is None else list(boxes)
        return explain_round(self._bank, names, places, rows, prices, self._kappa, self._sign)

    def play(
        self,
        contexts: ArrayLike,
        costs: ArrayLike,
        values: ArrayLike,
        *,
        outside: ArrayLike | None = None,
        predictions: bool = False,
    ) -> Played:
        """Play a recorded sequence in one compiled call, bit for bit as round by round.

        Parameters
        ----------
        contexts, costs, values
            Arrays T×n×d, one number or n or T×n, and T×n. A box with a NaN in its context is absent in that
            round; a value that is NaN is missing.
        outside
            The outside option, one number or one per round; None if there is none.
        predictions
            Whether to return, as ``reservation_values``, what each round was searched by.
        """
        found = self._sign * float_array(values, "The values")
        start: ArrayLike = np.inf
        if outside is not None:
            start = self._sign * float_array(outside, "The outside option")
        rounds = found.shape[0] if found.ndim else 0
        played = play(
            self._bank,
            contexts,
            costs,
            found,
            outside=start,
            feedback=self.feedback,
            optimism=self._kappa,
            probes=None if self.block is None else self._probes(rounds),
            predictions=predictions,
        )
        self.rounds += rounds
        return played if self._sign > 0.0 else played.turned()

    def add_boxes(self, names: Sequence[Hashable]) -> None:
        """Let boxes join that have seen nothing."""
        if len(set(names)) < len(names) or any(name in self._place for name in names):
            raise InvalidInputError("The names of new boxes", "be distinct and new", names)
        self._bank.add_boxes(len(names))
        # A new list: searches that are open keep the old one
        self.names = [*self.names, *names]
        self._place = {name: i for i, name in enumerate(self.names)}

    def digest(self) -> str:
        """Return the number of rounds and a hash of what was learned; settings are not part of it."""
        return f"{self.rounds}-{self._bank.digest()}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the searcher to a file; :func:`weitzman.load` goes on from there, bit for bit.

        Searches that are open are not part of it.
        """
        kinds = {type(name) for name in self.names}
        if not kinds <= {str, int}:
            raise InvalidInputError(
                "The names of a saved searcher", "be strings or integers", kinds
            )
        write_saved(path, self._settings(), self._bank.state())

    def _settings(self) -> dict[str, Any]:
        # All learners: loaded when one is saved, not with the first searcher
        from weitzman.learn.learners import learner_name

        return {
            "names": self.names,
            "dimension": self.dimension,
            "learner": learner_name(self.learner),
            "parameters": plain_parameters(asdict(cast("Any", self.learner))),
            "feedback": self.feedback,
            "sense": self.sense,
            "optimism": self.optimism if self.optimism == "auto" else float(self.optimism),
            "block": self.block,
            "rng": self.rng,
            "rounds": self.rounds,
        }

    def _probes(self, rounds: int) -> NDArray[np.bool_]:
        return probes(
            seed=self.rng,
            block=self.block or 1,
            first=self.rounds,
            rounds=rounds,
            boxes=len(self.names),
        )

    def _rows(
        self, contexts: ArrayLike, costs: ArrayLike, boxes: Sequence[Hashable] | None
    ) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
        count = len(self.names if boxes is None else boxes)
        # Copies: the caller may use its arrays again before the round is closed
        rows = float_array(contexts, "The contexts", "fiub", copy=True)
        self._bank.check_shape(rows, count)
        prices = float_array(costs, "The costs", copy=True)
        if prices.ndim == 0:
            prices = np.full(count, float(prices))
        if prices.shape != (count,):
            rule = f"be one number, or one per box, {count}"
            raise InvalidInputError("The costs", rule, prices.shape)
        if boxes is None:
            return rows, prices, self._bank.every
        unknown = [b for b in boxes if b not in self._place]
        if unknown or len(set(boxes)) < count or not count:
            rule = "be distinct boxes of the searcher, at least one"
            raise InvalidInputError("The boxes of a round", rule, unknown or list(boxes))
        return rows, prices, np.array([self._place[b] for b in boxes], dtype=np.int64)
