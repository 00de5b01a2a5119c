"""The cells of a column of a log: labels, numbers, truth values or levels.

What comes is any column of Arrow. What goes is an array of one number per row, in which NaN is a
missing cell and +∞ one that breaks the rule of its column; so no row is lost before it is counted.

A cell of text is a number if it looks like one: ``-1.5e3``, blanks around it allowed. A column of text
is a column of numbers if at least half of its cells are; any other text in it is then a slip of the
pen, not a level. Nothing here loops over rows in Python.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags, Floats, Ints
from weitzman.logs.table import MISSING

_NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
_WHOLE = r"^(0|-?[1-9][0-9]{0,17})$"
# A control character changes the terminal, and an unclosed quote swallows the lines below it
_UNPRINTABLE = r"\p{Cc}"


@dataclass(frozen=True)
class Labels:
    """The labels of rounds or boxes in the order in which they come first, and each row's place.

    A place is −1 where the label is missing, −2 where it cannot be printed.
    """

    places: Ints
    labels: NDArray[Any]


@dataclass(frozen=True)
class Levels:
    """The levels of a column of text in the order in which they come first, and each row's place."""

    places: Floats
    levels: tuple[str, ...]


def numbers_of(column: Any) -> Floats:
    """Return numbers; truth values and dates are none."""
    from pyarrow import types

    column = _decoded(column)
    kind = column.type
    if types.is_floating(kind) or types.is_integer(kind) or types.is_decimal(kind):
        return _floats(column)
    if _is_text(kind):
        # Piece by piece: a wrong cell slows down its piece only
        return np.concatenate([np.empty(0), *(_parsed(piece) for piece in column.chunks)])
    return np.where(column.is_null().to_numpy(), np.nan, np.inf)


def _parsed(texts: Any) -> Floats:
    """Return the numbers of texts."""
    import pyarrow as pa
    from pyarrow import compute

    try:
        return _floats(texts)
    except pa.ArrowInvalid:
        fits = compute.match_substring_regex(texts, _NUMBER)
        nothing = pa.scalar(None, texts.type)
        fine = compute.if_else(fits, compute.utf8_trim_whitespace(texts), nothing)
        wrong = compute.and_(compute.invert(fits), compute.invert(_is_missing(texts)))
        return np.where(_booleans(wrong), np.inf, _floats(fine))


def flags_of(column: Any) -> Floats:
    """Return 0 and 1 for false and true, however they are written."""
    from pyarrow import compute, types

    column = _decoded(column)
    if types.is_boolean(column.type):
        return _floats(column)
    if _is_text(column.type):
        column = compute.utf8_lower(compute.utf8_trim_whitespace(column))
        for word, digit in (("true", "1"), ("false", "0")):
            column = compute.if_else(compute.equal(column, word), digit, column)
    numbers = numbers_of(column)
    return np.where(np.isnan(numbers) | np.isin(numbers, (0.0, 1.0)), numbers, np.inf)


def labels_of(column: Any) -> Labels | None:
    """Return labels: whole numbers where all are, else text; None for lists and the like."""
    from pyarrow import compute, types

    column = _decoded(column)
    if types.is_nested(column.type) or types.is_binary(column.type):
        return None
    if types.is_floating(column.type):
        column = compute.if_else(compute.is_nan(column), None, column)
        whole = compute.and_(
            compute.is_finite(column), compute.equal(compute.floor(column), column)
        )
        column = column.cast("int64") if compute.all(whole).as_py() else column
    if not types.is_integer(column.type):
        column = column.cast("large_string")
    places, distinct = _coded(column)
    if types.is_integer(distinct.type):
        return Labels(places, distinct.to_numpy(zero_copy_only=False))
    # Texts that differ in blanks around them are one label
    again, labels = _coded(compute.utf8_trim_whitespace(distinct))
    marks = np.where(_booleans(compute.match_substring_regex(labels, _UNPRINTABLE)), -2, 0)
    marks[_booleans(_is_missing(labels))] = -1
    again = np.where(marks[again] < 0, marks[again], again)
    if compute.all(compute.match_substring_regex(labels, _WHOLE)).as_py():
        labels = labels.cast("int64")
    return Labels(_through(again, places), labels.to_numpy(zero_copy_only=False))


def feature_of(column: Any) -> Levels | Floats:
    """Return the levels of a column of text, categories or truth values, or else numbers.

    What can be neither, such as dates, is numbers, all of them wrong.
    """
    from pyarrow import types

    categories = types.is_dictionary(column.type) or types.is_boolean(column.type)
    column = _decoded(column)
    if not categories:
        numbers = numbers_of(column)
        if not _is_text(column.type) or 2 * np.isinf(numbers).sum() <= (~np.isnan(numbers)).sum():
            return numbers
    return _levels(column.cast("large_string"))


def _levels(texts: Any) -> Levels:
    from pyarrow import compute

    places, distinct = _coded(texts)
    trimmed = compute.utf8_trim_whitespace(distinct)
    lower = compute.utf8_lower(trimmed)
    # True, TRUE and true are one level, but only where there are no others
    truth = set(lower.to_pylist()) <= {"true", "false", *(word.lower() for word in MISSING)}
    again, levels = _coded(lower if truth else trimmed)
    missing = _booleans(_is_missing(levels))
    numbers = np.full(len(levels) + 1, np.nan)
    numbers[np.flatnonzero(~missing)] = np.arange((~missing).sum())
    unprintable = _booleans(compute.match_substring_regex(levels, _UNPRINTABLE))
    numbers[np.flatnonzero(unprintable)] = np.inf
    known = levels.take(np.flatnonzero(~missing))
    return Levels(numbers[_through(again, places)], tuple(known.to_pylist()))


def _decoded(column: Any) -> Any:
    """Return a chunked column without the coding of categories."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string()) if types.is_null(column.type) else column


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_missing(texts: Any) -> Any:
    import pyarrow as pa
    from pyarrow import compute

    words = pa.array([*MISSING, None], type=texts.type)
    return compute.is_in(compute.utf8_trim_whitespace(texts), value_set=words)


def _coded(column: Any) -> tuple[Ints, Any]:
    """Return each cell's place among the distinct ones, −1 for none, and those."""
    import pyarrow as pa

    # As one piece, or the dictionaries of all pieces would have to be joined
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    coded = whole.dictionary_encode()
    places = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return places.astype(np.int64), coded.dictionary


def _through(again: Ints | NDArray[Any], places: Ints) -> Ints:
    """Return the places of places; −1 stays."""
    return np.append(again, -1)[places].astype(np.int64)


def _floats(column: Any) -> Floats:
    import pyarrow as pa

    numbers = column.cast("float64", safe=False)
    if isinstance(numbers, pa.ChunkedArray):
        return np.asarray(numbers.to_numpy(), dtype=np.float64)
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


def _booleans(column: Any) -> Flags:
    return np.asarray(column.fill_null(False).to_numpy(zero_copy_only=False), dtype=np.bool_)
