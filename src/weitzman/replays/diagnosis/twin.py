"""Twins of a log: the same rounds with residuals that went to other rounds.

A value is what the contexts predict plus a residual (:mod:`weitzman.replays.diagnosis.residuals`). In a
twin every box
keeps its contexts, its costs, its predictions and the multiset of its residuals, and so the mean of its
values; only which residual came in which round is drawn anew:

============  =====================================================================================
``together``  the residuals of a round stay together: its boxes are as correlated as before
``apart``     box by box: the boxes of a round are independent given their contexts
============  =====================================================================================

In both, the spread no longer depends on the contexts and the linear model is as good as it can be; they
differ in the correlation alone. So what a policy gains from ``together`` to ``apart`` is what the correlation
costs it. The log differs from both in more: what a policy gains from the log to ``together`` is what the
model does not see, and may turn the ranking of policies around.

Where a box has no value in the round that its residuals would come from, it takes one of those of its own
that no other round took. Boxes that carry no history share one pool of residuals.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from weitzman.arrays import Floats
from weitzman.logs.log import Log
from weitzman.replays.diagnosis.residuals import Residuals

__all__ = ["TWINS", "Twin", "twin"]

Twin = Literal["together", "apart"]
TWINS: tuple[Twin, ...] = ("together", "apart")


def twin(log: Log, residuals: Residuals, kind: Twin, *, rng: int = 0) -> Log:
    """Return a log with the residuals of another round in every round."""
    generator = np.random.default_rng(rng)
    shuffle = _together if kind == "together" else _apart
    moved = shuffle(residuals.values, residuals.shared, generator)
    values = log.values - residuals.values + moved
    return replace(log, values=values, opened=None, source=f"{log.source}, {kind}")


def _apart(residuals: Floats, shared: bool, generator: np.random.Generator) -> Floats:
    known = ~np.isnan(residuals)
    moved = np.full_like(residuals, np.nan)
    if shared:
        moved[known] = generator.permutation(residuals[known])
        return moved
    for box in range(residuals.shape[1]):
        there = known[:, box]
        moved[there, box] = generator.permutation(residuals[there, box])
    return moved


def _together(residuals: Floats, shared: bool, generator: np.random.Generator) -> Floats:
    known = ~np.isnan(residuals)
    origin = generator.permutation(len(residuals))
    moved = np.where(known, residuals[origin], np.nan)
    taken = np.zeros_like(known)
    taken[origin] = known & known[origin]
    missing, left = known & np.isnan(moved), known & ~taken
    if shared:
        moved[missing] = generator.permutation(residuals[left])
        return moved
    for box in range(residuals.shape[1]):
        moved[missing[:, box], box] = generator.permutation(residuals[left[:, box], box])
    return moved
