"""How likely each node of a forest is opened, and its value kept.

Consider a twig, and on its way from the root an ancestor a. What became available with a and is not
on the way (the value of a, the siblings of the next twig; beside the root the other trees)
competes with the largest key from behind a down to the twig, its *turn* since a: the twig is opened
if the branches of its way come, and at each ancestor everything else is worth more than the turn
since then. These events are independent, with

    P(node worth more than x) = 1 if its key is beyond x, else Σ chance · P(value > x) · Π children.

A value v is kept if its twig is opened, nothing behind it is worth less than v, and at each ancestor
everything else is worth more than the larger of v and the turn. Of equal values the one that is
found first is kept, which is the one with the smaller turn since the two ways part. If k values are
kept, fewer than k of the other trees are worth less.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Floats
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.quadrature import integrate
from weitzman.search.variants.forest.forest import Forest, Key, Twig
from weitzman.search.variants.forest.nodes import Branch
from weitzman.search.variants.forest.parts import Part

Room = Callable[[Floats, NDArray[np.intp]], Floats]
"""Of the chances of the trees to be worth more than x (a row a tree, a column an x), and the tree
that each column is about, to the chance that this tree is still wanted."""

_FIRST: Key = (-np.inf, -1)
_NEVER: Key = (np.inf, -1)
# Numbers in one table of trees and levels
_CELLS = 4_000_000
# What is 0 but for rounding
_NEGLIGIBLE = 1e-15
_NEVER_WANTED = 1e-18
# Levels whose quantiles are finite
_INSIDE = 1e-300, 1.0 - 2.0**-53


def room_for_one(above: Floats, own: NDArray[np.intp]) -> Floats:
    """Return the chance that all other trees are worth more."""
    above[own, np.arange(own.size)] = 1.0
    return np.asarray(above.prod(axis=0))


@dataclass(frozen=True, eq=False)
class Levels:
    """What others are compared with, an entry a column.

    A node is beyond a level if its key is beyond (x, row); a value if it is larger than x, or equal
    to it and found after the turn ``since``.
    """

    x: Floats
    row: NDArray[np.intp]
    since: list[Key]

    @classmethod
    def of(cls, turns: Sequence[Key], values: Floats | None) -> "Levels":
        """Return the levels of turns, and of values if these are larger."""
        level = [turn[0] for turn in turns]
        rows = np.array([turn[1] for turn in turns], dtype=np.intp)
        if values is None:
            return cls(np.array(level), rows, [_NEVER] * len(turns))
        beyond = values > level
        since = [turn if v else _NEVER for turn, v in zip(turns, beyond, strict=True)]
        return cls(np.where(beyond, values, level), np.where(beyond, -1, rows), since)


def opened(forest: Forest, room: Room, outside: float, *, discounted: bool = False) -> Floats:
    """Return the chance that each row is opened, or what it is discounted by on average."""
    result = np.zeros(len(forest.nodes))
    flat = [(place, twig) for place, tree in enumerate(forest.trees) for twig in tree.walk()]
    size = max(1, _CELLS // len(forest.trees))
    for begin in range(0, len(flat), size):
        part = flat[begin : begin + size]
        ways = _Ways(forest, [twig for _, twig in part], np.array([place for place, _ in part]))
        weight = ways.weight(room, None, discounted=discounted)
        turns = np.array([turn[0] for turn in ways.turns])
        weight = np.where(turns < outside, weight, 0.0)
        np.add.at(result, [twig.row for _, twig in part], weight)
    return result


def kept(forest: Forest, room: Room, outside: float) -> Floats:
    """Return the chance that the value of each row is kept."""
    result = np.zeros(len(forest.nodes))
    likely = opened(forest, room, outside)
    laws = {id(b.value): b.value for node in forest.nodes for b in node.branches if b.value}
    marks = np.concatenate([forest.sigma, *(law.kinks() for law in laws.values())])
    marks = np.unique(marks[np.isfinite(marks)])
    ends = _ends(forest, room, outside, [Part(law).edges for law in laws.values()])
    for place, tree in enumerate(forest.trees):
        inner = np.append(marks[marks < ends[place]], ends[place])
        for twig in tree.walk():
            for number, branch in enumerate(twig.node.branches):
                if branch.value is not None and likely[twig.row] > _NEGLIGIBLE:
                    found = _kept(forest, twig, number, place, room, outside, inner)
                    result[twig.row] += branch.chance * found
    return result


def _ends(forest: Forest, room: Room, outside: float, edges: list[Floats]) -> Floats:
    """Return from where on each tree is as good as never wanted."""
    points = np.unique(np.concatenate([forest.sigma, *edges]))
    points = points[np.isfinite(points) & (points < outside)]
    levels = Levels(points, np.full(points.size, -1), [_NEVER] * points.size)
    above = np.array([_above(tree, levels, discounted=False) for tree in forest.trees])
    ends = np.full(len(forest.trees), outside)
    for place in range(ends.size):
        wanted = room(above.copy(), np.full(points.size, place))
        never = np.flatnonzero(wanted <= _NEVER_WANTED)
        if never.size:
            ends[place] = points[never[0]]
    return ends


def _kept(
    forest: Forest, twig: Twig, number: int, place: int, room: Room, outside: float, marks: Floats
) -> float:
    """Return the chance that the value on one branch of a twig is kept, if the branch is reached."""
    law = twig.node.branches[number].value
    assert isinstance(law, Distribution)

    def weight(values: Floats) -> Floats:
        ways = _Ways(forest, [twig] * values.size, np.full(values.size, place))
        found = ways.weight(room, values)
        behind = Levels.of([_FIRST] * values.size, values)
        for child in twig.children[number]:
            found = found * _above(child, behind, discounted=False)
        return np.where((values < outside) & (ways.turns[0][0] < outside), found, 0.0)

    if law.is_step:
        values = law.kinks()
        return float(np.sum(law.atom(values) * weight(values)))
    edges = np.unique(np.append(law.cdf(marks), 0.0))
    return integrate(lambda u: weight(law.quantile(np.clip(u, *_INSIDE))), edges, whole=1.0)


class _Ways:
    """The ways to some twigs, a column each, of the trees in the given places."""

    def __init__(self, forest: Forest, twigs: Sequence[Twig], own: NDArray[np.intp]) -> None:
        self._forest, self._own = forest, own
        self.turns: list[Key] = []
        # Of each ancestor and branch: columns, the twig next on their way, their turns since
        self._through: dict[tuple[int, int], tuple[Twig, list[tuple[int, Twig, Key]]]] = {}
        for column, twig in enumerate(twigs):
            at, turn = twig, twig.key
            while at.parent is not None:
                place = id(at.parent), at.branch
                self._through.setdefault(place, (at.parent, []))[1].append((column, at, turn))
                at = at.parent
                turn = max(turn, at.key)
            self.turns.append(turn)

    def weight(self, room: Room, values: Floats | None, *, discounted: bool = False) -> Floats:
        """Return the chance of each way, with everything else beyond its level."""
        levels = Levels.of(self.turns, values)
        above = np.array([_above(tree, levels, discounted) for tree in self._forest.trees])
        weight = room(above, self._own)
        for (_, number), (twig, columns) in self._through.items():
            at = [column for column, _, _ in columns]
            branch = twig.node.branches[number]
            levels = Levels.of([turn for _, _, turn in columns], _at(values, at))
            factor = np.full(len(at), branch.chance * (twig.node.discount if discounted else 1.0))
            if branch.value is not None:
                factor *= _value_above(branch, levels, _FIRST)
            following = defaultdict(list)
            for i, (_, child, _) in enumerate(columns):
                following[id(child)].append(i)
            for child in twig.children[number]:
                beside = _above(child, levels, discounted)
                beside[following[id(child)]] = 1.0
                factor *= beside
            weight[at] *= factor
        return weight


def _at(values: Floats | None, columns: list[int]) -> Floats | None:
    return None if values is None else values[columns]


def _above(twig: Twig, levels: Levels, discounted: bool, before: Key = _FIRST) -> Floats:
    """P(worth more than the level); ``before`` is the turn since the ways parted."""
    sigma, row = twig.key
    beyond = (sigma > levels.x) | ((sigma == levels.x) & (row > levels.row))
    if beyond.all():
        return np.ones(levels.x.size)
    turn = max(before, twig.key)
    total = np.zeros(levels.x.size)
    for branch, children in zip(twig.node.branches, twig.children, strict=True):
        each = np.full(levels.x.size, branch.chance)
        if branch.value is not None:
            each *= _value_above(branch, levels, turn)
        for child in children:
            each *= _above(child, levels, discounted, turn)
        total += each
    return np.where(beyond, 1.0, total * (twig.node.discount if discounted else 1.0))


def _value_above(branch: Branch, levels: Levels, turn: Key) -> Floats:
    """P(value beyond the level), of a value found at a turn."""
    assert branch.value is not None
    above, equal = branch.value.sf(levels.x), branch.value.atom(levels.x)
    if not equal.any():
        return above
    return above + np.where([turn > since for since in levels.since], equal, 0.0)
