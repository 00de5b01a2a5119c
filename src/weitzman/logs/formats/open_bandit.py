"""The columns of the Open Bandit Dataset: ``item_id``, ``click``, ``propensity_score``, … [Saito 2021].

A row is one item that was shown: a look at one box. ``position`` and the columns ``user_feature_…`` are known
before, and ``user-item_affinity_K`` is a feature of item K. The value is 1 − click, a click that was lost.
"""

from pathlib import Path
from typing import Any

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.logs.formats.single import looks_of, looks_table, numbers, spread
from weitzman.logs.log import Log
from weitzman.logs.table import arrow_library, read_table

_NEEDED = ("item_id", "click", "propensity_score")
_AFFINITY = "user-item_affinity_"
_USER = "user_feature_"


def read_open_bandit(source: Any, *, cost: float = 0.0) -> Any:
    """Return the log of a table with these columns; others are not read."""
    table = read_table(
        source,
        lambda one: [n for n in one.names if n in (*_NEEDED, "position") or n.startswith((_USER, _AFFINITY))],
    )  # fmt: skip
    for name in _NEEDED:
        if name not in table.columns:
            raise table.wrong("", f"have the column {name!r}", list(table.names))
    labels = numbers(table, "item_id").astype(np.int64)
    own = {int(n.removeprefix(_AFFINITY)): n for n in table.columns if n.startswith(_AFFINITY)}
    items = sorted({*labels.tolist(), *own})
    place = {item: k for k, item in enumerate(items)}
    chosen = np.array([place[item] for item in labels.tolist()])
    count, n = len(labels), len(items)
    shared = [n for n in table.columns if n == "position" or n.startswith(_USER)]
    features: dict[str, Any] = {
        name: [x for x in table.columns[name].to_pylist() for _ in items] for name in shared
    }
    if own:
        affinity = np.full((count, n), np.nan)
        for item, name in own.items():
            affinity[:, place[item]] = numbers(table, name)
        features["affinity"] = affinity.ravel()
    return looks_table(
        rounds=range(count),
        boxes=[str(item) for item in items],
        chosen=chosen,
        values=1.0 - numbers(table, "click"),
        chances=spread(numbers(table, "propensity_score"), chosen, n),
        features=features,
        cost=cost,
    )


def write_open_bandit(log: Log, path: Path) -> None:
    """Write a log of single looks, whose values are 0 or 1, as CSV.

    Box names that are not whole numbers become the places of the boxes. Features that are the same for all
    boxes of a round are users', and one other may be the affinity.
    """
    looks = looks_of(log)
    clicks = 1.0 - log.values[np.arange(len(log)), looks.chosen]
    if not np.isin(clicks, (0.0, 1.0)).all():
        raise InvalidInputError("The values", "be 0 (a click) or 1 to be clicks", 1.0 - clicks)
    if np.isnan(log.costs).any():
        raise InvalidInputError("The log", "have all boxes in every round", log)
    same = (log.contexts == log.contexts[:, :1]).all(axis=(0, 1))
    if (~same).sum() > 1:
        names = [name for name, one in zip(log.features, same, strict=True) if not one]
        rule = "have at most one feature that differs between boxes"
        raise InvalidInputError("The log", rule, names)
    items = [int(b) if b.isdecimal() else k for k, b in enumerate(log.boxes)]
    if len(set(items)) < len(items):
        items = list(range(len(items)))
    columns: dict[str, Any] = {
        "item_id": np.array(items)[looks.chosen],
        "position": np.ones(len(log), dtype=np.int64),
        "click": clicks.astype(np.int64),
        "propensity_score": looks.chances,
    }
    for k, column in enumerate(np.flatnonzero(same)):
        columns[f"{_USER}{k}"] = log.contexts[:, 0, column]
    for column in np.flatnonzero(~same):
        for box, item in enumerate(items):
            columns[f"{_AFFINITY}{item}"] = log.contexts[:, box, column]
    arrow_library()
    from pyarrow import csv, table

    csv.write_csv(table(columns), path)
