"""The law that makes right-censored looks most likely [Kaplan 1958].

Of some looks the value v is known, of others only that v > b. The likelihood of a law with hazards λ(s) =
P(v = s | v ≥ s) is a product over the values s that were seen, with d of the looks at s and r of them at s or
above,

    Π λ^d (1 − λ)^(r − d),     so that λ(s) = d/r,     P(v > s) = Π_{u ≤ s} (1 − d_u/r_u).

Looks that nothing hides give the empirical law. What is left above the largest bound is put there [Efron
1967]: no look says where it is, and no σ below that bound depends on it.

It is the law of the values if every bound is independent of the value that it hides.
"""

import numpy as np
from numpy.typing import ArrayLike

from weitzman.errors import InvalidInputError
from weitzman.search.laws.discrete import Empirical
from weitzman.search.numbers import float_array


def kaplan_meier(values: ArrayLike, exact: ArrayLike) -> Empirical:
    """Return the law of values of which some are only known to be above a bound.

    Where larger values are better, turn all signs, and the law's with ``affine(scale=-1)``.

    Parameters
    ----------
    values
        What is known of each look: the value, or what it is above.
    exact
        Whether it is the value itself.

    Examples
    --------
    >>> law = kaplan_meier([1.0, 2.0, 2.5, 3.0], [True, False, True, True])
    >>> law.values.tolist(), law.probabilities.tolist()
    ([1.0, 2.5, 3.0], [0.25, 0.375, 0.375])
    """
    points = np.atleast_1d(float_array(values, "The values of Kaplan and Meier"))
    known = np.atleast_1d(np.asarray(exact))
    if points.ndim != 1 or not points.size or not np.isfinite(points).all():
        rule = "be a list of at least one finite number"
        raise InvalidInputError("The values of Kaplan and Meier", rule, values)
    if known.shape != points.shape or known.dtype != np.bool_:
        rule = f"be as many truth values as there are values, {points.size}"
        raise InvalidInputError("What is exact", rule, exact)
    seen, counts = np.unique(points[known], return_counts=True)
    at_risk = points.size - np.searchsorted(np.sort(points), seen)
    above = np.cumprod(1.0 - counts / at_risk)
    mass = np.concatenate([[1.0], above[:-1]]) * (counts / at_risk) if seen.size else above
    left = float(above[-1]) if seen.size else 1.0
    if not known.all() and left > 0.0:
        seen, mass = np.append(seen, points[~known].max()), np.append(mass, left)
    return Empirical(seen, mass)
