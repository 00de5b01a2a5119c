"""Units: values and costs as a model sees them, whatever they are counted in.

With the origin o and the scale s > 0, both fixed once something was seen, a value v and a cost c become

    v' = [(v − o)/s],      c' = [c/s],

where [·] rounds to a grid: multiples of 2⁻³² up to 1 in size, and 32 binary digits beyond. The same
problem with v → a + b v and c → b c has the origin a + b o and the scale b s, so its numbers are these, but
for the rounding of a + b v, which the grid takes away. So a model that is given v' and c' decides alike in
all units, to the last bit, ties included, unless a number lies within rounding of the middle between two
points of the grid.

**The way back.** v ↦ v' never falls. So Weitzman's test v' ≤ σ' is v ≤ σ, with σ the largest number whose v'
is at most σ': :func:`threshold` finds it, and a rule at σ in the units of the user decides as one at σ' does.
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.compiled.decorators import compiled, kernel

PILE = 5
"""How often the smallest value must have been seen to be taken for the least possible one."""

_DIGITS = 32
_HOLDERS = 2  # boxes that must have shown both the smallest value and a larger one, where values stay hidden


class Units(NamedTuple):
    """The origin of values, and the scale of values and costs."""

    origin: float
    scale: float

    def values(self, values: Floats) -> Floats:
        """Return values as a model sees them; NaN and ±∞ stay."""
        out = np.empty(len(values))
        shrink(values, self.origin, self.scale, out)
        return out

    def value(self, value: float) -> float:
        """Return one value as a model sees it."""
        return float(self.values(np.array([value]))[0])

    def costs(self, costs: Floats) -> Floats:
        """Return costs as a model sees them."""
        out = np.empty(len(costs))
        shrink(costs, 0.0, self.scale, out)
        return out

    def thresholds(self, sigma: Floats) -> Floats:
        """Return reservation values in the units of the user."""
        out = np.empty(len(sigma))
        _thresholds(sigma, self.origin, self.scale, out)
        return out


@compiled
def _step(number: float) -> float:
    """Return the distance between two points of the grid where a number is."""
    _, exponent = math.frexp(max(abs(number), 0.5))
    return math.ldexp(1.0, exponent - _DIGITS)


@compiled
def rounded(number: float) -> float:
    """Return the nearest point of the grid; NaN and ±∞ stay."""
    if not abs(number) < math.inf:
        return number
    step = _step(number)
    point: float = math.floor(number / step + 0.5) * step
    return point


@kernel
def shrink(numbers: Floats, origin: float, scale: float, out: Floats) -> None:
    """Set out to [(x − origin)/scale]."""
    for k in range(numbers.shape[0]):
        out[k] = rounded((numbers[k] - origin) / scale)


@compiled
def threshold(sigma: float, origin: float, scale: float) -> float:
    """Return the largest number v with v' ≤ σ'."""
    if not abs(sigma) < math.inf:
        return sigma
    # Where rounding turns to the next point of the grid, but for the rounding of what is written here
    found = origin + scale * (math.floor(sigma / _step(sigma)) + 0.5) * _step(sigma)
    step = abs(np.nextafter(found, math.inf) - found)
    while rounded((found - origin) / scale) <= sigma:
        found += step
        step *= 2.0
    low, high = found - step, found
    while rounded((low - origin) / scale) > sigma:
        low -= step
        step *= 2.0
    while True:
        middle = low + 0.5 * (high - low)
        if not low < middle < high:
            return float(low)
        if rounded((middle - origin) / scale) <= sigma:
            low = middle
        else:
            high = middle


@kernel
def _thresholds(sigma: Floats, origin: float, scale: float, out: Floats) -> None:
    for k in range(sigma.shape[0]):
        out[k] = threshold(sigma[k], origin, scale)


class LeastValue:
    """The smallest value so far, and whether values pile up there.

    Parameters
    ----------
    smallest, times
        It, and how often it was seen.
    low, high
        The boxes that have shown it, and those that have shown larger ones; None where they were not counted.
    hidden
        Whether values stay hidden: then some boxes must have shown both.

    Examples
    --------
    >>> least = LeastValue()
    >>> for box, value in [(0, 9.0), (1, 9.0), *[(0, 2.0), (1, 2.0)] * 3]:
    ...     least.note(box, value)
    >>> least.pile
    (2.0, 6)
    """

    def __init__(
        self,
        smallest: float = math.inf,
        times: int = 0,
        low: Iterable[Any] | None = (),
        high: Iterable[Any] | None = (),
        *,
        hidden: bool = True,
    ) -> None:
        self.smallest, self.times = smallest, times
        self.hidden = hidden
        # Where boxes were not counted, any would do
        self.low = {int(box) for box in (range(_HOLDERS) if low is None else low)}
        self.high = {int(box) for box in (range(_HOLDERS) if high is None else high)}

    @property
    def holders(self) -> int:
        """How many boxes must have shown both."""
        return _HOLDERS if self.hidden else 0

    @property
    def pile(self) -> tuple[float, int] | None:
        """The smallest value and how often it was seen, if values pile up there."""
        piles_up = self.times >= PILE and len(self.low & self.high) >= self.holders
        return (self.smallest, self.times) if piles_up else None

    def note(self, box: int, value: float) -> None:
        """Take in a value of a box."""
        if value < self.smallest:
            self.smallest, self.times = value, 0
            self.high |= self.low
            self.low.clear()
        self.times += value == self.smallest
        (self.low if value == self.smallest else self.high).add(box)

    def arrays(self, boxes: int) -> tuple[Floats, Flags, Flags]:
        """Return everything as :func:`note_value` takes it, for n boxes."""
        low, high = np.zeros((2, boxes), dtype=np.bool_)
        low[list(self.low)], high[list(self.high)] = True, True
        return np.array([self.smallest, float(self.times)]), low, high

    def set(self, found: Floats, low: Flags, high: Flags) -> None:
        """Go on from arrays."""
        self.smallest, self.times = float(found[0]), int(found[1])
        self.low, self.high = set(np.flatnonzero(low).tolist()), set(np.flatnonzero(high).tolist())


@compiled
def note_value(box: int, value: float, found: Floats, low: Flags, high: Flags) -> None:
    """Take in a value of a box, as :meth:`LeastValue.note` does, into arrays."""
    if value < found[0]:
        found[0], found[1] = value, 0.0
        for other in range(low.shape[0]):
            high[other] |= low[other]
            low[other] = False
    if value == found[0]:
        found[1] += 1.0
        low[box] = True
    else:
        high[box] = True
