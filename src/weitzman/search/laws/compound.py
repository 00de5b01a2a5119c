"""Values made of other values: mixtures and truncations.

A mixture's cdf and expected excess are the weighted sums of its parts'. A truncation is the law of
v given lower ≤ v ≤ upper. With F⁻ = P(v < lower), S = P(v > upper) and m = 1 − F⁻ − S,

    E((s − v)⁺ | lower ≤ v ≤ upper) = [c_D(s) − c_D(lower) − F⁻·(s − lower)] / m,   lower ≤ s ≤
    upper,

and the mirror image from above. The side with the smaller tail is the one used, so that a cut deep
in either tail keeps its digits.
"""

from collections.abc import Sequence
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.laws.conversion import ValueLike, as_distribution
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.numeric import Area
from weitzman.search.laws.roots import halve
from weitzman.search.numbers import float_array


class Mixture(Distribution):
    """A value that follows one of several laws, chosen by weight.

    Parameters
    ----------
    values
        The laws, each anything that may be given as a value.
    weights
        One number > 0 per law; they need not sum to 1. Omitted, all are equally likely.

    Examples
    --------
    >>> float(Mixture([0.0, 10.0], weights=[3, 1]).mean())
    2.5
    """

    def __init__(self, values: Sequence[ValueLike], weights: ArrayLike | None = None) -> None:
        if not isinstance(values, Sequence | np.ndarray) or len(values) == 0:
            raise InvalidInputError("The values of Mixture", "be at least one", values)
        given = np.ones(len(values))
        if weights is not None:
            given = float_array(weights, "The weights of Mixture")
        if given.shape != (len(values),):
            rule = f"be as many as its values, {len(values)}"
            raise InvalidInputError("The weights of Mixture", rule, np.shape(given))
        if not (np.isfinite(given).all() and (given > 0.0).all()):
            raise InvalidInputError("The weights of Mixture", "be finite and > 0", given.tolist())
        self.values = tuple(as_distribution(v, "A value of Mixture") for v in values)
        self.weights = given / given.sum()

    def _sum(self, parts: Sequence[Floats]) -> Floats:
        return np.asarray(sum(w * p for w, p in zip(self.weights, parts, strict=True)))

    def cdf(self, x: ArrayLike) -> Floats:
        return self._sum([v.cdf(x) for v in self.values])

    def sf(self, x: ArrayLike) -> Floats:
        return self._sum([v.sf(x) for v in self.values])

    def atom(self, x: ArrayLike) -> Floats:
        return self._sum([v.atom(x) for v in self.values])

    def mean(self) -> Floats:
        return self._sum([v.mean() for v in self.values])

    def support(self) -> tuple[Floats, Floats]:
        ends = [v.support() for v in self.values]
        return np.asarray(min(a for a, _ in ends)), np.asarray(max(b for _, b in ends))

    def kinks(self) -> Floats:
        return np.unique(np.concatenate([v.kinks() for v in self.values]))

    @property
    def is_step(self) -> bool:
        return all(v.is_step for v in self.values)

    def quantile(self, p: ArrayLike) -> Floats:
        p = np.asarray(p, dtype=np.float64)
        parts = np.array([v.quantile(p) for v in self.values])
        low, high = parts.min(axis=0), parts.max(axis=0)
        inside = np.isfinite(low) & np.isfinite(high)
        found = halve(self.cdf, p, np.where(inside, low, 0.0), np.where(inside, high, 0.0))
        # Only p = 0 and p = 1 can have an infinite quantile.
        return np.where(inside, found, np.where(p > 0.5, high, low))

    def excess_below(self, s: ArrayLike) -> Floats:
        return self._sum([v.excess_below(s) for v in self.values])

    def excess_above(self, s: ArrayLike) -> Floats:
        return self._sum([v.excess_above(s) for v in self.values])

    def affine(self, *, shift: float = 0.0, scale: float = 1.0) -> "Mixture":
        return Mixture([v.affine(shift=shift, scale=scale) for v in self.values], self.weights)


