"""Predicted means: ridge regression, its strength chosen by leaving one out.

Values of one box (of all boxes, if they share a model) are regressed on contexts with a free
intercept: with centred contexts Z, ZᵀZ = U diag(e) Uᵀ, and centred values y,

    w(λ) = U diag(1/(e + λ)) Uᵀ Zᵀ y,      h_s(λ) = 1/m + Σ_k (Z U)²_{sk} / (e_k + λ),

and the residual of round s under the model of the other m − 1 rounds is (y_s − z_s·w)/(1 − h_s), exactly.
One λ serves all boxes: of 0.1, 1, 10, …, 1000 and 10⁹ (the mean alone), the one with the least sum of
squares of these residuals. Contexts are standardised, so the grid has no unit. 1 − h is at least 10⁻³.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.models.history import History, Refits
from weitzman.learn.models.ridge import ridge_path_rows
from weitzman.learn.policy import Floats, Ints, Round

__all__ = ["GROWTH", "Fit", "Means", "fit_means", "ridge_path"]

GROWTH = 1.1
"""By what factor the past grows between refits."""

STRENGTHS = (0.1, 1.0, 10.0, 100.0, 1000.0, 1e9)
_LEAST = 1e-3

Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """Ridge regressions of all boxes, of one strength.

    Attributes
    ----------
    slopes, levels
        w and the intercept of each box, (n, d) and (n,).
    residuals
        Of the rounds it was fitted to, (a, n), each without its own round; NaN where there is no value.
    """

    slopes: Floats
    levels: Floats
    residuals: Floats


def ridge_path(contexts: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return w (L, d), the intercepts (L,) and leave-one-out residuals (L, m), for all L strengths."""
    count, strengths = len(values), np.array(STRENGTHS)
    slopes = np.empty((len(strengths), contexts.shape[1]))
    levels, residuals = np.empty(len(strengths)), np.empty((len(strengths), count))
    ridge_path_rows(contexts, values, strengths, _LEAST, slopes, levels, residuals)
    return slopes, levels, residuals


def fit_means(contexts: Floats, values: Floats, *, shared: bool, pooled_level: bool = False) -> Fit:
    """Return the regressions of all rounds, (T, n, d) and (T, n); NaN where a value is not known.

    A box that was never seen has the level 0, or with ``pooled_level`` the mean of all values.
    """
    rounds, boxes, dimension = contexts.shape
    known = ~np.isnan(values)
    # The places of the rows of a group: of all boxes, or of one
    groups: list[Any] = [known]
    if not shared:
        groups = [(_rows(known[:, box]), box) for box in range(boxes)]
    paths = [
        ridge_path(np.ascontiguousarray(contexts[g]), np.ascontiguousarray(values[g]))
        if values[g].size
        else None
        for g in groups
    ]
    errors = sum((p[2] ** 2).sum(axis=1) for p in paths if p is not None)
    best = int(np.argmin(errors))
    fit = Fit(
        slopes=np.zeros((boxes, dimension)),
        levels=np.full(boxes, math.fsum(values[known]) / known.sum() if pooled_level else 0.0),
        residuals=np.full((rounds, boxes), np.nan),
    )
    for box, (group, path) in enumerate(zip(groups, paths, strict=True)):
        if path is not None:
            mine = slice(None) if shared else box
            fit.slopes[mine], fit.levels[mine] = path[0][best], path[1][best]
            fit.residuals[group] = path[2][best]
    return fit


def _rows(known: Flags) -> Ints | slice:
    """Return where a box has a value; a slice, if everywhere."""
    return slice(None) if known.all() else np.flatnonzero(known)


class Means:
    """The ridge means of a past, fitted again as it grows."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._refits = Refits(GROWTH)
        self.forget()

    def forget(self) -> None:
        """Let the fit go: the past is another one."""
        self._fitted = 0
        self._fit: Fit | None = None
        self._asked: tuple[Round | None, int, Floats] = (None, 0, np.empty(0))

    def fit(self) -> Fit | None:
        """Return the fit that is in force; None if no value was ever seen."""
        due = self._refits.last(self._history.count)
        if due != self._fitted:
            self._fitted = due
            values = self._history.values[:due]
            seen = bool((~np.isnan(values)).any())
            history, contexts = self._history, self._history.contexts[:due]
            self._fit = None
            if seen:
                self._fit = fit_means(
                    contexts, values, shared=history.shared, pooled_level=history.unit_free
                )
        return self._fit

    def predict(self, shown: Round) -> Floats:
        """Return the predicted means of the rows of a round; 0 if nothing was seen."""
        asked, count, means = self._asked
        if asked is not shown or count != self._history.count:
            fit, places = self.fit(), shown.places
            means = np.zeros(len(places))
            if fit is not None:
                rows = self._history.prepared(shown)
                means = (fit.slopes[places] * rows).sum(axis=1) + fit.levels[places]
            self._asked = (shown, self._history.count, means)
        return means
