"""The rounds of a log, made one by one as they are played.

A box whose value the log does not know is no part of its round; a round that is left without boxes is left
out. A round lives as long as it is played: a replay needs no second copy of the contexts.
"""

from collections.abc import Iterator

import numpy as np

from weitzman.arrays import Floats
from weitzman.learn.policy import Round
from weitzman.logs.log import Log

__all__ = ["LogRounds", "contexts_of"]


def contexts_of(log: Log) -> Floats:
    """Return the contexts of a log, (T, n, d); a column of 1 if it has no features."""
    if log.contexts.shape[2]:
        return log.contexts
    return np.where(np.isnan(log.costs), np.nan, 1.0)[:, :, np.newaxis]


class LogRounds:
    """The rounds of a log that have boxes, with their values; costs are multiplied by a factor.

    Attributes
    ----------
    boxes, dimension
        The number of boxes, and the length of a context.
    outside
        The outside options, (T,); +∞ where there is none.
    least
        The least of value + cost over the boxes of each round, (T,).
    """

    def __init__(self, log: Log, cost_scale: float) -> None:
        self._log = log
        self._contexts = contexts_of(log)
        self._scale = cost_scale
        self._held = np.flatnonzero(~np.isnan(log.values).all(axis=1))
        self.boxes, self.dimension = self._contexts.shape[1:]
        without = np.full(len(log), np.inf) if log.outside is None else log.outside
        self.outside: Floats = without[self._held]
        reached = log.values[self._held] + cost_scale * log.costs[self._held]
        self.least: Floats = np.where(np.isnan(reached), np.inf, reached).min(axis=1)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[tuple[Round, Floats]]:
        log, outside = self._log, self.outside.tolist()
        for number, t in enumerate(self._held):
            places = np.flatnonzero(~np.isnan(log.values[t]))
            contexts = self._contexts[t, places]
            shown = Round(
                contexts=contexts,
                costs=self._scale * log.costs[t, places],
                outside=outside[number],
                places=places,
                number=number,
                gaps=bool(np.isnan(contexts).any()),
            )
            yield shown, log.values[t, places]
