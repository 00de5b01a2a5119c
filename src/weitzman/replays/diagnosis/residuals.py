"""What the features leave of the values of a log: how wide it is, and whether the boxes of a round share it.

The *residual* of a value is what a ridge regression on the contexts, fitted without its own round and box,
leaves of it (:mod:`weitzman.learn.models.means`); one regression per box, or one for boxes that carry no
history.

*Spread.* The standard deviation of the residuals of a box. A look is cheap or expensive beside it: the
gain of one more look is a matter of how far values scatter, so cost/spread has no unit.

*Correlation within rounds.* With z the residuals minus their mean over their spread, box by box, and m_t the
number of boxes of round t whose value is known,

    ρ = Σ_t ((Σ_i z_ti)² − Σ_i z_ti²) / Σ_t m_t (m_t − 1)

is the mean correlation of two boxes of a round. The paper's rule is optimal for boxes that are independent
given their contexts: then ρ = 0, up to chance. ρ_i is the mean correlation of box i with the others. Standard
errors are by the block bootstrap (:mod:`weitzman.replays.bootstrap`). Boxes *move together* if
|ρ| exceeds 0.05 and three standard errors. Chance exceeds these in one log in 400 of 1,000 independent
rounds or more, in one in 150 of 300 and in one in 80 of 100, where there are few blocks.

A feature that a linear regression cannot follow leaves a common part in all boxes of a round, and counts as
correlation here: for a rule that is linear in the contexts it is one.
"""

from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.learn.models.means import fit_means
from weitzman.learn.preparation import prepared
from weitzman.logs.log import Log
from weitzman.logs.rounds import contexts_of
from weitzman.replays.bootstrap import block_ratios

CLEAR = 3.0
"""By how many standard errors something must differ to be called different."""

_NOTICEABLE = 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class Residuals:
    """The residuals of a log, (T, n), NaN without a value; boxes may share a regression."""

    values: Floats
    shared: bool

    @property
    def spread(self) -> Floats:
        """The standard deviation of each box, (n,); the same for all if they share one regression."""
        return np.sqrt(_moments(self)[1])

    @property
    def scaled(self) -> Floats:
        """z, (T, n); 0 for a box without spread."""
        mean, variance = _moments(self)
        deviation = np.sqrt(variance)
        flat = ~(deviation > 0.0)
        return np.where(
            np.isnan(self.values), np.nan, (self.values - mean) * ~flat / (deviation + flat)
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Correlation:
    """The mean correlation ρ of two boxes of a round, NaN if none has two, and ρ_i, (n,)."""

    mean: float
    error: float
    boxes: Floats
    box_errors: Floats

    @property
    def moves_together(self) -> bool:
        """Whether the boxes of a round are clearly and noticeably correlated."""
        return abs(self.mean) > max(CLEAR * self.error, _NOTICEABLE)


def residuals_of(log: Log) -> Residuals:
    """Return what the contexts leave of the values of a log."""
    contexts = prepared(contexts_of(log), ~np.isnan(log.costs))
    fit = fit_means(contexts, log.values, shared=log.shared)
    return Residuals(values=fit.residuals, shared=log.shared)


def correlation(residuals: Residuals) -> Correlation:
    """Return how much the boxes of a round move together."""
    scaled = residuals.scaled
    known = ~np.isnan(scaled)
    z = np.where(known, scaled, 0.0)
    sums, counts = z.sum(axis=1), known.sum(axis=1).astype(np.float64)
    products, pairs = sums**2 - (z**2).sum(axis=1), counts * (counts - 1.0)
    mean, error = block_ratios(products[:, np.newaxis], pairs[:, np.newaxis])
    others = np.where(known, counts[:, np.newaxis] - 1.0, 0.0)
    boxes, box_errors = block_ratios(z * (sums[:, np.newaxis] - z), others)
    return Correlation(
        mean=float(mean[0]), error=float(error[0]), boxes=boxes, box_errors=box_errors
    )


def _moments(residuals: Residuals) -> tuple[Floats, Floats]:
    """Return the mean and the variance of each box, (n,); of all boxes, if they share a regression."""
    values, known = residuals.values, ~np.isnan(residuals.values)
    mean = known_mean(values, known, residuals.shared)
    variance = known_mean((values - mean) ** 2, known, residuals.shared)
    boxes = values.shape[1]
    return np.broadcast_to(mean, boxes), np.broadcast_to(variance, boxes)


def known_mean(numbers: Floats, known: Flags, shared: bool) -> Floats:
    """Return the mean of the known numbers, of each box or, if they share a model, of all."""
    axis = None if shared else 0
    counts = np.maximum(known.sum(axis=axis), 1)
    return np.asarray(np.where(known, numbers, 0.0).sum(axis=axis) / counts)
