"""Numbers from outside: one place that says what counts as one."""

import math
import operator
from collections.abc import Hashable
from numbers import Real
from typing import Any

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError

LIMIT = 1e50
"""Contexts, values, costs and outside options beyond this would overflow in squares of squares."""

_FLOAT = np.dtype(np.float64)


def finite_number(value: Any, subject: str, rule: str = "be a finite number") -> float:
    """Return ``value`` as a float; booleans, strings and what has more than one element are none."""
    number = math.nan
    # numpy has a time span among the integers
    flag = isinstance(value, bool | np.bool_ | np.timedelta64)
    array = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiu"
    if array or (not flag and isinstance(value, Real)):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
    if not math.isfinite(number):
        raise InvalidInputError(subject, rule, value)
    return number


def positive_number(value: Any, subject: str) -> float:
    """Return ``value`` as a float above 0."""
    rule = "be a finite number > 0"
    number = finite_number(value, subject, rule)
    if number <= 0.0:
        raise InvalidInputError(subject, rule, value)
    return number


def checked_value(value: Any, subject: str, rule: str = "be a finite number") -> float:
    """Return a value that a round can have in hand as a float."""
    number = finite_number(value, subject, rule)
    if abs(number) > LIMIT:
        raise InvalidInputError(subject, f"be at most {LIMIT:g} in size", value)
    return number


def checked_outside(outside: Any) -> float:
    """Return an outside option as a float."""
    return checked_value(outside, "The outside option", "be a finite number or None")


def finite_array(values: Any, subject: str, rule: str = "be finite numbers") -> Floats:
    """Return ``values`` as an array of floats; booleans and strings are not numbers."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise InvalidInputError(subject, rule, values) from None
    if array.dtype.kind not in "fiu" or not np.isfinite(array).all():
        raise InvalidInputError(subject, rule, values)
    return array.astype(np.float64)


def checked_cost(cost: Any, box: Hashable) -> float:
    """Return the cost of a box as a float."""
    subject, rule = f"The cost of box {box!r}", "be a finite number >= 0"
    number = finite_number(cost, subject, rule)
    if number < 0.0:
        raise InvalidInputError(subject, rule, cost)
    if number > LIMIT:
        raise InvalidInputError(subject, f"be at most {LIMIT:g}", cost)
    return number


def whole_number(value: Any, subject: str, *, least: int, most: int = 2**62) -> int:
    """Return ``value`` as an int between two bounds; booleans and 2.0 are none."""
    try:
        flag = isinstance(value, bool | np.bool_ | np.timedelta64)
        number = least - 1 if flag else operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        bound = f"an integer >= {least}" if most == 2**62 else f"an integer from {least} to {most}"
        raise InvalidInputError(subject, f"be {bound}", value)
    return number


def float_array(values: Any, subject: str, kinds: str = "fiu", *, copy: bool = False) -> Floats:
    """Return ``values`` as a C-ordered array of floats; NaN is allowed, strings are not numbers.

    ``kinds`` are the numpy kinds that are taken. The array can be written to: for others numba would
    compile once more.
    """
    # The usual case costs no more than the copy
    if copy and type(values) is np.ndarray and values.dtype is _FLOAT:
        return values.copy()
    try:
        array = np.asarray(values)
    except ValueError:
        raise InvalidInputError(subject, "be an array of numbers", values) from None
    if array.dtype.kind not in kinds:
        raise InvalidInputError(subject, "be an array of numbers", values)
    if copy:
        return np.array(array, dtype=np.float64, order="C")
    array = np.asarray(array, dtype=np.float64, order="C")
    return array if array.flags.writeable else array.copy()


def json_ready(thing: Any) -> Any:
    """Return a thing as JSON can have it: None stands for a number that is not finite."""
    if isinstance(thing, dict):
        return {key: json_ready(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [json_ready(value) for value in thing]
    return None if isinstance(thing, float) and not math.isfinite(thing) else thing
