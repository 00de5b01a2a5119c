"""What a caller hands over for a round, brought to rows and columns in order: by label, never by chance.

Contexts, costs and values may be arrays, lists, mappings by name of box, or tables and series of pandas,
polars or Arrow. Whatever has labels goes by them; what has none goes by position. Rows that are called by
name of feature, and columns of tables, need a searcher that knows its ``features``; text, truth values and
gaps in them become numbers as they do in logs (:mod:`weitzman.learn.features`).

A mapping that is one row by name of feature is the row of every box (:func:`is_one_row`). A table says which
box a row is for in a column ``box``, or by its index, if that is of names of boxes; an index that only counts
from 0 has no labels.
"""

import warnings
from collections.abc import Container, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from weitzman.errors import InvalidInputError, UnknownLevelWarning
from weitzman.learn.features import Encoding, is_gap
from weitzman.search.extras import need

Features = Sequence[str] | Mapping[str, Any] | Encoding

BOX = "box"
"""The column of a table that says which box a row is for."""


def given_rows(given: Any, encoding: Encoding | None, boxes: Sequence[Hashable]) -> Any:
    """Return contexts as something that is an array of one row per box, in the order of the boxes."""
    if given is None and encoding is not None and not encoding.features:
        return np.ones((len(boxes), 1))
    if is_table(given):
        given = table_rows(given, encoding, boxes)
    elif isinstance(given, Mapping) and encoding is not None and is_one_row(given, boxes):
        given = [given] * len(boxes)
    elif isinstance(given, Mapping):
        given = _in_order(given, boxes, "The contexts")
        if any(map(_is_cell, given)):
            rule = "be a row for each box, or one row by name of feature for all"
            raise InvalidInputError("The contexts by name of box", rule, given)
    if not isinstance(given, list | tuple) or not any(isinstance(row, Mapping) for row in given):
        return given
    if encoding is None:
        rule = "be rows of numbers, or the searcher be made with features=[…]"
        raise InvalidInputError("The contexts", rule, given[0])
    if not all(isinstance(row, Mapping) for row in given):
        raise InvalidInputError("The contexts", "all go by name of feature, or none", given)
    rows = encoding.rows(given)
    for level in encoding.unknown_levels(given):
        # At the line that opens the round
        warnings.warn(unknown_words(level), UnknownLevelWarning, stacklevel=4)
    return rows


def is_one_row(given: Mapping[Any, Any], boxes: Container[Hashable]) -> bool:
    """Whether a mapping is one row by name of feature, for every box, and not rows by name of box.

    Names that all are of boxes never make a row of features.

    >>> is_one_row({"size": 1.0, "kind": "shop"}, ["a", "b"])
    True
    >>> is_one_row({"a": [1.0], "b": [2.0]}, ["a", "b"])
    False
    """
    of_boxes = all(name in boxes for name in given)
    return not of_boxes and all(map(_is_cell, given.values()))


def _is_cell(given: Any) -> bool:
    return given is None or is_gap(given) or np.isscalar(given)


def unknown_words(level: str) -> str:
    """Return what is said of a level that a feature does not have."""
    return f"The level {level!r} is unknown: the box is taken to have none of the levels that are known."


def given_numbers(given: Any, boxes: Sequence[Hashable], subject: str) -> Any:
    """Return costs or values as a number, or as something with one number per box, in their order."""
    if is_table(given):
        raise InvalidInputError(
            subject, "be a series or a mapping, not a table", type(given).__name__
        )
    labels = _labels(given)
    if labels is not None:
        given = _by_label(labels, list(given), boxes, subject)
    elif is_series(given):
        given = given.to_numpy()
    if isinstance(given, Mapping):
        return _in_order(given, boxes, subject)
    return given


