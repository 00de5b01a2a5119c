"""Several boxes at a time: a batch of at most k boxes is opened together, for a price on top.

The price is that of the trip, the delay or the call; without one nobody would open two boxes at once.
The optimum is hard to compute. Smaller values better.

**The rule.** A batch S that is fixed is a box with cost price + Σ_{i∈S} c_i and the value min_{i∈S} v_i, and
among disjoint batches Weitzman's rule is optimal, with its exact total. The batches are made one after the
other: the first box is the one with the smallest reservation value as a batch of its own, and as long as
there is room the box is added that makes the reservation value of the batch smallest, if it makes it
smaller at all. Then single boxes are moved to other batches, or to new ones, as long as that improves the
total. Nothing is proved of this choice.

**What no search can do better.** A search that opens m boxes in batches pays at least m/k prices, and
could open them one at a time; so it pays at least what Weitzman's rule pays at the costs c_i + price/k.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from weitzman.arrays import Arrays, Floats
from weitzman.errors import InvalidInputError
from weitzman.search.exact_total import Evaluation
from weitzman.search.laws.discrete import Discrete
from weitzman.search.numbers import finite_number, whole_number
from weitzman.search.rule import STOP, Action, Open
from weitzman.search.state import RoundState
from weitzman.search.variants.face import HEURISTIC, Settle, Settled, settle_best
from weitzman.search.variants.hard.bounded import BoundedPlan, Problem, optimum
from weitzman.search.variants.hard.opened_sets import Moves


def plan_batches(problem: Problem, size: int, price: float, method: str) -> BoundedPlan:
    """Return a plan that opens up to ``size`` boxes at a time, for a price on top of their costs.

    >>> from weitzman import Box, Discrete, plan
    >>> calls = [Box(name, 0.5, Discrete([2.0, 12.0])) for name in "abc"]
    >>> made = plan(calls, at_once=2, price=1.0)
    >>> made.expected_total, made.bound
    (5.625, 5.0)
    """
    most = whole_number(size, "The number of boxes that are opened at once", least=1)
    extra = finite_number(price, "The price of a batch", "be a finite number >= 0")
    if extra < 0.0:
        raise InvalidInputError("The price of a batch", "be a finite number >= 0", price)
    if method == "batches":
        return _in_batches(problem, most, extra)
    sets = problem.opened_sets(_together(len(problem.boxes), most, extra))
    rule = sets.rule()
    return problem.solved(sets, rule=rule, settle=_settle_with(rule.begun, extra))


class BatchRule:
    """Weitzman's rule on batches; the boxes of a batch that is begun are opened in turn."""

    def __init__(self, batches: Sequence[Sequence[int]], sigma: Floats) -> None:
        self._batches, self._sigma = batches, sigma

    def next(self, state: RoundState) -> Action:
        """Return the next row of the batch under way, the first of the next batch, or STOP."""
        for batch, sigma in zip(self._batches, self._sigma.tolist(), strict=True):
            closed = [row for row in batch if row not in state.opened]
            if closed and (len(closed) < len(batch) or state.best > sigma):
                return Open(closed[0])
            if closed:
                return STOP
        return STOP

    def begun(self, state: RoundState) -> int:
        """Return the number of batches that were begun."""
        return sum(not set(batch).isdisjoint(state.opened) for batch in self._batches)

    def state(self) -> Arrays:
        """Return the batch of every row, and σ of the batches."""
        number = {row: k for k, batch in enumerate(self._batches) for row in batch}
        return {"batch": np.array([number[row] for row in sorted(number)]), "sigma": self._sigma}


def _settle_with(begun: Callable[[RoundState], int], price: float) -> Settle:
    """Return what a round gives if every batch has a price."""

    def settle(state: RoundState) -> Settled:
        plain, extra = settle_best(state), price * begun(state)
        return Settled(plain.kept, plain.value, plain.paid + extra, plain.total + extra)

    return settle


def _together(count: int, most: int, price: float) -> Moves:
    """Return the moves that open any closed boxes, at most so many, for a price."""

    def moves(opened: int) -> list[tuple[int, float]]:
        closed = [j for j in range(count) if not opened >> j & 1]
        return [
            (sum(1 << j for j in some), price)
            for size in range(1, most + 1)
            for some in combinations(closed, size)
        ]

    return moves


