"""Boxes with several prerequisites: a box may be opened when all that it needs are open.

Where every box needs at most one other, a forest, the problem is solved exactly at any size
(:mod:`weitzman.search.variants.precedence`). With several prerequisites for one box no constant
guarantee is known of any efficient rule. Smaller values better.

**The rule.** Open box i with all that it still needs: that is a bundle, with the sum of their costs and
the smallest of their values. Its reservation value is what the bundle is worth if all of it is opened.
Begin the bundle with the smallest one, at the box that can be opened and is given first; look again
after every box; stop where what is in hand is at most the reservation values of all bundles. The total
is an exact recursion over the opened sets that can be reached.

**What no search can do better.** Whoever needs only one of the prerequisites of every box is at least
as well off, and searches a forest. Of the two forests that keep for each box its cheapest or its
most expensive prerequisite the one with the larger optimum is the bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.variants.asked import Asked
from weitzman.search.variants.face import HEURISTIC
from weitzman.search.variants.hard.batches import smallest
from weitzman.search.variants.hard.bounded import (
    BoundedPlan,
    Problem,
    check_names,
    optimum,
)
from weitzman.search.variants.hard.opened_sets import (
    OpenedSets,
    OpenedSetsRule,
    rows_of,
)
from weitzman.search.variants.independent import forest_plan


def plan_prerequisites(problem: Problem, method: str) -> BoundedPlan:
    """Return a plan for boxes of which some come after several others.

    >>> from weitzman import Box, Discrete, plan
    >>> car = Box("car", 1.0, Discrete([0.0, 8.0]), after=["frame", "motor"])
    >>> made = plan([Box("frame", 1.0, 9.0), Box("motor", 1.0, 9.0), car], outside=9.0)
    >>> made.expected_total, made.bound
    (7.0, 6.0)
    """
    order = _Needs(problem)
    sets = problem.opened_sets(order.moves)
    if method == "exact":
        return problem.solved(sets)
    bundles = _Bundles(problem, order, sets)
    courses = sets.follow(bundles.action)
    return problem.plan(
        kind=HEURISTIC,
        rule=bundles.rule(),
        total=courses.expected_total,
        bound=max(_forest(problem, order, sign) for sign in (1.0, -1.0)),
        opened=courses.open_probabilities,
        kept=courses.keep_probabilities,
    )


class _Needs:
    """What every box needs, directly and in all, as sets of rows."""

    def __init__(self, problem: Problem) -> None:
        names = problem.names
        place = {name: i for i, name in enumerate(names)}
        self.direct = [0] * len(names)
        for box in problem.boxes:
            check_names(box.before, names, f"The boxes before {box.name!r}")
            self.direct[place[box.name]] = sum(1 << place[other] for other in box.before)
        self.all = list(self.direct)
        for _ in names:
            self.all = [_union([a, *(self.all[j] for j in rows_of(a))]) for a in self.all]
        circle = [name for i, name in enumerate(names) if self.all[i] >> i & 1]
        if circle:
            raise InvalidInputError("What boxes come after", "have no circles", circle)

    def moves(self, opened: int) -> Sequence[tuple[int, float]]:
        """Return the boxes that may be opened next."""
        return [
            (1 << i, 0.0)
            for i, before in enumerate(self.direct)
            if not opened >> i & 1 and before & ~opened == 0
        ]


def _union(sets: Sequence[int]) -> int:
    whole = 0
    for one in sets:
        whole |= one
    return whole


@dataclass(frozen=True)
class _Bundles:
    """The rule that begins the bundle with the smallest reservation value."""

    problem: Problem
    order: _Needs
    sets: OpenedSets

    @cached_property
    def _known(self) -> dict[int, float]:
        return {}

    def _sigma(self, bundle: int) -> float:
        """Return the reservation value of a bundle."""
        if bundle not in self._known:
            rows = rows_of(bundle)
            cost = np.array([float(self.problem.costs[rows].sum())])
            law = smallest([self.problem.discrete[i] for i in rows])
            used = optimum([law], cost, self.problem.start)
            self._known[bundle] = float(used.reservation_values[0])
        return self._known[bundle]

    def action(self, opened: int, best: float) -> int:
        """Return the box to open next as a set, or 0."""
        closed = [i for i in range(len(self.problem.boxes)) if not opened >> i & 1]
        bundles = [(self.order.all[i] | 1 << i) & ~opened for i in closed]
        bundle = min(bundles, key=self._sigma, default=0)
        if bundle == 0 or best <= self._sigma(bundle):
            return 0
        free = _union([move for move, _ in self.order.moves(opened)])
        return 1 << rows_of(bundle & free)[0]

    def rule(self) -> OpenedSetsRule:
        """Return the rule as a table."""
        return self.sets.rule(self.action)


def _forest(problem: Problem, order: _Needs, sign: float) -> float:
    """Return the optimum if each box needs one of its prerequisites, the cheapest or most expensive."""
    boxes = []
    for box, before in zip(problem.boxes, order.direct, strict=True):
        rows = rows_of(before)
        kept = min(rows, key=lambda i: sign * problem.costs[i], default=None)
        after = None if kept is None else problem.boxes[kept].name
        boxes.append(Box(box.name, box.cost, box.value, after=after))
    plan = forest_plan(boxes, Asked(problem.sense, problem.outside))
    return problem.sign * plan.expected_total
