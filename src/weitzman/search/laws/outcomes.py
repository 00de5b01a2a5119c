"""A discrete law of scipy as its outcomes.

Two families have tails that fall like a power, with sums in closed form. Of zipf(a), with Hurwitz's
ζ(a, k) = Σ_{j ≥ k} j^−a, and of yulesimon(a), with Euler's B:

    P(v > k) = ζ(a, k + 1)/ζ(a)                E(v − k)⁺ = (ζ(a − 1, k + 1) − k ζ(a, k + 1))/ζ(a)
    P(v > k) = k B(k, a + 1)                   E(v − k)⁺ = k (k + a) B(k, a + 1)/(a − 1)

All outcomes up to a million are kept. Beyond, only some are, each further than the one before by r = 1.0005;
those between go to the two beside them, so that the mean stays. The expected excess is then that of the law
itself at every outcome that is kept, so at every s up to a million; between two of those beyond it is too
large by a share of at most a² (r − 1)²/8, less than 1e-6 for a < 5. The last one is the mean of what is
left.

Of every other family the pmf is followed outwards until what lies beyond is less than any cost that matters.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy  # scipy.special takes 0.3 s to load: scipy loads it when it is first named

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.parametric import check_domain

Function = Callable[[float], float]

# A law is cut where less than this is left: what lies beyond would move σ at costs so small.
_FAR = 1e-100
# Where that takes too many outcomes, it is enough that the expected excess beyond is less than this; a law
# that needs still more of them is refused.
_ENOUGH, _MANY_OUTCOMES = 1e-30, 100_000
_MOST_OUTCOMES = 2_000_000
# Of a power: how many outcomes are all kept, how many of a thin tail, how the rest stand apart, and how far
_ALL, _THIN, _APART, _LAST = 1 << 20, 1 << 16, 1.0005, 1e140


def outcomes(frozen: Any, subject: str) -> Discrete:
    """Return a frozen discrete law of scipy.stats by its outcomes.

    >>> import scipy.stats
    >>> float(outcomes(scipy.stats.geom(0.5), "The value").excess_above(3.0))
    0.25
    """
    family = frozen.dist
    shapes, loc, _ = family._parse_args(*frozen.args, **frozen.kwds)
    if hasattr(family, "xk"):
        return Discrete(float(loc) + np.asarray(family.xk, dtype=np.float64), family.pk)
    check_domain(frozen)
    power = _POWERS.get(family.name)
    if power is not None and type(family).__module__.startswith("scipy.stats"):
        law = power(float(shapes[0]))
        if law.a <= law.infinite:
            raise InvalidInputError(subject, "have a finite mean", f"{family.name}({law.a})")
        return _all_of(law).affine(shift=float(loc))
    low, high = (float(end) for end in frozen.support())
    if np.isinf(low):
        low = _reach(frozen.median(), frozen.cdf, frozen.pmf, -1.0)
    if np.isinf(high):
        high = _reach(frozen.median(), frozen.sf, frozen.pmf, +1.0)
    if not high - low < _MOST_OUTCOMES:
        rule = f"have fewer than {_MOST_OUTCOMES:,} outcomes that matter"
        raise InvalidInputError(subject, rule, f"{family.name} from {low} to {high}")
    points = np.arange(low, high + 1.0)
    mass = frozen.pmf(points)
    return Discrete(points, mass / mass.sum())


@dataclass(frozen=True)
class _Zipf:
    a: float
    infinite: ClassVar[float] = 2.0
    """Up to this a the mean is infinite."""

    def masses(self, count: int) -> Floats:
        """P(v = 1), …, P(v = count)."""
        return np.asarray(np.arange(1.0, count + 1.0) ** -self.a / scipy.special.zeta(self.a))

    def beyond(self, k: Floats) -> tuple[Floats, Floats]:
        """P(v > k) and E(v − k)⁺ at large whole numbers."""
        first, chance = (scipy.special.zeta(b, k + 1.0) for b in (self.a - 1.0, self.a))
        whole = scipy.special.zeta(self.a)
        return chance / whole, (first - k * chance) / whole


@dataclass(frozen=True)
class _YuleSimon:
    a: float
    infinite: ClassVar[float] = 1.0

    def masses(self, count: int) -> Floats:
        """P(v = 1), …, P(v = count)."""
        k = np.arange(1.0, count)
        shares = np.concatenate([[self.a / (self.a + 1.0)], k / (k + self.a + 1.0)])
        return np.cumprod(shares)

    def beyond(self, k: Floats) -> tuple[Floats, Floats]:
        """P(v > k) and E(v − k)⁺ at large whole numbers."""
        a, b = self.a, self.a + 1.0
        # B(k, b) by its expansion about w, since scipy's has only nine digits here
        w = k + 0.5 * (b - 1.0)
        logs = scipy.special.gammaln(b) - b * np.log(w) + b * (b * b - 1.0) / (24.0 * w * w)
        chance = np.exp(logs + np.log(k))
        return chance, chance * (k + a) / (a - 1.0)


_POWERS: dict[str, Callable[[float], _Zipf | _YuleSimon]] = {"zipf": _Zipf, "yulesimon": _YuleSimon}


def _all_of(law: _Zipf | _YuleSimon) -> Discrete:
    """Return a law with a tail like a power: all outcomes up to many, and then some."""
    thin = law.beyond(np.array([float(_THIN)]))[1][0] < _ENOUGH
    count = _THIN if thin else _ALL
    far = np.floor(count * _APART ** np.arange(math.log(_LAST / count) / math.log(_APART)))
    chance, excess = law.beyond(far)
    kept = excess > _FAR
    far, chance, excess = far[kept], chance[kept], excess[kept]
    mass = law.masses(count)
    if not far.size:
        return Discrete.of_masses(np.arange(1.0, count + 1.0), mass)
    # P(v > far), but for what goes to the outcome before
    slopes = np.append(-np.diff(excess) / np.diff(far), chance[-1])
    mass[-1] += chance[0] - slopes[0]
    points = np.concatenate(
        [np.arange(1.0, count + 1.0), far[1:], [far[-1] + excess[-1] / chance[-1]]]
    )
    return Discrete.of_masses(points, np.concatenate([mass, -np.diff(slopes), slopes[-1:]]))


def _reach(start: float, tail: Function, pmf: Function, direction: float) -> float:
    """Return the first point found from ``start`` outwards beyond which the tail is negligible, or none."""

    def left(distance: float) -> float:
        # A tail that is 1 minus something ends at about 1e-16, wherever that is: the pmf does not
        point = start + direction * distance
        return float(max(tail(point), pmf(point)))

    distance, before, now = 0.0, math.inf, left(0.0)
    while distance < 2 * _MOST_OUTCOMES:
        if now <= _FAR:
            return start + direction * distance
        # If every doubling of the distance d leaves a share r of the mass, Σ_{k>d} (k − d) p(k) is at most
        # d² p(d)(1 + 4r + (4r)² + …), of the order of d² p(d) where r is well below ¼
        if distance > _MANY_OUTCOMES and now < 0.125 * before and distance**2 * now < _ENOUGH:
            return start + direction * _shortest(distance, lambda d: d * d * left(d) < _ENOUGH)
        distance, before = 2.0 * distance + 1.0, now
        now = left(distance)
    return direction * math.inf


def _shortest(distance: float, enough: Callable[[float], bool]) -> float:
    """Return the shortest whole distance from half of one that is enough to it that is enough."""
    low, high = distance // 2.0, distance
    while high - low > 1.0:
        middle = (low + high) // 2.0
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
