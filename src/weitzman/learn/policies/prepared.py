"""Players that are given prepared rounds in place of the rounds as they are.

A linear learner is given [constant, z], with z the prepared context. Where values are prepared too, it is
given a wider constant, holds each box to the others until it knows better, and holds weights as strongly as
fits contexts of deviation 1 (:func:`linear_learner`).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weitzman.feedback import Feedback
from weitzman.learn.explanation import Explanation, explain_order
from weitzman.learn.learner import Bank, as_learner, bank_of
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.residual import Residual
from weitzman.learn.learners.ridge import Ridge
from weitzman.learn.learners.tuned import TunedBank
from weitzman.learn.policies.unit_rule import in_units
from weitzman.learn.policy import Floats, Player, Round, State, cheapest, joined, parted
from weitzman.learn.preparation import WIDE, Preparation, Prepare, with_constant
from weitzman.search.rule import Rule, WeitzmanRule


def prepare_for(learner: Any) -> Prepare:
    """Return what is prepared for a learner, where nobody says.

    A learner is meant for rounds as they are given if it says whether there is an intercept, if its weights
    are held to something (``prior``, ``radius``, ``eta="theorem"``), if it knows something of values
    (``least``, ``noise``), or if it has no such parameters.
    """
    known = ("prior", "radius", "least", "noise")
    free = all(getattr(learner, name, None) is None for name in known)
    plain = free and getattr(learner, "eta", "auto") != "theorem"
    return "all" if plain and getattr(learner, "intercept", False) is None else "nothing"


def given_rounds(learner: Any) -> Literal["auto", "nothing"]:
    """Return how a policy says that a learner is given rounds as they are."""
    return "auto" if prepare_for(learner) == "nothing" else "nothing"


def linear_learner(learner: Any, dimension: int) -> Any:
    """Return a learner as it is started on prepared rounds with d features."""
    known = {field.name for field in fields(learner)}
    changes: dict[str, Any] = {"intercept": False}
    if "eta" in known and learner.eta == "auto":
        # A quarter of what ‖z‖² is on average
        changes["eta"] = 4.0 / dimension
    if isinstance(learner, FTRL | Ridge | Residual) and learner.prior is None:
        changes["prior"] = "boxes"
    return replace(learner, **{name: to for name, to in changes.items() if name in known})


def curious_learner(learner: Any) -> Any:
    """Return a learner as it is started on rounds as they are, where it explores by itself."""
    if not isinstance(learner, FTRL) or learner.explore is not None:
        return learner
    free = learner.prior is None and learner.eta in ("auto", "noise") and learner.radius is None
    return replace(learner, explore="own", prior="agreed" if free else learner.prior)


def started(policy: Any, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> Player:
    """Return a player of a policy over a learner, which has seen nothing."""
    prepare: Prepare = policy.prepares
    constant = prepare != "nothing"
    size = dimension + int(constant)
    player: Player = policy.player(boxes=boxes, dimension=size, feedback=feedback, seed=seed)
    if not constant:
        return player
    return PreparedPlayer(player, dimension, prepare, feedback, constant=True)


def prepared_bank(
    policy: Any, *, boxes: int, dimension: int, curious: bool, bounded: bool = False
) -> Bank:
    """Return the bank of a policy over a learner, for contexts as the policy prepares them.

    ``curious``: only what is opened is seen, and optimism sees to it that boxes are. ``bounded``: some values
    are known by bounds alone.
    """
    learner = as_learner(policy.learner)
    if bounded and hasattr(learner, "start_bounded"):
        found: Bank = learner.start_bounded(boxes=boxes, dimension=dimension)
        return found
    if curious and policy.prepares == "nothing":
        learner = curious_learner(learner)
    if policy.prepares != "all":
        return bank_of(learner, boxes=boxes, dimension=dimension)
    ready = linear_learner(learner, dimension - 1)
    if isinstance(learner, FTRL) and learner.eta == "auto":
        return TunedBank(ready, boxes=boxes, dimension=dimension, curious=curious)
    return bank_of(ready, boxes=boxes, dimension=dimension)


class PreparedPlayer:
    """A player that is given prepared rounds.

    Parameters
    ----------
    inner
        What decides, over prepared rounds.
    dimension
        The length of a context.
    prepare
        ``"all"`` or ``"contexts"``.
    feedback
        What rounds reveal.
    constant
        Whether it is given a constant before the context.
    """

    def __init__(
        self,
        inner: Any,
        dimension: int,
        prepare: Prepare,
        feedback: Feedback,
        *,
        constant: bool = False,
    ) -> None:
        self._inner = inner
        self._all = prepare == "all"
        self._constant = constant
        self._preparation = Preparation(dimension, values=self._all, feedback=feedback)
        # A prepared round, and the same with the constant
        self._last: tuple[Round, Round] | None = None
        for name in ("add_boxes",):
            if hasattr(inner, name):
                setattr(self, name, getattr(inner, name))
        if hasattr(inner, "learn_bounded"):
            self.learn_bounded = self._learn_bounded
        if hasattr(inner, "late") and self._all:
            self.late = self._late
        if hasattr(inner, "explain") and self._all:
            self.explain = self._explain

    @property
    def pile(self) -> tuple[float, int] | None:
        """What is taken for the least value where nobody says it, and how often it was seen."""
        return self._preparation.pile

    def rule(self, shown: Round) -> Rule:
        """Return what decides in a round."""
        ready = self._ready(shown)
        return self._made(ready, self._inner.rule)

    def _made(self, ready: Round, rule: Any) -> Rule:
        if self._all and self._constant and ready.units is None:
            return WeitzmanRule(cheapest(ready))
        return in_units(rule(ready), ready)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn the values of a round, and take its contexts in."""
        if not self._all:
            self._inner.learn(self._ready(shown), values)
            self._preparation.add(shown)
            return
        ready, found = self._preparation.take(shown, values)
        if ready.units is not None:
            self._inner.learn(self._with_constant(ready), found)

    def _learn_bounded(self, shown: Round, values: Floats, bounds: Floats) -> None:
        """Learn a round some of whose values are known by bounds alone, and take its contexts in."""
        if not self._all:
            self._inner.learn_bounded(self._ready(shown), values, bounds)
            self._preparation.add(shown)
            return
        # A bound is no value that a box has shown: units and the least value do not go by it
        ready, found = self._preparation.take(shown, values)
        if ready.units is not None:
            prepared = self._with_constant(ready)
            self._inner.learn_bounded(prepared, found, ready.units.values(bounds))

    def _late(self, shown: Round, values: Floats) -> None:
        """Learn values that came after their round was learned."""
        ready = self._ready(shown)
        if ready.units is not None:
            self._inner.late(ready, ready.units.values(values))

    def _explain(self, names: Sequence[Hashable], shown: Round, sign: float) -> Explanation:
        """Return how the reservation values of a round are made."""
        ready = self._ready(shown)
        if ready.units is None:
            order = cheapest(shown)
            return explain_order(names, shown.costs, order, "min" if sign > 0.0 else "max")
        explanation: Explanation = self._inner.explain(names, ready, sign)
        return explanation

    def state(self) -> State:
        """Return the player's state and the preparation's."""
        preparation = self._preparation.state()
        return joined({"inner": self._inner.state(), "preparation": preparation})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._preparation.restore(parted(state, "preparation"))
        self._inner.restore(parted(state, "inner"))

    def _ready(self, shown: Round) -> Round:
        if self._all:
            return self._with_constant(self._preparation.ready(shown))
        return self._with_constant(
            shown._replace(contexts=self._preparation.rows(shown), gaps=False)
        )

    def _with_constant(self, ready: Round) -> Round:
        if not self._constant:
            return ready
        if self._last is None or self._last[0] is not ready:
            constant = WIDE if self._all else 1.0
            rows = with_constant(ready.contexts, constant)
            self._last = (ready, ready._replace(contexts=rows))
        return self._last[1]
