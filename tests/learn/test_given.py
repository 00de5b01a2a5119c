"""Rounds that are handed over by label: every way gives the round that plain arrays in order give."""

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

import weitzman as wz
from weitzman.learn.features import Encoding
from weitzman.logs.log import read_log

# One text is a level that nobody named
pytestmark = pytest.mark.filterwarnings("ignore::weitzman.errors.UnknownLevelWarning")

BOXES = ["north", "south", "web"]
FEATURES = {"words": None, "task": ["code", "math"], "new": bool}
ROWS: list[dict[str, Any]] = [
    {"words": 3.0, "task": "code", "new": True},
    {"words": None, "task": "math", "new": False},
    {"words": 5.0, "task": "poem", "new": None},
]
PLAIN = [[3.0, 1, 0, 0, 1], [math.nan, 0, 1, 1, 0], [5.0, 0, 0, 0, 0]]
COSTS = [3.0, 2.0, 1.0]


def searcher() -> wz.Searcher:
    return wz.Searcher(boxes=BOXES, features=FEATURES, policy="no-context")


def in_pandas(order: list[int]) -> pd.DataFrame:
    return pd.DataFrame(ROWS, index=BOXES).iloc[order]


CONTEXTS: dict[str, Any] = {
    "rows": lambda order: ROWS,
    "by box": lambda order: {BOXES[k]: ROWS[k] for k in order},
    "numbers by box": lambda order: {BOXES[k]: PLAIN[k] for k in order},
    "pandas": in_pandas,
    "pandas with a column": lambda order: in_pandas(order).reset_index(names="box"),
    "columns in another order": lambda order: in_pandas(order)[["new", "words", "task"]],
    "columns as in a log": lambda order: in_pandas(order).add_prefix("x_"),
    "categories": lambda order: in_pandas(order).astype({"task": "category"}),
    "polars": lambda order: pl.from_pandas(in_pandas(order).reset_index(names="box")),
    "arrow": lambda order: pa.Table.from_pandas(in_pandas(order).reset_index(names="box")),
    "pandas without labels": lambda order: in_pandas([0, 1, 2]).reset_index(drop=True),
    "polars without labels": lambda order: pl.DataFrame(ROWS),
}
PRICES = {
    "list": lambda order: COSTS,
    "by box": lambda order: {BOXES[k]: COSTS[k] for k in order},
    "pandas": lambda order: pd.Series(COSTS, index=BOXES).iloc[order],
    "pandas without labels": lambda order: pd.Series(COSTS),
    "polars": lambda order: pl.Series(COSTS),
}


@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize("context", CONTEXTS)
def test_every_way_is_the_round_that_arrays_give(context: str, price: str) -> None:
    plain = searcher().open(np.array(PLAIN), np.array(COSTS)).state()
    for order in itertools.permutations(range(3)):
        given = CONTEXTS[context](list(order)), PRICES[price](list(order))  # type: ignore[no-untyped-call]
        state = searcher().open(*given).state()
        for name in ("contexts", "costs", "places"):
            np.testing.assert_array_equal(state[name], plain[name])


def test_some_boxes_of_a_table() -> None:
    table = in_pandas([2, 0])
    state = searcher().open(table, {"web": 1.0, "north": 3.0}, boxes=["north", "web"]).state()
    np.testing.assert_array_equal(state["contexts"], np.array(PLAIN)[[0, 2]])
    assert state["costs"].tolist() == [3.0, 1.0]
    assert state["places"].tolist() == [0, 2]


def test_boxes_that_are_numbers_go_by_label_too() -> None:
    made = wz.Searcher(boxes=3, features=["a"], policy="no-context")
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0]}).iloc[[2, 0, 1]]
    assert made.open(table, 1.0).state()["contexts"].tolist() == [[1.0], [2.0], [3.0]]


