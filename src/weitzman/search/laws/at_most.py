"""The law of min(v, b): a value that is never worse than a number b."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.laws.distribution import Distribution


@dataclass(frozen=True, repr=False)
class AtMost(Distribution):
    """The law of min(v, b), for a single law of v.

    >>> from weitzman.search.laws.discrete import Discrete
    >>> float(AtMost(Discrete([1.0, 9.0]), 5.0).mean())
    3.0
    """

    law: Distribution
    b: float

    def cdf(self, x: ArrayLike) -> Floats:
        return np.where(np.asarray(x) >= self.b, 1.0, self.law.cdf(x))

    def sf(self, x: ArrayLike) -> Floats:
        return np.where(np.asarray(x) >= self.b, 0.0, self.law.sf(x))

    def atom(self, x: ArrayLike) -> Floats:
        x = np.asarray(x, dtype=np.float64)
        at_b = self.law.sf(self.b) + self.law.atom(self.b)
        return np.where(x < self.b, self.law.atom(x), np.where(x == self.b, at_b, 0.0))

    def mean(self) -> Floats:
        return np.asarray(self.b - self.law.excess_below(self.b))

    def support(self) -> tuple[Floats, Floats]:
        low, high = self.law.support()
        return np.minimum(low, self.b), np.minimum(high, self.b)

    def kinks(self) -> Floats:
        kinks = self.law.kinks()
        return np.append(kinks[kinks < self.b], self.b)

    @property
    def is_step(self) -> bool:
        return self.law.is_step

    def quantile(self, p: ArrayLike) -> Floats:
        return np.minimum(self.law.quantile(p), self.b)

    def excess_below(self, s: ArrayLike) -> Floats:
        s = np.asarray(s, dtype=np.float64)
        inside = self.law.excess_below(np.minimum(s, self.b))
        return np.asarray(inside + np.maximum(s - self.b, 0.0))

    def excess_above(self, s: ArrayLike) -> Floats:
        s = np.minimum(np.asarray(s, dtype=np.float64), self.b)
        # E(min(v, b) − s)⁺ = E(v − s)⁺ − E(v − b)⁺, without the infinite tail of v
        return np.asarray(self.b - s - (self.law.excess_below(self.b) - self.law.excess_below(s)))

    def affine(self, *, shift: float = 0.0, scale: float = 1.0) -> Distribution:
        if not scale > 0.0:
            raise InvalidInputError("The scale of an affine map of AtMost", "be > 0", scale)
        return AtMost(self.law.affine(shift=shift, scale=scale), shift + scale * self.b)
