"""Sixty ways to hand over a table wrongly: each is a sentence of subject, rule and value.

Nothing is learned. Labels that do not match, swapped axes, columns that are there twice, units, dates and
texts where numbers are due, gaps where none can be, boxes that nobody knows.
"""

import datetime
import math
import re
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

import weitzman as wz

BOXES = ["north", "south", "web"]
FEATURES: dict[str, Any] = {"size": None, "kind": ["shop", "dealer"], "new": bool}
ROWS: list[dict[str, Any]] = [
    {"size": 3.0, "kind": "shop", "new": True},
    {"size": 8.5, "kind": "dealer", "new": False},
    {"size": 4.0, "kind": "shop", "new": True},
]
COSTS = {"north": 3.0, "south": 2.0, "web": 0.2}
VALUES = {"north": 9.0, "south": 7.0, "web": 8.0}
NAN, HUGE = math.nan, 10**400
DAY = datetime.date(2024, 1, 1)
SENTENCE = re.compile(r"[A-Z].+ must .+\. Got .+\.", re.DOTALL)


def any_of(*things: Any) -> list[Any]:
    return list(things)


def table(**columns: Any) -> Any:
    return pd.DataFrame(ROWS, index=BOXES).assign(**columns)


def rows(**changed: Any) -> list[dict[str, Any]]:
    return [{**ROWS[0], **changed}, *ROWS[1:]]


def series(*values: Any, index: Any = None) -> Any:
    return pd.Series(values, index=BOXES if index is None else index)


