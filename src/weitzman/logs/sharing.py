"""Whether boxes carry a history: one model per box, or one for all.

Boxes are told apart by their names if a name stands for the same thing in many rounds. They are
*anonymous*, and share one model that tells them apart by features, if

(a) names are new: there are at most 1.25 rows per name on average, or a name is there in fewer than
    one round in fifty, so that a table of all names by all rounds would be nearly empty; or
(b) names explain nothing: over the first 300 rounds, of at least 20, some feature differs between
    the boxes of a round, and the names leave no trace
    - in any feature or the cost: an F test of the two-way table rounds × names, with a chance of one
      in a thousand shared among all columns;
    - in how values depend on features: what one linear regression for all names leaves of the values,
      ridge regressions per name explain no better than after the names are shuffled within each
      round. Explained squares of 100 shuffles give a gamma law by their mean and variance, the law of
      such sums for normal errors; its tail again is one in a thousand. Features and values are taken
      minus their means over the round.

The second part of (b) is needed: features may be drawn afresh for every box of every round, and each
box still have a law of its own. Values enter here, and only here, as one yes or no.
"""

import numpy as np

from weitzman.arrays import Floats, Ints

FIRST = 300
"""How many rounds are looked at."""

_LEAST = 20
_CHANCE = 1e-3
_ROWS_PER_NAME = 1.25
_PRESENT = 1 / 50
_SHUFFLES = 100
_ROUNDING = 1e-20  # a share of squares below this is what rounding leaves


def are_new(*, rounds: int, names: int, rows: int) -> bool:
    """Return whether (a) holds; a single round says nothing."""
    return rounds > 1 and (rows <= _ROWS_PER_NAME * names or rows < _PRESENT * rounds * names)


def explain_nothing(contexts: Floats, costs: Floats, values: Floats) -> bool:
    """Return whether (b) holds for a log, NaN for what is missing or absent."""
    if len(contexts) < _LEAST or contexts.shape[1] < 2:
        return False
    contexts, costs, values = contexts[:FIRST], costs[:FIRST], values[:FIRST]
    chances = np.array([_chance(column) for column in np.moveaxis(contexts, 2, 0)])
    if np.isnan(chances).all():
        return False
    chances = np.append(chances, _chance(costs))
    known = chances[~np.isnan(chances)]
    return bool((known > _CHANCE / len(known)).all()) and not _differ_in_law(contexts, values)


def _apart(column: Floats) -> Floats:
    """Return a column minus its means over the rounds; NaN in rounds of one box, which tell nothing."""
    known = ~np.isnan(column)
    counts = known.sum(axis=1, keepdims=True)
    means = np.where(known, column, 0.0).sum(axis=1, keepdims=True) / np.maximum(counts, 1)
    return np.where(counts > 1, column - means, np.nan)


def _chance(column: Floats) -> float:
    """Return how likely chance explains as much as the names do; NaN if all boxes are alike."""
    from scipy.special import fdtrc

    apart = _apart(column)
    known = ~np.isnan(apart)
    whole = float(np.nansum(apart**2))
    if whole <= _ROUNDING * float(np.nansum(column**2)):
        return float("nan")
    counts = known.sum(axis=0)
    explained = float((np.nansum(apart, axis=0) ** 2 / np.maximum(counts, 1)).sum())
    names = int((counts > 0).sum()) - 1
    left = int(counts.sum()) - int(known.any(axis=1).sum()) - names
    rest = whole - explained
    if left < 1 or rest <= _ROUNDING * whole:
        return 0.0
    return float(fdtrc(names, left, (explained / names) / (rest / left)))


def _differ_in_law(contexts: Floats, values: Floats) -> bool:
    """Return whether values depend on features in a way that differs from name to name."""
    from scipy.special import gammaincc

    apart = _apart(values)
    rounds, names = np.nonzero(~np.isnan(apart))
    if not len(rounds):
        return False
    x = np.nan_to_num(_apart(contexts))[rounds, names]
    x = x / np.maximum(np.sqrt((x**2).mean(axis=0)), np.finfo(float).tiny)
    x = np.column_stack([np.ones(len(x)), x])
    y = apart[rounds, names]
    y = y - x @ np.linalg.lstsq(x, y)[0]
    rng = np.random.default_rng(0)
    # Rows come round by round: an order by round, then at random, shuffles names within rounds
    shuffled = (names[np.lexsort((rng.random(len(y)), rounds))] for _ in range(_SHUFFLES))
    chance = np.array([_explained(x, y, other) for other in shuffled])
    mean, variance = float(chance.mean()), float(chance.var(ddof=1))
    if variance <= _ROUNDING * float((y**2).sum()) ** 2:
        return False
    found = _explained(x, y, names)
    return bool(gammaincc(mean**2 / variance, found * mean / variance) < _CHANCE)


def _explained(x: Floats, y: Floats, names: Ints) -> float:
    """Return how much of the squares of y the ridge regressions of all names explain."""
    total = 0.0
    for name in range(int(names.max()) + 1):
        mine, found = x[names == name], y[names == name]
        slopes = mine.T @ found
        total += float(slopes @ np.linalg.solve(mine.T @ mine + np.eye(x.shape[1]), slopes))
    return total
