"""Standard errors of means over rounds that may depend on each other: the circular block bootstrap.

Rounds next to each other are alike, and policies learn, so the rounds of a series are not independent. Blocks
of ⌈2 T^{1/3}⌉ rounds in a row, which go round from the end to the beginning, are drawn with replacement until
they are T rounds or more; the spread of the means of such series is the standard error. Several series are
drawn together: differences and ratios of their means keep what the series have in common.
"""

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["block_means"]

Floats = NDArray[np.float64]


def block_means(series: Floats, *, draws: int = 1000, rng: int = 0) -> Floats:
    """Return the means of redrawn series, (draws, k), for k series of T rounds, (T, k).

    Examples
    --------
    >>> series = np.random.default_rng(0).normal(size=(4000, 1))
    >>> float(block_means(series).std().round(3)), round(1 / math.sqrt(4000), 3)
    (0.016, 0.016)
    """
    rounds = len(series)
    length = min(rounds, math.ceil(2.0 * rounds ** (1.0 / 3.0)))
    whole = np.concatenate([np.zeros((1, series.shape[1])), np.cumsum(series, axis=0)])
    starts = np.arange(rounds)
    ends = starts + length
    # Beyond the end the block goes on at the beginning
    sums = whole[np.minimum(ends, rounds)] - whole[starts] + whole[np.maximum(ends - rounds, 0)]
    count = math.ceil(rounds / length)
    drawn = np.random.default_rng(rng).integers(0, rounds, size=(draws, count))
    means: Floats = sums[drawn].sum(axis=1) / (count * length)
    return means