def given_values(given: Any) -> Any:
    """Return values of some boxes, or of all in their order: a series that has labels as a mapping."""
    if is_table(given):
        rule = "be a series or a mapping, not a table"
        raise InvalidInputError("The values of close", rule, type(given).__name__)
    labels = _labels(given)
    if labels is None:
        return given.to_numpy() if is_series(given) else given
    if len(set(labels)) < len(labels):
        raise InvalidInputError("The values of close by name of box", "name each box once", labels)
    return dict(zip(labels, given.tolist(), strict=True))


def is_table(given: Any) -> bool:
    """Whether something is a table with named columns."""
    lazy = hasattr(given, "collect")
    return lazy or (hasattr(given, "columns") and hasattr(given, "shape"))


def is_series(given: Any) -> bool:
    """Whether something is a column of a table."""
    return hasattr(given, "to_numpy") and not hasattr(given, "columns")


def _labels(given: Any) -> list[Hashable] | None:
    """Return the labels of an index that does not only count from 0; None if there are none."""
    index = getattr(given, "index", None)
    if index is None or callable(index) or not hasattr(index, "tolist"):
        return None
    labels: list[Hashable] = index.tolist()
    return None if labels == list(range(len(labels))) else labels


def table_rows(
    table: Any, encoding: Encoding | None, boxes: Sequence[Hashable]
) -> list[dict[str, Any]]:
    """Return the rows of a table by name of column, in the order of the boxes."""
    if hasattr(table, "collect"):
        raise InvalidInputError(
            "The contexts", "be a table that is there: collect() it", "a lazy one"
        )
    if encoding is None:
        rule = (
            "be rows of numbers, or the searcher be made with features=[…], to take columns by name"
        )
        raise InvalidInputError("The contexts", rule, f"a table with {list(table.columns)[:8]}")
    narwhals = need("Tables of pandas, polars and Arrow need narwhals", "lab", "narwhals")
    try:
        frame = narwhals.from_native(table, eager_only=True)
    except TypeError:
        rule = "be an array, rows by name, or a pandas, polars or Arrow table"
        raise InvalidInputError("The contexts", rule, type(table).__name__) from None
    except ValueError as error:
        raise InvalidInputError("The columns of the contexts", "be distinct", str(error)) from None
    columns = list(frame.columns)
    wanted = [encoding.found_in(feature, columns) for feature in encoding.features]
    rows = frame.select(wanted).rows(named=True)
    labels = frame[BOX].to_list() if BOX in columns and BOX not in wanted else _labels(table)
    if labels is None:
        return list(rows)
    return _in_order(_by_label(labels, rows, boxes, "The contexts"), boxes, "The contexts")


def _by_label(
    labels: Sequence[Hashable], things: Sequence[Any], boxes: Sequence[Hashable], subject: str
) -> dict[Hashable, Any]:
    """Return things by their labels, which are distinct."""
    found = dict(zip(labels, things, strict=True))
    if len(found) < len(labels):
        twice = next(x for k, x in enumerate(labels) if x in labels[:k])
        raise InvalidInputError(f"{subject} by name of box", "name each box once", twice)
    if not set(found) & set(boxes):
        rule = f"be labelled by the boxes {_few(boxes)}, or not at all"
        raise InvalidInputError(subject, rule, f"the labels {_few(labels)}")
    return found


def _in_order(given: Mapping[Any, Any], boxes: Sequence[Hashable], subject: str) -> list[Any]:
    """Return what a mapping has for each box of a round; it has nothing else."""
    for name in given:
        if name not in boxes:
            rule = f"name boxes of the round, {_few(boxes)}"
            raise InvalidInputError(f"{subject} by name of box", rule, name)
    for name in boxes:
        if name not in given:
            rule = "name every box of the round; boxes= says which are there"
            raise InvalidInputError(f"{subject} by name of box", rule, f"nothing for {name!r}")
    return [given[name] for name in boxes]


def _few(names: Sequence[Hashable]) -> str:
    shown = ", ".join(map(repr, names[:6]))
    return f"{shown}, …" if len(names) > 6 else shown
