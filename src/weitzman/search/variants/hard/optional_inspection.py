"""Optional inspection: a box may be taken unopened, for what it holds on average.

Whoever takes box b unopened keeps an unknown value of mean μ_b, at no cost. The optimum is NP-hard
[Fu 2023]. A *committing* plan decides beforehand which boxes it may take unopened; such a box is a box
of cost 0 with the sure value μ_b, and Weitzman's rule is optimal for what results. Only the committed
box with the best μ is ever taken, so the other ones may as well be opened: the best of all 2ⁿ
committing plans is the best of n + 1, nobody unopened or one box b.

**Larger is better.** For values >= 0 the best committing plan is worth at least 0.8 of the optimum, and
no constant is better [Guha 2008, Beyhaghi 2023].

**Smaller is better**, values >= 0, one must be taken. Local hedging commits each box independently
with a chance of its own, and pays at most 4/3 of the optimum on average [Scully 2024]. Its average is
one over committing plans, so the best of them pays at most 4/3 as well, without chance.

**What no search can do better.** Smaller is better. Alone against a value o in hand, a box is worth

    V(o) = min(o, μ, c + E min(v, o)) = E min(o, W),     W = min(max(v, σ), w),   E(v − w)⁺ = c,

where σ < μ, and W = μ else: V is concave with slopes in [0, 1], which are the survival function of W.
With independent W_j the optimum is at least E min(o, min_j W_j) =: Φ(o). *Proof.* By induction over
closed boxes, Φ is at most the worth of every action. Stopping: Φ(b) <= b. Taking j: Φ(b) <= E W_j <= μ_j.
Opening j, with Y = min(b, W of the others): c_j + E min(v_j, Y) >= E V_j(Y) = E min(Y, W_j) = Φ(b). ∎
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from weitzman.arrays import Arrays, Floats
from weitzman.errors import InvalidInputError
from weitzman.search.exact_total import Evaluation, Laws
from weitzman.search.laws.at_most import AtMost
from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.distribution import Distribution
from weitzman.search.rule import Action, Open, Take, WeitzmanRule
from weitzman.search.state import RoundState
from weitzman.search.variants.face import HEURISTIC, guarantee
from weitzman.search.variants.forest.plain import keep_probabilities
from weitzman.search.variants.hard.bounded import (
    BoundedPlan,
    Problem,
    check_names,
    optimum,
)
from weitzman.search.variants.hard.opened_sets import one_by_one


class CommittedRule:
    """Weitzman's rule that takes one row unopened where it would open it; −1 for no such row."""

    def __init__(self, sigma: Floats, blind: int) -> None:
        self._rule, self._blind = WeitzmanRule(sigma), blind

    def next(self, state: RoundState) -> Action:
        """Return what Weitzman's rule does, but take the committed row."""
        action = self._rule.next(state)
        return Take(self._blind) if action == Open(self._blind) else action

    def state(self) -> Arrays:
        """Return σ, and the committed row."""
        return {**self._rule.state(), "blind": np.array(self._blind)}


def plan_optional_inspection(
    problem: Problem, unopened: bool | Sequence[str], method: str
) -> BoundedPlan:
    """Return a plan for boxes of which some, or with True all, may be taken without opening them.

    >>> from weitzman import Box, plan
    >>> shops = [Box("near", 2.0, Discrete([8.0, 12.0])), Box("far", 1.0, Discrete([4.0, 18.0]))]
    >>> made = plan(shops, unopened=True)
    >>> made.kind, made.expected_total, made.bound
    ('guarantee ≤ 4/3', 8.0, 8.0)
    """
    names = problem.names
    if isinstance(unopened, str) or not isinstance(unopened, bool | Iterable):
        rule = "be True, or a list of names"
        raise InvalidInputError("The boxes that may be taken unopened", rule, unopened)
    chosen = names if isinstance(unopened, bool) else list(unopened)
    check_names(chosen, names, "The boxes that may be taken unopened")
    blind = np.array([float(law.mean()) for law in problem.laws])
    blind[[name not in chosen for name in names]] = math.inf
    if method == "exact":
        return problem.solved(problem.opened_sets(one_by_one(len(names)), blind))
    return _committing(problem, problem.laws, blind)


def _committing(problem: Problem, laws: Sequence[Distribution], blind: Floats) -> BoundedPlan:
    """Return the best of the n + 1 committing plans."""
    plans = {-1: _committed(problem, laws, -1)}
    for row in np.flatnonzero(np.isfinite(blind)).tolist():
        plans[row] = _committed(problem, laws, row)
    row = min(plans, key=lambda key: plans[key].expected_total)
    best = plans[row]
    opened = best.open_probabilities.copy()
    if row >= 0:
        opened[row] = 0.0
    return problem.plan(
        kind=_kind(problem, laws, blind),
        rule=CommittedRule(best.reservation_values, row),
        total=best.expected_total,
        bound=_relaxed(problem, laws, blind),
        opened=opened,
        kept=keep_probabilities(best),
    )


def _committed(problem: Problem, laws: Sequence[Distribution], blind: int) -> Evaluation:
    """Return the plan that may take one row unopened, smaller values better."""
    sure, costs = list(laws), problem.costs.copy()
    if blind >= 0:
        sure[blind], costs[blind] = Discrete([float(laws[blind].mean())]), 0.0
    return optimum(sure, costs, problem.start)


def _kind(problem: Problem, laws: Sequence[Distribution], blind: Floats) -> str:
    """Return what is proved: the theorems are about values >= 0 and all boxes."""
    values = [float(problem.sign * end) for law in laws for end in law.support()]
    if problem.outside is not None:
        values.append(problem.outside)
    if min(values) < 0.0 or not np.isfinite(blind).all():
        return HEURISTIC
    return guarantee(0.8) if problem.sense == "max" else "guarantee ≤ 4/3"


def _relaxed(problem: Problem, laws: Sequence[Distribution], blind: Floats) -> float:
    """Return E min(o, min W_j)."""
    sigma = Laws(laws).reservation_values(problem.costs)
    worths: list[Distribution] = []
    for row, law in enumerate(laws):
        if sigma[row] >= blind[row]:
            worths.append(Discrete([blind[row]]))
            sigma[row] = blind[row]
        elif np.isfinite(blind[row]) and problem.costs[row] > 0.0:
            worths.append(AtMost(law, float(law.solve_above(problem.costs[row]))))
        else:
            worths.append(law)
    return Evaluation(Laws(worths), problem.costs, sigma, problem.start).expected_capped
