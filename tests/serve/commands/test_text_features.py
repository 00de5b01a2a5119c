"""Texts and truth values of a round in the service are what they are in a searcher with the same features."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.contracts.live import InProcess

# One text is a level that nobody named
pytestmark = pytest.mark.filterwarnings("ignore::weitzman.errors.UnknownLevelWarning")

FEATURES = ["size", "kind=shop", "kind=dealer", "new=false", "new=true"]
ROWS: list[dict[str, Any]] = [
    {"size": 3.0, "kind": "shop", "new": True},
    {"size": 8.0, "kind": "dealer", "new": False},
    {"size": 1.0, "kind": "other", "new": True},
]


def test_rows_by_name_are_those_of_a_searcher(tmp_path: Path) -> None:
    searcher = wz.Searcher(boxes=["a", "b", "c"], features=FEATURES)
    expected = searcher.open(ROWS, 1.0).state()["contexts"]
    with InProcess.running(tmp_path / "events.db") as service:
        problem = {"name": "it", "boxes": ["a", "b", "c"], "features": FEATURES, "cost": 1.0}
        service.send("/v1/problems", problem)
        by_column = [dict(zip(FEATURES, row, strict=True)) for row in expected.tolist()]
        ways: list[Any] = [
            ROWS,
            dict(zip("cba", reversed(ROWS), strict=True)),
            by_column,
            [{f"x_{name}": given for name, given in row.items()} for row in ROWS],
            [{f"x_{name}": given for name, given in row.items()} for row in by_column],
            expected.tolist(),
            [{**row, "new": int(row["new"])} for row in ROWS],
            [{**row, "new": str(row["new"])} for row in ROWS],
        ]
        for k, given in enumerate(ways):
            service.send("/v1/problems/it/rounds", {"id": f"r{k}", "contexts": given})
            (opened,) = (
                r for n, r in service.engine.state.problems["it"].rounds.items() if n == f"r{k}"
            )
            np.testing.assert_array_equal(opened.given.contexts, expected)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"size": "3", "kind": "shop", "new": True}, "The feature 'size' must be a finite number"),
        ({"size": True, "kind": "shop", "new": True}, "The feature 'size' must be a finite number"),
        ({"size": 3.0, "kind": "shop"}, "The feature 'new' is missing."),
        (
            {"size": 3.0, "kind": "shop", "nwe": True},
            "is missing. The problem has no feature 'nwe'.",
        ),
        ({"size": 3.0, "kind": "shop", "new": True, "old": 1.0}, "no feature 'old'"),
        ({"size": 3.0, "kind": "shop", "new": "ja"}, "The feature 'new' must be True or False"),
        ({"size": 3.0, "kind": "shop", "new": 2}, "The feature 'new' must be True or False"),
        ({**dict.fromkeys(FEATURES, 1.0), "size": "x"}, "The feature 'size' must be a finite"),
    ],
)
def test_rows_that_are_none_are_refused(row: dict[str, Any], said: str, tmp_path: Path) -> None:
    with InProcess.running(tmp_path / "events.db") as service:
        service.send(
            "/v1/problems", {"name": "it", "boxes": ["a"], "features": FEATURES, "cost": 1.0}
        )
        status, content = service.ask("/v1/problems/it/rounds", {"contexts": [row]})
        assert status == 422 or status == 400
        assert said in content.decode()
        assert not service.engine.state.problems["it"].rounds
