"""A learner and Weitzman's rule: the policy of the paper.

σ is what the learner predicts from the contexts, and stays as it is during the round. Where only the
values of opened boxes are revealed, σ is lowered by :mod:`weitzman.learn.learners.parts.optimism`. That
costs something, and what it pays for is learning: the rule by which the policy is judged beside others
is the one without optimism.

With ``"probe"`` feedback, looks are bought to learn (:mod:`weitzman.learn.probing`): after the rule has
stopped, the round goes on with them. Their values count as any other; what is paid for may be kept.

Features of different sizes, and values far from zero, are hard on a linear learner that takes rounds
as they are. So it is given rounds that :mod:`weitzman.learn.preparation` has prepared, unless it says that it
is meant for others.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.feedback import BOUNDED, Feedback
from weitzman.learn.explanation import Explanation, explain_round
from weitzman.learn.learner import Bank, Learner
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.parts.optimism import KAPPA
from weitzman.learn.learners.play import play_compiled
from weitzman.learn.policies.allowance import Allowance, predicted
from weitzman.learn.policies.family import LearnerFamily
from weitzman.learn.policies.prepared import prepare_for, prepared_bank, started
from weitzman.learn.policy import (
    Floats,
    Player,
    Round,
    State,
    joined,
    parted,
    walk,
)
from weitzman.learn.preparation import Prepare, checked_prepare
from weitzman.learn.probing import Bought, probes
from weitzman.learn.record import Played, Record, play_record
from weitzman.learn.revealed import check_learner_learns, filled
from weitzman.search.numbers import finite_number, whole_number
from weitzman.search.rule import Rule, WeitzmanRule

_NAMES = {"all": "", "contexts": " standardised", "nothing": ""}


@dataclass(frozen=True)
class Weitzman:
    """Weitzman's rule over the reservation values of a learner.

    Parameters
    ----------
    learner
        What learns the reservation values.
    optimism
        How far the reservation values of little-known boxes are lowered, 0 for not at all; ``"auto"`` is 3/4
        under feedback ``"opened"`` and ``"chosen"`` and 0 otherwise, and 0 for a learner with an optimism of
        its own.
    block
        k, for feedback with ``"probe"``: each box is bought once in k rounds. See
        :func:`weitzman.block_length`.
    prepare
        What is prepared (:mod:`weitzman.learn.preparation`). ``"auto"``: ``"all"``, and ``"nothing"`` for a
        learner that says whether there is an intercept, or whose weights are held to a ``prior``, to a
        ``radius`` or by ``eta="theorem"``.

    Examples
    --------
    >>> Weitzman(FTRL()).prepares, Weitzman(FTRL(intercept=False)).prepares
    ('all', 'nothing')
    """

    learner: Learner = field(default_factory=FTRL)
    optimism: float | Literal["auto"] = "auto"
    block: int | None = None
    prepare: Prepare | Literal["auto"] = "auto"

    @property
    def prepares(self) -> Prepare:
        """What is prepared."""
        auto = self.prepare == "auto"
        return prepare_for(self.learner) if auto else checked_prepare(self.prepare)

    @property
    def name(self) -> str:
        """The name of the learner; ``paper`` is FTRL on rounds as they are given, which is the paper's."""
        name = type(self.learner).__name__
        paper = isinstance(self.learner, FTRL) and self.prepares != "all"
        return ("paper" if paper else name) + _NAMES[self.prepares]

    def start(
        self, *, boxes: int, dimension: int, feedback: Feedback = "full", seed: int = 0
    ) -> Player:
        """Return a player that has seen nothing."""
        return started(self, boxes=boxes, dimension=dimension, feedback=feedback, seed=seed)

    def player(
        self, *, boxes: int, dimension: int, feedback: Feedback, seed: int
    ) -> "WeitzmanPlayer":
        """Return a player that takes contexts as they are given."""
        if ("probe" in feedback) != (self.block is not None):
            raise InvalidInputError("The block", f"fit the feedback {feedback!r}", self.block)
        check_learner_learns(self.learner, feedback)
        kappa = kappa_of(self.optimism, feedback, self.learner)
        curious = kappa > 0.0 and feedback in ("opened", "chosen")
        return WeitzmanPlayer(
            prepared_bank(
                self,
                boxes=boxes,
                dimension=dimension,
                curious=curious,
                bounded=feedback == "chosen",
            ),
            feedback=feedback,
            kappa=kappa,
            allowance=Allowance(boxes) if kappa > 0.0 and self.prepares == "all" else None,
            block=None if self.block is None else whole_number(self.block, "The block", least=1),
            seed=seed,
        )

    def turned(self) -> "Weitzman":
        """Return the policy for a problem whose signs are turned: what it knows of values is too."""
        given = {name: getattr(self.learner, name, None) for name in ("prior", "least", "noise")}
        turned = {
            name: -value if name == "least" else -np.asarray(value, dtype=np.float64)
            for name, value in given.items()
            # A word names what weights are held to, and has no sign
            if value is not None and not isinstance(value, str)
        }
        if not turned:
            return self
        return replace(self, learner=replace(cast("Any", self.learner), **turned))

    def family(self) -> LearnerFamily:
        """Return the family of one by which the policy joins a portfolio."""
        return LearnerFamily(self)


