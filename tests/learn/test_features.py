"""Features: encoded as the names say, in their own units."""

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest

import weitzman as wz
from weitzman.learn.features import Encoding, Feature

ENCODING = Encoding(
    features=(
        Feature(name="size", optional=True),
        Feature(name="colour", levels=("red", "blue"), optional=True),
        Feature(name="new", levels=("true", "false")),
    )
)


def test_records_become_rows() -> None:
    assert ENCODING.columns == [
        "size",
        "size?",
        "colour=red",
        "colour=blue",
        "colour?",
        "new=true",
        "new=false",
    ]
    assert ENCODING.numeric.tolist() == [True] + [False] * 6
    rows = ENCODING.rows(
        [
            {"size": 2, "colour": "blue", "new": True, "box": "a"},
            {"size": None, "colour": None, "new": np.bool_(False)},
            {"size": math.nan, "colour": "green", "new": "true"},
        ]
    )
    nan = math.nan
    expected = [[2, 0, 0, 1, 0, 1, 0], [nan, 1, 0, 0, 1, 0, 1], [nan, 1, 0, 0, 0, 1, 0]]
    np.testing.assert_array_equal(rows, expected)
    assert ENCODING.rows([]).shape == (0, 7)


def test_records_that_lack_a_feature_are_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match="feature 'new' must be given"):
        ENCODING.rows([{"size": 1.0, "colour": "red"}])
    with pytest.raises(wz.InvalidInputError, match="feature 'size' must be a finite number"):
        ENCODING.rows([{"size": "large", "colour": "red", "new": True}])


def test_a_text_where_numbers_are_expected_says_how_texts_are_named() -> None:
    searcher = wz.Searcher(boxes=["a"], features=["size", "kind"])
    sentence = r"^The feature 'kind' must .* features=\{'kind': \['book', …\], …\}\. Got 'book'\.$"
    with pytest.raises(wz.InvalidInputError, match=sentence):
        searcher.open([{"size": 1.0, "kind": "book"}], costs=1.0)


YES: list[Any] = [
    True,
    np.bool_(True),
    1,
    1.0,
    np.int64(1),
    np.float32(1.0),
    "true",
    "TRUE",
    " True ",
]
NO: list[Any] = [False, np.bool_(False), 0, 0.0, np.int8(0), np.float64(0.0), "false", "FALSE"]
GAPS: list[Any] = [None, math.nan, np.float32("nan"), pd.NA]
DESCRIBED: list[Any] = [
    {"ok": bool},
    {"ok": [False, True]},
    {"ok": ["False", "True"]},
    ["ok=false", "ok=true"],
]


@pytest.mark.parametrize("features", DESCRIBED)
def test_truth_values_are_taken_however_they_are_written(features: Any) -> None:
    searcher = wz.Searcher(boxes=1, features=features, policy="no-context")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given, row in ((YES, [0.0, 1.0]), (NO, [1.0, 0.0]), (GAPS, [0.0, 0.0])):
            for x in given:
                found = searcher.open([{"ok": x}], 1.0).state()["contexts"]
                np.testing.assert_array_equal(found, [row], err_msg=repr(x))


@pytest.mark.parametrize("given", ["yes", "nein", "1", "", 2, -1, 0.5, math.inf, [1], {}, 1 + 0j])
@pytest.mark.parametrize("features", DESCRIBED)
def test_what_is_no_truth_value_is_refused_and_changes_nothing(features: Any, given: Any) -> None:
    searcher = wz.Searcher(boxes=1, features=features)
    before = searcher.digest()
    sentence = r"^The feature 'ok' must be True or False, .*missing\. Got [^.]*(\.5)?\.$"
    with pytest.raises(wz.InvalidInputError, match=sentence):
        searcher.open([{"ok": given}], 1.0)
    assert (searcher.rounds, searcher.digest()) == (0, before)


def test_a_truth_value_that_a_log_never_had_is_unknown() -> None:
    encoding = Encoding.of(["ok=true"])
    assert encoding.unknown_levels([{"ok": 1}, {"ok": 0}, {"ok": False}]) == ["ok=false"]
    np.testing.assert_array_equal(encoding.rows([{"ok": 1}, {"ok": 0}]), [[1.0], [0.0]])


def test_levels_beside_true_and_false_make_a_text() -> None:
    encoding = Encoding.of({"ok": ["true", "false", "perhaps"]})
    assert encoding.unknown_levels([{"ok": "nein"}, {"ok": 1}]) == ["ok=nein", "ok=1"]
    np.testing.assert_array_equal(encoding.rows([{"ok": True}]), [[1.0, 0.0, 0.0]])
