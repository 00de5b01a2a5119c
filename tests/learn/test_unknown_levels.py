"""A text that is no level of its feature: nothing is known of it, which is said and learned as it is."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

import weitzman as wz

BOXES = ["north", "south"]
ROWS = [{"size": 1.0, "kind": "shop"}, {"size": 2.0, "kind": "market"}]
KNOWN = [{"size": 1.0, "kind": "shop"}, {"size": 2.0, "kind": None}]


def searcher() -> wz.Searcher:
    return wz.Searcher(
        boxes=BOXES, features={"size": None, "kind": ["shop", "dealer"]}, policy="no-context"
    )


WAYS: dict[str, Callable[[wz.Searcher, Any], Any]] = {
    "open": lambda s, rows: s.open(rows, 1.0),
    "explain": lambda s, rows: s.explain(rows, 1.0),
    "reservation values": lambda s, rows: s.reservation_values(rows, 1.0),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("given", [ROWS, pd.DataFrame(ROWS, index=BOXES), pl.DataFrame(ROWS)])
def test_an_unknown_level_is_named_at_the_line_that_brought_it(way: str, given: Any) -> None:
    sentence = r"^The level 'kind=market' is unknown: the box is taken to have none of the levels"
    with pytest.warns(wz.UnknownLevelWarning, match=sentence) as told:
        WAYS[way](searcher(), given)
    assert [w.filename for w in told] == [__file__]


@pytest.mark.parametrize("way", WAYS)
def test_levels_that_are_known_or_missing_are_nothing_to_warn_of(way: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WAYS[way](searcher(), KNOWN)
        WAYS[way](searcher(), [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])


def test_what_is_unknown_is_all_zeros() -> None:
    with pytest.warns(wz.UnknownLevelWarning):
        state = searcher().open(ROWS, 1.0).state()
    np.testing.assert_array_equal(state["contexts"], [[1.0, 1.0, 0.0], [2.0, 0.0, 0.0]])


def test_every_level_is_named_once_and_a_long_one_is_cut() -> None:
    made = wz.Searcher(boxes=3, features={"a": ["x"], "b": ["u"]}, policy="no-context")
    rows = [{"a": "y" * 500, "b": "maybe"}, {"a": "y" * 500, "b": "u"}, {"a": "z", "b": "x"}]
    with pytest.warns(wz.UnknownLevelWarning) as told:
        made.open(rows, 1.0)
    named = [str(w.message).split("'")[1] for w in told]
    assert named == [f"a={'y' * 80}", "a=z", "b=maybe", "b=x"]
