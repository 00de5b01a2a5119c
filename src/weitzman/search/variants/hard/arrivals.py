"""Boxes that arrive one after the other: look or let go, take or let go, at once.

Larger is better here, values and the outside option are >= 0, and nothing comes back. The laws are
known, the order is not: whoever plays learns which box has come, and nothing of the order of the rest.

**Theorem** [Esfandiari 2019]. Let o be the outside option, κ_i = min(v_i, σ_i) with E(v_i − σ_i)⁺ = c_i,
X = max(o, max_i κ_i) and T = ½ E X. Open a box that comes if σ_i >= max(T, o), take it if v_i is. In every
order the expected net value is at least ½ E X, half of what Weitzman's rule expects, which chooses the
order and forgets nothing.

*Proof.* If o >= T, whatever is opened is worth its cost against o, and the total is at least o. Else let p
be the chance that nothing is taken. A box with σ_i >= T that is opened earns on average

    E v_i 1{v_i >= T} − c_i = E κ_i 1{κ_i >= T},

since v_i − κ_i = (v_i − σ_i)⁺ has the mean c_i and is 0 below T. So it earns T for being taken and
E(κ_i − T)⁺ on top; where σ_i < T the latter is 0. A box is reached with a chance of at least p. Together
at least T(1 − p) + p Σ E(κ_i − T)⁺ >= T(1 − p) + p (E X − T) = T. ∎

The rule does not depend on the order. The exact total is that of the order in which the boxes are given.
"""

import numpy as np

from weitzman.arrays import Arrays, Flags
from weitzman.errors import InvalidInputError
from weitzman.search.laws.distribution import Distribution
from weitzman.search.rule import STOP, Action, Open, Take
from weitzman.search.state import RoundState
from weitzman.search.variants.face import Settled, guarantee
from weitzman.search.variants.hard.bounded import BoundedPlan, Problem, optimum


def plan_arrivals(problem: Problem) -> BoundedPlan:
    """Return the plan for boxes that arrive in an order that is not known, larger values better.

    >>> from weitzman import Box, Discrete, plan
    >>> boxes = [Box(name, 1.0, Discrete([0.0, 10.0])) for name in "ab"]
    >>> made = plan(boxes, sense="max", outside=0.0, arrivals=True)
    >>> made.kind, made.expected_total, made.bound
    ('guarantee ≥ 0.5', 6.0, 6.0)
    """
    if problem.sense != "max":
        raise InvalidInputError("The sense", "be 'max' for boxes that arrive", problem.sense)
    for box in problem.boxes:
        if float(box.law.support()[0]) < 0.0:
            raise InvalidInputError(f"The value of box {box.name!r}", "be >= 0", box.law)
    if problem.outside is None or problem.outside < 0.0:
        needed = "be a number >= 0 for boxes that arrive, what is there if none is taken"
        raise InvalidInputError("The outside option", needed, problem.outside)
    # Smaller is better inside: what is at least T here is at most −T there
    laws = problem.laws
    best = optimum(laws, problem.costs, problem.start)
    threshold = min(0.5 * best.expected_total, problem.start)
    worth = best.reservation_values <= threshold
    rule = ArrivalRule(worth, threshold)
    here, opened, taken, total = 1.0, np.zeros(len(laws)), np.zeros(len(laws)), 0.0
    for i in np.flatnonzero(worth).tolist():
        chance = float(laws[i].cdf(threshold))
        opened[i], taken[i] = here, here * chance
        total += here * (float(problem.costs[i]) + _part(laws[i], threshold, chance))
        here -= here * chance

    def settle(state: RoundState) -> Settled:
        # What was let go does not come back
        value = problem.start if state.taken is None else state.best
        kept = () if state.taken is None else (state.taken,)
        return Settled(kept, value, state.paid, value + state.paid)

    return problem.plan(
        kind=guarantee(0.5),
        rule=rule,
        total=total + here * problem.start,
        bound=best.expected_total,
        opened=opened,
        kept=taken,
        settle=settle,
    )


def _part(law: Distribution, threshold: float, chance: float) -> float:
    """Return E v 1{v <= T}."""
    return threshold * chance - float(law.excess_below(threshold))


class ArrivalRule:
    """Open the boxes that are worth it as they come, take the first that is good enough."""

    def __init__(self, worth: Flags, threshold: float) -> None:
        self._worth, self._threshold = np.flatnonzero(worth), threshold

    def next(self, state: RoundState) -> Action:
        """Take the last box, open the next one that is worth it, or STOP."""
        if state.opened and state.values.get(state.opened[-1], np.inf) <= self._threshold:
            return Take(state.opened[-1])
        left = self._worth[len(state.opened) :]
        return Open(int(left[0])) if left.size else STOP

    def state(self) -> Arrays:
        """Return the rows that are opened as they come, and the threshold."""
        return {"worth": self._worth, "threshold": np.array(self._threshold)}
