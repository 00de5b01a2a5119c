"""If boxes are independent: the exact expected total of a plan, on what each box has shown.

Given its contexts, let the value of box i be m_i(x) + r_i, with m the ridge regression of
:mod:`weitzman.learn.models.means`, and let the residuals r_i of the boxes be independent, of the law F_i
in every round. Whether a box was opened does not depend on its own value, so F_i is found from the rounds
in which it was: each residual counts 1/p, with p the chance of the box, or 1 if the log says none. Then
Weitzman's rule at σ, in its order 1, 2, …, with o the outside option, expects

    E min(o, min_i max(v_i, σ_i)) + Σ_i q_i (c_i − E(σ_i − v_i)⁺),

    q_i = 1{o > σ_i} Π_{j < i} P(v_j > σ_i),

the sums over the boxes with q_i > 0 [Kleinberg 2016]. It is computed for σ, costs and contexts of each
round (of :data:`ROUNDS` of them, evenly spread, if there are more), and averaged. F_i has at most
:data:`POINTS` points: residuals are grouped by size, with equal weights, into their means.

No round need be covered, so the standard error is smaller than that of any weighting by rounds: it is that
of the jackknife over :data:`PARTS` parts of the log, one after the other, with as many degrees of freedom
less one. But if boxes depend on each other, the estimate is biased, and its interval does not say so. The
check is the *residual correlation*, the mean over two boxes of a round of which both are known, weighted by
1/chance: it is 0, up to chance, if the boxes are independent.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.compiled.decorators import kernel, whole
from weitzman.learn.models.means import Fit, fit_means
from weitzman.learn.preparation import prepared
from weitzman.replays.bootstrap import block_ratios
from weitzman.replays.judgement.estimate import LEVEL, NOTHING, Estimate
from weitzman.replays.judgement.seen import Seen

INDEPENDENT = "independent"
"""The name of the estimate."""

ROUNDS = 2000
POINTS = 200
PARTS = 20


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """The mean correlation of the residuals of two boxes of a round, and its standard error.

    NaN if no round shows two. ``pairs`` is how many pairs were seen.
    """

    mean: float
    se: float
    pairs: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Independent:
    """What a log says of its boxes, one by one, from round ``first`` on: regression, residuals, weights.

    Attributes
    ----------
    means
        m of all boxes of all rounds, (T, n).
    residuals, weights
        What is left of the values that are known, and 1/p, (T, n); NaN and 0 where none is known.
    shared
        Whether boxes have one law.
    """

    seen: Seen
    first: int
    means: Floats
    residuals: Floats
    weights: Floats
    shared: bool

    @classmethod
    def of(cls, seen: Seen, first: int, *, shared: bool) -> "Independent":
        """Return what a log says of its boxes."""
        contexts = prepared(seen.contexts, ~np.isnan(seen.costs))
        fit: Fit = fit_means(contexts, seen.values, shared=shared, pooled_level=True)
        means = (fit.slopes * np.nan_to_num(contexts)).sum(axis=2) + fit.levels
        known = seen.known & ~np.isnan(seen.values)
        chances = np.where(seen.chances > 0.0, seen.chances, 1.0)
        return cls(
            seen=seen,
            first=first,
            means=means[first:],
            residuals=np.where(known, seen.values - means, np.nan)[first:],
            weights=np.where(known, 1.0 / chances, 0.0)[first:],
            shared=shared,
        )

    def estimate(self, sigma: Floats) -> Estimate:
        """Return the expected total at σ, (T, n), NaN for a rule that has none."""
        from scipy.stats import t as student

        rounds = len(sigma)
        if np.isnan(sigma).any() or rounds < PARTS:
            return NOTHING
        part = np.arange(rounds) * PARTS // rounds
        asked = np.unique(np.linspace(0, rounds - 1, min(rounds, ROUNDS)).round().astype(np.int64))
        every = np.ones(rounds, dtype=np.bool_)
        mean = float(self._totals(sigma, asked, every).mean())
        without = np.array(
            [self._totals(sigma, asked[part[asked] != k], part != k).mean() for k in range(PARTS)]
        )
        if not np.isfinite([mean, *without]).all():
            return NOTHING
        error = math.sqrt((PARTS - 1) / PARTS * float(((without - without.mean()) ** 2).sum()))
        reach = float(student.ppf(0.5 + 0.5 * LEVEL, PARTS - 1)) * error
        return Estimate(mean=mean, se=error, low=mean - reach, high=mean + reach)

    def _totals(self, sigma: Floats, asked: Ints, used: Flags) -> Floats:
        """Return the expected totals of some rounds, by the laws of the rounds that are used."""
        points, shares = self._laws(used)
        here, out = self.first + asked, np.empty(len(asked))
        _expect(
            sigma[asked], self.seen.prices[here], self.seen.outside[here], self.means[asked],
            points, shares, out,
        )  # fmt: skip
        return out

    def _laws(self, used: Flags) -> tuple[Floats, Floats]:
        """Return the points and shares of the law of each box, (n, P); no share where nothing was seen."""
        boxes = self.residuals.shape[1]
        points, shares = np.zeros((2, boxes, POINTS))
        every = np.flatnonzero(self.weights[used].sum(axis=0) > 0.0)
        for box in range(1 if self.shared else boxes):
            mine = slice(None) if self.shared or box not in every else slice(box, box + 1)
            # What was never seen is like all the others
            weights = self.weights[used][:, mine].ravel()
            known = weights > 0.0
            place = np.argsort(self.residuals[used][:, mine].ravel()[known], kind="stable")
            sizes = self.residuals[used][:, mine].ravel()[known][place]
            heavy = weights[known][place] / weights.sum()
            group = np.arange(len(sizes))
            if len(sizes) > POINTS:
                group = np.minimum(np.cumsum(heavy) * POINTS, POINTS - 1).astype(np.int64)
            share = np.bincount(group, heavy, POINTS)
            mean = np.bincount(group, heavy * sizes, POINTS) / np.where(share > 0.0, share, 1.0)
            rows = slice(None) if self.shared else box
            points[rows], shares[rows] = mean, share
        return points, shares

    def correlation(self) -> Correlation:
        """Return the residual correlation of two boxes of a round."""
        weights, known = self.weights, self.weights > 0.0
        total = np.maximum(weights.sum(axis=0), 1e-300)
        z = np.where(known, self.residuals, 0.0)
        z = np.where(known, z - (weights * z).sum(axis=0) / total, 0.0)
        spread = np.sqrt((weights * z**2).sum(axis=0) / total)
        z = z / np.where(spread > 0.0, spread, 1.0)
        above, below, pairs = np.zeros((3, len(z)))
        for one, other in _pairs(z.shape[1]):
            both = known[:, one] & known[:, other]
            each = weights[:, one], weights[:, other]
            weight = np.where(
                both, np.maximum(*each) if self.seen.together else each[0] * each[1], 0.0
            )
            above += weight * z[:, one] * z[:, other]
            below += weight
            pairs += both
        mean, error = block_ratios(above[:, np.newaxis], below[:, np.newaxis])
        return Correlation(mean=float(mean[0]), se=float(error[0]), pairs=int(pairs.sum()))


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    return ((one, other) for one in range(count) for other in range(one))


@kernel
def _beyond(points: Floats, shares: Floats, mean: float, level: float) -> float:
    """Return the chance that a value is above a level."""
    above = 0.0
    for p in range(points.shape[0]):
        if mean + points[p] > level:
            above += shares[p]
    return min(above, 1.0)


@kernel
def _least_of(ends: Floats, masses: Floats, owners: Ints, left: Floats, outside: float) -> float:
    """Return E min(o, M), M the least of independent numbers with these ends, masses and owners."""
    total, beyond = 0.0, 1.0
    left[:] = 1.0
    for place in np.argsort(ends, kind="mergesort"):
        if ends[place] >= outside or beyond == 0.0:
            break
        left[owners[place]] -= masses[place]
        # What rounding leaves is nothing
        if left[owners[place]] < 1e-12:
            left[owners[place]] = 0.0
        after = left.prod()
        total += (beyond - after) * ends[place]
        beyond = after
    return total + (beyond * outside if beyond > 0.0 else 0.0)


@whole
@kernel
def _expect(
    sigma: Floats, prices: Floats, outside: Floats, means: Floats, points: Floats, shares: Floats,
    out: Floats,
) -> None:  # fmt: skip
    """Set the expected totals of Weitzman's rule at σ, (T, n), of boxes with laws m + F, (n, P)."""
    boxes, size = points.shape
    ends, masses = np.empty(boxes * size), np.empty(boxes * size)
    owners, left = np.empty(boxes * size, np.int64), np.empty(boxes)
    for t in range(sigma.shape[0]):
        order = np.argsort(sigma[t], kind="mergesort")
        total, count, reached = 0.0, 0, 0
        for box in order:
            index, opened = sigma[t, box], 1.0
            for before in order[:reached]:
                opened *= _beyond(points[before], shares[before], means[t, before], index)
            if outside[t] <= index or opened <= 0.0:
                break
            total += opened * prices[t, box]
            for p in np.flatnonzero(shares[box] > 0.0):
                value = means[t, box] + points[box, p]
                ends[count], masses[count] = max(value, index), shares[box, p]
                owners[count] = reached
                count += 1
                if value < index:
                    total -= opened * masses[count - 1] * (index - value)
            reached += 1
        out[t] = total + _least_of(
            ends[:count], masses[:count], owners[:count], left[:reached], outside[t]
        )