def kappa_of(
    optimism: float | Literal["auto"], feedback: Feedback, learner: Learner | None = None
) -> float:
    """Return κ: as given, or what ``"auto"`` means under the feedback for the learner."""
    if isinstance(optimism, str) and optimism == "auto":
        needed = feedback in ("opened", "chosen") and not getattr(learner, "own_optimism", False)
        return KAPPA if needed else 0.0
    rule = "be 'auto' or a finite number >= 0"
    kappa = finite_number(optimism, "The optimism", rule)
    if kappa < 0.0:
        raise InvalidInputError("The optimism", rule, optimism)
    return kappa


class WeitzmanPlayer:
    """The policy of the paper, running on contexts as they are given.

    Parameters
    ----------
    bank
        The learner, running.
    feedback, block, seed
        What is revealed, and which looks are bought.
    kappa
        The optimism.
    allowance
        How many looks it may cause; None for any number.
    """

    refuses = True
    """The bank refuses rounds that are not numbers: nobody else has to."""

    def __init__(
        self,
        bank: Bank,
        *,
        feedback: Feedback,
        kappa: float,
        block: int | None,
        seed: int,
        allowance: Allowance | None = None,
    ) -> None:
        self.bank = bank
        self.feedback = feedback
        self.kappa = kappa
        self._block = block
        self._seed = seed
        self._allowance = allowance

    def rule(self, shown: Round) -> Rule:
        """Return Weitzman's rule, and what is bought after it."""
        if self._allowance is None:
            rule = WeitzmanRule(predicted(self.bank, shown, self.kappa))
        else:
            sigma = self._allowance.reservation_values(self.bank, shown, self.kappa)
            rule = WeitzmanRule(sigma)
        if self._block is None:
            return rule
        marks = self._probes(shown.number, 1)[0]
        return Bought(rule, [row for row, place in enumerate(shown.places) if marks[place]])

    def plain_rule(self, shown: Round) -> Rule:
        """Return the rule without optimism."""
        return WeitzmanRule(predicted(self.bank, shown, 0.0))

    def learn(self, shown: Round, values: Floats) -> None:
        """Let the learner learn."""
        if self._allowance is not None:
            asked = np.array(walk(self.rule(shown), shown, values).opened, dtype=np.int64)
            self._allowance.note(shown, values, asked, predicted(self.bank, shown, 0.0))
        self.bank.update_arrays(
            boxes=shown.places, contexts=shown.filled, values=values, costs=shown.costs
        )

    def learn_bounded(self, shown: Round, values: Floats, bounds: Floats) -> None:
        """Let the learner learn, from bounds where values are not known."""
        own: Any = getattr(self.bank, "update_bounded", None)
        if own is None:
            self.learn(shown, filled(values, bounds))
            return
        own(
            boxes=shown.places,
            contexts=shown.filled,
            values=values,
            bounds=bounds,
            costs=shown.costs,
        )

    def late(self, shown: Round, values: Floats) -> None:
        """Learn values that came after their round was learned."""
        self.bank.update_arrays(
            boxes=shown.places, contexts=shown.filled, values=values, costs=shown.costs
        )

    def explain(self, names: Sequence[Hashable], shown: Round, sign: float) -> Explanation:
        """Return how the reservation values of a round are made."""
        rule: Any = self.rule(shown)
        return explain_round(self.bank, names, shown, getattr(rule, "inner", rule).sigma, sign)

    def play(self, record: Record, *, first: int, predictions: bool) -> Played:
        """Play recorded rounds, the first of which has this number."""
        if not isinstance(self.bank, CompiledBank) or self.feedback in BOUNDED:
            return play_record(
                self, record, feedback=self.feedback, first=first, predictions=predictions
            )
        return play_compiled(
            self.bank,
            record.filled(),
            feedback=self.feedback,
            optimism=self.kappa,
            probes=None if self._block is None else self._probes(first, len(record)),
            predictions=predictions,
        )

    def add_boxes(self, count: int) -> None:
        """Let boxes join that have seen nothing."""
        self.bank.add_boxes(count)
        if self._allowance is not None:
            self._allowance.add_boxes(count)

    def state(self) -> State:
        """Return the learner's state, and the allowance's."""
        if self._allowance is None:
            return self.bank.state()
        return joined({"bank": self.bank.state(), "allowance": self._allowance.state()})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        if self._allowance is None:
            self.bank.restore(dict(state))
            return
        self._allowance.restore(parted(state, "allowance"))
        self.bank.restore(parted(state, "bank"))

    def _probes(self, first: int, rounds: int) -> NDArray[np.bool_]:
        return probes(
            seed=self._seed,
            block=self._block or 1,
            first=first,
            rounds=rounds,
            boxes=self.bank.boxes,
        )
