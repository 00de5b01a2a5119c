"""What a value may be: the law of v, as the search needs it.

For a law D of v and a number s,

    c_D(s) = E(s − v)⁺ = ∫_{−∞}^s P(v ≤ x) dx        the expected excess from below,
    E(v − s)⁺          = ∫_s^{+∞} P(v > x) dx        the expected excess from above,

and their difference is s − E v. Weitzman's problem uses the first when smaller values are better
and the second when larger ones are. Only that one must be finite: a price with an infinite mean can
be searched for the cheapest. :class:`Distribution` is the common face; closed forms override its
numerical defaults.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.search.laws.roots import solve_excess


class Distribution(ABC):
    """The law of one value, or of an array of values of one family.

    All methods work element by element and broadcast; ``shape`` is ``()`` for one law.
    """

    shape: tuple[int, ...] = ()

    @abstractmethod
    def cdf(self, x: ArrayLike) -> Floats:
        """Return P(v ≤ x)."""

    @abstractmethod
    def sf(self, x: ArrayLike) -> Floats:
        """Return P(v > x), accurate where it is small."""

    @abstractmethod
    def atom(self, x: ArrayLike) -> Floats:
        """Return P(v = x)."""

    @abstractmethod
    def mean(self) -> Floats:
        """Return E v; it may be infinite."""

    @abstractmethod
    def support(self) -> tuple[Floats, Floats]:
        """Return the smallest and the largest possible value."""

    @abstractmethod
    def kinks(self) -> Floats:
        """Return the points at which the cdf is known to jump or bend, sorted."""

    @abstractmethod
    def quantile(self, p: ArrayLike) -> Floats:
        """Return the smallest x with P(v ≤ x) ≥ p."""

    @abstractmethod
    def excess_below(self, s: ArrayLike) -> Floats:
        """Return E(s − v)⁺."""

    @abstractmethod
    def excess_above(self, s: ArrayLike) -> Floats:
        """Return E(v − s)⁺."""

    @abstractmethod
    def affine(self, *, shift: float = 0.0, scale: float = 1.0) -> "Distribution":
        """Return the law of shift + scale·v; a negative scale turns it round."""

    @property
    def is_step(self) -> bool:
        """Whether the cdf is constant between its kinks."""
        return False

    def solve_below(self, cost: ArrayLike) -> Floats:
        """Return s with E(s − v)⁺ = cost, for costs > 0."""
        cost = np.asarray(cost, dtype=np.float64)
        mean = self.mean()
        with np.errstate(invalid="ignore"):
            upper = np.where(np.isfinite(mean), mean + cost, self.quantile(0.5) + 2.0 * cost)
        lower = np.broadcast_to(self.support()[0], upper.shape)
        return solve_excess(self.excess_below, self.cdf, cost, upper, lower)

    def solve_above(self, cost: ArrayLike) -> Floats:
        """Return s with E(v − s)⁺ = cost, for costs > 0."""
        return -self.affine(scale=-1.0).solve_below(cost)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Floats:
        """Draw from the law; by its quantiles unless the law knows better."""
        return self.quantile(rng.random(size))

    def __repr__(self) -> str:
        fields: dict[str, Any] = {k: v for k, v in vars(self).items() if not k.startswith("_")}
        inner = ", ".join(f"{k}={v!r}" for k, v in fields.items())
        return f"{type(self).__name__}({inner})"
