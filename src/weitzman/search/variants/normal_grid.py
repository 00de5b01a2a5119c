"""What a rule for draws from an unknown normal law gives, by recursion on a grid.

Smaller values better. After n draws the belief has the weight κ = κ_0 + n and a = a_0 + n/2, both known
beforehand; its mean is m, and the next value is v = m + sT with T Student's of 2a degrees of freedom. With
b the best in hand, y = (b − m)/s and u = log(c/s), what going on is worth beyond stopping is s G(y, u), as
nothing depends on where zero is, nor on the unit. A draw leads to

    r = s′/s = √( κ(κ + 2)/(κ + 1)² · (a + T²/2)/(a + ½) ),
    y′ = (min(y, T) − T/(κ + 1)) / r,      u′ = u − log r,
    G(y, u) = E(y − T)⁺ − eᵘ + E r G′(y′, u′)      where the rule draws, else 0.

The optimum draws where that is positive. The number of draws, and the chance that no draw is better than
what is in hand at the beginning, obey the same recursion with other terms. Between the points of the grid
functions are taken as linear, which costs less than 1e-3 of the spread
from a weight of 2 on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy

from weitzman.arrays import Flags, Floats
from weitzman.search.laws.student import student_excess

_FAR, _STEP = 8.0, 0.05
_LOW, _HIGH, _PITCH = -4.0, 3.2, 0.12
# The law of T by its normal scores: the trapezoidal rule needs few of them
_SCORES = np.linspace(-5.25, 5.25, 85)
_APART = float(_SCORES[1] - _SCORES[0])


class Prospect(NamedTuple):
    """What is ahead: the gain over stopping, the number of draws, the chance that none is better."""

    gain: Floats
    draws: Floats
    none: Floats


@dataclass(frozen=True)
class NormalGrid:
    """The recursion for a belief of weight κ_0 and shape a_0, and at most so many draws.

    ``start`` is log(c/s) before the first draw; ``optimal`` asks for the optimum in place of the rule that
    draws where one more draw is worth its cost.
    """

    weight: float
    shape: float
    most: int
    start: float
    optimal: bool = False

    def prospect(self, y: float) -> Prospect:
        """Return what is ahead at the beginning with y in hand."""
        return self._before(self._first, 0, np.full(1, y), np.full(1, self.start))

    def after_one(self) -> Prospect:
        """Return what is ahead if the first draw is made whatever it costs, and there is nothing in hand."""
        gain = draws = np.zeros((1, 1))
        for chance, t, r in self._nodes(0):
            y = np.full(1, t * self.weight / (self.weight + 1.0) / r)
            later = self._at(self._first, y, np.full(1, self.start - np.log(r)))
            gain, draws = gain + chance * r * later.gain, draws + chance * later.draws
        return Prospect(gain, 1.0 + draws, np.zeros((1, 1)))

    @cached_property
    def _first(self) -> Prospect:
        """What is ahead after the first draw, on the grid."""
        y, u = self._y, self._u
        zero = np.zeros((y.size, u.size))
        ahead = Prospect(zero, zero, np.ones(zero.shape))
        for n in range(self.most - 1, 0, -1):
            ahead = self._before(ahead, n, y, u)
        return ahead

    @cached_property
    def _y(self) -> Floats:
        return np.arange(-_FAR, _FAR + 0.5 * _STEP, _STEP)

    @cached_property
    def _u(self) -> Floats:
        return self.start + np.arange(_LOW, _HIGH + 0.5 * _PITCH, _PITCH)

    def _nodes(self, n: int) -> Iterator[tuple[float, float, float]]:
        """Yield values of T after n draws, each with its chance and r."""
        weight, shape = self.weight + n, self.shape + 0.5 * n
        chances = np.exp(-0.5 * _SCORES * _SCORES)
        low = scipy.special.ndtr(-np.abs(_SCORES))
        t = np.copysign(scipy.special.stdtrit(2.0 * shape, low), _SCORES)
        shrunk = weight * (weight + 2.0) / (weight + 1.0) ** 2
        r = np.sqrt(shrunk * (shape + 0.5 * t * t) / (shape + 0.5))
        yield from zip((chances / chances.sum()).tolist(), t.tolist(), r.tolist(), strict=True)

    def _before(self, ahead: Prospect, n: int, y: Floats, u: Floats) -> Prospect:
        """Return what is ahead after n draws, from what is after n + 1, where y and u meet."""
        weight, shape = self.weight + n, self.shape + 0.5 * n
        at_once = student_excess(y, 2.0 * shape)[:, None] - np.exp(u)
        gain, draws, none = at_once.copy(), np.ones(at_once.shape), np.zeros(at_once.shape)
        score = np.copysign(scipy.special.ndtri(scipy.special.stdtr(2.0 * shape, -np.abs(y))), y)
        for (chance, t, r), at in zip(self._nodes(n), _SCORES, strict=True):
            after = (np.minimum(y, t) - t / (weight + 1.0)) / r
            later = self._at(ahead, after, u - np.log(r))
            gain += chance * r * later.gain
            draws += chance * later.draws
            # The share of what the node stands for that lies beyond y
            worse = np.clip((at - score) / _APART + 0.5, 0.0, 1.0)
            none += chance * worse[:, None] * later.none
        go: Flags = gain > 0.0 if self.optimal else at_once > 0.0
        return Prospect(np.where(go, gain, 0.0), np.where(go, draws, 0.0), np.where(go, none, 1.0))

    def _at(self, ahead: Prospect, y: Floats, u: Floats) -> Prospect:
        """Return what is ahead where y and u meet, between the points of the grid."""
        row = np.clip((y + _FAR) / _STEP, 0.0, self._y.size - 1.0)
        column = np.clip((u - self._u[0]) / _PITCH, 0.0, self._u.size - 1.0)
        i = np.minimum(row.astype(np.int64), self._y.size - 2)
        j = np.minimum(column.astype(np.int64), self._u.size - 2)
        p, q = (row - i)[:, None], column - j
        found = []
        for table in ahead:
            part = table[:, j] * (1.0 - q) + table[:, j + 1] * q
            found.append(part[i] * (1.0 - p) + part[i + 1] * p)
        # Far above everything that may be drawn a worse value in hand is no worse: all of it is gained
        found[0] = found[0] + np.maximum(y - _FAR, 0.0)[:, None]
        return Prospect(*found)