def test_values_of_the_end_go_by_label() -> None:
    outcomes = []
    ways: list[Any] = [
        {"web": 1.0, "north": 7.0, "south": 5.0},
        pd.Series({"web": 1.0, "north": 7.0, "south": 5.0}),
        [7.0, 5.0, 1.0],
        pl.Series([7.0, 5.0, 1.0]),
    ]
    for values in ways:
        made = wz.Searcher(boxes=BOXES, features=FEATURES, policy="mean", feedback="full")
        search = made.open(ROWS, COSTS)
        for box in search:
            search.see({"web": 1.0, "north": 7.0, "south": 5.0}[str(box)])
        search.close(values)
        outcomes.append(made.digest())
    assert len(set(outcomes)) == 1


def test_rows_by_name_are_those_of_the_log() -> None:
    table: dict[str, list[Any]] = {
        "round": [0, 0, 1, 1],
        "box": ["a", "b", "a", "b"],
        "cost": [1.0] * 4,
        "value": [2.0, 3.0, 4.0, 5.0],
        "x_words": [1.0, None, 3.0, 4.0],
        "x_task": ["code", "math", None, "code"],
        "x_new": [True, False, True, True],
    }
    log = read_log(pa.table(table), shared=False)
    made = wz.Searcher.from_log(log, "no-context")
    for t in range(2):
        rows = [{n: table[n][2 * t + k] for n in ("x_words", "x_task", "x_new")} for k in range(2)]
        for given in (rows, pd.DataFrame(rows), pl.DataFrame(rows)):
            np.testing.assert_array_equal(
                made.open(given, 1.0).state()["contexts"], log.contexts[t]
            )
    again = wz.load(made.to_bytes())
    assert again.encoding == made.encoding == log.encoding


def test_a_log_without_features_needs_no_contexts() -> None:
    columns = {"round": [0, 0, 1, 1], "box": list("abab"), "cost": [1.0] * 4, "value": [2.0] * 4}
    made = wz.Searcher.from_log(read_log(pa.table(columns), shared=False), "no-context")
    assert made.open(None, 1.0).state()["contexts"].tolist() == [[1.0], [1.0]]
    assert wz.load(made.to_bytes()).open(None, 1.0).state()["contexts"].tolist() == [[1.0], [1.0]]


def test_columns_say_what_their_features_are() -> None:
    names = ["size", "size?", "colour=red", "colour=blue", "colour?", "a=b=c", "=", "x?"]
    found = Encoding.of(names)
    assert found.columns == names
    assert [(f.name, f.levels, f.optional) for f in found.features] == [
        ("size", None, True),
        ("colour", ("red", "blue"), True),
        ("a", ("b=c",), False),
        ("=", None, False),
        ("x?", None, False),
    ]


def test_one_row_by_name_of_feature_is_the_row_of_every_box() -> None:
    made, row = searcher(), {"words": 3, "task": "code", "new": None, "note": "ignored"}
    for boxes in (None, ["web", "north"]):
        count = 3 if boxes is None else len(boxes)
        found = made.open(row, 1.0, boxes=boxes).state()["contexts"]
        np.testing.assert_array_equal(found, [[3.0, 1.0, 0.0, 0.0, 0.0]] * count)
    with pytest.raises(wz.InvalidInputError, match="The feature 'new' must be given"):
        made.open({"words": 3, "task": "code"}, 1.0)


def test_names_of_boxes_are_never_those_of_features() -> None:
    made = wz.Searcher(boxes=["words", "lines"], features=["words", "lines"], policy="no-context")
    by_box = {"lines": {"words": 3, "lines": 4}, "words": {"words": 1, "lines": 2}}
    assert made.open(by_box, 1.0).state()["contexts"].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    sentence = (
        "^The contexts by name of box must be a row for each box, or one row by name of feature"
    )
    with pytest.raises(wz.InvalidInputError, match=sentence):
        made.open({"words": 3, "lines": 4}, 1.0)
    assert made.rounds == 1
    # A feature may have the name of a box, where others tell what is meant
    made = wz.Searcher(boxes=["words", "web"], features=["words", "lines"], policy="no-context")
    found = made.open({"words": 3, "lines": 4}, 1.0).state()["contexts"]
    assert found.tolist() == [[3.0, 4.0]] * 2
