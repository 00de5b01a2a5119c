"""The exact expected total of Weitzman's rule, round by round, at the true laws.

Let box i have a value v_i with P(v_i > t) = S_i(t), and run the rule with any reservation values s.
Box i is opened with probability q_i(s) = Π_{j before i} S_j(s_i), and with c_D(s) = E(s − v)⁺

    E[total] = E[min_i max(v_i, s_i)] + Σ_i q_i(s) (c_i − c_{D_i}(s_i))      [Kleinberg 2016]
    E[min_i max(v_i, s_i)] = s_min + ∫ Π_{i: s_i ≤ t} S_i(t) dt              from s_min on.

For uniform values the integrand is a polynomial between neighbouring points of {s_i, lower_i,
upper_i}, of a degree m no larger than the number of boxes that bend there. Gauss–Legendre
quadrature with ⌊m/2⌋ + 1 nodes is exact for it: there is no error but that of rounding.

With common states the expectation is taken in each state, where the boxes are independent, and
averaged by the states' shares.

The certificate bounds what the rule loses at s against σ*:

    E[total at s] − E[total at σ*] ≤ Σ_i (q_i(σ*) − q_i(s)) (c_{D_i}(s_i) − c_i).

It needs independent boxes, so there is none (NaN) where there are several states.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.lab.worlds.instance import Instance
from weitzman.search.numbers import finite_array


def expected_totals(instance: Instance, reservation_values: ArrayLike) -> Floats:
    """Return the exact expected total of the rule in each round, at finite numbers, T×n."""
    from weitzman.lab.exact.kernels import expect_rounds

    sigma = _checked(instance, reservation_values)
    nodes, weights = quadrature(sigma.shape[1])
    totals = np.zeros(len(instance))
    for share, lower, upper in zip(instance.shares, instance.lower, instance.upper, strict=True):
        totals += share * expect_rounds(
            sigma, instance.costs, _plain(lower), _plain(upper), nodes, weights
        )
    return totals


def certificates(instance: Instance, reservation_values: ArrayLike) -> Floats:
    """Return an upper bound on what the rule loses in expectation in each round; NaN if K > 1.

    The arguments are those of :func:`expected_totals`.
    """
    from weitzman.lab.exact.kernels import certify_rounds

    sigma = _checked(instance, reservation_values)
    if len(instance.shares) > 1:
        return np.full(len(instance), np.nan)
    truth = _plain(instance.reservation_values)
    bounds: Floats = certify_rounds(
        truth, sigma, instance.costs, _plain(instance.lower[0]), _plain(instance.upper[0])
    )
    return bounds


@cache
def quadrature(boxes: int) -> tuple[Floats, Floats]:
    """Return Gauss–Legendre nodes and weights; row m holds the rule of m nodes."""
    most = boxes // 2 + 1
    nodes, weights = np.zeros((most + 1, most)), np.zeros((most + 1, most))
    for size in range(1, most + 1):
        nodes[size, :size], weights[size, :size] = np.polynomial.legendre.leggauss(size)
    return nodes, weights


def _checked(instance: Instance, reservation_values: Any) -> Floats:
    sigma = finite_array(reservation_values, "The reservation values")
    if sigma.shape != instance.values.shape:
        rule = f"have the shape {instance.values.shape} of the instance's values"
        raise InvalidInputError("The reservation values", rule, sigma.shape)
    return _plain(sigma)


def _plain(array: Floats) -> Floats:
    """Return the array in C order: numba compiles for one layout only."""
    return np.ascontiguousarray(array)
