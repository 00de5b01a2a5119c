"""Texts and truth values of a round in the service are what they are in a searcher with the same features."""

import json
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
        ({"size": 3.0}, "The features 'kind' and 'new' are missing."),
        ({"old": 1.0}, "The features 'size', 'kind' and 'new' are missing. The problem has no"),
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


def test_one_row_by_name_of_feature_is_the_row_of_every_box(tmp_path: Path) -> None:
    row: dict[str, Any] = {"size": 3, "kind": "shop", "new": True}
    prefixed = {f"x_{name}": given for name, given in row.items()}
    by_column = dict(zip(FEATURES, [3, 1, 0, 0, 1], strict=True))
    with InProcess.running(tmp_path / "events.db") as service:
        problem = {"name": "it", "boxes": ["a", "b", "c"], "features": FEATURES, "cost": 1.0}
        service.send("/v1/problems", problem)
        for k, given in enumerate((row, prefixed, by_column)):
            service.send("/v1/problems/it/rounds", {"id": f"r{k}", "contexts": given})
            some = {"id": f"s{k}", "contexts": given, "boxes": ["c", "a"]}
            service.send("/v1/problems/it/rounds", some)
            rounds = dict(service.engine.state.problems["it"].rounds.items())
            for name, count in ((f"r{k}", 3), (f"s{k}", 2)):
                found = rounds[name].given.contexts
                np.testing.assert_array_equal(found, [[3.0, 1.0, 0.0, 0.0, 1.0]] * count)
        told = service.send("/v1/problems/it/rounds", {"contexts": {**row, "kind": "market"}})
        assert told["unknown_levels"] == ["kind=market"]


@pytest.mark.parametrize(
    ("contexts", "field", "said"),
    [
        ({"size": 3, "kind": "shop"}, "contexts", "The feature 'new' is missing."),
        ({"size": "x", "kind": "shop", "new": 1}, "contexts", "'size' must be a finite number"),
        ({"a": 1, "b": 2}, "contexts.a", "Expected a row for the box 'a', or one row by name of"),
        ({"a": [3, 1, 0, 0, 1], "size": 3}, "boxes", "The problem has no box 'size'."),
        ({"a": [3, 1, 0, 0, 1], "b": 3}, "contexts.b", "Expected a row for the box 'b', or one"),
    ],
)
def test_mappings_that_are_no_rows_are_refused(
    contexts: dict[str, Any], field: str, said: str, tmp_path: Path
) -> None:
    with InProcess.running(tmp_path / "events.db") as service:
        boxes = ["a", "b", "c"]
        problem = {"name": "it", "boxes": boxes, "features": FEATURES, "cost": 1.0}
        service.send("/v1/problems", problem)
        _, content = service.ask("/v1/problems/it/rounds", {"contexts": contexts})
        told = json.loads(content)
        assert (told["status"], told["field"]) in ((422, field), (404, field))
        assert said in told["detail"]
        assert not service.engine.state.problems["it"].rounds