class Truncated(Distribution):
    """A value known to lie in an interval: the law of v given lower ≤ v ≤ upper.

    Examples
    --------
    >>> import scipy.stats
    >>> float(Truncated(scipy.stats.uniform(0, 8), upper=4.0).mean())
    2.0
    """

    def __init__(
        self, value: ValueLike, lower: float = float("-inf"), upper: float = float("inf")
    ) -> None:
        self.value = as_distribution(value, "The value of Truncated")
        given: tuple[tuple[str, Any], ...] = (("lower", lower), ("upper", upper))
        for side, end in given:
            if isinstance(end, bool) or not isinstance(end, Real):
                raise InvalidInputError(f"The {side} end of Truncated", "be a number", end)
        if not lower <= upper:
            raise InvalidInputError("The lower end of Truncated", f"be <= {upper}", lower)
        low, high = (float(end) for end in self.value.support())
        self._whole = lower <= low, upper >= high
        self.lower, self.upper = float(np.maximum(lower, low)), float(np.minimum(upper, high))
        if not (self.lower <= self.upper and self._mass > 0.0):
            rule = "hold some of the value's probability"
            raise InvalidInputError("The interval of Truncated", rule, (lower, upper))

    @cached_property
    def _cut_below(self) -> float:
        if self._whole[0]:
            return 0.0
        return float(self.value.cdf(self.lower) - self.value.atom(self.lower))

    @cached_property
    def _cut_above(self) -> float:
        return 0.0 if self._whole[1] else float(self.value.sf(self.upper))

    @cached_property
    def _from_below(self) -> bool:
        """Whether the lower tail is the smaller one, and so the side to reckon from."""
        return self._cut_below <= self._cut_above or self._cut_below <= 0.5

    @cached_property
    def _mass(self) -> float:
        if self._from_below:
            up_to = 1.0 if self._whole[1] else float(self.value.cdf(self.upper))
            return up_to - self._cut_below
        return float(self.value.sf(self.lower) + self.value.atom(self.lower)) - self._cut_above

    @cached_property
    def _turned(self) -> "Truncated":
        return self.affine(scale=-1.0)

    def cdf(self, x: ArrayLike) -> Floats:
        x = np.asarray(x, dtype=np.float64)
        if not self._from_below:
            return 1.0 - self.sf(x)
        inside = (self.value.cdf(np.minimum(x, self.upper)) - self._cut_below) / self._mass
        return np.where(x < self.lower, 0.0, np.clip(inside, 0.0, 1.0))

    def sf(self, x: ArrayLike) -> Floats:
        x = np.asarray(x, dtype=np.float64)
        if self._from_below and self._cut_above > 0.0:
            return 1.0 - self.cdf(x)
        inside = (self.value.sf(np.minimum(x, self.upper)) - self._cut_above) / self._mass
        return np.where(x < self.lower, 1.0, np.clip(inside, 0.0, 1.0))

    def atom(self, x: ArrayLike) -> Floats:
        x = np.asarray(x, dtype=np.float64)
        inside = (x >= self.lower) & (x <= self.upper)
        return np.where(inside, self.value.atom(x) / self._mass, 0.0)

    @cached_property
    def _mean(self) -> float:
        if not self._from_below:
            return -self._turned._mean
        if np.isfinite(self.upper):
            return self.upper - float(self._inside(np.asarray(self.upper)))
        anchor = self.lower if np.isfinite(self.lower) else float(self.value.quantile(0.5))
        above = self.value.excess_above(anchor) / self._mass
        return float(anchor - self._inside(np.asarray(anchor)) + above)

    def mean(self) -> Floats:
        return np.asarray(self._mean)

    def support(self) -> tuple[Floats, Floats]:
        return np.asarray(self.lower), np.asarray(self.upper)

    def kinks(self) -> Floats:
        inner = self.value.kinks()
        inner = inner[(inner > self.lower) & (inner < self.upper)]
        ends = [e for e in (self.lower, self.upper) if np.isfinite(e)]
        return np.unique(np.concatenate([inner, ends]))

    @property
    def is_step(self) -> bool:
        return self.value.is_step

    def quantile(self, p: ArrayLike) -> Floats:
        p = np.asarray(p, dtype=np.float64)
        if not self._from_below:
            return -self._turned.quantile(1.0 - p)
        inner = self.value.quantile(np.minimum(self._cut_below + p * self._mass, 1.0))
        return np.clip(inner, self.lower, self.upper)

    def _inside(self, s: Floats) -> Floats:
        """E(s − v)⁺ for lower ≤ s ≤ upper, reckoned from below."""
        if np.isinf(self.lower):
            return self.value.excess_below(s) / self._mass
        if np.isinf(self.value.excess_below(self.lower)):
            # What was cut off is what made it infinite.
            return self._area.up_to(s)
        area = self.value.excess_below(s) - self.value.excess_below(self.lower)
        return np.maximum(area - self._cut_below * (s - self.lower), 0.0) / self._mass

    @cached_property
    def _area(self) -> Area:
        return Area(self.cdf, self.lower, self.quantile)

    def excess_below(self, s: ArrayLike) -> Floats:
        s = np.asarray(s, dtype=np.float64)
        if not self._from_below:
            return self._turned.excess_above(-s)
        inside = self._inside(np.clip(s, self.lower, self.upper))
        return inside + np.maximum(s - self.upper, 0.0)

    def excess_above(self, s: ArrayLike) -> Floats:
        s = np.asarray(s, dtype=np.float64)
        if not self._from_below:
            return self._turned.excess_below(-s)
        if np.isinf(self.upper) and self._cut_above == 0.0:
            inside = self.value.excess_above(np.maximum(s, self.lower)) / self._mass
            return inside + np.maximum(self.lower - s, 0.0)
        return np.maximum(self._mean - s + self.excess_below(s), 0.0)

    def affine(self, *, shift: float = 0.0, scale: float = 1.0) -> "Truncated":
        ends = sorted((shift + scale * self.lower, shift + scale * self.upper))
        return Truncated(self.value.affine(shift=shift, scale=scale), *ends)
