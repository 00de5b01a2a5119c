"""An open round: what it was told, what its looks showed, and what Weitzman's rule says next.

The reservation values are those of the moment the round was opened. The caller may look at boxes in any
order; the rule goes on with the closed ones: the smallest reservation value first, stop when the best
value in hand is no larger. A round of a policy that decides anew after every look has a course instead.
Inside, smaller values are better.
"""

import math
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from weitzman.ledger.bodies import LARGEST, Opened
from weitzman.search.rule import STOP, next_box

__all__ = ["OpenRound", "Result"]


class Result(msgspec.Struct, frozen=True):
    """What a round comes to, with smaller values better.

    Attributes
    ----------
    opened
        The rows looked at, in order.
    chosen
        The row whose value is kept; None for the outside option, or if there is no value.
    value, total
        The value kept, and with what was paid; None if nothing was seen and there is no outside option.
    paid
        The costs of the looks.
    """

    opened: tuple[int, ...]
    chosen: int | None
    value: float | None
    paid: float
    total: float | None


class OpenRound(msgspec.Struct):
    """A round that has not ended.

    Attributes
    ----------
    at, until
        When it was opened, and when its waiting time is over, in microseconds.
    places
        The place of each row among all boxes; None if the rows are all boxes.
    contexts
        One row of d numbers per box of the round.
    costs, sigma, order
        One cost and reservation value per row, and the rows by increasing reservation value; without
        reservation values, the rows as they stand.
    outside
        The outside option; None if there is none.
    looks
        What the rows looked at showed, in order; None where nothing came.
    course
        The course as it was when the round was opened, as arrays; None if the round goes by sigma.
    """

    at: int
    until: int
    places: list[int] | None
    contexts: NDArray[np.float64]
    costs: list[float]
    sigma: list[float]
    order: list[int]
    outside: float | None
    looks: dict[int, float | None]
    course: dict[str, NDArray[Any]] | None = None

    @classmethod
    def begin(
        cls,
        body: Opened,
        *,
        at: int,
        waiting: int,
        sign: float,
        contexts: NDArray[np.float64] | None = None,
    ) -> "OpenRound":
        """Return a round that nothing was seen of.

        ``sign`` is −1 where larger values are better; ``contexts`` are those of the body, if they are at
        hand as an array.
        """
        sigma, outside = body.reservation_values, body.outside
        if sign < 0.0:
            sigma = [-s for s in sigma]
            outside = None if outside is None else -outside
        if sigma and (max(sigma) >= LARGEST or min(sigma) <= -LARGEST):
            sigma = [math.copysign(math.inf, s) if abs(s) >= LARGEST else s for s in sigma]
        if contexts is None:
            contexts = np.array(body.contexts, dtype=np.float64)
        rows = range(len(body.costs))
        order = sorted(rows, key=sigma.__getitem__) if sigma else list(rows)
        until = at + waiting
        return cls(at, until, body.places, contexts, body.costs, sigma, order, outside, {})

    def best(self) -> float:
        """Return the smallest value in hand; +∞ if there is none."""
        best = math.inf if self.outside is None else self.outside
        for value in self.looks.values():
            if value is not None and value < best:
                best = value
        return best

    def next(self) -> int:
        """Return the row to look at next, or STOP."""
        if self.course is not None:
            from weitzman.learn.policies.courses import course_from

            # Made anew, as a course remembers what it was told of a look before
            found = [math.nan if v is None else v for v in self.looks.values()]
            return course_from(self.course).next(list(self.looks), found, self.best())
        closed = [row for row in self.order if row not in self.looks]
        return next_box(closed, self.sigma, 0, self.best())

    def result(self) -> Result:
        """Return what the round comes to if it ends now."""
        best, chosen, paid = (math.inf if self.outside is None else self.outside), None, 0.0
        for row, value in self.looks.items():
            paid += self.costs[row]
            if value is not None and value < best:
                best, chosen = value, row
        value = None if best == math.inf else best
        total = None if value is None else value + paid
        return Result(tuple(self.looks), chosen, value, paid, total)

    def known(self, shown: list[tuple[int, float]]) -> list[float]:
        """Return one value per row, of looks before what was shown at the end; NaN for unknown ones."""
        values = [math.nan] * len(self.costs)
        for row, value in shown:
            values[row] = value
        for row, seen in self.looks.items():
            if seen is not None:
                values[row] = seen
        return values

    def would(self, values: list[float]) -> Result | None:
        """Return what the rule alone would have come to; None if it asks for a value that is unknown."""
        twin = OpenRound(
            self.at,
            self.until,
            self.places,
            self.contexts,
            self.costs,
            self.sigma,
            self.order,
            self.outside,
            {},
            self.course,
        )
        while (row := twin.next()) != STOP:
            if math.isnan(values[row]):
                return None
            twin.looks[row] = values[row]
        return twin.result()
