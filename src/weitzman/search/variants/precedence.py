"""Boxes that can be opened only after another one: a licence before its modules.

The boxes are a forest: each has at most one box that it comes *after*. Opening a box makes those
after it available, whatever it holds; what they hold may depend on its value. One value is kept, that
of any open box.

**Theorem** [Boodaghians 2020; for laws that depend on the value before: Yang 2025]. Let κ of a box be
max(σ, M) with E(σ − M)⁺ = c and M the smallest of the value and of κ of the boxes after it, given
the value. Opening the available box with the smallest σ, until the best value in hand is at most all
of them, is optimal, and costs E min(outside, min κ) over the boxes that come after none.

*Proof.* As in :mod:`~weitzman.search.variants.stages`: on average a policy pays as if a box cost κ − M.
On the way to the box that is kept every M is at most κ of the next box, and in the end at most the
value v, so that these costs and v add up to at least κ of the box that comes after none. With the
rule they add up to just that, and boxes beside the way cost nothing: where κ > M, what follows stays
below σ, and so below all else that is available, until M is reached and kept. ∎

With several prerequisites for one box no such index exists
(:mod:`~weitzman.search.variants.hard.prerequisites`).
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.contents import Successes
from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.distribution import Distribution
from weitzman.search.reservation import Sense, mirrored
from weitzman.search.variants.draws import chain_of_draws
from weitzman.search.variants.forest.nodes import Branch, Node
from weitzman.search.variants.stages import first_stage


def forest_roots(
    boxes: Sequence[Box],
    *,
    sense: Sense = "min",
    outside: float | None = None,
    discount: float = 1.0,
    worth: Callable[[float], float] | None = None,
) -> list[Node]:
    """Return the nodes of the boxes that come after none; smaller values are better in them.

    ``worth`` says what a value is worth, for laws with finitely many outcomes.
    """
    after: dict[str | None, list[Box]] = {}
    for box in boxes:
        after.setdefault(box.parent, []).append(box)
    _check_forest(boxes, after)
    sign = 1.0 if sense == "min" else -1.0
    made: dict[tuple[str, float | None], Node | None] = {}

    def node(box: Box, before: float | None) -> Node | None:
        """Return the first node of a box, given the value before if it depends on that."""
        key = box.name, before if isinstance(box.value, Mapping) else None
        if key not in made:
            made[key] = _node(box, before)
        return made[key]

    def _node(box: Box, before: float | None) -> Node | None:
        def shows(law: Distribution, stage: str | None, cost: float, time: float) -> Node:
            branches, outcomes = _branches(box, law)
            factor = discount**time
            return Node(box.name, cost, branches, stage, factor, outcomes=outcomes)

        if box.stages:
            return first_stage(box, discount, shows)
        if isinstance(box.value, Successes):
            _check_successes(box, after, worth)
            return chain_of_draws(box, sense, outside, discount)
        law = (
            box.laws.get(before)
            if isinstance(box.value, Mapping) and before is not None
            else box.law
        )
        return None if law is None else shows(law, None, box.expected_cost, box.time)

    def _branches(
        box: Box, law: Distribution
    ) -> tuple[tuple[Branch, ...], tuple[float, ...] | None]:
        behind = after.get(box.name, [])
        turned = mirrored(_worth(law, worth, box.name), sense)
        if not (turned.is_step or np.isfinite(turned.excess_below(turned.quantile(0.5)))):
            side = "E(s - v)+" if sense == "min" else "E(v - s)+"
            rule = f"have a finite expected excess {side}"
            raise InvalidInputError(f"The value of box {box.name!r}", rule, law)
        if not any(isinstance(child.value, Mapping) for child in behind):
            then = [node(child, None) for child in behind]
            return (Branch(1.0, turned, tuple(n for n in then if n is not None)),), None
        if not isinstance(law, Discrete):
            rule = "have finitely many outcomes, since a box after it depends on them"
            raise InvalidInputError(f"The value of box {box.name!r}", rule, law)
        branches: list[Branch] = []
        outcomes: list[float] = []
        for value, chance in zip(law.values.tolist(), law.probabilities.tolist(), strict=True):
            then = [node(child, value) for child in behind]
            number = sign * (value if worth is None else worth(value))
            outcomes.append(number)
            known = tuple(n for n in then if n is not None)
            branches.append(Branch(chance, Discrete([number]), known))
        if len(set(outcomes)) < len(outcomes):
            rule = "tell the values apart, since a box after it depends on them"
            raise InvalidInputError(f"The utility of box {box.name!r}", rule, outcomes)
        return tuple(branches), tuple(outcomes)

    found = [node(box, None) for box in after.get(None, [])]
    return [n for n in found if n is not None]


def _worth(law: Distribution, worth: Callable[[float], float] | None, box: str) -> Distribution:
    if worth is None:
        return law
    if not isinstance(law, Discrete):
        rule = "have finitely many outcomes, or be the law of the utility itself"
        raise InvalidInputError(f"The value of box {box!r}", rule, law)
    return Discrete([worth(value) for value in law.values.tolist()], law.probabilities)


def _check_successes(box: Box, after: dict[str | None, list[Box]], worth: object) -> None:
    if box.before or box.name in after or worth is not None:
        rule = "stand alone: it does not combine with boxes after others or a utility"
        raise InvalidInputError(f"Box {box.name!r} of successes", rule, box.value)


def _check_forest(boxes: Sequence[Box], after: dict[str | None, list[Box]]) -> None:
    """Refuse a box after one that is not there, and boxes that come after each other in a circle."""
    names = {box.name for box in boxes}
    for box in boxes:
        if box.parent is not None and box.parent not in names:
            subject = f"The box before {box.name!r}"
            raise InvalidInputError(subject, "be one of the boxes", box.parent)
    reached: set[str] = set()
    waiting = list(after.get(None, []))
    while waiting:
        box = waiting.pop()
        reached.add(box.name)
        waiting += after.get(box.name, [])
    for box in boxes:
        if box.name not in reached:
            rule = "not come after itself"
            raise InvalidInputError(f"Box {box.name!r}", rule, f"after {box.parent}")
