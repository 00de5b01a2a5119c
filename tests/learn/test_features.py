"""Features: encoded as the names say, in their own units."""

import math

import numpy as np
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
