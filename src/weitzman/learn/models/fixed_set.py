"""The best fixed set: the boxes that would have been best to open, all of them, in every round.

The set is built greedily on the rounds so far: starting from nothing, the box is added that lowers the
mean of (best value + costs) most, while one does. A box that was absent costs nothing and shows
nothing. In a round with nothing in hand the largest value seen stands for what was missed.

Where only the values of opened boxes are revealed, a value that was not counts as the box's mean, or as the
mean of all values if the box was never seen (as 0, where values are not prepared).
"""

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.models.history import History, Refits
from weitzman.learn.models.means import GROWTH

__all__ = ["FixedSet", "greedy_set"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def greedy_set(costs: Floats, values: Floats, outside: Floats) -> Flags:
    """Return the greedy set for recorded rounds, (T, n), NaN where a box is absent.

    Examples
    --------
    >>> values = np.array([[0.0, 9.0, 5.0], [9.0, 0.0, 5.0]])
    >>> greedy_set(np.ones((2, 3)), values, np.full(2, 9.0))
    array([ True,  True, False])
    """
    boxes = values.shape[1]
    chosen = np.zeros(boxes, dtype=np.bool_)
    if np.isnan(values).all():
        return chosen
    missed = float(np.nanmax(values))
    found, prices = np.where(np.isnan(values), np.inf, values), np.nan_to_num(costs)
    best, paid = outside.copy(), np.zeros(len(outside))
    least = float(best.mean())
    while not chosen.all():
        means = np.full(boxes, np.inf)
        for box in np.flatnonzero(~chosen):
            reached = np.minimum(best, found[:, box])
            reached[np.isinf(reached)] = missed
            means[box] = (reached + paid + prices[:, box]).mean()
        added = int(np.argmin(means))
        if means[added] >= least:
            break
        chosen[added] = True
        least = float(means[added])
        best, paid = np.minimum(best, found[:, added]), paid + prices[:, added]
    return chosen


class FixedSet:
    """The best fixed set of a past, built again as it grows."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._refits = Refits(GROWTH)
        self.forget()

    def forget(self) -> None:
        """Let the set go: the past is another one."""
        self._built = 0
        self._chosen = np.zeros(self._history.boxes, dtype=np.bool_)

    def chosen(self) -> Flags:
        """Return which boxes are in the set, (n,)."""
        due = self._refits.last(self._history.count)
        if due != self._built:
            self._built = due
            history = self._history
            costs, values = history.costs[:due], history.values[:due]
            if history.feedback == "opened":
                values = _supposed(costs, values, pooled=history.unit_free)
            self._chosen = greedy_set(costs, values, history.outside[:due])
        return self._chosen


def _supposed(costs: Floats, values: Floats, *, pooled: bool) -> Floats:
    """Return values with the box's mean where a box was there and its value was not revealed.

    A box that was never seen has the mean 0, or that of all values if it is ``pooled``.
    """
    known = ~np.isnan(values)
    means = np.nan_to_num(values).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    if pooled and known.any():
        means[~known.any(axis=0)] = values[known].mean()
    return np.where(known | np.isnan(costs), values, means)
