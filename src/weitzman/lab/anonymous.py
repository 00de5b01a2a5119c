"""Whether boxes carry a history: one model per box, or one for all.

Boxes are told apart by their names if a name stands for the same thing in many rounds. They are
*anonymous*, and share one model that tells them apart by features, if

(a) names are new: there are at most 1.25 rows per name on average, or a name is there in fewer than
    one round in fifty, so that a table of all names by all rounds would be nearly empty; or
(b) names explain nothing: over the first 300 rounds, of at least 20, some feature differs between
    the boxes of a round, and an F test finds no trace of the names in any column, be it a feature,
    the cost or the value.

The F test of (b) is that of a two-way table, rounds × names: what the names explain beyond the rounds
against what neither explains. A column counts as explained if chance would explain as much less
than once in a thousand, shared among all columns. Values enter here, and only here, as one yes or no:
contexts drawn afresh for every box say nothing about whether its values have a law of its own.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIRST", "are_new", "explain_nothing"]

FIRST = 300
"""How many rounds are looked at."""

_LEAST = 20
_CHANCE = 1e-3
_ROWS_PER_NAME = 1.25
_PRESENT = 1 / 50
_ROUNDING = 1e-20  # a share of squares below this is what rounding leaves

Floats = NDArray[np.float64]


def are_new(*, rounds: int, names: int, rows: int) -> bool:
    """Return whether (a) holds; a single round says nothing."""
    return rounds > 1 and (rows <= _ROWS_PER_NAME * names or rows < _PRESENT * rounds * names)


def explain_nothing(contexts: Floats, costs: Floats, values: Floats) -> bool:
    """Return whether (b) holds for the first rounds of a log, NaN for what is missing or absent."""
    if len(contexts) < _LEAST or contexts.shape[1] < 2:
        return False
    chances = np.array([_chance(c) for c in np.moveaxis(contexts[:FIRST], 2, 0)])
    if np.isnan(chances).all():
        return False
    more = [_chance(costs[:FIRST]), _chance(values[:FIRST])]
    known = np.array([c for c in (*chances, *more) if not np.isnan(c)])
    return bool((known > _CHANCE / len(known)).all())


def _chance(column: Floats) -> float:
    """Return how likely chance explains as much as the names do; NaN if all boxes are alike."""
    from scipy.special import fdtrc

    # A round of one box tells nothing of names
    told = ~np.isnan(column)
    told &= told.sum(axis=1, keepdims=True) > 1
    counts = told.sum(axis=0)
    rounds = int(told.any(axis=1).sum())
    known = np.where(told, column, 0.0)
    means = known.sum(axis=1, keepdims=True) / np.maximum(told.sum(axis=1, keepdims=True), 1)
    apart = np.where(told, column - means, 0.0)
    whole = float((apart**2).sum())
    if whole <= _ROUNDING * float((known**2).sum()):
        return float("nan")
    explained = float((apart.sum(axis=0) ** 2 / np.maximum(counts, 1)).sum())
    names = int((counts > 0).sum()) - 1
    left = int(counts.sum()) - rounds - names
    rest = whole - explained
    if left < 1 or rest <= _ROUNDING * whole:
        return 0.0
    return float(fdtrc(names, left, (explained / names) / (rest / left)))
