"""The rounds of a log, made one by one as they are played.

A box whose value the log does not know is no part of its round; a round that is left without boxes is left
out. A round lives as long as it is played: a replay needs no second copy of the contexts.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.models.history import with_constant
from weitzman.learn.policy import Round
from weitzman.logs.log import Log

__all__ = ["LogRounds"]

Floats = NDArray[np.float64]

_PIECE = 256  # rounds that are made together


class LogRounds:
    """The rounds of a log that have boxes, with their values; costs are multiplied by a factor.

    Attributes
    ----------
    outside
        The outside options, (T,); +∞ where there is none.
    least
        The least of value + cost over the boxes of each round, (T,).
    """

    def __init__(self, log: Log, cost_scale: float) -> None:
        self._log = log
        self._scale = cost_scale
        self._held = np.flatnonzero(~np.isnan(log.values).all(axis=1))
        without = np.full(len(log), np.inf) if log.outside is None else log.outside
        self.outside: Floats = without[self._held]
        reached = log.values[self._held] + cost_scale * log.costs[self._held]
        self.least: Floats = np.where(np.isnan(reached), np.inf, reached).min(axis=1)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[tuple[Round, Floats]]:
        log, everywhere = self._log, np.arange(self._log.values.shape[1])
        at: slice | NDArray[np.int64]
        for first in range(0, len(self), _PIECE):
            held = self._held[first : first + _PIECE]
            contexts, costs = with_constant(log.contexts[held]), self._scale * log.costs[held]
            values = log.values[held]
            known = ~np.isnan(values)
            outside = self.outside[first : first + _PIECE].tolist()
            for t in range(len(held)):
                if known[t].all():
                    # Rows of all boxes need not be copied
                    places, at = everywhere, slice(None)
                else:
                    places = at = np.flatnonzero(known[t])
                shown = Round(
                    contexts=contexts[t, at], costs=costs[t, at], outside=outside[t], places=places
                )
                yield shown, values[t, at]
