"""Single looks: a row per round, with the box that was opened, what it held, and its chance.

Whoever writes such a log says nothing of what a look costs: it is the same number for all boxes. A row says
the chance of one box only. If all rows say 1/n, with n boxes, the box was drawn evenly and the others had
the same chance; otherwise theirs are not known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.learn.features import PREFIX
from weitzman.logs.log import Log
from weitzman.logs.table import Table, arrow_library, read_table
from weitzman.search.numbers import finite_number

_EVEN = 1e-9


def looks_table(
    *,
    rounds: Sequence[Any],
    boxes: Sequence[str],
    chosen: Ints,
    values: Floats,
    chances: Floats,
    features: Mapping[str, Sequence[Any]],
    cost: float,
) -> Any:
    """Return the table of a log: a row per round and box, of which one was opened.

    ``chances`` are those of all boxes, (T, n), NaN where not known; ``features`` have T·n cells, in rounds.
    """
    count, n = chances.shape
    price = finite_number(cost, "The cost of a look", "be a finite number >= 0")
    if price < 0.0:
        raise InvalidInputError("The cost of a look", "be a finite number >= 0", cost)
    opened = np.zeros((count, n), dtype=np.bool_)
    opened[np.arange(count), chosen] = True
    found = np.where(opened, values[:, np.newaxis], np.nan).ravel()
    columns = {
        "round": [label for label in rounds for _ in range(n)],
        "box": list(boxes) * count,
        "cost": np.full(count * n, price),
        "value": arrow_library().array(found, mask=np.isnan(found)),
        "opened": opened.ravel(),
        "chance": arrow_library().array(chances.ravel(), mask=np.isnan(chances.ravel())),
    }
    named = {f"{PREFIX}{name.removeprefix(PREFIX)}": cells for name, cells in features.items()}
    return arrow_library().table({**columns, **named})


def read_single(
    source: Any,
    *,
    action: str = "action",
    value: str = "value",
    chance: str = "chance",
    features: Sequence[str] | None = None,
    reward: bool = False,
    cost: float = 0.0,
) -> Any:
    """Return the log of a table with a row per round, whose columns have these names.

    ``features`` are the columns that were known before, all others if None. With ``reward`` larger values are
    better, and are turned.
    """
    table = read_table(source, lambda one: one.names)
    for role, column in (("action", action), ("value", value), ("chance", chance)):
        if column not in table.names:
            raise table.wrong(
                f": the column of the {role}", f"be one of {list(table.names)}", column
            )
    free = [name for name in table.names if name not in (action, value, chance)]
    wanted = free if features is None else list(features)
    for name in wanted:
        if name not in free:
            raise table.wrong(": the column of a feature", f"be one of {free}", name)
    labels = [str(x) for x in table.columns[action].to_pylist()]
    boxes = sorted(set(labels), key=lambda x: (len(x), x))
    place = {name: k for k, name in enumerate(boxes)}
    sign = -1.0 if reward else 1.0
    chosen = np.array([place[name] for name in labels])
    return looks_table(
        rounds=range(len(labels)),
        boxes=boxes,
        chosen=chosen,
        values=sign * numbers(table, value),
        chances=spread(numbers(table, chance), chosen, len(boxes)),
        features={
            name: [x for x in table.columns[name].to_pylist() for _ in boxes] for name in wanted
        },
        cost=cost,
    )


def numbers(table: Table, column: str) -> Floats:
    """Return a column of numbers."""
    found = np.empty(len(table.columns[column]))
    for k, cell in enumerate(table.columns[column].to_pylist()):
        try:
            found[k] = float(cell)
        except (TypeError, ValueError):
            place = f", row {table.row(k)}, column {column!r}: the cell"
            raise table.wrong(place, "be a number", cell) from None
    return found


def spread(chances: Floats, chosen: Ints, count: int) -> Floats:
    """Return the chances of all boxes, (T, n), from those of the boxes that were opened.

    >>> spread(np.array([0.5, 0.5]), np.array([0, 1]), 2)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    every = np.full((len(chances), count), np.nan)
    if (np.abs(chances * count - 1.0) < _EVEN).all():
        every[:] = 1.0 / count
    every[np.arange(len(chances)), chosen] = chances
    return every


@dataclass(frozen=True, kw_only=True, eq=False)
class Looks:
    """The single looks of a log: the box that was opened, its chance, and what was paid with it, (T,)."""

    chosen: Ints
    chances: Floats
    totals: Floats


def looks_of(log: Log) -> Looks:
    """Return the single looks of a log, which is refused if it has other rounds."""
    if log.opened is None or log.chances is None:
        raise InvalidInputError("The log", "say what was opened, with which chance", log)
    if (log.opened.sum(axis=1) != 1).any():
        bad = int(np.flatnonzero(log.opened.sum(axis=1) != 1)[0])
        rule = "have one opened box in every round, to be written as single looks"
        raise InvalidInputError(
            "The log", rule, f"{log.opened[bad].sum()} in round {log.rounds[bad]}"
        )
    chosen, every = log.opened.argmax(axis=1), np.arange(len(log))
    values = log.values[every, chosen]
    if np.isnan(values).any():
        bad = int(np.flatnonzero(np.isnan(values))[0])
        rule = "have a value of every opened box"
        raise InvalidInputError("The log", rule, f"none in round {log.rounds[bad]}")
    prices = log.costs if log.paid is None else np.where(np.isnan(log.paid), log.costs, log.paid)
    return Looks(
        chosen=chosen,
        chances=log.chances[every, chosen],
        totals=values + prices[every, chosen],
    )
