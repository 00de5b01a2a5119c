"""What the rivals have in common: constants of theorems, scaled for practice; boxes that were never seen.

A theorem's constant is a logarithm of the number n of boxes, here of those that were looked at, and the
horizon T, times a number that is made for the proof. ``scale`` multiplies it: 1 for ``"theorem"``, which
needs T; 1/40 for ``"auto"``. That number is ours, not the papers', and no theorem covers it. Where T is not
said it is the least power of two that is not below the number of looks at all boxes so far: the doubling
trick, without its restarts.

A box that was never looked at is opened where the rule gets to it ("open every box once"): its σ is below
everything seen by as much as all that was seen differs, plus the cost. Before anything is seen it is
−10⁵⁰.
"""

import math
from typing import Final, Literal

import numpy as np

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled
from weitzman.compiled.linalg import fixed_log
from weitzman.errors import InvalidInputError
from weitzman.search.numbers import LIMIT, finite_number, whole_number

Scale = float | Literal["auto", "theorem"]
AUTO: Final = 1.0 / 40.0

# Entries of ``rules``
SCALE, HORIZON, LEAST = 0, 1, 2
# The mass of an optimistic law: the number of "none", "uniform" or "bernstein"
MASS = 3
# Entries of ``ends``: the least and the largest value seen at any box, and how many boxes were looked at
LOW, HIGH, BOXES = 0, 1, 2


def rules_of(scale: Scale, horizon: int | None, least: float | None) -> Floats:
    """Return scale, T (0 if it is not said) and the least value (+∞ if it is not) as numbers."""
    if horizon is not None:
        whole_number(horizon, "The horizon", least=1)
    return np.array([_number(scale, horizon), horizon or 0, _least(least)], dtype=np.float64)


def _number(scale: Scale, horizon: int | None) -> float:
    if scale == "auto":
        return AUTO
    if scale == "theorem":
        if horizon is None:
            raise InvalidInputError("scale='theorem'", "come with a horizon", horizon)
        return 1.0
    if isinstance(scale, str | bool) or not 0.0 <= float(scale) < math.inf:
        raise InvalidInputError("scale", "be a finite number >= 0, 'auto' or 'theorem'", scale)
    return float(scale)


def _least(least: float | None) -> float:
    if least is None:
        return math.inf
    return finite_number(least, "least", "be a finite number, or None")


def blank_ends() -> Floats:
    """Return the ends of what was seen, before anything is."""
    return np.array([math.inf, -math.inf, 0.0])


@compiled
def widen(ends: Floats, value: float, looks: float) -> None:
    """Take a value of a box with so many earlier looks into the ends of what was seen."""
    ends[LOW], ends[HIGH] = min(ends[LOW], value), max(ends[HIGH], value)
    if looks == 0.0:
        ends[BOXES] += 1.0


@compiled
def best_value(rules: Floats, ends: Floats) -> float:
    """Return the best value that a box can hold: as given, or the least seen."""
    return float(min(rules[LEAST], ends[LOW]))


@compiled
def horizon_now(rules: Floats, looks: float) -> float:
    """Return T: as given, or the least power of two that is not below the looks."""
    if rules[HORIZON] > 0.0:
        return float(rules[HORIZON])
    horizon = 1.0
    while horizon < looks:
        horizon *= 2.0
    return horizon


@compiled
def unseen(ends: Floats, cost: float) -> float:
    """Return the σ of a box that was never looked at."""
    if ends[LOW] > ends[HIGH]:
        return -LIMIT
    return float(2.0 * ends[LOW] - ends[HIGH] - cost)


@compiled
def is_absent(context: Floats) -> bool:
    """Whether a box is not there: a prediction without contexts would not show it."""
    missing = 0
    for number in context:
        missing += np.isnan(number)
    return missing > 0


@compiled
def note_first(pool: Floats, value: float) -> None:
    """Take the first value in the place of its prediction, which meant nothing."""
    # Optimism of the policy's goes by the spread of predictions
    if pool[0] == 1.0:
        pool[1] = value


@compiled
def logarithm_of(rules: Floats, boxes: float, looks: float) -> float:
    """Return L of an optimistic law, scaled."""
    horizon = horizon_now(rules, looks)
    number, power = (1.0, 2.0) if rules[MASS] == 1.0 else (4.0, 3.0)
    logarithm = fixed_log(2.0 * boxes) + power * fixed_log(horizon)
    return float(rules[SCALE] * number * logarithm)


@compiled
def optimistic_share(mass: float, share: float, count: float, logarithm: float) -> float:
    """Return H where the empirical law has this share."""
    if mass == 1.0:
        share += math.sqrt(logarithm / (2.0 * count))
    elif mass == 2.0:
        each = logarithm / count
        share += math.sqrt(2.0 * share * (1.0 - share) * each) + each
    return min(share, 1.0)
