"""What may be given as a value: :func:`as_distribution` reads it, one place for all callers.

A number is a point mass. A frozen scipy.stats distribution is read by its family: closed forms
where there are, its outcomes if it is discrete, quadrature otherwise. Anything else needs a cdf and
a mean (:class:`~weitzman.search.laws.numeric.CdfAndMean`).
"""

from typing import Any

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.numeric import CdfAndMean, standard_from
from weitzman.search.laws.outcomes import outcomes
from weitzman.search.laws.parametric import LocationScale, from_scipy, is_closed
from weitzman.search.numbers import finite_number

ValueLike = Distribution | CdfAndMean | float


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
    return outcomes(frozen, subject)
