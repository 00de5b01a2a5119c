"""What was actually done, if a log says which boxes were opened.

The total of a round is the best of the outside option and the values of the opened boxes, plus the costs of
these boxes. Boxes without a value are no part of a replay, and none here. Where a round has neither an
outside option nor an opened box nothing was had, and the whole cannot be compared.
"""

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.logs.log import Log

__all__ = ["happened"]


def happened(log: Log, *, cost_scale: float = 1.0) -> tuple[Floats, Ints] | None:
    """Return the total of each round that has a value, and how many boxes were opened; None if unknown."""
    if log.opened is None:
        return None
    played = ~np.isnan(log.values).all(axis=1)
    values, costs = log.values[played], log.costs[played]
    opened = log.opened[played] & ~np.isnan(values)
    outside = np.inf if log.outside is None else log.outside[played]
    best = np.minimum(outside, np.where(opened, values, np.inf).min(axis=1))
    totals = best + cost_scale * np.where(opened, costs, 0.0).sum(axis=1)
    return (totals, opened.sum(axis=1)) if np.isfinite(totals).all() else None
