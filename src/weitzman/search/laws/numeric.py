"""A value known only by its cdf: everything else by quadrature.

The expected excess is the area under the cdf, E(s − v)⁺ = ∫_{−∞}^s P(v ≤ x) dx, and from above the
area under the survival function. The area is cut at m ± w(2ᵏ − 1), k = 0, 1, …, with m a median
and w half the distance between the quartiles, so that the bend of the cdf is seen at every
distance; towards an unbounded end it goes on as a tail (:mod:`weitzman.search.laws.quadrature`).
An end that nobody tells is where the cdf becomes 0, found by halving.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from weitzman.arrays import Floats
from weitzman.search.laws.family import Standard
from weitzman.search.laws.quadrature import areas, tail_panels
from weitzman.search.laws.roots import halve

Function = Callable[[Floats], Floats]
# Beyond 2^64 half-quartile widths to the right the area is a rectangle, and its own last panel.
_DOUBLINGS = 64


@runtime_checkable
class CdfAndMean(Protocol):
    """The least a value must offer: P(v ≤ x) for arrays of x, and E v, which may be infinite.

    Used where they exist: ``sf`` (or ``ccdf``), without which small upper tails lose their digits;
    ``support()``; ``ppf`` (or ``icdf``), without which quantiles are found by halving;
    ``rvs(size=…, random_state=…)``, without which draws are quantiles of uniform numbers.
    """

    def cdf(self, x: Floats, /) -> Floats:
        """Return P(v ≤ x)."""

    def mean(self) -> float:
        """Return E v."""


def standard_from(source: CdfAndMean) -> Standard:
    """Return the standard form of anything that has a cdf and a mean."""
    cdf = _plain(source.cdf)
    upper_tail = getattr(source, "sf", None) or getattr(source, "ccdf", None)
    sf = _plain(upper_tail) if upper_tail else lambda x: 1.0 - cdf(x)
    support = getattr(source, "support", None)
    low, high = support() if support else (-np.inf, np.inf)
    inverse = getattr(source, "ppf", None) or getattr(source, "icdf", None)
    quantile = _plain(inverse) if inverse else lambda p: _invert(cdf, p, float(low), float(high))
    left = Area(cdf, float(low), quantile)
    right = Area(lambda x: sf(-x), -float(high), lambda p: -quantile(1.0 - p))
    with np.errstate(all="ignore"):
        mean = float(source.mean())
    draw = getattr(source, "rvs", None)

    def atom(x: Floats) -> Floats:
        # A jump is what one float's step changes; a continuous cdf changes by its rounding.
        return np.maximum(cdf(x) - cdf(np.nextafter(x, -np.inf)), 0.0)

    return Standard(
        cdf=cdf,
        sf=sf,
        atom=atom,
        # Where 1 - cdf stands in for sf, a tail with an infinite mean seems to end: believe the mean.
        below=_infinite if mean == low == -np.inf else left.up_to,
        above=_infinite if mean == high == np.inf else lambda s: right.up_to(-s),
        mean=lambda: mean,
        sample=None if draw is None else lambda rng, size: draw(size=size, random_state=rng),
        quantile=quantile,
        support=lambda: (float(low), float(high)),
        proven=False,
    )


def _infinite(s: Floats) -> Floats:
    return np.full(np.shape(s), np.inf)


def _plain(function: Callable[[Floats], object]) -> Function:
    def plain(x: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.asarray(function(x), dtype=np.float64)

    return plain


@dataclass(frozen=True)
class Area:
    """The area under a non-decreasing function from its left end to a point."""

    height: Function
    low: float
    quantile: Function

    @cached_property
    def _table(self) -> tuple[Floats, Floats]:
        """Points from far left to far right, and the area up to each."""
        lower, middle, upper = (float(q) for q in self.quantile(np.array([0.25, 0.5, 0.75])))
        width = 0.5 * (upper - lower) or max(1e-3, 1e-3 * abs(middle))
        if np.isfinite(self.low):
            left, rest = np.array([self.low, middle]), 0.0
        else:
            mirrored, rest = tail_panels(lambda x: self.height(-x), -middle, width)
            left = -mirrored[::-1]
            left[0] = self._end(left[0], left[1] if left.size > 1 else middle)
        right = middle + width * np.expm1(np.arange(1, _DOUBLINGS) * np.log(2.0))
        points = np.concatenate([left, right])
        panels = areas(self.height, points[:-1], points[1:], whole=width)
        return points, rest + np.concatenate([[0.0], np.cumsum(panels)])

    def _end(self, outer: float, inner: float) -> float:
        """Return where the function stops being zero; ``outer`` if it is not zero there.

        In a panel that crosses the end of the support, small areas would have no digits.
        """
        if self.height(np.asarray(outer)) > 0.0:
            return outer
        ends = np.asarray(outer), np.asarray(inner)
        return float(halve(lambda x: np.sign(self.height(x)), np.asarray(1.0), *ends))

    def up_to(self, s: Floats) -> Floats:
        points, table = self._table
        flat = np.ravel(s)
        place = np.maximum(np.searchsorted(points, flat, side="right") - 1, 0)
        inside = np.maximum(flat, points[0])
        last = areas(self.height, points[place], inside, whole=table[place])
        return (np.where(flat > self.low, table[place], 0.0) + last).reshape(np.shape(s))


def _invert(cdf: Function, p: Floats, low: float, high: float) -> Floats:
    """Return the smallest x with cdf(x) ≥ p: widen a bracket by doubling, then halve it."""
    p = np.asarray(p, dtype=np.float64)
    a, b = np.full(p.shape, max(low, min(-1.0, high))), np.full(p.shape, min(high, max(1.0, low)))
    for _ in range(1000):
        down, up = (cdf(a) >= p) & (a > low), (cdf(b) < p) & (b < high)
        if not (down.any() or up.any()):
            break
        width = b - a + 1.0
        a = np.where(down, np.maximum(a - width, low), a)
        b = np.where(up, np.minimum(b + width, high), b)
    return halve(cdf, p, a, b)
