"""Values of a location-scale family: v = loc + scale·Y, for one box or for many at once.

All questions are answered by the family's standard form (:mod:`weitzman.search.laws.closed_forms`): E(s −
v)⁺ = scale·E(y − Y)⁺ with y = (s − loc)/scale, and the reservation value at cost c is loc +
scale·(that of Y at cost c/scale). A negative scale turns the law round, and swaps "from below" with
"from above"; so a maximisation needs no second set of formulas.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.laws.closed_forms import CLOSED
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.family import Function, Standard
from weitzman.search.laws.numeric import standard_from

# Elements per chunk of a large array: the temporaries of a solve then stay in the cache.
_CHUNK = 8192


@dataclass(frozen=True, eq=False)
class LocationScale(Distribution):
    """The law of loc + scale·Y, Y in standard form with the given shape parameters."""

    standard: Standard
    shapes: tuple[Floats, ...] = ()
    loc: Floats = field(default_factory=lambda: np.asarray(0.0))
    scale: Floats = field(default_factory=lambda: np.asarray(1.0))
    name: str = "value"

    @cached_property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return np.broadcast_shapes(*(np.shape(a) for a in (*self.shapes, self.loc, self.scale)))

    def __repr__(self) -> str:
        shapes = "".join(f"{np.round(a, 6).tolist()}, " for a in self.shapes)
        return f"{self.name}({shapes}loc={self.loc.tolist()}, scale={self.scale.tolist()})"

    def __getitem__(self, part: Any) -> "LocationScale":
        """Return the laws at the given places of a one-dimensional family."""
        fields = (self.loc, self.scale, *self.shapes)
        loc, scale, *shapes = (np.broadcast_to(a, self.shape)[part] for a in fields)
        return LocationScale(self.standard, tuple(shapes), loc, scale, self.name)

    def _y(self, x: ArrayLike) -> Floats:
        return (np.asarray(x, dtype=np.float64) - self.loc) / self.scale

    def cdf(self, x: ArrayLike) -> Floats:
        return self._tail(x, self.standard.cdf, self.standard.sf, 1.0)

    def sf(self, x: ArrayLike) -> Floats:
        return self._tail(x, self.standard.sf, self.standard.cdf, -1.0)

    def _tail(self, x: ArrayLike, upright: Function, turned: Function, sign: float) -> Floats:
        """Return a tail of Y; where the law is turned round the other one, with the atom or without."""
        y, up = self._y(x), self.scale > 0.0
        if np.all(up):
            return np.asarray(upright(y, *self.shapes))
        other = turned(y, *self.shapes) + sign * self.standard.atom(y, *self.shapes)
        return np.asarray(np.where(up, upright(y, *self.shapes), other))

    def atom(self, x: ArrayLike) -> Floats:
        return np.asarray(self.standard.atom(self._y(x), *self.shapes))

    def mean(self) -> Floats:
        return np.asarray(self.loc + self.scale * self.standard.mean(*self.shapes))

    def support(self) -> tuple[Floats, Floats]:
        ends = [self.loc + self.scale * np.asarray(e) for e in self.standard.support(*self.shapes)]
        return np.minimum(*ends), np.maximum(*ends)

    def kinks(self) -> Floats:
        inner = [self.loc + self.scale * k for k in self.standard.kinks]
        points = np.array([*self.support(), *inner], dtype=np.float64).ravel()
        return np.unique(points[np.isfinite(points)])

    @property
    def is_step(self) -> bool:
        return self.standard.is_step

    def quantile(self, p: ArrayLike) -> Floats:
        p = np.asarray(p, dtype=np.float64)
        # Of a turned step the smallest value is the largest of the upright one: just above 1 - p.
        turned = np.nextafter(1.0 - p, 2.0) if self.is_step else 1.0 - p
        p = np.where(self.scale > 0.0, p, np.minimum(turned, 1.0))
        return np.asarray(self.loc + self.scale * self.standard.quantile(p, *self.shapes))

    def excess_below(self, s: ArrayLike) -> Floats:
        return self._excess(s, self.standard.below, self.standard.above)

    def excess_above(self, s: ArrayLike) -> Floats:
        return self._excess(s, self.standard.above, self.standard.below)

    def _excess(self, s: ArrayLike, upright: Function, turned: Function) -> Floats:
        y = self._y(s)
        up = self.scale > 0.0
        if np.all(up):
            return np.asarray(self.scale * upright(y, *self.shapes))
        if not np.any(up):
            return np.asarray(-self.scale * turned(y, *self.shapes))
        both = np.where(up, upright(y, *self.shapes), turned(y, *self.shapes))
        return np.asarray(np.abs(self.scale) * both)

    def solve_below(self, cost: ArrayLike) -> Floats:
        cost = np.asarray(cost, dtype=np.float64)
        shape = np.broadcast_shapes(cost.shape, self.shape)
        if len(shape) == 1 and shape[0] > _CHUNK:
            cost = np.broadcast_to(cost, shape)
            parts = [slice(i, i + _CHUNK) for i in range(0, cost.size, _CHUNK)]
            laws = (self[part] if self.shape else self for part in parts)
            each = [law.solve_below(cost[part]) for law, part in zip(laws, parts, strict=True)]
            return np.concatenate(each)
        up, std = self.scale > 0.0, self.standard
        root = std.solve_below if np.all(up) else None if np.any(up) else std.solve_above
        if root is None:
            return self._checked(super().solve_below(cost), cost)
        k = cost / np.abs(self.scale)
        return np.asarray(self.loc + self.scale * root(k, *self.shapes))

    def _checked(self, root: Floats, cost: Floats) -> Floats:
        """Return the root if it is one."""
        if not self.standard.proven:
            residual = np.abs(self.excess_below(root) - cost)
            noise = 1e-9 * (self.quantile(0.75) - self.quantile(0.25)) + 1e-15 * np.abs(root)
            if not (residual <= 1e-6 * cost + noise).all():
                rule = "have a cdf that never decreases, from 0 to 1, and a mean that fits its cdf"
                raise InvalidInputError("The value", rule, self)
        return root

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Floats:
        if self.standard.sample is None:
            return super().sample(rng, size)
        return np.asarray(self.loc + self.scale * self.standard.sample(rng, size))

    def affine(self, *, shift: float = 0.0, scale: float = 1.0) -> "LocationScale":
        loc, width = shift + scale * self.loc, scale * self.scale
        return LocationScale(self.standard, self.shapes, loc, width, self.name)


def from_scipy(frozen: Any) -> LocationScale:
    """Return the law of a frozen scipy.stats distribution that is continuous or of a closed family.

    Arrays of parameters are for closed families only.
    """
    family = frozen.dist
    names, given = check_domain(frozen)
    loc, scale = (
        np.asarray(given.get(k, default), dtype=np.float64)
        for k, default in (("loc", 0.0), ("scale", 1.0))
    )
    shapes = tuple(np.asarray(given[n], dtype=np.float64) for n in names)
    if is_closed(frozen):
        return LocationScale(CLOSED[family.name], shapes, loc, scale, family.name)
    return LocationScale(standard_from(family(*shapes)), (), loc, scale, family.name)


def check_domain(frozen: Any) -> tuple[list[str], dict[str, Any]]:
    """Return the names of the shape parameters of a frozen distribution, and all that were given."""
    family = frozen.dist
    names = [n.strip() for n in family.shapes.split(",")] if family.shapes else []
    given = {**dict(zip([*names, "loc", "scale"], frozen.args, strict=False)), **frozen.kwds}
    if np.isnan(frozen.support()).any():
        shown = ", ".join(f"{k}={v}" for k, v in given.items())
        raise InvalidInputError(f"The parameters of {family.name}", "be in its domain", shown)
    return names, given


def is_closed(frozen: Any) -> bool:
    """Whether a frozen distribution is of a family with a closed expected excess.

    A family of the user's own may bear the name of one of scipy's; it is not taken for it.
    """
    return frozen.dist.name in CLOSED and type(frozen.dist).__module__.startswith("scipy.stats")
