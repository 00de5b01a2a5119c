"""The exact expected total of a round in which some boxes are bought, whatever the search does.

Weitzman's rule at reservation values s opens boxes 1, 2, … (by increasing s) and stops; then the
boxes of a given set B that are still closed are opened too, and the best value of all is kept. B
does not depend on the values of the round (:mod:`weitzman.learn.probing`).

Let S_i(t) = P(v_i > t), F_i = 1 − S_i, and q_k = Π_{j<k} S_j(s_k), the probability that the search
reaches box k. Let m be the best value that the search has seen before box k, and β the best of the
boxes of B after k. Opening a box of B early changes nothing, and opening box k ∉ B lowers the final
best value by (min(m, β) − v_k)⁺. Hence, with R = {1} ∪ B,

    E[best] = E[min_{i∈R} v_i] − Σ_{k ≥ 2, k ∉ B} ∫ F_k(t) Π_{j<k} S_j(max(t, s_k)) Π_{b∈B, b>k} S_b(t) dt,
    E[paid] = Σ_{i∈B} c_i + Σ_{i∉B} q_i c_i.

Values are uniform on intervals, so the integrands are polynomials of degree at most n between the
ends of the intervals and s_k: Gauss–Legendre with ⌈(n + 1)/2⌉ points on every piece is exact. With
several common states the expectation is the average over them. An empty B gives the rule itself.
"""

from typing import Any

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.compiled.decorators import checked, whole
from weitzman.errors import InvalidInputError
from weitzman.lab.exact.kernels import survival
from weitzman.lab.worlds.instance import Instance


def probed_totals(
    instance: Instance, reservation_values: Floats, bought: Flags
) -> tuple[Floats, Floats]:
    """Return the expected totals, and what is expected to be paid for boxes the search leaves closed.

    ``reservation_values``, finite and T×n, are what the search goes by; ``bought`` is T×n too.
    """
    shape = instance.values.shape
    for subject, array in (("The reservation values", reservation_values), ("bought", bought)):
        if array.shape != shape:
            raise InvalidInputError(subject, f"have the shape {shape}", array.shape)
    nodes, weights = np.polynomial.legendre.leggauss((shape[1] + 2) // 2)
    laws = (instance.lower, instance.upper, instance.shares, instance.costs)
    arrays: Any = map(np.ascontiguousarray, (*laws, reservation_values, bought, nodes, weights))
    return _totals(*arrays)


@checked
def _cuts(lower: Floats, upper: Floats, bar: Floats, box: int, low: float, edges: Floats) -> Floats:
    """Return where the integrand of :func:`_integral` may bend, from low to where it is 0."""
    high = np.inf
    for i in range(bar.shape[0]):
        if bar[i] < np.inf:
            high = min(high, upper[i])
    edges[0], edges[1], count = low, max(low, high), 2
    for i in range(bar.shape[0]):
        if bar[i] == np.inf and i != box:
            continue
        for point in (lower[i], upper[i], bar[i]):
            if low < point < high:
                edges[count] = point
                count += 1
    return np.sort(edges[:count])


@checked
def _integral(
    lower: Floats,
    upper: Floats,
    bar: Floats,
    box: int,
    low: float,
    nodes: Floats,
    weights: Floats,
    edges: Floats,
) -> float:
    """Return ∫ F_box(t) Π_i S_i(max(t, bar_i)) dt from ``low`` on, without F if box is −1.

    A bar of +∞ leaves the box out.
    """
    cuts = _cuts(lower, upper, bar, box, low, edges)
    total = 0.0
    for piece in range(cuts.shape[0] - 1):
        half = 0.5 * (cuts[piece + 1] - cuts[piece])
        if half <= 0.0:
            continue
        for node in range(nodes.shape[0]):
            t = cuts[piece] + half * (1.0 + nodes[node])
            product = 1.0
            if box >= 0:
                product -= survival(lower[box], upper[box], t)
            for i in range(bar.shape[0]):
                if bar[i] < np.inf:
                    product *= survival(lower[i], upper[i], max(t, bar[i]))
            total += half * weights[node] * product
    return total


@checked
def _round(
    lower: Floats,
    upper: Floats,
    costs: Floats,
    sigma: Floats,
    bought: Flags,
    nodes: Floats,
    weights: Floats,
    bar: Floats,
    edges: Floats,
) -> tuple[float, float]:
    """Return the expected total of one round, and the part that is paid for bought looks alone."""
    order = np.argsort(sigma, kind="mergesort")
    least, first = lower[order[0]], order[0]
    for i in range(bar.shape[0]):
        bar[i] = -np.inf if bought[i] or i == first else np.inf
        if bought[i]:
            least = min(least, lower[i])
    total = least + _integral(lower, upper, bar, -1, least, nodes, weights, edges)
    extra = 0.0
    for k in range(order.shape[0]):
        box = order[k]
        reach = 1.0
        for j in range(k):
            reach *= survival(lower[order[j]], upper[order[j]], sigma[box])
        if bought[box]:
            total += costs[box]
            extra += (1.0 - reach) * costs[box]
            continue
        total += reach * costs[box]
        if k == 0 or reach == 0.0:
            continue
        for j in range(order.shape[0]):
            bar[order[j]] = sigma[box] if j < k else np.inf
            if j > k and bought[order[j]]:
                bar[order[j]] = -np.inf
        total -= _integral(lower, upper, bar, box, lower[box], nodes, weights, edges)
    return total, extra


@whole
@checked
def _totals(
    lower: Floats,
    upper: Floats,
    shares: Floats,
    costs: Floats,
    sigma: Floats,
    bought: Flags,
    nodes: Floats,
    weights: Floats,
) -> tuple[Floats, Floats]:
    rounds, boxes = sigma.shape
    totals, extra = np.zeros(rounds), np.zeros(rounds)
    bar, edges = np.empty(boxes), np.empty(3 * boxes + 2)
    for t in range(rounds):
        for k in range(shares.shape[0]):
            total, more = _round(
                lower[k, t], upper[k, t], costs, sigma[t], bought[t], nodes, weights, bar, edges
            )
            totals[t] += shares[k] * total
            extra[t] += shares[k] * more
    return totals, extra
