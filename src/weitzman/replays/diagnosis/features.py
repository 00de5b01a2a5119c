"""Which features tell something about the values, measured on rounds that the model has not seen.

A ridge regression (:mod:`weitzman.learn.models.means`) is fitted to the first half of a log. On the second
half,

- *explained* is the share of the squares of the values around their box's mean that it predicts,
  1 − Σ r² / Σ (v − v̄)², with r = v − prediction; it is below 0 where the mean predicts better;
- a feature *tells* by how much Σ r² grows, as a share of the same squares, when the feature is taken from
  another round of the box, drawn at random. With u its part of the prediction, the mean over all draws is

      r² → (r + u)² − 2 (r + u) ū + mean(u²),

  so nothing has to be drawn. All columns of a feature go together.

This is cheap and looks at data that played no part in the fit. It is linear: a feature that tells something
only together with another, or in a bend, is not seen here, though trees may use it; and of two features that
say the same each looks less telling than it is.
"""

from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.learn.models.means import Fit, fit_means
from weitzman.learn.preparation import prepared
from weitzman.logs.log import Log
from weitzman.replays.bootstrap import block_ratios
from weitzman.replays.diagnosis.residuals import known_mean


@dataclass(frozen=True, kw_only=True, eq=False)
class Telling:
    """What each feature tells, the most telling first, and what all explain together."""

    names: list[str]
    shares: Floats
    errors: Floats
    explained: float
    explained_error: float


def telling(log: Log) -> Telling | None:
    """Return what the features of a log tell; None where there are none, or too few rounds to say."""
    half = len(log) // 2
    contexts = prepared(log.contexts, ~np.isnan(log.costs))
    early, late = log.values[:half], log.values[half:]
    # A box that the first half does not know has no prediction
    values = np.where((~np.isnan(early)).any(axis=0) | log.shared, late, np.nan)
    known = ~np.isnan(values)
    if not log.features or half < 2 or np.isnan(early).all() or not known.any():
        return None
    fit = fit_means(contexts[:half], early, shared=log.shared)
    parts = _parts(log, fit, np.where(known[:, :, np.newaxis], contexts[half:], 0.0))
    rest = np.where(known, values - fit.levels - parts.sum(axis=2), 0.0)
    around = values - known_mean(values, known, log.shared)
    squares = (np.where(known, around, 0.0) ** 2).sum(axis=1)
    grown = np.stack(
        [_grown(rest, part, known, log.shared) for part in np.moveaxis(parts, 2, 0)], axis=1
    )
    whole = squares[:, np.newaxis]
    shares, errors = block_ratios(grown, np.broadcast_to(whole, grown.shape))
    missed, missed_error = block_ratios((rest**2).sum(axis=1)[:, np.newaxis], whole)
    order = np.argsort(-shares, kind="stable")
    names = [feature.name for feature in log.encoding.features]
    return Telling(
        names=[names[k] for k in order],
        shares=shares[order],
        errors=errors[order],
        explained=1.0 - float(missed[0]),
        explained_error=float(missed_error[0]),
    )


def _parts(log: Log, fit: Fit, contexts: Floats) -> Floats:
    """Return what each feature adds to the prediction of each row, (T, n, features)."""
    products = contexts * fit.slopes
    begins = np.cumsum([0, *(len(f.columns) for f in log.encoding.features)])[:-1]
    parts: Floats = np.add.reduceat(products, begins, axis=2)
    return parts


def _grown(rest: Floats, part: Floats, known: Flags, shared: bool) -> Floats:
    """Return by how much the squares of a round grow without a feature, on average, (T,)."""
    first, second = known_mean(part, known, shared), known_mean(part**2, known, shared)
    without = rest + part
    squares = without**2 - 2.0 * without * first + second
    grown: Floats = np.where(known, squares - rest**2, 0.0).sum(axis=1)
    return grown
