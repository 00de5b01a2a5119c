"""How fast regret grows: the exponent a of regret ≈ b Tᵃ between two numbers of rounds.

a is the slope of the least-squares line through the points (log T, log R(T)), with R(T) the mean
regret over seeds at T. The points are the ends of runs of different horizons where there are
several between the two, as a learner that knows its horizon needs; otherwise the checkpoints of
the longest run, about evenly spaced on the logarithmic scale. T log T counts as an exponent
slightly above 1, log T as one that falls towards 0.

The interval is the bootstrap's: seeds are drawn with replacement, all points of a seed at once, as they
belong to one run; its ends are the 2.5 % and 97.5 % quantiles of the slopes. A mean regret ≤ 0
has no logarithm. Its slope is −∞ in the interval (growth below any power) and NaN as the estimate.
"""

from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.lab.study.summary import Curve

_POINTS = 12


@dataclass(frozen=True, kw_only=True)
class Exponent:
    """A growth exponent with its 95 % bootstrap interval, and the rounds it was fitted on."""

    exponent: float
    low: float
    high: float
    rounds: tuple[int, ...]
    seeds: int


def growth_exponent(
    curves: list[Curve], *, low: int, high: int, resamples: int = 2000, rng: int = 0
) -> Exponent:
    """Return the growth exponent of one searcher in one world under one feedback.

    There is a curve per horizon. The fit goes from ``low`` to ``high`` rounds. Seeds are drawn
    again ``resamples`` times, by the seed ``rng``.
    """
    at, sums = _points(curves, low, high)
    logs = np.log(at.astype(np.float64))
    weights = (logs - logs.mean()) / ((logs - logs.mean()) ** 2).sum()
    seeds = sums.shape[0]
    # How often each seed is drawn is all that a mean needs
    counts = np.random.default_rng(rng).multinomial(seeds, np.full(seeds, 1.0 / seeds), resamples)
    slopes = _slopes(counts @ sums / seeds, weights, -np.inf)
    # No interpolation between a number and −∞
    ends = np.quantile(slopes, [0.025, 0.975], method="inverted_cdf")
    return Exponent(
        exponent=float(_slopes(sums.mean(axis=0)[None], weights, np.nan)[0]),
        low=float(ends[0]),
        high=float(ends[1]),
        rounds=tuple(at.tolist()),
        seeds=seeds,
    )


def _slopes(means: Floats, weights: Floats, otherwise: float) -> Floats:
    """Return the slope of each row of mean regrets."""
    slopes = np.full(means.shape[0], otherwise)
    positive = (means > 0.0).all(axis=1)
    slopes[positive] = np.log(means[positive]) @ weights
    return slopes


def _points(curves: list[Curve], low: int, high: int) -> tuple[Ints, Floats]:
    """Return the numbers of rounds of the fit, and the sums at them, one row per seed."""
    ends = sorted((c for c in curves if low <= c.rounds <= high), key=lambda c: c.rounds)
    if len(ends) > 1:
        if any(not np.array_equal(c.seeds, ends[0].seeds) for c in ends):
            rule = "have the same seeds at every horizon"
            raise InvalidInputError("The runs of a fit", rule, [c.seeds.size for c in ends])
        at = np.array([c.rounds for c in ends], dtype=np.int64)
        return at, np.column_stack([c.final for c in ends])
    longest = max(curves, key=lambda c: c.rounds, default=None)
    at = np.empty(0, dtype=np.int64) if longest is None else longest.at
    inside = np.flatnonzero((at >= low) & (at <= high))
    if longest is None or inside.size < 2:
        rule = f"have at least two checkpoints from {low} to {high} rounds"
        raise InvalidInputError("The runs of a fit", rule, int(inside.size))
    wanted = np.geomspace(longest.at[inside[0]], longest.at[inside[-1]], _POINTS)
    near = np.abs(np.log(longest.at[inside])[:, None] - np.log(wanted)).argmin(axis=0)
    places = inside[np.unique(near)]
    return longest.at[places], longest.sums[:, places]
