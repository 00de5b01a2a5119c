"""Guesses: what a total would be where it is not known, fitted on other rounds.

A guess m is a function of what does not depend on the draw: the plain boxes. It is a ridge regression of what
a rule pays beyond the first box that is not plain, best value included, on

- the best value in hand by then,
- how far apart the bounds of the total are,
- what is paid by then,
- the best plain value of the round, also of boxes that the rule would not open,

its strength chosen by leaving one out, the mean alone among them (:mod:`weitzman.learn.models.means`). It
is fitted on covered rounds in which a draw was needed, and *cross-fitted*: rounds are dealt out to five
groups, and each group has the fit of the other four. A guess stays within the bounds of its round.
"""

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.learn.models.means import ridge_path
from weitzman.replays.judgement.trace import Trace

FOLDS = 5


def guesses(trace: Trace, plain_best: Floats) -> Floats:
    """Return m for every round, (T,); the total itself where it is certain."""
    features = np.column_stack(
        [trace.hand, trace.high - trace.low, trace.spent, np.minimum(plain_best, trace.high)]
    )
    target = trace.totals - trace.spent
    group = np.arange(len(target)) % FOLDS
    drawn = trace.covered & ~trace.certain
    found = trace.low.copy()
    for fold in range(FOLDS):
        mine, others = ~trace.certain & (group == fold), drawn & (group != fold)
        if mine.any() and others.any():
            found[mine] = trace.spent[mine] + _fitted(features, target, others, mine)
    found = np.clip(found, trace.low, trace.high)
    return np.where(trace.certain, trace.totals, found)


def _fitted(features: Floats, target: Floats, known: Flags, wanted: Flags) -> Floats:
    """Return what a ridge regression on the known rounds says of those that are wanted."""
    rows, found = features[known], target[known]
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    if len(found) < 3:
        return np.full(int(wanted.sum()), found.mean())
    varies = deviation > 1e-12 * np.abs(mean)
    scale = np.where(varies, deviation, 1.0)
    z = np.where(varies, (rows - mean) / scale, 0.0)
    slopes, levels, residuals = ridge_path(z, found)
    best = int((residuals**2).sum(axis=1).argmin())
    # As far as the known rounds reach, and no farther
    ahead = np.clip((features[wanted] - mean) / scale, z.min(axis=0), z.max(axis=0))
    return np.asarray(np.where(varies, ahead, 0.0) @ slopes[best] + levels[best])
