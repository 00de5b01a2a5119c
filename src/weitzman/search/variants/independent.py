"""Plans of boxes that are searched independently of each other, as a forest of nodes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.numbers import whole_number
from weitzman.search.reservation import given_values
from weitzman.search.variants.asked import Asked
from weitzman.search.variants.discount import checked_discount
from weitzman.search.variants.face import Settle, settle_best
from weitzman.search.variants.forest.chances import Room, room_for_one
from weitzman.search.variants.forest.forest import Forest, Words
from weitzman.search.variants.forest.plan import ForestPlan
from weitzman.search.variants.forest.rule import ForestRule, links
from weitzman.search.variants.forest.totals import Integral, Rank, shortfall
from weitzman.search.variants.keep import Matroid, MatroidRule, expected_rank
from weitzman.search.variants.precedence import forest_roots
from weitzman.search.variants.settling import settle_basis, settle_later, settle_most


def forest_plan(boxes: Sequence[Box], asked: Asked) -> ForestPlan:
    """Return the plan for boxes with stages or after others, several to keep, or a discount."""
    sense, outside, keep, utility = asked.sense, asked.outside, asked.keep, asked.utility
    factor = checked_discount(asked.discount)
    if keep != 1:
        _check_alone(boxes, factor)
    roots = forest_roots(boxes, sense=sense, outside=outside, discount=factor, worth=utility)
    forest = truth = Forest(roots)
    if asked.reservation_values is not None:
        rows = [node.box for node in forest.nodes]
        given = given_values(asked.reservation_values, rows, sense, per="row of the plan's steps")
        if factor < 1.0 and np.isinf(given).any():
            finite = "be finite with a discount"
            raise InvalidInputError("The reservation values", finite, asked.reservation_values)
        forest = Forest(roots, sigma=given)
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
    return ForestPlan(
        boxes=tuple(boxes),
        sense=sense,
        outside=outside,
        forest=forest,
        rule=rule,
        places=count,
        _truth=truth,
        _integral=lambda laws: Integral(laws, count, rank),
        _room=room,
        _settle=settle,
        _worth=utility,
    )


def _check_alone(boxes: Sequence[Box], discount: float) -> None:
    rule = "be 1: several values to keep do not combine with"
    for box in boxes:
        if box.before:
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
