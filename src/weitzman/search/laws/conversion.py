"""What may be given as a value: :func:`as_distribution` reads it, one place for all callers.

A number is a point mass. A frozen scipy.stats distribution is read by its family: closed forms
where there are, its outcomes if it is discrete, quadrature otherwise. Anything else needs a cdf and
a mean (:class:`~weitzman.search.laws.numeric.CdfAndMean`).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.numeric import CdfAndMean, standard_from
from weitzman.search.laws.parametric import LocationScale, from_scipy, is_closed
from weitzman.search.numbers import finite_number

ValueLike = Distribution | CdfAndMean | float
Function = Callable[[float], float]

# A discrete law is cut where less than this is left: what lies beyond would move σ at costs so small.
_FAR = 1e-100
# Where that takes too many outcomes, it is enough that the expected excess beyond is less than this; a law
# that needs still more of them is refused.
_ENOUGH, _MANY_OUTCOMES = 1e-30, 100_000
_MOST_OUTCOMES = 2_000_000


def as_distribution(value: ValueLike, subject: str = "The value") -> Distribution:
    """Return the law that ``value`` stands for.

    Examples
    --------
    >>> import scipy.stats
    >>> as_distribution(scipy.stats.uniform(0, 8))
    uniform(loc=0.0, scale=8.0)
    """
    if isinstance(value, Distribution):
        return value
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return Discrete([finite_number(value, subject)])
    if hasattr(value, "dist") and hasattr(value, "kwds"):
        return _frozen(value, subject)
    if isinstance(value, CdfAndMean):
        _check_stranger(value, subject)
        return LocationScale(standard_from(value), name=type(value).__name__)
    rule = "be a number, a scipy.stats distribution, or have a cdf and a mean"
    raise InvalidInputError(subject, rule, value)


def affine(value: ValueLike, *, shift: float = 0.0, scale: float = 1.0) -> Distribution:
    """Return the law of shift + scale·value.

    Examples
    --------
    >>> float(affine(4.0, shift=1.0, scale=-2.0).mean())
    -7.0
    """
    move = finite_number(shift, "The shift of an affine map")
    factor = finite_number(scale, "The scale of an affine map")
    if factor == 0.0:
        raise InvalidInputError("The scale of an affine map", "not be 0", scale)
    return as_distribution(value).affine(shift=move, scale=factor)


def _check_stranger(value: CdfAndMean, subject: str) -> None:
    """Refuse a cdf or mean that cannot be called as it will be."""
    if getattr(value, "numargs", 0):
        raise InvalidInputError(subject, "be frozen, with its parameters", value)
    rule = "have a cdf of arrays and a mean, both as methods"
    try:
        heights = np.asarray(value.cdf(np.array([-1.0, 0.0, 1.0])), dtype=np.float64)
        float(value.mean())
    except (TypeError, ValueError) as error:
        raise InvalidInputError(subject, rule, f"{value!r}, which says: {error}") from None
    if heights.shape != (3,) or not ((heights >= 0.0) & (heights <= 1.0)).all():
        raise InvalidInputError(subject, rule + ", between 0 and 1", value)
    if (np.diff(heights) < 0.0).any():
        raise InvalidInputError(subject, "have a cdf that never decreases", value)


def _frozen(frozen: Any, subject: str) -> Distribution:
    shape = np.broadcast_shapes(*(np.shape(a) for a in (*frozen.args, *frozen.kwds.values())))
    if shape:
        rule = "be one distribution, not an array of them"
        raise InvalidInputError(subject, rule, f"{frozen.dist.name} of shape {shape}")
    if is_closed(frozen) or hasattr(frozen.dist, "pdf"):
        return from_scipy(frozen)
    return _outcomes(frozen, subject)


def _outcomes(frozen: Any, subject: str) -> Discrete:
    """Return a discrete scipy law by its outcomes, cut where it holds next to nothing."""
    if hasattr(frozen.dist, "xk"):
        loc = float(frozen.kwds.get("loc", frozen.args[0] if frozen.args else 0.0))
        return Discrete(loc + np.asarray(frozen.dist.xk, dtype=np.float64), frozen.dist.pk)
    low, high = (float(end) for end in frozen.support())
    if np.isinf(low):
        low = _reach(frozen.median(), frozen.cdf, frozen.pmf, -1.0)
    if np.isinf(high):
        high = _reach(frozen.median(), frozen.sf, frozen.pmf, +1.0)
    if not high - low < _MOST_OUTCOMES:
        rule = f"have fewer than {_MOST_OUTCOMES:,} outcomes that matter"
        raise InvalidInputError(subject, rule, f"{frozen.dist.name} from {low} to {high}")
    points = np.arange(low, high + 1.0)
    mass = frozen.pmf(points)
    return Discrete(points, mass / mass.sum())


def _reach(start: float, tail: Function, pmf: Function, direction: float) -> float:
    """Return the first point found from ``start`` outwards beyond which the tail is negligible."""

    def left(distance: float) -> float:
        # A tail that is 1 minus something ends at about 1e-16, wherever that is: the pmf does not
        point = start + direction * distance
        return float(max(tail(point), pmf(point)))

    distance, before, now = 0.0, math.inf, left(0.0)
    while distance < 2 * _MOST_OUTCOMES and now > _FAR:
        # If every doubling of the distance d leaves a share r of the mass, Σ_{k>d} (k − d) p(k) is at most
        # d² p(d)(1 + 4r + (4r)² + …), of the order of d² p(d) where r is well below ¼
        if distance > _MANY_OUTCOMES and now < 0.125 * before and distance**2 * now < _ENOUGH:
            return start + direction * _shortest(distance, lambda d: d * d * left(d) < _ENOUGH)
        distance, before = 2.0 * distance + 1.0, now
        now = left(distance)
    return start + direction * distance


def _shortest(distance: float, enough: Callable[[float], bool]) -> float:
    """Return the shortest whole distance from half of one that is enough to it that is enough."""
    low, high = distance // 2.0, distance
    while high - low > 1.0:
        middle = (low + high) // 2.0
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
