"""What a bank or a searcher is given, checked, and what all banks say about it."""

import hashlib
import math
from collections.abc import Hashable, Mapping, Sequence, Set, Sized
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.arrays import Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.search.numbers import LIMIT, checked_outside, float_array

_RULES = {
    1: "be the number of a box",
    2: "come at most once in a round",
    3: f"be finite numbers, at most {LIMIT:g} in size",
    4: f"be a finite number, at most {LIMIT:g} in size, or NaN if it is missing",
    5: f"be a finite number between 0 and {LIMIT:g}",
}


def asked(
    contexts: ArrayLike, boxes: ArrayLike | None, every: Ints, dimension: int
) -> tuple[Floats, Ints]:
    """Return contexts as rows of the dimension, and the numbers of their boxes, all if None."""
    rows = float_array(contexts, "The contexts", "fiub")
    chosen = every if boxes is None else box_numbers(boxes)
    if rows.shape != (chosen.shape[0], dimension):
        raise wrong_contexts(rows, chosen.shape[0], dimension)
    return rows, chosen


def wrong_contexts(contexts: Floats, count: int, dimension: int) -> InvalidInputError:
    """Return the error for contexts that are not ``count`` rows of the dimension."""
    rule = f"have the shape ({count}, {dimension})"
    return InvalidInputError("The contexts", rule, contexts.shape)


def box_numbers(boxes: ArrayLike) -> Ints:
    """Return a list of integers as an array."""
    chosen = np.ascontiguousarray(boxes)
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
        raise InvalidInputError("boxes", "be a list of integers", boxes)
    return chosen.astype(np.int64, copy=False)


def column(subject: str, numbers: ArrayLike, count: int) -> Floats:
    """Return one number per row, of one for all or one for each."""
    found = float_array(numbers, subject)
    if found.ndim == 0:
        return np.full(count, float(found))
    if found.shape != (count,):
        raise InvalidInputError(subject, f"be one number or have the shape ({count},)", found.shape)
    return found


def refusal(row: int, rule: int, columns: tuple[Any, ...]) -> InvalidInputError:
    """Return the error for a rule that a row breaks, with the number that breaks it.

    ``rule`` is that of :func:`weitzman.learn.learners.parts.kernels.learn_rows`, ``columns`` are boxes,
    contexts, values and costs.
    """
    names = ("box", "box", "context", "value", "cost")
    boxes, contexts, values, costs = columns
    got = (boxes, boxes, contexts, values, costs)[rule - 1][row]
    return InvalidInputError(f"The {names[rule - 1]} of row {row}", _RULES[rule], got)


def hash_of(state: Mapping[str, NDArray[np.generic]]) -> str:
    """Return a hash of the arrays of a state."""
    found = hashlib.sha256()
    for name, array in sorted(state.items()):
        found.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def name_list(names: Any, subject: str, rule: str) -> list[Hashable]:
    """Return names that can be keys, in their order: a text is one name, and a set has no order."""
    listed = isinstance(names, Sized) and not isinstance(names, str | bytes | Set)
    try:
        found: list[Hashable] = list(names) if listed else []
        set(found)
    except TypeError:
        listed = False
    if not listed:
        raise InvalidInputError(subject, rule, names)
    return found


def places_of(place: Mapping[Hashable, int], boxes: Sequence[Hashable]) -> Ints:
    """Return the places of the boxes of a round."""
    subject, rule = "The boxes of a round", "be distinct boxes of the searcher, at least one"
    names = name_list(boxes, subject, rule)
    unknown = [b for b in names if b not in place]
    if unknown or len(set(names)) < len(names) or not names:
        raise InvalidInputError(subject, rule, unknown or names)
    return np.array([place[b] for b in names], dtype=np.int64)


def value_in_hand(outside: float | None, sign: float) -> float:
    """Return what is in hand before anything is opened, where smaller is better; +∞ if it is nothing."""
    return math.inf if outside is None else sign * checked_outside(outside)


def check_new_boxes(player: Any, place: Mapping[Hashable, int], names: Sequence[Hashable]) -> None:
    """Refuse boxes that cannot join those that are there."""
    subject, rule = "The names of new boxes", "be a list of names, distinct and new"
    listed = name_list(names, subject, rule)
    if len(set(listed)) < len(listed) or any(name in place for name in listed):
        raise InvalidInputError(subject, rule, names)
    if not hasattr(player, "add_boxes"):
        rule = "be there from the start under this policy; a round may leave some out with boxes="
        raise InvalidInputError("The boxes", rule, f"{len(names)} more")
