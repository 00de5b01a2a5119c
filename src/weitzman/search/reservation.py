"""Expected excess and reservation value, the two numbers a box is judged by.

With smaller values better (``sense="min"``) and c_D(s) = E(s − v)⁺, the reservation value of a box
of cost c is the σ with c_D(σ) = c: the value in hand at which opening the box and leaving it closed
are worth the same. With larger values better (``sense="max"``) it is the σ with E(v − σ)⁺ = c. The
conventions at the edges:

- c > 0: σ exists and is unique, for every law whose expected excess is finite. A cost above
  anything the box can save needs no case of its own: there c_D(s) = s − E v, and σ = E v + c lies
  beyond every value the box can hold (``max``: σ = E v − c).
- c = 0: every s at or below the smallest possible value solves c_D(s) = 0; σ is the largest of
  them, the smallest possible value itself, −∞ if there is none (``max``: the largest, +∞).
- A point mass at v: σ = v + c (``max``: v − c).
- A law whose expected excess is infinite on the side that matters has no reservation value:
  refused.
- A tail may be so heavy that σ lies beyond the largest number, or where the expected excess has no
  digits any more: refused.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.laws.conversion import ValueLike, as_distribution
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.parametric import from_scipy, is_closed
from weitzman.search.numbers import finite_array, float_array

Sense = Literal["min", "max"]

# A root beyond this is looked at: the square of what lies above it is no number.
_FAR = 1e150
_EPS = float(np.finfo(np.float64).eps)


def check_sense(sense: str) -> Sense:
    """Return ``sense`` if it is one."""
    if sense not in ("min", "max"):
        raise InvalidInputError("The sense", "be 'min' or 'max'", sense)
    return cast("Sense", sense)


def sign_of(sense: Sense) -> float:
    """Return what numbers are multiplied by for smaller ones to be better."""
    return 1.0 if sense == "min" else -1.0


def in_hand(outside: float | None, sense: Sense) -> float:
    """Return what is in hand before anything is opened, smaller better; +∞ for nothing."""
    return math.inf if outside is None else sign_of(sense) * outside


def mirrored(law: Distribution, sense: Sense) -> Distribution:
    """Return the law in the direction in which smaller is better: of v, or of −v for ``max``."""
    return law if sense == "min" else law.affine(scale=-1.0)


@overload
def expected_excess(value: ValueLike, s: float, *, sense: Sense = "min") -> float: ...
@overload
def expected_excess(value: ValueLike, s: Floats, *, sense: Sense = "min") -> Floats: ...
def expected_excess(value: Any, s: ArrayLike, *, sense: Sense = "min") -> Any:
    """Return E(s − v)⁺, or E(v − s)⁺ for ``sense="max"``: what a box saves against s in hand.

    The paper calls it the approximate cost c_D(s).

    Examples
    --------
    >>> import scipy.stats
    >>> expected_excess(scipy.stats.uniform(0, 8), 4.0)
    1.0
    """
    law = _laws(value)
    excess = law.excess_below if check_sense(sense) == "min" else law.excess_above
    in_hand = float_array(s, "The value in hand")
    if np.isnan(in_hand).any():
        raise InvalidInputError("The value in hand", "be numbers, also infinite ones", s)
    return _plain(excess(in_hand))


@overload
def reservation_value(value: ValueLike, cost: float, *, sense: Sense = "min") -> float: ...
@overload
def reservation_value(value: ValueLike, cost: Floats, *, sense: Sense = "min") -> Floats: ...
def reservation_value(value: Any, cost: ArrayLike, *, sense: Sense = "min") -> Any:
    """Return σ with E(σ − v)⁺ = cost, or E(v − σ)⁺ = cost for ``sense="max"``.

    Parameters
    ----------
    value
        The law of the value. A frozen scipy.stats distribution of a closed family may have arrays
        as parameters: many boxes at once.
    cost
        A finite number ≥ 0, or an array of them.
    sense
        Whether smaller (``"min"``) or larger (``"max"``) values are better.

    Examples
    --------
    >>> import numpy as np, scipy.stats
    >>> reservation_value(scipy.stats.uniform(0, 8), 1.0)
    4.0
    >>> round(reservation_value(scipy.stats.norm(), np.exp(-3), sense="max"), 6)
    1.25762
    >>> reservation_value(scipy.stats.uniform(0, np.array([2.0, 8.0])), 1.0)
    array([2., 4.])
    """
    costs = finite_array(cost, "The cost", "be a finite number >= 0")
    if (costs < 0.0).any():
        raise InvalidInputError("The cost", "be a finite number >= 0", float(costs[costs < 0.0][0]))
    return _plain(solve_law(_laws(value), costs, check_sense(sense)))


def solve_law(law: Distribution, cost: Floats, sense: Sense) -> Floats:
    """Return the reservation values of a law at costs known to be valid."""
    low, high = law.support()
    free = low if sense == "min" else high
    at = law.quantile(0.5)
    if not np.isfinite(law.excess_below(at) if sense == "min" else law.excess_above(at)).all():
        side = "E(s - v)+" if sense == "min" else "E(v - s)+"
        raise InvalidInputError("The value", f"have a finite expected excess {side}", law)
    solve = law.solve_below if sense == "min" else law.solve_above
    positive = np.where(cost > 0.0, cost, 1.0)
    root = solve(positive)
    if not (np.abs(root) < _FAR).all():
        _check_far(law, root, positive, sense)
    return root if (cost > 0.0).all() else np.where(cost > 0.0, root, free)


def given_values(
    given: Mapping[str, float] | ArrayLike, names: Sequence[Any], sense: Sense, *, per: str = "box"
) -> Floats:
    """Return reservation values, by name or in the order of ``names``, with smaller ones better."""
    if isinstance(given, Mapping):
        if set(given) != set(names):
            rule = f"be for the boxes {list(dict.fromkeys(names))}"
            raise InvalidInputError("The reservation values", rule, list(given))
        given = [given[name] for name in names]
    numbers = np.asarray(given)
    if numbers.dtype.kind not in "fiu":
        raise InvalidInputError("The reservation values", "be numbers", given)
    sign = sign_of(sense)
    turned = sign * numbers.astype(np.float64)
    if turned.shape != (len(names),):
        rule = f"be one number per {per}, {len(names)}"
        raise InvalidInputError("The reservation values", rule, np.shape(turned))
    if np.isnan(turned).any() or np.isposinf(turned).any():
        rule = f"be finite or {'-inf' if sense == 'min' else 'inf'}"
        raise InvalidInputError("The reservation values", rule, (sign * turned).tolist())
    return turned


def _check_far(law: Distribution, root: Floats, cost: Floats, sense: Sense) -> None:
    """Refuse a far root whose expected excess is not the cost, as far as a root has digits."""
    turned, s = mirrored(law, sense), root if sense == "min" else -root
    with np.errstate(all="ignore"):
        error = np.abs(turned.excess_below(s) - cost)
        found = error <= 1e-6 * cost + 4.0 * _EPS * np.abs(s) * turned.cdf(s)
    bad = (np.abs(root) >= _FAR) & ~found
    if bad.any() or np.isnan(root).any():
        rule = "have a reservation value that double precision can compute"
        at = float(np.broadcast_to(cost, bad.shape)[bad].flat[0]) if bad.any() else cost
        raise InvalidInputError("The value", rule, f"{law!r} at cost {at}")


def _laws(value: Any) -> Distribution:
    if hasattr(value, "dist") and hasattr(value, "kwds") and is_closed(value):
        return from_scipy(value)
    return as_distribution(value)


def _plain(x: Floats) -> float | Floats:
    return float(x) if np.ndim(x) == 0 else x
