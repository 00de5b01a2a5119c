"""Several values to keep: a shortlist of k boxes, or a basis of a matroid.

Which boxes may be kept together is a *matroid*, given by a test whether a set of them is independent;
any k boxes are the uniform one. A largest independent set is kept, and the total is the sum of its
values plus all costs. With an outside option every place may be left to it.

**Theorem** [Singla 2018; Kleinberg 2016 for one]. Go greedily through the boxes, an open one at its
value and a closed one at its σ, smallest first, and skip what is not independent of those before:
the first closed box that is not skipped is opened next; without one the search stops and the boxes
gone through are kept. This is optimal, and costs the expected weight of the lightest basis of the
independent capped values κ_i = max(σ_i, v_i).

*Proof.* Any policy keeps some basis B and pays for what it opens, so with A_i = 1 if i is opened and
c_i = E(σ_i − v_i)⁺ independent of that decision, its total is E Σ_{i ∈ B} v_i + Σ A_i (σ_i − v_i)⁺ ≥
E Σ_{i ∈ B} κ_i, with equality if every opened box with v_i < σ_i is kept. Greedily chosen, such a box
comes where its σ_i stood, so it is kept; and the set is the lightest basis of κ, as greedy ones are
[Edmonds 1971]. Boxes of several stages have their κ of :mod:`~weitzman.search.variants.stages`.

The expected weight is an integral of the expected rank of {i: κ_i ≤ x}
(:mod:`~weitzman.search.variants.forest.totals`). The rank is a sum of counts for uniform and
partition matroids; for others all subsets are gone through, of at most :data:`MOST_BOXES` boxes.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weitzman.arrays import Arrays, Floats
from weitzman.errors import InvalidInputError
from weitzman.search.numbers import whole_number
from weitzman.search.rule import STOP, Action, Open
from weitzman.search.state import RoundState
from weitzman.search.variants.forest.rule import ForestRule, found_values
from weitzman.search.variants.forest.totals import Rank, expected_count

Independent = Callable[[frozenset[str]], bool]
"""Whether the boxes of some names may be kept together."""

MOST_BOXES = 12


@dataclass(frozen=True)
class Matroid:
    """Which boxes may be kept together.

    ``independent`` is the test, on sets of names. ``groups`` and ``limits`` are there for partition
    matroids, whose totals are computed for any number of boxes.
    """

    independent: Independent
    groups: Mapping[str, Hashable] | None = None
    limits: Mapping[Hashable, int] | None = None


def partition_matroid(
    groups: Mapping[str, Hashable], limits: Mapping[Any, int] | int = 1
) -> Matroid:
    """Keep at most so many boxes of each group; ``groups`` says which group a box is in.

    >>> two_cities = partition_matroid({"a": "Rome", "b": "Rome", "c": "Oslo"})
    >>> two_cities.independent(frozenset({"a", "c"})), two_cities.independent(frozenset({"a", "b"}))
    (True, False)
    """
    least = limits if isinstance(limits, int) else None
    each = {
        group: whole_number(
            limits[group] if isinstance(limits, Mapping) else least,
            f"The limit of group {group!r}",
            least=0,
        )
        for group in dict.fromkeys(groups.values())
    }

    def independent(names: frozenset[str]) -> bool:
        counts: dict[Hashable, int] = {}
        for name in names:
            counts[groups[name]] = counts.get(groups[name], 0) + 1
        return all(count <= each[group] for group, count in counts.items())

    return Matroid(independent, groups, each)


def graphic_matroid(edges: Mapping[str, tuple[Hashable, Hashable]]) -> Matroid:
    """Keep boxes that close no circle; each is an edge between two places, such as a road.

    >>> roads = graphic_matroid({"a": (1, 2), "b": (2, 3), "c": (1, 3)})
    >>> roads.independent(frozenset({"a", "b"})), roads.independent(frozenset({"a", "b", "c"}))
    (True, False)
    """

    def independent(names: frozenset[str]) -> bool:
        group: dict[Hashable, Hashable] = {}

        def root(place: Hashable) -> Hashable:
            while place in group:
                place = group[place]
            return place

        for name in names:
            one, other = (root(place) for place in edges[name])
            if one == other:
                return False
            group[one] = other
        return True

    return Matroid(independent)


def transversal_matroid(places: Mapping[str, Collection[Hashable]]) -> Matroid:
    """Keep boxes that can fill different places; each can fill some, such as posts.

    >>> posts = transversal_matroid({"a": [1], "b": [1], "c": [1, 2]})
    >>> posts.independent(frozenset({"a", "c"})), posts.independent(frozenset({"a", "b"}))
    (True, False)
    """

    def independent(names: frozenset[str]) -> bool:
        filled: dict[Hashable, str] = {}

        def place(name: str, tried: set[Hashable]) -> bool:
            for spot in places[name]:
                if spot not in tried:
                    tried.add(spot)
                    if spot not in filled or place(filled[spot], tried):
                        filled[spot] = name
                        return True
            return False

        return all(place(name, set()) for name in sorted(names))

    return Matroid(independent)


class Ranks:
    """The rank of every set of a few boxes, by the bits of a number."""

    def __init__(self, names: Sequence[str], independent: Independent) -> None:
        count = len(names)
        if count > MOST_BOXES:
            rule = f"be a partition matroid, or of at most {MOST_BOXES} boxes"
            raise InvalidInputError("What is kept", rule, count)
        self._rank = np.zeros(1 << count, dtype=np.int64)
        for mask in range(1, 1 << count):
            chosen = [i for i in range(count) if mask >> i & 1]
            below = [int(self._rank[mask & ~(1 << i)]) for i in chosen]
            alone = min(below) == len(chosen) - 1
            if independent(frozenset(names[i] for i in chosen)):
                self._check(alone, names, chosen)
                self._rank[mask] = len(chosen)
            else:
                self._rank[mask] = max(below)
        self._check_exchange(names)

    @staticmethod
    def _check(holds: bool, names: Sequence[str], chosen: Sequence[int]) -> None:
        if not holds:
            rule = "be a matroid: subsets of independent sets independent, all bases of one size"
            raise InvalidInputError("What is kept", rule, [names[i] for i in chosen])

    def _check_exchange(self, names: Sequence[str]) -> None:
        """Refuse ranks that are not submodular."""
        masks = np.arange(self._rank.size)
        for i in range(len(names)):
            for j in range(i):
                one, other = masks | 1 << i, masks | 1 << j
                lost = self._rank[one] + self._rank[other]
                whole = self._rank[one | other] + self._rank
                bad = np.flatnonzero(lost < whole)
                self._check(bad.size == 0, names, [i, j])

    def expected(self, chances: Sequence[Floats]) -> Floats:
        """Return the expected rank of the set of independent events that happen."""
        law = np.ones((1, *chances[0].shape))
        for p in chances:
            law = np.concatenate([law * (1.0 - p), law * p])
        return np.asarray(np.tensordot(self._rank.astype(np.float64), law, axes=1))


def expected_rank(names: Sequence[str], matroid: Matroid) -> Rank:
    """Return the expected rank of random sets of boxes, as a function of their chances."""
    if matroid.groups is None or matroid.limits is None:
        return Ranks(names, matroid.independent).expected
    members: dict[Hashable, list[int]] = {}
    for i, name in enumerate(names):
        members.setdefault(matroid.groups[name], []).append(i)
    limits = matroid.limits

    def rank(chances: Sequence[Floats]) -> Floats:
        total = np.zeros(np.shape(chances[0]))
        for group, inside in members.items():
            if limits[group] > 0:
                total += expected_count(limits[group])([chances[i] for i in inside])
        return total

    return rank


@dataclass(frozen=True, eq=False)
class MatroidRule:
    """Go greedily through values and reservation values; open the first closed box that is wanted.

    ``owners`` are the boxes that the rows are of.
    """

    forest: ForestRule
    owners: Sequence[str]
    matroid: Matroid

    def next(self, state: RoundState) -> Action:
        """Return the row to open next, or STOP."""
        found = self.walk(state, self.forest.available(state))
        return next((Open(row) for row, closed in found if closed), STOP)

    def walk(self, state: RoundState, ready: Sequence[int]) -> Iterator[tuple[int, bool]]:
        """Yield the rows that are wanted, and whether they are closed; a closed one is the last."""
        chosen: frozenset[str] = frozenset()
        found = [(value, False, row) for row, value in found_values(state)]
        # Of equal values the one found first, and any before what is closed
        merged = sorted(
            [*found, *((self.forest.sigma[row], True, row) for row in ready)],
            key=lambda one: one[:2],
        )
        for worth, closed, row in merged:
            larger = chosen | {self.owners[row]}
            if worth >= state.outside:
                return
            if self.matroid.independent(larger):
                yield row, closed
                if closed:
                    return
                chosen = larger

    def state(self) -> Arrays:
        """Return the reservation values, and what leads to what; the matroid is code."""
        return self.forest.state()