CONTEXTS: dict[str, Any] = {
    "a label that is no box": table().rename(index={"web": "wob"}),
    "labels of another table": table().set_axis([7, 8, 9]),
    "rows that were sorted without labels": table().reset_index(drop=True).iloc[[2, 0, 1]],
    "a row too few": table().iloc[:2],
    "a row too many": pd.concat([table(), table().iloc[:1].rename(index={"north": "east"})]),
    "a row twice": pd.concat([table().iloc[:2], table().iloc[:1]]),
    "too few rows without labels": table().reset_index(drop=True).iloc[:2],
    "no rows": table().iloc[:0],
    "no columns": table()[[]],
    "an empty table": pd.DataFrame(),
    "swapped axes": table().T,
    "a column that is missing": table().drop(columns="size"),
    "a column that is misspelled": table().rename(columns={"size": "Size"}),
    "a column twice": pd.concat([table(), table()[["size"]]], axis=1),
    "columns without names": table().set_axis(range(3), axis=1),
    "two levels of labels": table().set_index("kind", append=True).assign(kind="shop"),
    "a date for a number": table(size=pd.Timestamp("2024-01-01")),
    "a day for a number": table(size=DAY),
    "a span of time for a number": table(size=pd.Timedelta(1, "D")),
    "a text for a number": table(size="3"),
    "a number with its unit": table(size="3 km"),
    "a number with a comma": table(size="3,5"),
    "a truth value for a number": table(size=True),
    "a list for a number": table(size=[[1.0]] * 3),
    "an infinite number": table(size=math.inf),
    "a huge number": table(size=1e60),
    "a huge whole number": rows(size=HUGE),
    "a complex number": rows(size=1j),
    "a row of gaps": [[NAN] * 5] * 3,
    "boxes of polars that are unknown": pl.DataFrame(ROWS).with_columns(
        box=pl.Series(["a", "b", "c"])
    ),
    "boxes of polars that come twice": pl.DataFrame(ROWS).with_columns(box=pl.Series(["web"] * 3)),
    "boxes of Arrow that are missing": pa.Table.from_pylist([{**r, "box": None} for r in ROWS]),
    "a lazy table": pl.DataFrame(ROWS).lazy(),
    "a row by name that lacks a feature": [{"size": 1.0, "kind": "shop"}, *ROWS[1:]],
    "names and numbers side by side": any_of([3.0, 1.0, 0.0, 0.0, 1.0], *ROWS[1:]),
    "a box by name that is unknown": dict(zip(["north", "south", "wob"], ROWS, strict=True)),
    "a box by name that is missing": dict(zip(BOXES[:2], ROWS[:2], strict=True)),
    "one row that lacks a feature": {"size": 3.0, "kind": "shop"},
    "names of boxes without rows": dict.fromkeys(BOXES, 3.0),
    "a text for a truth value": any_of({"size": 3.0, "kind": "shop", "new": "nein"}, *ROWS[1:]),
    "a number for a truth value": any_of({"size": 3.0, "kind": "shop", "new": 2}, *ROWS[1:]),
    "one row of numbers": [3.0, 1.0, 0.0, 0.0, 1.0],
    "numbers of another length": [[1.0, 2.0]] * 3,
    "a series": series(1.0, 2.0, 3.0),
    "a text": "north",
    "nothing": None,
}
PRICES: dict[str, Any] = {
    "a label that is no box": series(1.0, 2.0, 3.0, index=["north", "south", "wob"]),
    "labels that are no boxes": series(1.0, 2.0, 3.0, index=[5, 6, 7]),
    "a label twice": series(1.0, 2.0, 3.0, index=["north", "south", "south"]),
    "a label too few": series(1.0, 2.0, index=BOXES[:2]),
    "a gap": series(1.0, None, 3.0),
    "a gap that pandas marks": pd.Series([1, None, 3], index=BOXES, dtype="Int64"),
    "a negative number": series(1.0, -2.0, 3.0),
    "texts": series("1", "2", "3"),
    "texts with their unit": {**COSTS, "web": "0.2 $"},
    "days": series(DAY, DAY, DAY),
    "truth values": series(True, False, True),
    "a table": table()[["size"]],
    "a number too few": [1.0, 2.0],
    "a number too many of polars": pl.Series([1.0, 2.0, 3.0, 4.0]),
    "a box that is unknown": {**COSTS, "east": 1.0},
    "a huge whole number": {**COSTS, "web": HUGE},
    "an infinite number": {**COSTS, "web": math.inf},
    "nothing for a box": {**COSTS, "web": None},
}
VALUED: dict[str, Any] = {
    "labels that are no boxes": series(1.0, 2.0, 3.0, index=["a", "b", "c"]),
    "a label twice": series(1.0, 2.0, 3.0, index=["web", "web", "south"]),
    "a box that is unknown": {**VALUES, "east": 1.0},
    "texts": series("1", "2", "3"),
    "days": {"web": DAY},
    "a number too few": [1.0, 2.0],
    "a table": table()[["size"]],
    "an infinite number": {**VALUES, "web": math.inf},
    "better than is possible": {**VALUES, "south": -1.0},
}
FEATURED: dict[str, Any] = {
    "a text": "size",
    "a name twice": ["size", "size"],
    "a number": 3,
    "names that are none": [1, 2],
    "levels that are a text": {"kind": "shop"},
    "levels twice": {"kind": ["shop", "shop"]},
    "no levels": {"kind": []},
    "a kind of thing": {"day": datetime.date},
}
WAYS: list[tuple[str, str, Any]] = [
    *(("contexts", name, given) for name, given in CONTEXTS.items()),
    *(("costs", name, given) for name, given in PRICES.items()),
    *(("values", name, given) for name, given in VALUED.items()),
    *(("features", name, given) for name, given in FEATURED.items()),
]


def test_there_are_sixty_and_more() -> None:
    assert len(WAYS) >= 60


@pytest.mark.parametrize(("what", "name", "given"), WAYS, ids=[f"{w}-{n}" for w, n, _ in WAYS])
def test_a_wrong_way_is_a_sentence_and_nothing_is_learned(what: str, name: str, given: Any) -> None:
    searcher = wz.Searcher(
        boxes=BOXES, features=FEATURES, policy="no-context", feedback="full", least=0.0
    )
    search: Any = searcher.open(ROWS, COSTS, outside=20.0)
    for box in search:
        search.see(VALUES[str(box)])
    before = searcher.digest(), search.to_bytes()
    with pytest.raises(wz.InvalidInputError) as caught:
        match what:
            case "contexts":
                searcher.open(given, COSTS)
            case "costs":
                searcher.open(ROWS, given)
            case "values":
                search.close(given)
            case "features":
                wz.Searcher(boxes=BOXES, features=given)
    said = str(caught.value)
    assert SENTENCE.fullmatch(said), said
    assert (searcher.digest(), search.to_bytes()) == before
    # What is right is taken afterwards
    search.close(VALUES)
    assert searcher.digest() != before[0]
