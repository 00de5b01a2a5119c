"""The rounds of a log, made one by one as they are played.

A box whose value the log does not know is no part of its round; a round that is left without boxes is left
out. A round lives as long as it is played: a replay needs no second copy of the contexts.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.learn.policy import Round
from weitzman.search.numbers import finite_number
from weitzman.search.state import RoundState

if TYPE_CHECKING:
    from weitzman.logs.log import Log

_FEW = 0.05
_PIECE = 256  # rounds that are made together


def contexts_of(log: "Log") -> Floats:
    """Return the contexts of a log, (T, n, d); a column of 1 if it has no features."""
    if log.contexts.shape[2]:
        return log.contexts
    return np.where(np.isnan(log.costs), np.nan, 1.0)[:, :, np.newaxis]


def gaps_of(log: "Log") -> Flags:
    """Return which values nobody looked for, (T, n), in rounds in which some are known.

    Where the log says what was opened, the value of an opened box that is missing did not come. Where it does
    not say, a few missing values, one in twenty at most, are taken for such.
    """
    there = ~np.isnan(log.costs) & ~np.isnan(log.values).all(axis=1, keepdims=True)
    hidden: Flags = there & np.isnan(log.values)
    if log.opened is not None:
        return hidden & ~log.opened
    return hidden if hidden.sum() > _FEW * there.sum() else np.zeros_like(hidden)


class LogRounds:
    """The rounds of a log that have boxes, with their values; costs are multiplied by a factor.

    Of each round, (T,): ``outside`` is its outside option, +∞ where there is none, and ``least``
    the least of value + cost over its boxes. A policy goes by the costs that were expected; what a look
    really cost, where the log knows it, counts in totals: in ``least``, in ``happened`` and by ``settle``.
    """

    def __init__(self, log: "Log", cost_scale: float = 1.0) -> None:
        if finite_number(cost_scale, "The cost scale", "be a finite number > 0") <= 0.0:
            raise InvalidInputError("The cost scale", "be a finite number > 0", cost_scale)
        self._log = log
        self._contexts = contexts_of(log)
        self._scale = float(cost_scale)
        self._held = np.flatnonzero(~np.isnan(log.values).all(axis=1))
        self.boxes, self.dimension = self._contexts.shape[1:]
        without = np.full(len(log), np.inf) if log.outside is None else log.outside
        self.outside: Floats = without[self._held]
        costs = log.costs if log.paid is None else np.where(np.isnan(log.paid), log.costs, log.paid)
        self._costs: Floats = costs[self._held]
        reached = log.values[self._held] + self._scale * self._costs
        self.least: Floats = np.where(np.isnan(reached), np.inf, reached).min(axis=1)

    def __len__(self) -> int:
        return len(self._held)

    def settle(self, number: int, shown: Round, done: RoundState) -> RoundState:
        """Return a round that was played, with what its looks really cost."""
        costs = self.real_costs(number, shown)
        if costs is not None:
            for row in done.opened:
                done.spend(row, costs[row])
        return done

    def real_costs(self, number: int, shown: Round) -> list[float] | None:
        """Return what looks at the boxes of a round really cost, so far as it is known.

        The expected cost stands in where it is not. None if the log does not say.
        """
        if self._log.paid is None:
            return None
        costs: list[float] = (self._scale * self._costs[number, shown.places]).tolist()
        return costs

    def happened(self) -> tuple[Floats, Ints] | None:
        """Return what was actually done: the total of each round, and how many boxes were opened.

        The total is the best of the outside option and the values of the opened boxes, plus their
        costs. None if the log does not say, or if a round has neither: nothing was had, and the
        whole cannot be compared.
        """
        log = self._log
        if log.opened is None:
            return None
        values = log.values[self._held]
        opened = log.opened[self._held] & ~np.isnan(values)
        best = np.minimum(self.outside, np.where(opened, values, np.inf).min(axis=1))
        totals = best + self._scale * np.where(opened, self._costs, 0.0).sum(axis=1)
        return (totals, opened.sum(axis=1)) if np.isfinite(totals).all() else None

    def __iter__(self) -> Iterator[tuple[Round, Floats]]:
        log, every = self._log, np.arange(self.boxes)
        least = -np.inf if log.least is None else log.least
        outside = self.outside.tolist()
        for first in range(0, len(self), _PIECE):
            held = self._held[first : first + _PIECE]
            contexts, values = self._contexts[held], log.values[held]
            costs = self._scale * log.costs[held]
            there: Flags = ~np.isnan(values)
            gaps = np.asarray((np.isnan(contexts).any(axis=2) & there).any(axis=1)).tolist()
            whole = np.asarray(there.all(axis=1)).tolist()
            for t in range(len(held)):
                places = every if whole[t] else np.flatnonzero(there[t])
                # Rows of all boxes need not be copied
                at = slice(None) if whole[t] else places
                number = first + t
                shown = Round(
                    contexts=contexts[t, at],
                    costs=costs[t, at],
                    outside=outside[number],
                    places=places,
                    number=number,
                    gaps=gaps[t],
                    least=least,
                )
                yield shown, values[t, at]
