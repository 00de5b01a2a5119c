"""Reservation values without context: those of the empirical distribution so far.

With sorted values v_1 ≤ … ≤ v_k and P_j = v_1 + … + v_j, the expected excess E(s − v)⁺ is
(j s − P_j)/k for s between v_j and v_{j+1}. It is nondecreasing, so the root of E(σ − v)⁺ = c lies
behind the last v_j whose excess (j v_j − P_j)/k is at most c, and

    σ = (k c + P_j) / j.

Boxes that carry no history are taken as one.
"""

import numpy as np

from weitzman.learn.means import GROWTH
from weitzman.learn.past import Past, Refits
from weitzman.learn.policy import Floats, Round

__all__ = ["NoContext", "Sorted"]


class Sorted:
    """The empirical distribution of numbers, at least one.

    Examples
    --------
    >>> Sorted(np.array([4.0, 0.0])).reservation_value(1.0)
    2.0
    """

    def __init__(self, values: Floats) -> None:
        ordered = np.sort(values)
        self._count = len(ordered)
        self._sums = np.cumsum(ordered)
        self._excess = (np.arange(1, self._count + 1) * ordered - self._sums) / self._count

    def reservation_value(self, cost: float) -> float:
        """Return σ for a cost ≥ 0; for 0 it is the smallest value."""
        last = max(1, int(self._excess.searchsorted(cost, side="right")))
        if cost == 0.0:
            last = 1
        return float((self._count * cost + self._sums[last - 1]) / last)


class NoContext:
    """The empirical distributions of a past, made again as it grows."""

    def __init__(self, past: Past) -> None:
        self._past = past
        self._refits = Refits(GROWTH)
        self.forget()

    def forget(self) -> None:
        """Let the distributions go: the past is another one."""
        self._made = 0
        self._laws: list[Sorted | None] = [None] * self._past.boxes

    def predict(self, round: Round) -> Floats:  # noqa: A002
        """Return σ of each row; the cost, where nothing was seen."""
        due = self._refits.last(self._past.count)
        if due != self._made:
            self._made = due
            values = self._past.values[:due]
            if self._past.shared:
                self._laws = [_law(values.ravel())] * self._past.boxes
            else:
                self._laws = [_law(column) for column in values.T]
        sigma = round.costs.copy()
        for row, place in enumerate(round.places.tolist()):
            law = self._laws[place]
            if law is not None:
                sigma[row] = law.reservation_value(float(round.costs[row]))
        return sigma


def _law(values: Floats) -> Sorted | None:
    known = values[~np.isnan(values)]
    return Sorted(known) if len(known) else None
