"""Standard errors of means over rounds that may depend on each other: the circular block bootstrap.

Rounds next to each other are alike, and policies learn, so the rounds of a series are not independent. Blocks
of ⌈2 T^{1/3}⌉ rounds in a row, which go round from the end to the beginning, are drawn with replacement until
they are T rounds or more; the spread of the means of such series is the standard error. Several series are
drawn together: differences and ratios of their means keep what the series have in common.

Of one mean no draw is needed: with B blocks of length l, whose sums s are drawn independently from those of
all T places, the variance of the redrawn mean is Var(s)/(B l²).
"""

import math

import numpy as np

from weitzman.arrays import Floats

_CELLS = 1 << 20
_ROUNDING = 1e-12


def block_means(series: Floats, *, draws: int = 1000, rng: int = 0) -> Floats:
    """Return the means of redrawn series, (draws, k), for k series of T rounds, (T, k).

    Examples
    --------
    >>> series = np.random.default_rng(0).normal(size=(4000, 1))
    >>> float(block_means(series).std().round(3)), round(1 / math.sqrt(4000), 3)
    (0.016, 0.016)
    """
    rounds = len(series)
    sums, length, count = _blocks(series)
    drawn = np.random.default_rng(rng).integers(0, rounds, size=(draws, count))
    means = np.empty((draws, series.shape[1]))
    # A few draws at a time: all blocks of all draws would take far more room than the series
    step = max(1, _CELLS // (count * series.shape[1]))
    for begin in range(0, draws, step):
        means[begin : begin + step] = sums[drawn[begin : begin + step]].sum(axis=1)
    means /= count * length
    return means


def block_variances(series: Floats) -> Floats:
    """Return the variances of redrawn means, (k,), for k series of T rounds, (T, k), without drawing.

    Examples
    --------
    >>> series = np.random.default_rng(0).normal(size=(4000, 1))
    >>> block_variances(series).round(6), block_means(series).var(axis=0).round(6)
    (array([0.000249]), array([0.000254]))
    """
    sums, length, count = _blocks(series)
    found: Floats = sums.var(axis=0) / (count * float(length) ** 2)
    return found


def _blocks(series: Floats) -> tuple[Floats, int, int]:
    """Return the sums of the blocks that begin at each place, their length, and how many are drawn."""
    rounds = len(series)
    length = min(rounds, math.ceil(2.0 * rounds ** (1.0 / 3.0)))
    whole = np.concatenate([np.zeros((1, series.shape[1])), np.cumsum(series, axis=0)])
    starts = np.arange(rounds)
    ends = starts + length
    # Beyond the end the block goes on at the beginning
    sums = whole[np.minimum(ends, rounds)] - whole[starts] + whole[np.maximum(ends - rounds, 0)]
    return sums, length, math.ceil(rounds / length)


def standard_errors(drawn: Floats, of: Floats | None = None) -> Floats:
    """Return the spread of redrawn means, (draws, k) or (draws,); what rounding leaves is 0.

    Differences are rounded as the means are that they are differences ``of``.

    >>> standard_errors(np.array([[1.0, 5.0], [1.0 + 1e-15, 7.0]]))
    array([0., 1.])
    """
    errors: Floats = drawn.std(axis=0)
    size = np.abs(drawn if of is None else of).max(axis=0)
    return np.where(errors > _ROUNDING * size, errors, 0.0)


def block_ratios(above: Floats, below: Floats) -> tuple[Floats, Floats]:
    """Return ratios of sums over rounds and their standard errors, (k,), for (T, k) above and below.

    Where nothing is below, both are NaN.

    Examples
    --------
    >>> block_ratios(np.array([[1.0], [3.0]]), np.array([[2.0], [2.0]]))[0]
    array([1.])
    """
    series = above.shape[1]
    drawn = block_means(np.concatenate([above, below], axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = drawn[:, :series] / drawn[:, series:]
        errors = np.array(
            [r[np.isfinite(r)].std() if np.isfinite(r).any() else np.nan for r in ratios.T]
        )
        return above.sum(axis=0) / below.sum(axis=0), errors
