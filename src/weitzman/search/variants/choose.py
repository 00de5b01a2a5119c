"""Which variant a call of :func:`~weitzman.search.planning.plan` asks for, and what does not combine."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.contents import Draws
from weitzman.search.numbers import finite_number, whole_number
from weitzman.search.reservation import Sense
from weitzman.search.variants.discount import checked_discount
from weitzman.search.variants.draws import draws_plan
from weitzman.search.variants.face import AnyPlan, Settle, settle_best
from weitzman.search.variants.forest.chances import Room, room_for_one
from weitzman.search.variants.forest.forest import Forest, Words
from weitzman.search.variants.forest.plan import ForestPlan
from weitzman.search.variants.forest.rule import ForestRule, links
from weitzman.search.variants.forest.totals import Integral, Rank, shortfall
from weitzman.search.variants.keep import Matroid, MatroidRule, expected_rank
from weitzman.search.variants.no_recall import NoRecallPlan
from weitzman.search.variants.precedence import forest_roots
from weitzman.search.variants.risk import Utility, checked_tail, tail_utilities
from weitzman.search.variants.settling import settle_basis, settle_later, settle_most


@dataclass(frozen=True)
class Asked:
    """What a plan is asked for beside its boxes; see :func:`~weitzman.search.planning.plan`."""

    sense: Sense = "min"
    outside: float | None = None
    keep: int | Matroid = 1
    discount: float = 1.0
    utility: Utility | None = None
    tail: float = 1.0
    recall: bool = True

    def only(self, what: str, *allowed: str) -> None:
        """Refuse settings that do not combine with what is asked for."""
        usual = Asked()
        for name in ("keep", "discount", "utility", "tail", "recall"):
            given = getattr(self, name)
            if name not in allowed and given != getattr(usual, name):
                raise InvalidInputError(
                    name, f"be left out: it does not combine with {what}", given
                )


def variant_plan(boxes: Sequence[Box], asked: Asked) -> AnyPlan:
    """Return the plan for a problem that is not plain."""
    if any(isinstance(box.value, Draws) for box in boxes):
        asked.only("draws")
        return draws_plan(boxes, asked.sense, asked.outside)
    if not asked.recall:
        asked.only("a search without recall", "recall")
        for box in boxes:
            if not box.plain:
                rule = "be plain: stages and boxes after others do not combine with no recall"
                raise InvalidInputError(f"Box {box.name!r}", rule, box)
        plan = NoRecallPlan(tuple(boxes), asked.sense, asked.outside)
        _ = plan.expected_total
        return plan
    if checked_tail(asked.tail) < 1.0:
        asked.only("a tail", "tail")
        utilities = tail_utilities(boxes, asked.sense, asked.outside, asked.tail)
        plans = [forest_plan(boxes, replace(asked, tail=1.0, utility=u)) for u in utilities]
        sign = 1.0 if asked.sense == "min" else -1.0
        return min(plans, key=lambda plan: sign * plan.expected_total)
    return forest_plan(boxes, asked)


def forest_plan(boxes: Sequence[Box], asked: Asked) -> ForestPlan:
    """Return the plan for boxes with stages or after others, several to keep, or a discount."""
    sense, keep, utility = asked.sense, asked.keep, asked.utility
    outside = asked.outside
    if utility is not None and outside is not None:
        outside = finite_number(utility(outside), "The utility", "be a finite number")
    factor = checked_discount(asked.discount)
    if keep != 1:
        _check_alone(boxes, factor)
    roots = forest_roots(boxes, sense=sense, outside=outside, discount=factor, worth=utility)
    forest = Forest(roots)
    names = [root.box for root in roots]
    count = 1
    room: Room = room_for_one
    rank: Rank | None = None
    settle: Settle = settle_best
    plain = ForestRule(forest.sigma, links(forest))
    rule: ForestRule | MatroidRule = plain
    if isinstance(keep, Matroid):
        rank = expected_rank(names, keep)
        certain = [np.full(1, float(one == 0.0)) for one in forest.nothing]
        whole = [np.ones(1) for _ in names]
        count, sure = (round(float(rank(chances)[0])) for chances in (whole, certain))
        rule = greedy = MatroidRule(plain, [node.box for node in forest.nodes], keep)
        room, settle = room_of_rank(rank), settle_basis(greedy, count)
    else:
        count = whole_number(keep, "The number of boxes to keep", least=1, most=len(boxes))
        sure = sum(one == 0.0 for one in forest.nothing)
        if count > 1:
            rule = ForestRule(forest.sigma, links(forest), keep=count)
            room, settle = room_for(count), settle_most(count)
    if outside is None and sure < count:
        got = Words("boxes that may all end without a value")
        raise InvalidInputError("The outside option", "be given", got)
    if factor < 1.0:
        settle = settle_later(np.array([node.discount for node in forest.nodes]))
    integral = Integral(forest.root_laws, count, rank)
    return ForestPlan(
        tuple(boxes), sense, outside, forest, rule, count, integral, room, settle, utility
    )


def _check_alone(boxes: Sequence[Box], discount: float) -> None:
    rule = "be 1: several values to keep do not combine with"
    for box in boxes:
        if box.after is not None:
            raise InvalidInputError("keep", f"{rule} boxes after others", box.name)
    if discount < 1.0:
        raise InvalidInputError("keep", f"{rule} a discount", discount)


def room_for(count: int) -> Room:
    """Return the chance that fewer than so many of the other trees are worth less."""

    def room(above: Floats, own: NDArray[np.intp]) -> Floats:
        above[own, np.arange(own.size)] = 1.0
        return shortfall(count, list(1.0 - above), steps=1)

    return room


def room_of_rank(rank: Rank) -> Room:
    """Return the chance that the trees that are worth less do not span a tree."""

    def room(above: Floats, own: NDArray[np.intp]) -> Floats:
        chances = 1.0 - above
        result = np.zeros(own.size)
        for place in np.unique(own):
            at = own == place
            without, within = chances[:, at].copy(), chances[:, at].copy()
            without[place], within[place] = 0.0, 1.0
            result[at] = rank(list(within)) - rank(list(without))
        return result

    return room
