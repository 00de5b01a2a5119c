"""What was replayed is what runs: a searcher that is saved after a log goes on as the replay would have.

A log is played to its end by a replay. Its first part is lived through by a searcher, which is saved, and the
rest is played by that file: in Python, and in a service that was started with it. The totals of the rest are
those of the replay, the same numbers and not close ones.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import weitzman as wz
from tests.contracts.live import (
    InProcess,
    anonymous_log,
    first_rounds,
    named_log,
    two_valued_log,
)
from weitzman.cli.main import app
from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.logs.log import Log
from weitzman.replays.replay import replay
from weitzman.serve.commands.first import begin_with, first_problems

LOGS = {"named": named_log, "two values": two_valued_log, "anonymous": anonymous_log}
PART = 25


def whole_log(name: str, sense: str) -> Log:
    log = LOGS[name]()
    return log if sense == "min" else replace(log, sense="max")


def rest_of(log: Log) -> Iterator[tuple[list[str], Any, dict[str, float]]]:
    """The rounds after the first part: boxes, round, and values, in the sense of the user."""
    sign = 1.0 if log.sense == "min" else -1.0
    begun = int((~np.isnan(log.values[:PART])).any(axis=1).sum())
    for number, (shown, values) in enumerate(log.past()):
        if number >= begun:
            boxes = [log.boxes[place] for place in shown.places]
            yield boxes, shown, dict(zip(boxes, (sign * values).tolist(), strict=True))


def hand(log: Log, shown: Any) -> float | None:
    sign = 1.0 if log.sense == "min" else -1.0
    return None if math.isinf(shown.outside) else sign * shown.outside


def live_totals(searcher: wz.Searcher, log: Log) -> list[float]:
    totals = []
    for boxes, shown, values in rest_of(log):
        search = searcher.open(
            shown.contexts, shown.costs, outside=hand(log, shown), boxes=list(boxes)
        )
        for box in search:
            search.see(values[str(box)])
        known: Any = values if searcher.feedback == "full" else None
        totals.append(search.close(known).total)
    return totals


def served_totals(service: InProcess, log: Log, feedback: Feedback) -> list[float]:
    totals = []
    for boxes, shown, values in rest_of(log):
        asked = {"boxes": boxes, "contexts": shown.contexts.tolist(), "costs": shown.costs.tolist()}
        reply = service.send("/v1/problems/it/rounds", {**asked, "outside": hand(log, shown)})
        path = f"/v1/problems/it/rounds/{reply['round']}"
        while reply["next"] is not None:
            box = reply["next"]
            reply = service.send(f"{path}/values", {"values": {box: values[box]}})
        closed = service.send(f"{path}/close", {"values": values} if feedback == "full" else {})
        totals.append(closed["total"])
    return totals


CASES = [
    *((name, policy, "min") for name in LOGS for policy in ("default", "FTRL", "no-context")),
    *(("two values", policy, "max") for policy in ("default", "paper", "aware", "linear index 1")),
]


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize(("name", "policy", "sense"), CASES)
def test_the_rest_of_a_replay_is_played_by_what_was_saved(
    name: str, policy: str, feedback: Feedback, sense: str, tmp_path: Path
) -> None:
    log = whole_log(name, sense)
    sign = 1.0 if sense == "min" else -1.0
    saved = tmp_path / "searcher.wz"
    wz.Searcher.from_log(first_rounds(log, PART), policy, feedback=feedback).save(saved)
    played = sign * replay(log, [policy], feedback=feedback).of(policy)
    totals = list(map(float, played))
    live = live_totals(wz.load(saved), log)
    assert 0 < len(live) < len(totals)
    assert live == totals[-len(live) :]
    first = first_problems([f"it={saved}"])
    with InProcess.running(tmp_path / "events.db", first) as service:
        assert served_totals(service, log, feedback) == live


@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_the_command_saves_the_policy_of_its_answer(feedback: Feedback, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    head = "round,box,cost,value,x_size,x_kind"
    rows = [
        f"{t},{b},0.3,{rng.normal() + k:.3f},{rng.normal():.3f},{'ab'[rng.integers(2)]}"
        for t in range(40)
        for k, b in enumerate(("one", "two"))
    ]
    path, saved = tmp_path / "my log.csv", tmp_path / "it.wz"
    path.write_text("\n".join([head, *rows]), encoding="utf-8")
    command = ["replay", str(path), "--feedback", feedback, "--no-trees", "--workers", "1"]
    command += ["--unit", "m$"]
    before = CliRunner().invoke(app, command)
    assert before.exit_code == 0, before.output
    assert before.stdout.splitlines()[-1].endswith(f"weitzman replay '{path}' --save my-log.wz")
    result = CliRunner().invoke(app, [*command, "--save", str(saved), "--json"])
    answer = json.loads(result.stdout)["answer"]
    advised = answer["policy"]
    told = CliRunner().invoke(app, [*command, "--save", str(saved)]).stdout.splitlines()[-1]
    purpose = {
        "switch on": "To switch it on",
        "same": "To switch it on",
        "open": "To try it, as it is not settled whether it is better",
    }[answer["verdict"]]
    size = f"{saved.stat().st_size / 1000:.0f} kB"
    saying = f"Saved: {advised}, as it is after this log ({size}). {purpose}:"
    assert told == f"{saying} weitzman serve --problem my-log={saved}"
    log = wz.read_log(path)
    policy = wz.default_policy(trees=False, shared=log.shared) if advised == "default" else advised
    searcher = wz.load(saved)
    assert searcher.digest() == wz.Searcher.from_log(log, policy, feedback=feedback).digest()
    with InProcess.running(tmp_path / "events.db", first_problems([f"it={saved}"])) as service:
        made = service.get("/v1/problems/it")
        assert (made["features"], made["rounds_closed"]) == (["size", "kind=a", "kind=b"], 0)
        assert made["unit"] == searcher.unit == "m$"
        _, kept = service.ask("/v1/problems/it/state", None, method="GET")
        assert wz.load(kept).unit == "m$"
    # By name, live, as the columns of the log are called or without their prefix
    by_name = [{"x_size": 1.0, "x_kind": "b"}, {"x_size": 2.0, "x_kind": "a"}]
    plain = [{"size": 1.0, "kind": "b"}, {"size": 2.0, "kind": "a"}]
    rows_of = [searcher.reservation_values(rows, 0.3).tolist() for rows in (by_name, plain)]
    assert rows_of[0] == rows_of[1]


def test_a_problem_that_is_there_goes_on_from_itself(tmp_path: Path) -> None:
    searcher = wz.Searcher.from_log(first_rounds(named_log(), PART), "FTRL")
    with InProcess.running(tmp_path / "events.db", {"it": searcher}) as service:
        served_totals(service, named_log(), "opened")
        before = service.get("/v1/problems/it"), service.engine.state.problems["it"].saved()
    with InProcess.running(tmp_path / "events.db", {"it": searcher}) as service:
        after = service.get("/v1/problems/it"), service.engine.state.problems["it"].saved()
    assert after == before
    assert before[0]["rounds_closed"] > 0


def test_what_was_changed_since_stays_changed(tmp_path: Path) -> None:
    searcher = wz.Searcher(boxes=["a", "b"], dimension=1, unit="s", policy="no-context")
    changes = {"description": "two", "unit": "ms", "waiting_time": 60.0, "cost": 2.0, "least": 0.0}
    with InProcess.running(tmp_path / "events.db", {"it": searcher}) as service:
        status, _ = service.ask("/v1/problems/it", changes, method="PATCH")
        assert status == 200
    with InProcess.running(tmp_path / "events.db", {"it": searcher}) as service:
        made = service.get("/v1/problems/it")
        assert {name: made[name] for name in changes} == changes


def test_a_place_where_nothing_can_be_saved_is_refused_before_the_work(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("round,box,cost,value\n0,a,1,2\n", encoding="utf-8")
    for place in (tmp_path, tmp_path / "none" / "it.wz"):
        result = CliRunner().invoke(app, ["replay", str(path), "--save", str(place)])
        assert result.exit_code == 2
        assert result.stderr.startswith("What --save names must be a file in a directory that is")
        assert result.stdout == ""


def test_problems_to_begin_with_that_are_none(tmp_path: Path) -> None:
    saved = tmp_path / "it.wz"
    wz.Searcher(boxes=["a"], dimension=1).save(saved)
    for wrong in ([str(saved)], ["=it.wz"], ["it="], [f"it={saved}", f"it={saved}"]):
        with pytest.raises(
            InvalidInputError, match="A problem to begin with must be a name of its"
        ):
            first_problems(wrong)
    with pytest.raises(InvalidInputError, match=r"no\.wz"):
        first_problems([f"it={tmp_path / 'no.wz'}"])


def test_a_problem_of_that_name_with_other_settings_is_refused(tmp_path: Path) -> None:
    one, other = wz.Searcher(boxes=["a"], dimension=1), wz.Searcher(boxes=["b"], dimension=1)
    with InProcess.running(tmp_path / "events.db", {"it": one}) as service:
        engine = service.engine
        with pytest.raises(InvalidInputError, match="There is a problem 'it' with other settings"):
            service.wait_for(begin_with(engine, "it", other))
        with pytest.raises(
            InvalidInputError, match="The problem 'a b' must be one that the service"
        ):
            service.wait_for(begin_with(engine, "a b", other))
        assert [p["name"] for p in service.get("/v1/problems")["problems"]] == ["it"]
