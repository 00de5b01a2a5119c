"""Texts that are no levels of a problem: named in the answer, counted in its health, kept in the journal."""

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.contracts.live import InProcess
from weitzman.ledger.bodies import Opened, decode
from weitzman.ledger.state.fold import digest
from weitzman.serve.commands.exchange import import_rounds
from weitzman.serve.commands.log_input import read_log
from weitzman.serve.messages.refusal import Refusal

FEATURES = ["size", "kind=shop", "kind=dealer"]
KNOWN = [{"size": 3.0, "kind": "shop"}, {"size": 8.0, "kind": None}]


def rows(*kinds: str) -> list[dict[str, Any]]:
    return [{"size": 3.0, "kind": kind} for kind in kinds]


def begin(service: InProcess) -> None:
    problem = {"name": "it", "boxes": ["a", "b"], "features": FEATURES, "cost": 1.0}
    service.send("/v1/problems", {**problem, "policy": "Simple", "parameters": {"rule": "single"}})


def health(service: InProcess) -> tuple[int, list[str]]:
    told = service.get("/v1/problems/it/diagnostics")
    return told["unknown_rounds"], told["unknown_levels"]


def test_unknown_levels_are_said_counted_and_kept(tmp_path: Path) -> None:
    with InProcess.running(tmp_path / "events.db") as service:
        begin(service)
        path = "/v1/problems/it/rounds"
        known = service.send(path, {"contexts": KNOWN})
        numbers = service.send(path, {"contexts": [[3.0, 0.0, 0.0], [1.0, 1.0, 0.0]]})
        assert known["unknown_levels"] == numbers["unknown_levels"] == []
        assert health(service) == (0, [])
        asked = {"id": "r1", "contexts": rows("market", "market")}
        told = service.send(path, asked)
        assert told["unknown_levels"] == ["kind=market"]
        # The same round, asked for again
        assert service.send(path, asked) == told
        by_name = {"b": {"size": 1.0, "kind": "stall"}, "a": {"size": 1.0, "kind": "market"}}
        assert service.send(path, {"contexts": by_name})["unknown_levels"] == [
            "kind=market",
            "kind=stall",
        ]
        assert health(service) == (2, ["kind=stall", "kind=market"])
        for k in range(30):
            service.send(path, {"contexts": rows("shop", f"new {k}")})
        count, newest = health(service)
        assert (count, len(newest), newest[0]) == (32, 20, "kind=new 29")
        before = digest(service.engine.state)
        bodies = [
            decode(e.kind, e.body)
            for e in service.engine.journal.read(until=service.engine.head.seq)
            if e.kind == "opened"
        ]
    opened = [body.unknown for body in bodies if isinstance(body, Opened)]
    assert opened[:4] == [[], [], ["kind=market"], ["kind=market", "kind=stall"]]
    # The journal says it all, and rounds without unknown levels are the bytes that they were
    with InProcess.running(tmp_path / "events.db") as service:
        assert digest(service.engine.state) == before
        assert health(service)[0] == 32
        first = next(
            e
            for e in service.engine.journal.read(until=service.engine.head.seq)
            if e.kind == "opened"
        )
        assert b"unknown" not in first.body


def test_an_import_says_what_it_does_not_know(tmp_path: Path) -> None:
    table = pa.table(
        {
            "round": [0, 0, 1, 1],
            "box": ["a", "b"] * 2,
            "cost": [1.0] * 4,
            "value": [2.0, 3.0, 1.0, 0.0],
            "x_size": [1.0, 2.0, 3.0, 4.0],
            "x_kind": ["shop", "market", "dealer", None],
        }
    )
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    with InProcess.running(tmp_path / "events.db") as service:
        begin(service)
        problem = service.engine.state.problems["it"]
        reply = import_rounds(service.engine, problem, read_log(problem, sink.getvalue()))
    assert (reply.rounds, reply.values, reply.unknown_levels) == (2, 4, ["kind=market"])


def parquet_of(new: list[Any]) -> bytes:
    count = len(new)
    table = pa.table(
        {
            "round": list(range(count)),
            "box": ["a"] * count,
            "cost": [1.0] * count,
            "value": [2.0] * count,
            "x_size": [3.0] * count,
            "x_new": new,
        }
    )
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def test_an_import_takes_truth_values_as_a_round_does(tmp_path: Path) -> None:
    features = ["size", "new=true", "new=false"]
    with InProcess.running(tmp_path / "events.db") as service:
        service.send(
            "/v1/problems", {"name": "it", "boxes": ["a"], "features": features, "cost": 1.0}
        )
        problem = service.engine.state.problems["it"]
        for new in ([True, False, None], [1, 0, None], [1.0, 0.0, None], ["TRUE", "False", None]):
            read = read_log(problem, parquet_of(new))
            rows = [past.contexts for past in read.rounds]
            assert rows == [[[3.0, 1.0, 0.0]], [[3.0, 0.0, 1.0]], [[3.0, 0.0, 0.0]]]
            assert read.unknown_levels == []
        for wrong in (["true", "nein"], [1, 2], ["yes", "no"]):
            with pytest.raises(Refusal, match=r"^The feature 'new' must be True or False") as told:
                read_log(problem, parquet_of(wrong))
            assert told.value.field == "x_new"
