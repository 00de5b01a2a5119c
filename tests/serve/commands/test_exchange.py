"""Logs out and in, and learned states."""

import io
import json
import zlib
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

import weitzman as wz
from tests.serve.running import Running
from weitzman.logs.log import read_log


def _play(service: Running, path: str, rounds: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    for number in range(rounds):
        told = service.post(
            f"{path}/rounds",
            {"id": f"r{number:03d}", "contexts": rng.normal(size=(3, 2)).tolist(), "outside": 2.0},
        ).json()
        url = f"{path}/rounds/{told['round']}"
        while told["next"] is not None:
            told = service.post(f"{url}/values", {"values": {told["next"]: rng.normal()}}).json()
        service.post(f"{url}/close")


def _log_of(service: Running, path: str, folder: Path) -> Path:
    answer = service.get(f"{path}/log")
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    file = folder / "log.parquet"
    file.write_bytes(answer.content)
    return file


@pytest.mark.parametrize("sense", ["min", "max"])
def test_an_exported_log_is_read_back_and_replayed(
    service: Running, tmp_path: Path, sense: str
) -> None:
    path = service.problem(f"exported-{sense}", sense=sense)
    _play(service, path, 12)
    service.post(f"{path}/rounds", {"contexts": [[1, 1]] * 3})  # open: not in the log
    log = read_log(_log_of(service, path, tmp_path))
    assert len(log) == 12
    assert log.boxes == ["a", "b", "c"]
    report = service.get(f"{path}/report").json()
    assert log.opened is not None
    assert int(log.opened.sum()) == report["looks"]
    seen = log.values[~np.isnan(log.values)]
    assert len(seen) == sum(b["learned"] for b in report["boxes"])
    table = parquet.read_table(tmp_path / "log.parquet")
    first = service.get(f"{path}/rounds/r000").json()
    rows = {r["box"]: r for r in table.to_pylist() if r["round"] == "r000"}
    sign = 1.0 if sense == "min" else -1.0
    for box in first["boxes"]:
        row = rows[box["box"]]
        assert row["value"] == (None if box["value"] is None else sign * box["value"])
        assert [row["x_0"], row["x_1"]] == list(box["context"].values())
        assert row["opened"] == box["opened"]


def test_an_imported_log_is_lived_through(service: Running, tmp_path: Path) -> None:
    path = service.problem("source")
    _play(service, path, 15)
    file = _log_of(service, path, tmp_path)
    target = service.problem("target")
    kind = "application/vnd.apache.parquet"
    answer = service.post(f"{target}/log", file.read_bytes(), content_type=kind)
    assert answer.status_code == 200, answer.text
    assert answer.json()["rounds"] == 15
    policy = wz.Weitzman(wz.FTRL(intercept=False))
    searcher = wz.Searcher.from_log(read_log(file, shared=False), policy)
    contexts = [[0.3, 0.1], [0.2, -0.4], [1.0, 1.0]]
    told = service.post(f"{target}/rounds", {"contexts": contexts}).json()["reservation_values"]
    expected = searcher.reservation_values(np.array(contexts), 0.5)
    assert told == dict(zip(searcher.names, expected.tolist(), strict=True))
    assert service.get(f"{target}/report").json()["rounds_imported"] == 15
    assert wz.load(service.get(f"{target}/state").content).rounds == 16


def test_bad_logs_are_refused_by_column(service: Running) -> None:
    path = service.problem("bad-logs")

    def send(**columns: list[object]) -> dict[str, str]:
        good: dict[str, list[object]] = {
            "round": [1],
            "box": ["a"],
            "cost": [1.0],
            "value": [2.0],
            "x_0": [1.0],
            "x_1": [1.0],
        }
        table = pyarrow.table({n: c for n, c in {**good, **columns}.items() if c})
        sink = io.BytesIO()
        parquet.write_table(table, sink)
        kind = "application/vnd.apache.parquet"
        answer = service.post(f"{path}/log", sink.getvalue(), content_type=kind)
        assert 400 <= answer.status_code < 500, answer.text
        told: dict[str, str] = answer.json()
        return told

    assert send(x_1=[])["field"] == "x_1"
    assert send(box=["z"])["field"] == "box"
    assert "cost" in send(cost=[-1.0])["detail"]
    assert "gaps alone" in send(x_0=[None], x_1=[None])["detail"]
    assert "numbers" in send(x_0=["red"])["detail"]
    assert "value" in send(value=[1e60])["detail"]
    kind = "application/vnd.apache.parquet"
    assert service.post(f"{path}/log", b"nonsense", content_type=kind).status_code == 422
    assert service.get(f"{path}/report").json()["rounds_imported"] == 0


def test_a_learned_state_moves_to_another_problem(service: Running) -> None:
    path = service.problem("teacher")
    _play(service, path, 10)
    state = service.get(f"{path}/state").content
    again = wz.load(state)
    assert again.names == ["a", "b", "c"]
    assert again.rounds == 10
    other = service.problem("pupil")
    kind = "application/octet-stream"
    url = f"{other}/state"
    answer = service.http.put(url, content=state, headers={"content-type": kind})
    assert answer.status_code == 200, answer.text
    body = {"contexts": [[0.3, 0.1], [0.2, -0.4], [1.0, 1.0]]}
    told = [service.post(f"{p}/rounds", body).json()["reservation_values"] for p in (path, other)]
    assert told[0] == told[1]
    sigma = again.reservation_values(body["contexts"], 0.5)
    assert list(told[0].values()) == sigma.tolist()
    for bad in (b"", state[:-1], state[:100] + b"\0" + state[101:]):
        refused = service.http.put(url, content=bad, headers={"content-type": kind})
        assert refused.status_code == 422
    wide = service.problem("wide", boxes=["a", "b"])
    refused = service.http.put(f"{wide}/state", content=state, headers={"content-type": kind})
    assert refused.status_code == 409


def test_what_was_imported_is_what_a_searcher_learns(service: Running) -> None:
    path = service.problem("rows", boxes=["a", "b"], dimension=1, feedback="full")
    rng = np.random.default_rng(3)
    contexts, values = rng.normal(size=(20, 2, 1)), rng.normal(size=(20, 2))
    table = pyarrow.table(
        {
            "round": np.repeat(np.arange(20), 2),
            "box": ["a", "b"] * 20,
            "cost": np.full(40, 0.5),
            "value": values.ravel(),
            "x_0": contexts.ravel(),
        }
    )
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    kind = "application/vnd.apache.parquet"
    service.post(f"{path}/log", sink.getvalue(), content_type=kind)
    bank = wz.FTRL(explore="own", prior="agreed").start(boxes=2, dimension=1)
    for x, v in zip(contexts, values, strict=True):
        bank.update(np.arange(2), x, v, 0.5)
    told = service.post(f"{path}/rounds", {"contexts": [[0.5], [-1.0]], "costs": 0.5}).json()
    expected = bank.predict([[0.5], [-1.0]], 0.5, optimism=0.0)
    assert list(told["reservation_values"].values()) == expected.tolist()


def test_a_state_that_unfolds_to_too_much_is_refused_before_it_does(service: Running) -> None:
    path = service.problem("unfolds")
    before = service.get(f"{path}/state").content
    header = json.loads(before.partition(b"\n")[0])
    header |= {"version": 4, "arrays": [["points", "<f8", [10**10]]]}
    content = json.dumps(header).encode() + b"\n" + zlib.compress(bytes(10**6))
    kind = "application/octet-stream"
    headers = {"content-type": kind}
    answer = service.http.put(f"{path}/state", content=content, headers=headers)
    assert answer.status_code == 413, answer.text
    assert "unfolds to more than" in answer.json()["detail"]
    assert service.get(f"{path}/state").content == before
