"""Reservation values without context: those of the empirical distribution so far.

With sorted values v_1 ≤ … ≤ v_k and P_j = v_1 + … + v_j, the expected excess E(s − v)⁺ is
(j s − P_j)/k for s between v_j and v_{j+1}. It is nondecreasing, so the root of E(σ − v)⁺ = c lies
behind the last v_j whose excess (j v_j − P_j)/k is at most c, and

    σ = (k c + P_j) / j.

Boxes that carry no history are taken as one.
"""

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags
from weitzman.compiled.decorators import kernel
from weitzman.learn.models.history import History
from weitzman.learn.models.means import GROWTH
from weitzman.learn.policy import Floats, Ints, Round


@kernel
def _values(
    begin: Ints, sums: Floats, excess: Floats, rows: Ints, costs: Floats, out: Floats
) -> None:
    """Set out to the σ of rows; those without numbers stay as they are."""
    for k in range(rows.shape[0]):
        first, end, cost = begin[rows[k]], begin[rows[k] + 1], costs[k]
        count = end - first
        if count == 0:
            continue
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            if excess[first + middle] <= cost:
                low = middle + 1
            else:
                high = middle
        last = max(1, low) if cost > 0.0 else 1
        out[k] = (count * cost + sums[first + last - 1]) / last


class Sorted:
    """The empirical distributions of rows of numbers; NaN is no number.

    Examples
    --------
    >>> laws = Sorted([np.array([4.0, 0.0]), np.array([np.nan])])
    >>> laws.reservation_values(np.array([0, 1]), np.array([1.0, 3.0]))
    array([2., 3.])
    """

    def __init__(self, rows: list[Floats] | NDArray[np.float64]) -> None:
        known = [np.sort(row[~np.isnan(row)]) for row in rows]
        self._begin = np.concatenate([[0], np.cumsum([len(row) for row in known])]).astype(np.int64)
        self._sums = np.concatenate([np.cumsum(row) for row in known])
        self._excess = np.concatenate(
            [
                (np.arange(1, len(row) + 1) * row - np.cumsum(row)) / max(1, len(row))
                for row in known
            ]
        )

    def reservation_values(self, rows: Ints, costs: Floats) -> Floats:
        """Return σ for rows and costs ≥ 0: for 0 the smallest number, without numbers the cost."""
        sigma = costs.copy()
        _values(self._begin, self._sums, self._excess, rows, costs, sigma)
        return sigma


class NoContext:
    """The empirical distributions of a past, made again as it grows."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._refits = history.refits(GROWTH)
        self.forget()

    def forget(self) -> None:
        """Let the distributions go: the past is another one."""
        self._made = 0
        self._laws = Sorted([np.empty(0)] * (self._history.boxes + 1))

    def predict(self, shown: Round) -> Floats:
        """Return σ of each row; where nothing was seen, that of all boxes as one, or the cost."""
        known = shown.places, shown.costs
        return self._predict(*known, self._history.never_seen(shown.places))

    def predict_rounds(self, costs: Floats, seen: Floats) -> Floats:
        """Return σ of all boxes of rounds in a row, (T, n), as they are made now.

        ``seen`` says how many values a box had shown before each round, (T, n).
        """
        places = np.broadcast_to(np.arange(costs.shape[1]), costs.shape).ravel()
        return self._predict(places, costs.ravel(), seen.ravel() == 0.0).reshape(costs.shape)

    def _predict(self, places: Ints, costs: Floats, new: Flags) -> Floats:
        due, shared = self._refits.last(self._history.count), self._history.shared
        if due != self._made:
            self._made = due
            values = self._history.window(due).values
            every = values.reshape(1, -1)
            # The last row is what a box that was never seen is taken for
            self._laws = Sorted(every if shared else [*values.T, every[0]])
        rows = np.zeros_like(places) if shared else places
        if self._history.unit_free and not shared:
            rows = np.where(new, self._history.boxes, rows)
        return self._laws.reservation_values(rows, costs)
