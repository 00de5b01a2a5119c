"""A law that is worse than the unknown one, with a stated confidence, from a sample of it.

Let F be the unknown cdf, smaller values better, x_1 ≤ … ≤ x_m the sorted sample of independent
draws, and b a number that no value exceeds. A law with a cdf G ≤ F has values at least as large, in
the usual stochastic order. Two lower bounds on F hold at all x at once, each but for a chance δ:

*DKW.* G(x) = k/m − √(ln(1/δ)/(2m)) on [x_k, x_{k+1}), for δ ≤ ½ [Massart 1990].

*Binomial tails.* Write x_k = F⁻¹(u_k) with uniform u. Then F(x_k) ≥ u_(k), whether or not F has
atoms, and u_(k) is Beta(k, m − k + 1): its quantile at δ/m exceeds it with chance δ/m, so all m
quantiles together but for δ. Bernstein's inequality, F_k − √(2 F_k (1 − F_k) L/m) − L/m, is a bound
on the same tail with a formula in place of the number: the number is never lower.

The first is narrower in the middle, the second at both ends. With δ/2 for each, the larger of the two
holds but for δ. What is missing to 1 is put at b, so that the law is

    G(x) = max(0, DKW, binomial)  for x < b,      G(b) = 1.
"""

import math
from functools import lru_cache

import numpy as np

from weitzman.arrays import Floats
from weitzman.search.laws.discrete import Discrete


@lru_cache(maxsize=64)
def lower_band(size: int, error: float) -> Floats:
    """Return numbers below F at the sorted sample, all at once but for a chance ``error`` ≤ ½.

    >>> lower_band(4, 0.05).round(3).tolist()
    [0.002, 0.033, 0.12, 0.321]
    """
    from scipy.special import betaincinv

    k = np.arange(1, size + 1, dtype=np.float64)
    massart = k / size - math.sqrt(math.log(2.0 / error) / (2.0 * size))
    tails = betaincinv(k, size - k + 1.0, error / (2.0 * size))
    # Both rise with k; rounding must not make a mass negative
    band: Floats = np.maximum.accumulate(np.maximum(np.maximum(massart, tails), 0.0))
    band.flags.writeable = False
    return band


def pessimistic(sample: Floats, *, worst: float, error: float) -> Discrete:
    """Return the law that puts what the sample does not vouch for at ``worst``, its largest value."""
    band = lower_band(sample.size, error)
    values = np.append(np.sort(sample), worst)
    return Discrete(values, np.diff(band, prepend=0.0, append=1.0))
