"""Looking back: windows, the table by option, lists with filters and pages."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.contracts.live import InProcess, named_log, served, two_valued_log
from tests.serve.running import Running
from weitzman.feedback import Feedback
from weitzman.learn.storage.registry import named_policy
from weitzman.ledger.bodies import Closed, Created, Opened, Seen, encode
from weitzman.ledger.event import Draft
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.replays.behaviour import behaviour_of
from weitzman.serve.engine import histories


def _play(service: Running, path: str, rounds: int, seed: int = 0, **settings: Any) -> None:
    rng = np.random.default_rng(seed)
    for number in range(rounds):
        body = {"id": f"r{number:03d}", "contexts": rng.normal(size=(3, 2)).tolist(), **settings}
        told = service.post(f"{path}/rounds", body).json()
        url = f"{path}/rounds/{told['round']}"
        while told["next"] is not None:
            told = service.post(f"{url}/values", {"values": {told["next"]: rng.normal()}}).json()
        service.post(f"{url}/close")


def _told(service: Running, path: str) -> Any:
    answer = service.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("feedback", ["opened", "full"])
@pytest.mark.parametrize("log", [named_log(), two_valued_log()], ids=["named", "two values"])
def test_the_table_of_live_rounds_is_the_table_of_their_replay(
    log: wz.Log, feedback: Feedback, tmp_path: Path
) -> None:
    with InProcess.running(tmp_path / "events.db") as service:
        served("it", named_policy("FTRL", shared=False), log, feedback, service.send)
        told = service.get("/v1/problems/it/window")
    behaviour, _ = behaviour_of(log, "FTRL", feedback)
    wanted = [
        {
            "box": o.name,
            "first": o.first,
            "checked": o.checked,
            "kept": o.kept,
            "paid": o.paid,
            "value": None if np.isnan(o.value) else o.value,
        }
        for o in behaviour.options()
    ]
    assert told["rounds"] == len(behaviour.looks)
    assert told["options"] == wanted


def test_all_rounds_as_a_window_are_those_of_the_report(service: Running) -> None:
    path = service.problem("whole")
    _play(service, path, 30, outside=0.3)
    report, window = _told(service, f"{path}/report"), _told(service, f"{path}/window")
    assert (window["rounds"], window["share_read"], window["left_out"]) == (30, 1.0, 0)
    for name, value in report.items():
        if name not in ("means", "boxes", "curve") and "fixed" not in name:
            assert window["report"][name] == pytest.approx(value), name
    for name, mean in report["means"].items():
        assert window["report"]["means"][name] == pytest.approx(mean), name
    for mine, theirs in zip(window["report"]["boxes"], report["boxes"], strict=True):
        assert mine == pytest.approx(theirs)
    last = {**report["curve"][-1], "saved_against_fixed": 0.0}
    assert window["report"]["curve"][-1] == pytest.approx(last)
    assert window["report"]["fixed_rounds"] == 0
    assert sum(o["kept"] for o in window["options"]) <= 1.0
    assert sum(o["paid"] for o in window["options"]) == pytest.approx(report["paid"] / 30)


def test_a_window_has_the_newest_rounds_only(service: Running) -> None:
    path = service.problem("newest")
    _play(service, path, 20)
    listed = _told(service, f"{path}/rounds")["closed"]
    few = _told(service, f"{path}/window?rounds=7")
    assert few["rounds"] == few["report"]["rounds_closed"] == 7
    assert few["report"]["paid"] == pytest.approx(sum(r["paid"] for r in listed[:7]))
    assert few["since"] == pytest.approx(listed[6]["closed_at"])
    assert _told(service, f"{path}/window?seconds=3600")["rounds"] == 20
    assert _told(service, f"{path}/window?seconds=0.000001")["rounds"] == 0
    # What comes later is read too
    _play_one(service, path, "later", outside=0.5)
    assert _told(service, f"{path}/window")["rounds"] == 21


def test_pages_of_rounds_go_from_the_newest_to_the_oldest(service: Running) -> None:
    path = service.problem("pages")
    _play(service, path, 25)
    found, before = [], ""
    while True:
        page = _told(service, f"{path}/closed?most=10{before}")
        assert page["found"] == 25
        found += page["rounds"]
        if page["before"] is None:
            break
        before = f"&before={page['before']}"
    assert found == _told(service, f"{path}/rounds")["closed"]
    # A page stays where it is while other rounds end
    first = _told(service, f"{path}/closed?most=10")
    second = _told(service, f"{path}/closed?most=10&before={first['before']}")["rounds"]
    service.post(f"{path}/rounds", {"id": "late", "contexts": [[0, 0]] * 3})
    service.post(f"{path}/rounds/late/close")
    assert _told(service, f"{path}/closed?most=10&before={first['before']}")["rounds"] == second


def test_rounds_are_filtered(service: Running) -> None:
    path = service.problem("filtered")
    _play(service, path, 12)
    _play_one(service, path, "outside", outside=-50.0)
    _play_one(service, path, "nothing")
    every = _told(service, f"{path}/closed")["rounds"]

    def ids(query: str) -> set[str]:
        return {r["round"] for r in _told(service, f"{path}/closed?{query}")["rounds"]}

    for box in "abc":
        assert ids(f"kept={box}") == {r["round"] for r in every if r["chosen"] == box}
        opened = {
            r["round"]
            for r in every
            for b in _told(service, f"{path}/rounds/{r['round']}")["boxes"]
            if b["box"] == box and b["opened"]
        }
        assert ids(f"opened={box}") == opened
    assert ids("contains=00") == {f"r00{k}" for k in range(10)}
    assert ids("ended=outside") == {"outside"}
    assert ids("ended=nothing") == {"nothing"}
    assert ids("ended=waited") == set()
    assert ids("contains=00&rounds=4") == set()


def _play_one(service: Running, path: str, name: str, **settings: Any) -> None:
    service.post(f"{path}/rounds", {"id": name, "contexts": [[0, 0]] * 3, **settings})
    service.post(f"{path}/rounds/{name}/close")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("window?rounds=0", "rounds"),
        ("window?rounds=few", "rounds"),
        ("window?seconds=nan", "seconds"),
        ("window?seconds=inf", "seconds"),
        ("window?seconds=-1", "seconds"),
        ("window?days=1", "days"),
        ("window?rounds=1&rounds=2", "rounds"),
        ("closed?most=501", "most"),
        ("closed?before=-1", "before"),
        ("closed?kept=z", "kept"),
        ("closed?opened=z", "opened"),
        ("closed?ended=badly", "ended"),
    ],
)
def test_wrong_questions_are_refused_by_field(service: Running, query: str, field: str) -> None:
    path = service.problem("asked-wrongly")
    answer = service.get(f"{path}/{query}")
    assert answer.status_code in (404, 422), answer.text
    assert answer.json()["field"] == field


def test_a_problem_that_was_deleted_is_not_looked_back_at(service: Running) -> None:
    path = service.problem("again")
    _play(service, path, 5)
    assert _told(service, f"{path}/window")["rounds"] == 5
    service.http.delete(path, headers={"content-type": "application/json"})
    service.problem("again")
    assert _told(service, f"{path}/window")["rounds"] == 0
    _play_one(service, path, "first", outside=0.5)
    assert _told(service, f"{path}/window")["rounds"] == 1


@pytest.fixture
def long(tmp_path: Path) -> Iterator[InProcess]:
    """A service with a problem of 20,000 rounds."""
    journal = SqliteJournal(tmp_path / "long.db")
    created = Created(["a", "b"], ["x"], "min", "opened", 10**12, learner="FTRL", defaults=3)
    kind, content = encode(created)
    drafts = [Draft("long", 1, kind, 1, "", content)]
    for k in range(20_000):
        for body in (
            Opened([[0.0], [1.0]], [0.5, 0.5], [1.0, 2.0]),
            Seen([(k % 2, 0.25)]),
            Closed(),
        ):
            kind, content = encode(body)
            drafts.append(Draft("long", len(drafts) + 1, kind, len(drafts), f"r{k}", content))
    for begin in range(0, len(drafts), 5_000):
        journal.append(drafts[begin : begin + 5_000])
    journal.close()
    with InProcess.running(tmp_path / "long.db") as service:
        yield service


def test_others_are_answered_while_a_long_journal_is_read(
    long: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "_PATIENCE", 0.05)
    first = long.get("/v1/problems/long/window?rounds=100")
    assert first["share_read"] < 1.0
    # The reading goes on, and the loop turns while it does
    turns = 0

    async def whole() -> None:
        nonlocal turns
        while any(h.reading is not None for h in long.engine.histories._known.values()):
            turns += 1
            await asyncio.sleep(0.001)

    long.wait_for(whole())
    assert turns > 50
    last = long.get("/v1/problems/long/window?rounds=100")
    assert (last["share_read"], last["rounds"]) == (1.0, 100)
    assert [(o["first"], o["kept"], o["paid"]) for o in last["options"]] == [(0.5, 0.5, 0.25)] * 2


def test_rounds_of_problems_that_nobody_asks_about_are_dropped(
    long: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "IN_ALL", 10_000)
    monkeypatch.setattr(histories, "_PATIENCE", 60.0)
    long.send("/v1/problems", {"name": "short", "boxes": ["a", "b"], "dimension": 1})
    assert long.get("/v1/problems/long/window")["rounds"] == 20_000
    assert long.get("/v1/problems/short/window")["rounds"] == 0
    assert [name for name, _ in long.engine.histories._known] == ["short"]
    # And read again when somebody does
    assert long.get("/v1/problems/long/window")["rounds"] == 20_000
