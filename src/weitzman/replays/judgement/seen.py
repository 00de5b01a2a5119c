"""What a log with gaps shows: which boxes were opened, which of them without a draw, and what they held.

The rule in force opens boxes; a draw may open more (:mod:`weitzman.logs.chances`). The *plain* boxes of a
round are those whose values are there whatever was drawn: those with the chance 1, or all known ones if the
log says no chances. Which boxes are plain does not depend on the draw, and neither do their values.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.learn.policy import Round
from weitzman.logs.log import Log
from weitzman.logs.rounds import contexts_of
from weitzman.search.numbers import finite_number


@dataclass(frozen=True, kw_only=True, eq=False)
class Seen:
    """What T rounds of n boxes show; costs are multiplied by a factor.

    Attributes
    ----------
    contexts, costs, values
        As in the log, (T, n, d) and (T, n); values only where they are ``known``.
    prices
        What looks really cost, where the log knows it, else what they are expected to, (T, n).
    known, plain
        Which boxes were opened, and which of them without a draw, (T, n).
    chances
        With what chance a box was opened, (T, n): 1 where it is plain, NaN where it is not known.
    together
        Whether one draw decides for all boxes of a round.
    one
        Whether a draw opens one box of a round and no other.
    drawn
        Whether the log says chances.
    force
        What the rule in force opened, without draws, (T, n); None if the log does not say what was opened.
    outside
        The outside option, (T,); +∞ where there is none.
    floor, ceiling
        What no box holds less, and more, than: the smallest and the largest value of the log, the outside
        options included, unless the log says the least one.
    least
        The best value that a box can hold, as the log says it; −∞ if it does not.
    """

    contexts: Floats
    costs: Floats
    values: Floats
    prices: Floats
    known: Flags
    plain: Flags
    chances: Floats
    together: bool
    one: bool
    drawn: bool
    force: Flags | None
    outside: Floats
    floor: float
    ceiling: float
    least: float

    def __len__(self) -> int:
        return len(self.costs)

    def rounds(self, begin: int = 0) -> Iterator[tuple[Round, Ints]]:
        """Return the rounds from number ``begin`` on, with the places of their boxes."""
        outside = self.outside.tolist()
        for t in range(begin, len(self)):
            places = np.flatnonzero(~np.isnan(self.costs[t]))
            contexts = self.contexts[t, places]
            shown = Round(
                contexts=contexts,
                costs=self.costs[t, places],
                outside=outside[t],
                places=places,
                number=t,
                gaps=bool(np.isnan(contexts).any()),
                least=self.least,
            )
            yield shown, places

    def is_open(self, first: int = 0) -> bool:
        """Return whether a draw could have opened every box that was not opened, from round ``first`` on."""
        closed = ~self.known & ~np.isnan(self.costs)
        return self.drawn and bool((self.chances[first:][closed[first:]] > 0.0).all())

    @functools.cached_property
    def plain_values(self) -> Floats:
        """The values of plain boxes, (T, n); NaN elsewhere."""
        return np.where(self.plain, self.values, np.nan)

    @functools.cached_property
    def teaches(self) -> Flags:
        """Which rounds say anything to who learns, (T,): something was in hand, or found."""
        return np.asarray((self.outside < np.inf) | ~np.isnan(self.values).all(axis=1))

    def plain_best(self, first: int = 0) -> Floats:
        """Return the best plain value of each round, or what is in hand, or else the ceiling."""
        found = np.where(np.isnan(self.plain_values), self.ceiling, self.plain_values)
        best: Floats = np.minimum(found.min(axis=1), self.outside)[first:]
        return best

    def closed(self, first: int = 0) -> Floats:
        """Return what the boxes cost that are not plain, round by round."""
        there = ~self.plain & ~np.isnan(self.costs)
        return np.asarray(np.where(there, self.prices, 0.0).sum(axis=1)[first:])

    def recorded(self, first: int = 0) -> Floats | None:
        """Return the totals of the rule in force, without what draws opened.

        None if the log does not say what was opened, or if some round had nothing in hand.
        """
        if self.force is None:
            return None
        found = np.where(self.force & ~np.isnan(self.values), self.values, np.inf).min(axis=1)
        paid = np.where(self.force, self.prices, 0.0).sum(axis=1)
        totals: Floats = (np.minimum(found, self.outside) + paid)[first:]
        return totals if np.isfinite(totals).all() else None


def seen_of(log: Log, cost_scale: float = 1.0) -> Seen:
    """Return what a log shows."""
    if finite_number(cost_scale, "The cost scale", "be a finite number > 0") <= 0.0:
        raise InvalidInputError("The cost scale", "be a finite number > 0", cost_scale)
    there = ~np.isnan(log.costs)
    known = there & ~np.isnan(log.values)
    if log.opened is not None:
        # With draws, a value of a box that was not opened says nothing of what draws show
        known = there & (log.opened if log.chances is not None else log.opened | known)
    plain = known if log.chances is None else known & (log.chances == 1.0)
    chances = np.where(known, 1.0, 0.0) if log.chances is None else log.chances
    outside = np.full(len(log), np.inf) if log.outside is None else log.outside
    values = np.where(known, log.values, np.nan)
    every = np.concatenate([values[~np.isnan(values)], outside[np.isfinite(outside)]])
    if not len(every):
        raise InvalidInputError("The log", "hold a value", log)
    prices = log.costs if log.paid is None else np.where(np.isnan(log.paid), log.costs, log.paid)
    return Seen(
        contexts=contexts_of(log),
        costs=cost_scale * log.costs,
        values=values,
        prices=cost_scale * prices,
        known=known,
        plain=plain,
        chances=chances,
        # Of what opens one box, either way of counting gives its chance
        together=log.draws != "box",
        one=log.draws == "one",
        drawn=log.chances is not None,
        force=None if log.opened is None else log.opened & plain,
        outside=outside,
        floor=float(every.min()) if log.least is None else log.least,
        ceiling=float(every.max()),
        least=-np.inf if log.least is None else log.least,
    )