def smallest(laws: Sequence[Discrete]) -> Discrete:
    """Return the law of the smallest of independent values.

    >>> smallest([Discrete([1.0, 3.0]), Discrete([2.0, 3.0])]).probabilities.tolist()
    [0.5, 0.25, 0.25]
    """
    points = np.unique(np.concatenate([law.values for law in laws]))
    above = np.prod([law.sf(points) for law in laws], axis=0)
    return Discrete(points, -np.diff(above, prepend=1.0))


def chance_to_win(used: Evaluation, box: int, values: Floats) -> Floats:
    """Return the probability that a box is kept, given its value: all κ_j = max(v_j, σ_j) are larger."""
    s, order = used.reservation_values, used.order.tolist()
    x = np.maximum(values, s[box])
    chance = np.where(x < used.outside, 1.0, 0.0)
    place = order.index(box)
    for at, other in enumerate(order):
        # The others with s > x have larger κ
        if at == place or s[other] > x.max():
            continue
        law = used.laws.laws[other]
        alive = law.sf(x) if at < place else law.sf(x) + law.atom(x)
        open_to_lose = s[other] <= x if at < place else s[other] < x
        chance = chance * np.where(open_to_lose, alive, 1.0)
    return chance


def _made(problem: Problem, laws: Sequence[Discrete], most: int, price: float) -> list[list[int]]:
    """Return batches of at most so many boxes, made one after the other."""

    def sigma(batch: Sequence[int]) -> float:
        return float(_among(problem, laws, [batch], price).reservation_values[0])

    left, batches = list(range(len(laws))), []
    while left:
        batch: list[int] = []
        least = np.inf
        while left and len(batch) < most:
            values = {i: sigma([*batch, i]) for i in left}
            row = min(values, key=lambda i: values[i])
            if values[row] >= least:
                break
            least = values[row]
            batch.append(row)
            left.remove(row)
        batches.append(batch)
    return batches


def _among(
    problem: Problem, laws: Sequence[Discrete], batches: Sequence[Sequence[int]], price: float
) -> Evaluation:
    """Return Weitzman's rule among batches."""
    costs = np.array([price + problem.costs[list(batch)].sum() for batch in batches])
    return optimum([smallest([laws[i] for i in b]) for b in batches], costs, problem.start)


def _improved(
    batches: Sequence[Sequence[int]], most: int, total: Callable[[Sequence[Sequence[int]]], float]
) -> list[list[int]]:
    """Return batches that no move of a single box, to another batch or a new one, makes better."""
    now, least = [list(batch) for batch in batches], total(batches)
    row, unchanged, count = 0, 0, sum(len(batch) for batch in batches)
    while unchanged < count:
        rest = [[i for i in batch if i != row] for batch in now]
        ways = [
            [[*batch, row] if k == place else batch for k, batch in enumerate([*rest, []])]
            for place in range(len(rest) + 1)
        ]
        ways = [[b for b in way if b] for way in ways if max(len(b) for b in way) <= most]
        best = min(ways, key=total)
        if (new := total(best)) < least:
            now, least, unchanged = best, new, 0
        else:
            unchanged += 1
        row = (row + 1) % count
    return now


def _in_batches(problem: Problem, most: int, price: float) -> BoundedPlan:
    """Return Weitzman's rule on batches that are made one after the other, and then improved."""
    laws = problem.discrete

    def total(batches: Sequence[Sequence[int]]) -> float:
        return _among(problem, laws, batches, price).expected_total

    batches = _improved(_made(problem, laws, most, price), most, total)
    used = _among(problem, laws, batches, price)
    bound = optimum(list(laws), problem.costs + price / most, problem.start).expected_total
    begun = used.open_probabilities
    opened, kept = np.zeros(len(laws)), np.zeros(len(laws))
    for number, batch in enumerate(batches):
        opened[batch] = begun[number]
        for place, row in enumerate(batch):
            x = laws[row].values
            # Of equal values in a batch, that of the box that is opened first is kept
            first = np.prod([laws[i].sf(x) for i in batch[:place]], axis=0)
            later = np.prod([laws[i].sf(x) + laws[i].atom(x) for i in batch[place + 1 :]], axis=0)
            kept[row] = laws[row].probabilities @ (first * later * chance_to_win(used, number, x))
    order = used.order.tolist()
    rule = BatchRule([batches[k] for k in order], used.reservation_values[order])
    return problem.plan(
        kind=HEURISTIC,
        rule=rule,
        total=used.expected_total,
        bound=bound,
        opened=opened,
        kept=kept,
        paid=float(begun @ used.costs),
        settle=_settle_with(rule.begun, price),
    )
