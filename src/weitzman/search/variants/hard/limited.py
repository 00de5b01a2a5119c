"""A limit on what may be opened: at most so many boxes, or costs within a budget.

Every search must keep Σ_{opened} a_i <= A, with a_i = 1 for a cap and a_i = c_i for a budget; the
optimum is hard to compute. Smaller values better.

**What no search can do better.** Put a price λ >= 0 on what is used. A search within the limit pays at
most λA more at the costs c + λa, so with W(c) the expected total of Weitzman's rule at costs c

    optimum >= max_{λ >= 0}  W(c + λ a) − λ A.

The right side is concave in λ, with the slope Σ a_i q_i(λ) − A, q the probabilities to be opened: the
best λ is found by bisection. It is the optimum of all searches that keep the limit *on average*.

**The rule.** If the boxes of a set S use no more than A in all, Weitzman's rule among them never breaks
the limit, is optimal among the searches in S, and its total is exact. Candidates for S: for every λ of
the bisection, the boxes in the order of their reservation values at c + λa, as far as they fit; and the
set that grows by the box that improves the total most. The best candidate is played; nothing is proved
of it, but the bound says what it can lose.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.exact_total import Evaluation
from weitzman.search.numbers import finite_number, whole_number
from weitzman.search.rule import WeitzmanRule
from weitzman.search.variants.face import HEURISTIC
from weitzman.search.variants.forest.plain import keep_probabilities
from weitzman.search.variants.hard.bounded import BoundedPlan, Problem, optimum
from weitzman.search.variants.hard.opened_sets import one_by_one, rows_of

_HALVINGS = 50
_HIGHEST = 1e12


def plan_limited(
    problem: Problem, most: int | None, budget: float | None, method: str
) -> BoundedPlan:
    """Return a plan that opens at most so many boxes, or pays at most so much.

    >>> from weitzman import Box, Discrete, plan
    >>> made = plan([Box(name, 1.0, Discrete([2.0, 12.0])) for name in "abcd"], most=3)
    >>> made.expected_total, made.kind, round(made.most_lost, 3)
    (5.0, 'heuristic', 0.5)
    """
    limit = _limit(problem, most, budget)
    if method == "subset":
        return _best_subset(problem, limit)
    single = one_by_one(len(problem.boxes))

    def moves(opened: int) -> list[tuple[int, float]]:
        return [move for move in single(opened) if limit.allows(rows_of(opened | move[0]))]

    return problem.solved(problem.opened_sets(moves))


@dataclass(frozen=True)
class _Limit:
    """Σ use <= size."""

    use: Floats
    size: float

    def allows(self, rows: Sequence[int]) -> bool:
        """Return whether these boxes may all be opened, but for rounding."""
        return float(self.use[list(rows)].sum()) <= self.size * (1.0 + 1e-12)


def _limit(problem: Problem, most: int | None, budget: float | None) -> _Limit:
    if (most is None) == (budget is None):
        rule = "be either most= or budget=, not both"
        raise InvalidInputError("The limit", rule, (most, budget))
    if most is not None:
        count = whole_number(most, "The largest number of boxes", least=1)
        return _Limit(np.ones(len(problem.boxes)), float(count))
    rule = "be a finite number >= 0"
    size = finite_number(budget, "The budget", rule)
    if size < 0.0:
        raise InvalidInputError("The budget", rule, budget)
    if problem.outside is None and size < problem.costs.min():
        rule = f"allow one box, at least {problem.costs.min():g}, without an outside option"
        raise InvalidInputError("The budget", rule, budget)
    return _Limit(problem.costs, size)


class _Subsets:
    """Weitzman's rule among some of the boxes, at the costs as they are or with a price on use."""

    def __init__(self, problem: Problem, limit: _Limit) -> None:
        self.problem, self.limit = problem, limit
        self.laws = problem.laws
        self._totals: dict[frozenset[int], float] = {}

    def priced(self, price: float) -> Evaluation:
        """Return Weitzman's rule among all boxes at the costs c + λa."""
        costs = self.problem.costs + price * self.limit.use
        return optimum(self.laws, costs, self.problem.start)

    def among(self, rows: Sequence[int]) -> Evaluation:
        """Return Weitzman's rule among some boxes."""
        costs = self.problem.costs[list(rows)]
        return optimum([self.laws[i] for i in rows], costs, self.problem.start)

    def total(self, rows: Sequence[int]) -> float:
        """Return the expected total among some boxes; among none, what is in hand."""
        if not rows:
            return self.problem.start
        key = frozenset(rows)
        if key not in self._totals:
            self._totals[key] = self.among(sorted(rows)).expected_total
        return self._totals[key]

    def prices(self) -> Iterator[tuple[float, Evaluation]]:
        """Yield the prices of the bisection, each with its rule; only 0 if that keeps the limit."""
        free = self.priced(0.0)
        yield 0.0, free
        if self._keeps(free):
            return
        low, high = 0.0, 1.0
        while not self._keeps(self.priced(high)) and high < _HIGHEST:
            high *= 2.0
        for _ in range(_HALVINGS):
            price = 0.5 * (low + high)
            priced = self.priced(price)
            yield price, priced
            low, high = (low, price) if self._keeps(priced) else (price, high)

    def _keeps(self, used: Evaluation) -> bool:
        """Return whether a rule keeps the limit on average."""
        return float(np.sum(used.open_probabilities * self.limit.use)) <= self.limit.size

    def fitting(self, order: Sequence[int]) -> list[int]:
        """Return the boxes that fit one after the other."""
        rows: list[int] = []
        for row in order:
            if self.limit.allows([*rows, row]):
                rows.append(row)
        return sorted(rows)

    def grown(self) -> list[int]:
        """Return the set that grows by the box that improves the total most."""
        rows: list[int] = []
        while True:
            more = [i for i in range(len(self.laws)) if i not in rows]
            more = [i for i in more if self.limit.allows([*rows, i])]
            totals = {i: self.total([*rows, i]) for i in more}
            row = min(totals, key=lambda i: totals[i], default=-1)
            if row < 0 or totals[row] >= self.total(rows):
                return sorted(rows)
            rows.append(row)


def _best_subset(problem: Problem, limit: _Limit) -> BoundedPlan:
    subsets = _Subsets(problem, limit)
    candidates, bound = [[], subsets.grown()], -np.inf
    for price, priced in subsets.prices():
        bound = max(bound, priced.expected_total - price * limit.size)
        candidates.append(subsets.fitting(priced.order.tolist()))
    # Of equal totals, the set that was found first
    return _among(problem, subsets, min(candidates, key=subsets.total), bound)


def _among(problem: Problem, subsets: _Subsets, rows: Sequence[int], bound: float) -> BoundedPlan:
    sigma = np.full(len(problem.boxes), np.inf)
    opened, kept = np.zeros(sigma.size), np.zeros(sigma.size)
    if rows:
        used, places = subsets.among(rows), list(rows)
        sigma[places] = used.reservation_values
        opened[places], kept[places] = used.open_probabilities, keep_probabilities(used)
    return problem.plan(
        kind=HEURISTIC,
        rule=WeitzmanRule(sigma),
        total=subsets.total(rows),
        bound=bound,
        opened=opened,
        kept=kept,
    )
