"""The rule of :class:`weitzman.Aware`: what open boxes say, and Weitzman's rule asked again after every look.

The mathematics is in :mod:`weitzman.learn.policies.aware`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags
from weitzman.compiled.decorators import compiled, kernel
from weitzman.compiled.exact_sum import exact_sum
from weitzman.learn.policy import Floats, Ints, State
from weitzman.learn.preparation import CLIP
from weitzman.search.rule import ACTIONS, NO_BOX, Action, next_box
from weitzman.search.state import RoundState

SUMMARY = 4
"""The length of a summary."""

_next_box = compiled(next_box)


@kernel
def summarise(residuals: Floats, out: Floats) -> None:
    """Set out to what open boxes with these residuals say about the closed ones; 0 if there are none.

    >>> out = np.empty(SUMMARY)
    >>> summarise(np.array([1.0, 2.0]), out)
    >>> out
    array([1.  , 0.5 , 1.5 , 0.75])
    """
    count = residuals.shape[0]
    out[:] = 0.0
    if count > 0:
        # Rounded once: a sum of numpy would be added in an order that depends on the machine
        mean = exact_sum(residuals) / count
        out[0], out[1], out[2], out[3] = 1.0, 1.0 / count, mean, mean / count


@kernel
def _residual(known: Floats, row: int, value: float) -> float:
    """Return (v − σ − m)/d of an open row, cut off."""
    apart: float = (value - known[0, row] - known[1, row]) / known[2, row]
    return min(max(apart, -CLIP), CLIP)


@kernel
def _shift(weights: Floats, seen: Floats) -> float:
    shift = 0.0
    for k in range(seen.shape[0]):
        shift += weights[k] * seen[k]
    return shift


@kernel
def _set_sigma(rows: Floats, shift: float, out: Floats) -> None:
    """Set out to the reservation values; ``rows`` are σ, m, d, σ as it is used, and what it is not below."""
    for row in range(out.shape[0]):
        out[row] = max(rows[3, row] + shift * rows[2, row], rows[4, row])


@kernel
def _first(sigma: Floats, closed: Flags) -> int:
    """Return the closed row with the least σ, of equal ones the first; NO_BOX if all are open."""
    first = NO_BOX
    for row in range(closed.shape[0]):
        if closed[row] and (first == NO_BOX or sigma[row] < sigma[first]):
            first = row
    return first


@kernel
def _opens(row: int, sigma: Floats, best: float) -> bool:
    """Whether the rule opens the closed row with the least reservation value."""
    one = np.empty(1, dtype=np.int64)
    one[0] = row
    return _next_box(one, sigma, 0, best) != NO_BOX


@kernel
def _follow(
    rows: Floats, weights: Floats, values: Floats, best: float, asked: Ints, seen: Floats
) -> tuple[int, int]:
    """Follow the rule through a round whose values are known.

    Sets the rows that it asks for, and what open boxes said by then; returns how many it opens and how many
    it asks for, which is one more if it stops at a box.
    """
    boxes = rows.shape[1]
    closed, sigma = np.ones(boxes, dtype=np.bool_), np.empty(boxes)
    residuals, held = np.empty(boxes), 0
    for place in range(boxes):
        summarise(residuals[:held], seen[place])
        _set_sigma(rows, _shift(weights, seen[place]), sigma)
        row = _first(sigma, closed)
        asked[place] = row
        if not _opens(row, sigma, best):
            return place, place + 1
        closed[row] = False
        if not math.isnan(values[row]):
            best = min(best, values[row])
            if rows[2, row] > 0.0:
                residuals[held] = _residual(rows, row, values[row])
                held += 1
    return boxes, boxes


@kernel
def _look(rows: Floats, weights: Floats, opened: Ints, found: Floats, out: Floats) -> None:
    """Set out to the reservation values once rows are open, with these values."""
    residuals, held = np.empty(opened.shape[0]), 0
    for k in range(opened.shape[0]):
        if rows[2, opened[k]] > 0.0 and not math.isnan(found[k]):
            residuals[held] = _residual(rows, opened[k], found[k])
            held += 1
    seen = np.empty(weights.shape[0])
    summarise(residuals[:held], seen)
    _set_sigma(rows, _shift(weights, seen), out)


@kernel
def _next(rows: Floats, weights: Floats, opened: Ints, found: Floats, best: float) -> int:
    """Return the row to open next, or NO_BOX."""
    sigma, closed = np.empty(rows.shape[1]), np.ones(rows.shape[1], dtype=np.bool_)
    _look(rows, weights, opened, found, sigma)
    for row in opened:
        closed[row] = False
    first = _first(sigma, closed)
    return first if first != NO_BOX and _opens(first, sigma, best) else NO_BOX


class Followed(NamedTuple):
    """What the rule does in a round whose values are known.

    Attributes
    ----------
    opened
        The rows that it opens, in their order.
    asked
        Those, and the one at which it stops.
    seen
        What open rows had said when it asked for each.
    """

    opened: Ints
    asked: Ints
    seen: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Situation:
    """What is known of the rows of a round before anything is opened.

    Attributes
    ----------
    sigma
        The reservation values by the contexts.
    centre, spread
        Mean and deviation of v − σ so far; the deviation is 0 if it is not known.
    """

    sigma: Floats
    centre: Floats
    spread: Floats


class AwareRule:
    """Weitzman's rule, asked again after every look."""

    def __init__(
        self, situation: Situation, sigma: Floats, weights: Floats, floor: Floats | None = None
    ) -> None:
        known = situation.sigma, situation.centre, situation.spread
        self._rows = np.empty((5, len(sigma)))
        self._rows[0], self._rows[1], self._rows[2] = known
        self._rows[3] = sigma
        self._rows[4] = -math.inf if floor is None else floor
        self._weights = weights

    def reservation_values(self, opened: Sequence[int], found: Sequence[float]) -> Floats:
        """Return the reservation values of all rows, given those that are open."""
        looks = np.array(opened, dtype=np.int64), np.array(found, dtype=np.float64)
        sigma = np.empty(self._rows.shape[1])
        _look(self._rows, self._weights, *looks, sigma)
        return sigma

    def next(self, state: RoundState) -> Action:
        """Return the row to open next, or STOP."""
        looks = np.array(state.opened, dtype=np.int64), np.array(state.found, dtype=np.float64)
        return ACTIONS[int(_next(self._rows, self._weights, *looks, state.best))]

    def followed(self, values: Floats, outside: float) -> Followed:
        """Return what the rule does in a round whose values are known, NaN for one that does not come."""
        boxes = self._rows.shape[1]
        asked, seen = np.empty(boxes, dtype=np.int64), np.empty((boxes, SUMMARY))
        opened, heads = _follow(self._rows, self._weights, values, outside, asked, seen)
        return Followed(asked[:opened], asked[:heads], seen[:heads])

    def course(self, values: Floats, outside: float) -> list[int]:
        """Return the rows that the rule opens in a round whose values are known."""
        rows: list[int] = self.followed(values, outside).opened.tolist()
        return rows

    def state(self) -> State:
        """Return the situation, σ as it is used, what it is not below if there is such, and the weights."""
        bounded = bool((self._rows[4] > -math.inf).any())
        return {"rows": self._rows[: 5 if bounded else 4].copy(), "weights": self._weights}

    @classmethod
    def restored(cls, state: Mapping[str, NDArray[np.generic]]) -> "AwareRule":
        """Return the rule whose :meth:`state` this is."""
        sigma, centre, spread, used, *floor = np.array(state["rows"], dtype=np.float64)
        weights = np.array(state["weights"], dtype=np.float64)
        return cls(Situation(sigma=sigma, centre=centre, spread=spread), used, weights, *floor)
