"""How often each box is the one that is kept, by Weitzman's rule.

With κ_j = max(v_j, s_j), the box with the smallest κ is kept if it is below the outside option; of
equal ones the one that is opened first. So with boxes in opening order and Q the quantiles of κ_i,

    P(i is kept) = ∫_0^1 1{Q(u) < o} Π_{j<i} P(κ_j > Q(u)) Π_{j>i} P(κ_j ≥ Q(u)) du.
"""

from collections.abc import Sequence

import numpy as np

from weitzman.arrays import Floats
from weitzman.search.exact_total import Evaluation, Laws
from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.quadrature import integrate


def optimum(laws: Sequence[Distribution], costs: Floats, outside: float) -> Evaluation:
    """Return Weitzman's rule at the true reservation values, smaller values better."""
    together = Laws(laws)
    return Evaluation(together, costs, together.reservation_values(costs), outside)


def kept_shares(used: Evaluation) -> Floats:
    """Return the probability that each box is kept."""
    opened = used.open_probabilities > 0.0
    return np.array([_kept_share(used, i) if opened[i] else 0.0 for i in range(opened.size)])


def chance_to_win(used: Evaluation, box: int, values: Floats) -> Floats:
    """Return the probability that a box is kept, given its value."""
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


def _kept_share(used: Evaluation, box: int) -> float:
    own, floor = used.laws.laws[box], used.reservation_values[box]
    if isinstance(own, Discrete):
        return float(own.probabilities @ chance_to_win(used, box, own.values))
    joins = used.reservation_values[np.isfinite(used.reservation_values)]
    points = np.concatenate([joins, *(law.kinks() for law in used.laws.laws), [used.outside]])
    points = points[np.isfinite(points) & (points >= floor)]
    jumps = np.concatenate([own.cdf(points), own.cdf(points) - own.atom(points)])
    edges = np.unique(np.concatenate([[0.0, 1.0], np.clip(jumps, 0.0, 1.0)]))
    return integrate(lambda levels: chance_to_win(used, box, own.quantile(levels)), edges)
