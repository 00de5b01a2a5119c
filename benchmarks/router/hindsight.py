"""The settings of hand-written rules that would have been best, found with every value known.

Under full information what a rule learns does not depend on what it asks, so the totals of all settings are
had from one table of predicted chances. The best is played as a policy afterwards, like any other rule.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from router.chances import Chances
from router.rivals import WRONG, Cascade, TwoModels, win_rate

Floats = NDArray[np.float64]
THRESHOLDS = tuple(np.round(np.arange(0.05, 1.0, 0.05), 2).tolist())


def chances_of(contexts: Floats, right: Floats) -> Floats:
    """Return what would have been predicted in each round from those before it, 1 for nothing seen."""
    model, found = Chances(right.shape[1]), np.empty(right.shape)
    for t, (context, each) in enumerate(zip(contexts, right, strict=True)):
        found[t] = model.predict(context)
        model.learn(context, each)
    return np.where(np.isnan(found), 1.0, found)


def best_pairs(chances: Floats, costs: Floats, values: Floats, count: int) -> list[TwoModels]:
    """Return the pairs of models with thresholds that pay least, best first."""
    paid, found = costs + values, []
    for weak, strong in np.ndindex(costs.shape[1], costs.shape[1]):
        if weak != strong:
            wins = win_rate(chances[:, strong], chances[:, weak])
            for threshold in THRESHOLDS:
                mean = np.where(wins >= threshold, paid[:, strong], paid[:, weak]).mean()
                found.append((float(mean), weak, strong, threshold))
    return [TwoModels(*each[1:]) for each in sorted(found)[:count]]


def best_cascade(
    costs: Floats,
    seen: Floats,
    values: Floats,
    untils: tuple[float, ...] = (0.001,),
    *,
    longest: int = 5,
) -> Cascade:
    """Return the chain of at most so many models, with the threshold on its grades, that pays least.

    ``seen`` are the values as graded, by which it stops and keeps; ``values`` are what they are worth.
    """
    boxes, best = costs.shape[1], (np.inf, Cascade())
    for size in range(1, longest + 1):
        for models in combinations(range(boxes), size):
            rows = np.array(models)
            order = rows[np.argsort(costs[:, rows], axis=1, kind="stable")]
            paid, shown, worth = (
                np.take_along_axis(a, order, axis=1) for a in (costs, seen, values)
            )
            for until in untils:
                mean = _chain(paid, shown, worth, WRONG * (1.0 - until) + 1e-9)
                if mean < best[0]:
                    best = mean, Cascade(models=models, until=until)
    return best[1]


def _chain(paid: Floats, seen: Floats, values: Floats, good: float) -> float:
    """Return the mean total of asking columns from left to right until one is good."""
    total, best, worth = np.zeros(len(paid)), np.full(len(paid), WRONG), np.full(len(paid), WRONG)
    for column in range(paid.shape[1]):
        goes_on = best > good
        total += np.where(goes_on, paid[:, column], 0.0)
        better = goes_on & (seen[:, column] < best)
        worth = np.where(better, values[:, column], worth)
        best = np.where(better, seen[:, column], best)
    return float((total + worth).mean())
