"""Roots of monotone functions: the reservation value, and quantiles.

c_D(s) = E(s − v)⁺ is convex and non-decreasing in s, with slope P(v ≤ s), and grows without bound,
so c_D(s) = c has exactly one root for every c > 0. Since c_D(s) ≥ s − E v, the root is at most E v
+ c; without a finite mean it is at most m + 2c, m a median. From such an upper end
:func:`solve_excess` takes Newton steps: on log c_D while c_D is off by more than a factor two (the
tails of c_D are nearly exponential or powers, so this is where plain steps crawl), on c_D itself
from there on. A step that leaves the bracket is replaced by a halving of it, or by a doubling of
the distance from the upper end while there is no lower one. It ends when |c_D(s) − c| is within
rounding of c, or when s cannot move any more.
"""

from collections.abc import Callable

import numpy as np

from weitzman.arrays import Floats

Function = Callable[[Floats], Floats]
_EPS = float(np.finfo(np.float64).eps)
_MOST_STEPS = 300


def solve_excess(
    excess: Function, slope: Function, cost: Floats, upper: Floats, lower: Floats
) -> Floats:
    """Return s with ``excess(s) = cost``, element by element, for costs > 0.

    ``excess(upper) >= cost`` must hold; ``lower`` is the left end of the support and may be −∞.
    """
    low, high, s = lower, upper, upper
    best, best_error = s, np.full(s.shape, np.inf)
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            e = excess(s)
            error = np.abs(e - cost)
            better = error < best_error
            best, best_error = np.where(better, s, best), np.where(better, error, best_error)
            high, low = np.where(e >= cost, s, high), np.where(e <= cost, s, low)
            new = s - _newton_step(e, slope(s), cost)
            away = np.where(np.isfinite(low), 0.5 * (low + high), s - 2.0 * (upper - s) - cost)
            new = np.where((new > low) & (new < high), new, away)
            settled = (best_error <= 2.0 * _EPS * cost) | (np.abs(new - s) <= _EPS * np.abs(s))
            if settled.all():
                break
            s = np.where(settled, s, new)
    return best


def _newton_step(e: Floats, slope: Floats, cost: Floats) -> Floats:
    ratio = e / cost
    near = (ratio > 0.5) & (ratio < 2.0)
    return np.where(near, e - cost, e * np.log(ratio)) / slope


def halve(cdf: Function, p: Floats, low: Floats, high: Floats) -> Floats:
    """Return the smallest x in [low, high] with cdf(x) ≥ p, by halving."""
    for _ in range(200):
        middle = low + 0.5 * (high - low)
        if ((middle <= low) | (middle >= high)).all():
            break
        short = cdf(middle) < p
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.where(cdf(low) >= p, low, high)
