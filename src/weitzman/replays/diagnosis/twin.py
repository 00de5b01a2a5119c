"""Twins of a log: the same rounds with residuals that went to other rounds.

A value is what the contexts predict plus a residual (:mod:`weitzman.replays.diagnosis.residuals`). In a
twin every box
keeps its contexts, its costs, its predictions and the multiset of its residuals, and so the mean of its
values; only which residual came in which round is drawn again:

============  =====================================================================================
``together``  the residuals of a round stay together: its boxes are as correlated as before
``apart``     box by box: the boxes of a round are independent given their contexts
============  =====================================================================================

In both, the spread no longer depends on the contexts and the linear model is as good as it can be; they
differ in the correlation alone. So what a policy gains from ``together`` to ``apart`` is what the correlation
costs it. The log differs from both in more: what a policy gains from the log to ``together`` is what the
model does not see, and may turn the ranking of policies around.

Where a box has no value in the round that its residuals would come from, it takes one of those of its own
that no other round took. Boxes that carry no history share one pool of residuals. A best possible value that
is known of the log is not known of its twins: moved residuals may lead beyond it.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from weitzman.logs.log import Log
from weitzman.replays.diagnosis.residuals import Residuals

Twin = Literal["together", "apart"]
TWINS: tuple[Twin, ...] = ("together", "apart")


def twin(log: Log, residuals: Residuals, kind: Twin, *, rng: int = 0) -> Log:
    """Return a log with the residuals of another round in every round."""
    found, known = residuals.values, ~np.isnan(residuals.values)
    generator = np.random.default_rng(rng)
    moved, left = np.full_like(found, np.nan), known
    if kind == "together":
        origin = generator.permutation(len(found))
        moved = np.where(known, found[origin], np.nan)
        taken = np.zeros_like(known)
        taken[origin] = known & known[origin]
        left = known & ~taken
    missing = known & np.isnan(moved)
    # One pool for all boxes, or one for each
    for box in [slice(None)] if residuals.shared else range(found.shape[1]):
        drawn = generator.permutation(found[:, box][left[:, box]])
        moved[:, box][missing[:, box]] = drawn
    values = log.values - found + moved
    source = f"{log.source}, {kind}"
    return replace(log, values=values, opened=None, least=None, source=source)
