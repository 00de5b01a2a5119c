"""Boxes that are looked into in several stages: a phone screen, an interview, a trial week.

Every stage has a cost and shows a signal, on which the law of the next signal or of the value
depends; after each the search may go on with this box, turn to another, or stop. Only the value of
the last stage can be kept. A box is a Markov chain of finite depth whose states are the stages, each
with the signal before it; it is given up by never being opened again.

**Theorem** [Dumitriu 2003; Gupta 2019]. Let every state of every box have the σ at which going on
and giving up are worth the same if nothing else were there: with M the capped value of the next
state, κ = max(σ, M) and E(σ − M)⁺ = c (:mod:`~weitzman.search.variants.forest.capped`). Opening the
next stage of the box with the smallest σ, until the best value in hand is at most all of them, is
optimal, and costs E min(outside, min_i κ_i) over the first stages.

*Proof.* Opening a state s leads to M_s, so κ_s = M_s + (σ_s − M_s)⁺. Whether s is opened is decided
before M_s is known, so a policy pays on average as if s cost κ_s − M_s instead of c_s [Kleinberg 2016].
For the box that is kept M_s is κ of the next state, in the end the value v, and the costs and v add up
to κ of its first stage; the other boxes cost at least 0. So no policy costs less than E min(outside,
min κ_i). The rule costs just that: if κ_s > M_s, what follows s stays below σ_s, and so below all
others, until the box is kept; and the box that it keeps has the smallest κ. ∎
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.search.box import Box, expected_cost
from weitzman.search.contents import Stage
from weitzman.search.laws.conversion import as_distribution
from weitzman.search.laws.distribution import Distribution
from weitzman.search.numbers import finite_number, whole_number
from weitzman.search.variants.forest.nodes import Branch, Node

ValueNode = Callable[[Distribution, str | None, float, float], Node]
"""Of a law, the name of a stage, its cost and its time to the node that shows the value."""


def first_stage(box: Box, discount: float, value_node: ValueNode) -> Node:
    """Return the node of the first stage of a box; ``value_node`` makes the last ones."""
    made: dict[tuple[int, Any], Node | None] = {}
    stages = tuple(box.stages)
    for stage in stages:
        if not isinstance(stage, Stage):
            raise InvalidInputError(f"The stages of box {box.name!r}", "be of Stage", stage)

    def node(place: int, signal: Any) -> Node | None:
        if (place, signal) not in made:
            made[place, signal] = _node(place, signal)
        return made[place, signal]

    def _node(place: int, signal: Any) -> Node | None:
        stage, last = stages[place], place == len(stages) - 1
        subject = f"Stage {stage.name!r} of box {box.name!r}"
        if finite_number(stage.time, f"The time of {subject}") < 0.0:
            raise InvalidInputError(f"The time of {subject}", "be >= 0", stage.time)
        shown = _given(stage.shows, signal, nested=not last)
        if shown is None:
            return None
        cost = _given(stage.cost, signal, nested=False)
        if cost is None:
            raise InvalidInputError(subject, f"have a cost after {signal!r}", stage.cost)
        price = expected_cost(cost, box.name)
        if last:
            law = as_distribution(shown, f"The value of {subject}")
            return value_node(law, stage.name, price, stage.time)
        chances = checked_chances(shown, subject)
        after = [node(place + 1, label) for label in chances]
        branches = [
            Branch(chance, then=() if then is None else (then,))
            for chance, then in zip(chances.values(), after, strict=True)
        ]
        return Node(
            box.name,
            price,
            tuple(branches),
            stage.name,
            discount**stage.time,
            labels=tuple(chances),
        )

    first = node(0, None)
    if first is None:
        rule = "have a first stage that depends on no signal"
        raise InvalidInputError(f"Box {box.name!r}", rule, stages[0].shows)
    return first


def _given(content: Any, signal: Any, *, nested: bool) -> Any:
    """Return what a stage has for the signal before it; None if nothing."""
    if not isinstance(content, Mapping):
        return content
    if nested and not any(isinstance(inner, Mapping) for inner in content.values()):
        return content
    return content.get(signal)


def checked_chances(shown: Any, subject: str) -> dict[Any, float]:
    """Return the signals of a stage that are possible, with their chances."""
    rule = "show signals with chances >= 0 of sum 1"
    if not isinstance(shown, Mapping) or not shown:
        raise InvalidInputError(subject, rule, shown)
    if isinstance(shown, Counter):
        each = {label: whole_number(k, subject, least=0) for label, k in shown.items()}
        shown = {label: count / max(sum(each.values()), 1) for label, count in each.items()}
    chances = {label: finite_number(p, subject, rule) for label, p in shown.items()}
    if min(chances.values()) < 0.0 or abs(sum(chances.values()) - 1.0) > 1e-9:
        raise InvalidInputError(subject, rule, shown)
    whole = sum(chances.values())
    return {label: p / whole for label, p in chances.items()}


def stage_names(boxes: Sequence[Box]) -> list[str]:
    """Return the names of all stages, in the order in which they are first met."""
    return list(dict.fromkeys(stage.name for box in boxes for stage in box.stages))
