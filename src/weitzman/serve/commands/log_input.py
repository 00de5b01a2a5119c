"""A log that is imported: its rows become rounds with the boxes and features of a problem.

A feature is read from the column ``x_<name>``, or from one for each of its levels, ``x_<name>=<level>``, as
the service exports them. In a log smaller values are better.
"""

import io
import math
from typing import Any, NamedTuple

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.feedback import BOUNDED
from weitzman.learn.features import PREFIX, Encoding, Feature
from weitzman.ledger.bodies import PastRound
from weitzman.ledger.state.problem import Problem
from weitzman.logs.rows import Roles, Rows, checked_rows
from weitzman.logs.table import read_table
from weitzman.serve.messages.refusal import Refusal, from_input_error

_MAYBE = ("outside", "paid")


class ReadRounds(NamedTuple):
    """The rounds of a log, and texts in it that are no levels of the problem's features."""

    rounds: list[PastRound]
    unknown_levels: list[str]


def read_log(problem: Problem, content: bytes) -> ReadRounds:
    """Return the rounds of a Parquet file in which a value is known, in the problem's own direction."""
    import pyarrow
    from pyarrow import parquet

    if problem.settings.feedback in BOUNDED:
        text = "A log is learned under feedback 'full' or 'opened': it does not say how boxes were searched."
        raise Refusal("invalid", text)
    try:
        table = parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, OSError) as error:
        raise Refusal("invalid", f"The body is no whole Parquet file: {error}.") from None
    features = Encoding.of(problem.settings.features).features
    columns = {feature.name: _columns(feature, table.column_names) for feature in features}
    for name in ("round", "box", "cost", "value"):
        if name not in table.column_names:
            raise Refusal("invalid", f"The log has no column {name!r}.", name)
    outside, paid = (name if name in table.column_names else None for name in _MAYBE)
    roles = Roles(
        round="round",
        box="box",
        cost="cost",
        value="value",
        outside=outside,
        opened=None,
        paid=paid,
        features=tuple(column for found in columns.values() for column in found),
    )
    try:
        read = read_table(table, lambda _: roles.columns)
        rows = checked_rows(read, roles, skip_bad=False)
    except InvalidInputError as error:
        raise from_input_error(error) from None
    unknown: list[str] = []
    blocks = [_block(feature, columns[feature.name], rows, unknown) for feature in features]
    return ReadRounds(_past_rounds(problem, rows, np.concatenate(blocks, axis=1)), unknown)


def _columns(feature: Feature, names: list[str]) -> list[str]:
    """Return the columns that a feature is read from: its own, or one of each of its numbers."""
    own = f"{PREFIX}{feature.name.removeprefix(PREFIX)}"
    if own in names:
        return [own]
    each = [f"{PREFIX}{column.removeprefix(PREFIX)}" for column in feature.columns]
    for column in each:
        if column not in names:
            missing = own if feature.levels is None else column
            raise Refusal("invalid", f"The log has no column {missing!r}.", missing)
    return each


def _block(feature: Feature, columns: list[str], rows: Rows, unknown: list[str]) -> Floats:
    """Return the numbers of a feature, one row for each row of the log; the unknown is added to the list."""
    place = {read.name: k for k, read in enumerate(rows.encoding.features)}
    found = [(rows.encoding.features[place[c]], rows.cells[place[c]]) for c in columns]
    is_own = columns == [f"{PREFIX}{feature.name.removeprefix(PREFIX)}"]
    levels = feature.levels if is_own else None
    for read, _ in found:
        if (read.levels is None) != (levels is None) and not (is_own and feature.is_truth):
            kind = "numbers" if levels is None else "levels"
            text = f"The column {read.name!r} must be of {kind}, as the feature of the problem is."
            raise Refusal("invalid", text, read.name)
    if not is_own:
        return np.column_stack([cells for _, cells in found])
    read, cells = found[0]
    return feature.encode(cells if levels is None else _of_levels(feature, read, cells, unknown))


def _of_levels(feature: Feature, read: Feature, cells: Floats, unknown: list[str]) -> Floats:
    """Return cells in the levels of the problem; one that it does not know is none of its own."""
    distinct, places = np.unique(cells, return_inverse=True)
    given = distinct.tolist()
    if read.levels is not None:
        given = [x if math.isnan(x) else read.levels[int(x)] for x in given]
    try:
        unknown += Encoding(features=(feature,)).unknown_levels([{feature.name: x} for x in given])
        known = np.array([feature.cell(x) for x in given], dtype=np.float64)
    except InvalidInputError as error:
        raise from_input_error(error, read.name) from None
    return known[places]


def _past_rounds(problem: Problem, rows: Rows, contexts: Floats) -> list[PastRound]:
    names = [str(name) for name in rows.boxes.labels]
    for name in names:
        if name not in problem.place:
            raise Refusal("unknown", f"The problem has no box {name!r}.", "box")
    if np.isnan(contexts).all(axis=1).any():
        raise Refusal("invalid", "Expected a feature in every row, not gaps alone.")
    places = np.array([problem.place[name] for name in names])[rows.boxes.places]
    # As a replay has it: a box whose value is not known is no part of its round
    known = np.flatnonzero(~np.isnan(rows.values))
    order = known[np.lexsort((places[known], rows.rounds.places[known]))]
    ends = np.flatnonzero(np.diff(rows.rounds.places[order])) + 1
    parts = np.split(order, ends) if order.size else []
    return [_past(problem, rows, contexts, places, part) for part in parts]


def _past(problem: Problem, rows: Rows, contexts: Floats, places: Any, part: Any) -> PastRound:
    outside = math.nan if rows.outside is None else float(rows.outside[part[0]])
    there = places[part].tolist()
    costs, paid = rows.costs[part], None
    if rows.paid is not None:
        # What was expected stands in where it is not known
        paid = np.where(np.isnan(rows.paid[part]), costs, rows.paid[part]).tolist()
    return PastRound(
        contexts=[[None if math.isnan(x) else x for x in row] for row in contexts[part].tolist()],
        costs=costs.tolist(),
        values=(problem.sign * rows.values[part]).tolist(),
        outside=None if math.isnan(outside) else problem.sign * outside,
        places=None if there == list(range(len(problem.place))) else there,
        paid=paid,
    )
