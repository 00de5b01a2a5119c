"""Predicted means: ridge regression, its strength chosen by leaving one out.

Values of one box (of all boxes, if they share a model) are regressed on contexts with a free
intercept: with centred contexts Z, ZᵀZ = U diag(e) Uᵀ, and centred values y,

    w(λ) = U diag(1/(e + λ)) Uᵀ Zᵀ y,      h_s(λ) = 1/m + Σ_k (Z U)²_{sk} / (e_k + λ),

and the residual of round s under the model of the other m − 1 rounds is (y_s − z_s·w)/(1 − h_s), exactly.
One λ serves all boxes: of 0.1, 1, 10, …, 1000 and 10⁹ (the mean alone), the one with the least sum of
squares of these residuals. Contexts are standardised, so the grid has no unit. 1 − h is at least 10⁻³.
"""

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.models.history import History
from weitzman.learn.models.refits import SLICE, Fitting, Refitted, nothing, whole
from weitzman.learn.models.ridge import ridge_path_rows
from weitzman.learn.models.window import Window
from weitzman.learn.policy import Floats, Ints, Round

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
        Of the rounds it was fitted to, (m, n), each without its own round; NaN where there is no value.
    first
        How many rounds were closed before these.
    """

    slopes: Floats
    levels: Floats
    residuals: Floats
    first: int = 0

    @property
    def end(self) -> int:
        """How many rounds were closed when the last of these was."""
        return self.first + len(self.residuals)


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
    none = np.empty(values.shape)
    window = Window(0, none, values, none[:, 0], contexts)
    return whole(_begin(window, shared=shared, pooled_level=pooled_level))


def _begin(window: Window, *, shared: bool, pooled_level: bool) -> Fitting[Fit]:
    """Return the regressions as a fitting, several boxes to a task."""
    values = window.values
    known = ~np.isnan(values)
    # The places of the rows of a group: of all boxes, or of one
    groups: list[Any] = [known]
    if not shared:
        groups = [(_rows(known[:, box]), box) for box in range(values.shape[1])]
    dimension = window.dimension
    longest = int(known.sum() if shared else known.sum(axis=0).max(initial=0))
    each = 5e-7 * longest * dimension**2 + 6e-6 * dimension**3
    together = max(1, int(SLICE / each))
    work = _fit(window, groups, together, shared=shared, pooled_level=pooled_level)
    return Fitting(-(-len(groups) // together), work)


def _fit(
    window: Window, groups: list[Any], together: int, *, shared: bool, pooled_level: bool
) -> Generator[None, None, Fit]:
    values = window.values
    rounds, boxes = values.shape
    known = ~np.isnan(values)
    paths: list[tuple[Floats, Floats, Floats] | None] = []
    for number, g in enumerate(groups):
        if number and number % together == 0:
            yield
        path = None
        if values[g].size:
            contexts = window.whole()[g] if shared else window.of_box(*g)
            path = ridge_path(np.ascontiguousarray(contexts), np.ascontiguousarray(values[g]))
        paths.append(path)
    errors = sum((p[2] ** 2).sum(axis=1) for p in paths if p is not None)
    best = int(np.argmin(errors))
    fit = Fit(
        slopes=np.zeros((boxes, window.dimension)),
        levels=np.full(boxes, math.fsum(values[known]) / known.sum() if pooled_level else 0.0),
        residuals=np.full((rounds, boxes), np.nan),
        first=window.first,
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
        self._fits: Refitted[Fit | None] = Refitted(
            history.refits(GROWTH), self._begin, sliced=history.unit_free
        )
        self.forget()

    def forget(self) -> None:
        """Let the fit go: the past is another one."""
        self._fits.forget()
        self._asked: tuple[Round | None, int, Floats] = (None, 0, np.empty(0))

    def fit(self) -> Fit | None:
        """Return the fit that is in force; None if no value was ever seen."""
        return self._fits.current(self._history.count)

    def _begin(self, end: int) -> Fitting[Fit | None]:
        window, history = self._history.window(end), self._history
        if np.isnan(window.values).all():
            return nothing(None)
        fitting = _begin(window, shared=history.shared, pooled_level=history.unit_free)
        return Fitting(fitting.tasks, fitting.work)

    def predict_rounds(self, contexts: Floats) -> Floats:
        """Return what is predicted for all boxes of rounds in a row, (T, n, d), with the fit in force."""
        fit = self.fit()
        if fit is None:
            return np.zeros(contexts.shape[:2])
        found: Floats = (fit.slopes * contexts).sum(axis=2) + fit.levels
        return found

    def until(self) -> int:
        """Return how many rounds may be closed before the fit in force may change."""
        self.fit()
        return self._fits.until(self._history.count)

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
