"""A feature that is missing is null in the service, and what None is in a searcher with the same features."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.contracts.live import InProcess

FEATURES = ["size", "size?", "kind=shop", "kind=dealer"]
PROBLEM = {"name": "it", "boxes": ["a", "b"], "features": FEATURES, "cost": 1.0}


def _rounds() -> list[tuple[list[dict[str, Any]], list[float]]]:
    rng = np.random.default_rng(8)
    rounds = []
    for _ in range(40):
        sizes, kinds = rng.normal(size=2), rng.choice(["shop", "dealer", "other"], size=2)
        gaps = rng.uniform(size=2) < 0.4
        rows = [
            {"size": None if gap else float(size), "kind": str(kind)}
            for size, kind, gap in zip(sizes, kinds, gaps, strict=True)
        ]
        rounds.append((rows, [float(8.0 + 3.0 * size) for size in sizes]))
    return rounds


def _numbers(row: dict[str, Any]) -> list[float | None]:
    (encoded,) = wz.Searcher(boxes=["a"], features=FEATURES).open([row], 1.0).state()["contexts"]
    return [None if math.isnan(x) else x for x in encoded]


# A kind that is no level is one of the three here
@pytest.mark.filterwarnings("ignore::weitzman.UnknownLevelWarning")
@pytest.mark.parametrize("form", ["by name", "numbers"])
def test_gaps_decide_as_in_a_searcher_also_after_a_start(form: str, tmp_path: Path) -> None:
    searcher = wz.Searcher(boxes=["a", "b"], features=FEATURES, feedback="opened")
    rounds = _rounds()
    for begin, end in ((0, 25), (25, 40)):
        with InProcess.running(tmp_path / "events.db") as service:
            if begin == 0:
                service.send("/v1/problems", PROBLEM)
            for rows, values in rounds[begin:end]:
                search = searcher.open(rows, 1.0)
                given = rows if form == "by name" else [_numbers(row) for row in rows]
                reply = service.send("/v1/problems/it/rounds", {"contexts": given})
                name, box = reply["round"], reply["next"]
                for wanted in search:
                    assert box == wanted
                    value = values[searcher.names.index(wanted)]
                    search.see(value)
                    path = f"/v1/problems/it/rounds/{name}/values"
                    box = service.send(path, {"values": {wanted: value}})["next"]
                assert box is None
                search.close()
                service.send(f"/v1/problems/it/rounds/{name}/close", {})


def test_a_round_shows_its_gaps(tmp_path: Path) -> None:
    with InProcess.running(tmp_path / "events.db") as service:
        service.send("/v1/problems", PROBLEM)
        rows = [{"size": None, "kind": "shop"}, {"size": 2.0, "kind": "other"}]
        service.send("/v1/problems/it/rounds", {"id": "r", "contexts": rows})
        boxes = service.get("/v1/problems/it/rounds/r")["boxes"]
        shown = {box["box"]: box["context"] for box in boxes}
        assert shown["a"] == {"size": None, "size?": 1.0, "kind=shop": 1.0, "kind=dealer": 0.0}
        assert shown["b"] == {"size": 2.0, "size?": 0.0, "kind=shop": 0.0, "kind=dealer": 0.0}


@pytest.mark.parametrize(
    ("problem", "rows"),
    [
        ({"features": ["size"]}, [[None], [1.0]]),
        (
            {"features": ["size", "age"], "learner": "FTRL", "parameters": {"intercept": False}},
            [[1.0, None], [1.0, None]],
        ),
    ],
)
def test_what_no_model_can_see_is_refused(
    problem: dict[str, Any], rows: list[list[float | None]], tmp_path: Path
) -> None:
    with InProcess.running(tmp_path / "events.db") as service:
        service.send("/v1/problems", {**PROBLEM, **problem})
        status, content = service.ask("/v1/problems/it/rounds", {"contexts": rows})
        assert status == 422, content
        assert "contexts" in content.decode()
        assert not service.engine.state.problems["it"].rounds
