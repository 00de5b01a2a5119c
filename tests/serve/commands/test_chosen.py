"""Feedback ``chosen`` and ``total`` in the service: as in memory, after a kill, and in the log."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.serve.running import Running, running
from weitzman.logs.log import read_log
from weitzman.serve.client import Client, RefusedError

BOXES = ["a", "b", "c", "d"]
COSTS = [0.2, 0.4, 0.1, 0.3]
DECIDES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "usual": ({"feedback": "chosen"}, {}),
    "law": (
        {"feedback": "chosen", "learner": "OptimisticLaw", "sense": "max"},
        {"learner": wz.OptimisticLaw()},
    ),
    "total": ({"feedback": "total"}, {}),
    "horizon": (
        {"feedback": "total", "policy": "ExploreThenCommit", "parameters": {"horizon": 20}},
        {"policy": wz.ExploreThenCommit(horizon=20)},
    ),
}


def _rounds(count: int, seed: int = 2) -> Iterator[tuple[list[list[float]], dict[str, float]]]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        contexts = rng.normal(size=(4, 2))
        values = contexts[:, 0] + [1.0, 0.5, 2.0, 1.5] + 0.3 * rng.normal(size=4)
        yield contexts.tolist(), dict(zip(BOXES, values.tolist(), strict=True))


@pytest.mark.parametrize("name", DECIDES)
def test_the_service_learns_what_a_searcher_learns_also_after_a_kill(
    name: str, tmp_path: Path
) -> None:
    settings, given = DECIDES[name]
    outside = 1.0 if settings.get("sense") != "max" else 0.5
    own: dict[str, Any] = {"feedback": settings["feedback"], "sense": settings.get("sense", "min")}
    if name == "usual":
        given = {"policy": wz.Weitzman(wz.FTRL())}
    searcher = wz.Searcher(boxes=BOXES, dimension=2, **own, **given)
    place = tmp_path / "journal.db"
    kept: dict[str, Any] = {}
    looks = 0
    with running(place) as service, Client(f"http://127.0.0.1:{service.port}") as client:
        problem = client.create_problem(name=name, boxes=BOXES, dimension=2, **settings)
        for contexts, values in _rounds(30):
            live = searcher.open(contexts, COSTS, outside=outside)
            remote = problem.open(contexts, COSTS, outside=outside)
            for box in live:
                live.see(values[str(box)])
            for box in remote:
                remote.see(values[box])
            outcome = live.close()
            assert remote.close().opened == list(outcome.opened)
            kept[remote.round_id] = outcome.kept
            looks += len(outcome.opened)
        before = service.get(f"/v1/problems/{name}/state").content
        service.kill()
    with running(place) as service:
        after = service.get(f"/v1/problems/{name}/state").content
        content = service.get(f"/v1/problems/{name}/log").content
    assert before == after
    assert wz.load(after).digest() == searcher.digest()
    path = tmp_path / "log.parquet"
    path.write_bytes(content)
    log = read_log(path)
    assert log.opened is not None
    assert int(log.opened.sum()) == looks > 30
    for t, number in enumerate(log.rounds):
        shown = [BOXES[k] for k in np.flatnonzero(~np.isnan(log.values[t]))]
        assert shown == ([] if settings["feedback"] == "total" else list(kept[str(number)]))


@pytest.mark.parametrize(
    ("settings", "field", "what"),
    [
        ({"feedback": "chosen", "policy": "default"}, "policy", "be 'full' or 'opened'"),
        ({"feedback": "total", "policy": "SkiRental"}, "policy", "ExploreThenCommit"),
        ({"feedback": "chosen", "learner": "Ridge"}, "learner", "FTRL, LinearisedFTRL"),
        ({"feedback": "total", "learner": "FTRL"}, "learner", "ExploreThenCommit"),
        (
            {"feedback": "chosen", "explore": 0.1},
            "explore",
            "no exploration under feedback 'chosen'",
        ),
        ({"feedback": "chosen", "shadow": True}, "shadow", "no shadow under feedback 'chosen'"),
    ],
    ids=str,
)
def test_what_cannot_be_combined_is_refused(
    service: Running, settings: dict[str, Any], field: str, what: str
) -> None:
    with Client(f"http://127.0.0.1:{service.port}") as client:
        with pytest.raises(RefusedError, match=what) as refused:
            client.create_problem(name="refused", boxes=BOXES, dimension=2, **settings)
        assert refused.value.field == field


def test_a_log_is_no_way_to_learn_from_kept_values(service: Running) -> None:
    path = service.problem("kept-only", feedback="chosen")
    kind = {"content-type": "application/vnd.apache.parquet"}
    refused = service.http.post(f"{path}/log", content=b"", headers=kind)
    assert refused.status_code == 422
    assert "does not say how boxes were searched" in refused.json()["detail"]
