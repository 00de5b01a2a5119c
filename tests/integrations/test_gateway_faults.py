"""The gateway when upstreams fail, and when it is killed itself."""

import itertools
import math
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integrations.recorded import (
    CALLS,
    WRONG,
    gateway,
    question,
    recorded_log,
    reference,
    simulated_log,
    start_gateway,
    upstream,
    write_config,
    write_table,
)
from tests.integrations.upstream import FAULTS, fault_of
from tests.serve.running import free_port
from weitzman.ledger.bodies import Opened, Seen, decode
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.replays.replay import replay

ROUNDS = 150
QUICK = 'policy = "no-context"\n'


def config_of(log: Any, place: Path, url: str, begin: str = QUICK, **models: Any) -> Path:
    config = write_config(log, place, url, **models)
    text = config.read_text(encoding="utf-8").replace("[gateway]\n", f"[gateway]\n{begin}")
    config.write_text(text, encoding="utf-8")
    return config


def journaled(data: Path, boxes: list[str]) -> dict[str, dict[str, tuple[float | None, float]]]:
    """Return value and cost of every look, by round in the order of their opening and by model."""
    journal, found = SqliteJournal(str(data)), dict[str, dict[str, tuple[float | None, float]]]()
    for event in journal.read(problem="weitzman"):
        body = decode(event.kind, event.body)
        if isinstance(body, Opened):
            found[event.key] = {}
        elif isinstance(body, Seen):
            costs = dict(body.costs)
            found[event.key] |= {boxes[row]: (value, costs[row]) for row, value in body.looks}
    journal.close()
    return found


def test_a_failure_is_a_wrong_answer_and_nothing_is_asked_or_billed_twice(tmp_path: Path) -> None:
    log, table, share = simulated_log(ROUNDS), tmp_path / "rounds.npz", 0.4
    write_table(log, table)
    statuses = []
    with upstream(table, share) as models:
        config = config_of(log, tmp_path / "gateway.toml", models.url, timeout=0.3)
        with gateway(config, table, tmp_path / "a.db") as service:
            for number in range(ROUNDS):
                reply = service.post("/v1/chat/completions", question(number))
                statuses.append(reply.status_code)
                if reply.status_code == 502:
                    assert reply.headers["x-should-retry"] == "false"
        account = models.account()
    looks = list(journaled(tmp_path / "a.db", log.boxes).values())
    assert len(looks) == ROUNDS
    asked = {(number, model): seen for number, of in enumerate(looks) for model, seen in of.items()}
    assert account["asked"] == {f"{number} {model}": 1 for number, model in asked}
    billed = math.fsum(cost for _, cost in asked.values())
    assert billed == pytest.approx(account["billed"], rel=1e-12)
    failed = {key: fault_of(*key, share) for key in asked}
    assert set(failed.values()) == {None, *FAULTS}
    for (number, model), (value, cost) in asked.items():
        row = log.boxes.index(model)
        if failed[number, model] is None:
            assert (value, cost) == (log.values[number, row], log.costs[number, row])
        else:
            assert value == WRONG
            assert cost == (log.costs[number, row] if failed[number, model] == "no-choice" else 0.0)
    for number, status in enumerate(statuses):
        answered = any(failed[number, model] is None for model in looks[number])
        assert status == (200 if answered else 502)


def ask_on(url: str, stop: threading.Event, numbers: Iterator[int], got: list[Any]) -> None:
    with httpx.Client(base_url=url, timeout=5.0) as http:
        while not stop.is_set():
            try:
                reply = http.post("/v1/chat/completions", json=question(next(numbers) % ROUNDS))
                if reply.status_code == 200:
                    got.append(reply.json()["weitzman"])
            except httpx.TransportError:
                return


@pytest.mark.parametrize(
    "kills", [3, pytest.param(50, marks=pytest.mark.reliability)], ids=["few", "many"]
)
def test_what_a_client_received_is_in_the_journal_when_the_gateway_is_killed(
    tmp_path: Path, kills: int, figure: Callable[[str], None]
) -> None:
    log, table, rng = simulated_log(ROUNDS), tmp_path / "rounds.npz", random.Random(1)
    write_table(log, table)
    got: list[Any] = []
    numbers, port = itertools.count(), free_port()
    with upstream(table) as models:
        config = config_of(log, tmp_path / "gateway.toml", models.url)
        for _ in range(kills):
            service = start_gateway(config, table, tmp_path / "a.db", port=port)
            stop, before = threading.Event(), len(got)
            url = f"http://127.0.0.1:{port}"
            threads = [
                threading.Thread(target=ask_on, args=(url, stop, numbers, got)) for _ in range(8)
            ]
            for thread in threads:
                thread.start()
            while len(got) == before:
                time.sleep(0.005)
            time.sleep(rng.uniform(0.0, 0.4))
            service.kill()
            stop.set()
            for thread in threads:
                thread.join()
    looks = journaled(tmp_path / "a.db", log.boxes)
    for said in got:
        told = {look["model"]: (look["value"], look["cost"]) for look in said["asked"]}
        assert looks[said["round"]] == told
    assert len({said["round"] for said in got}) == len(got)
    figure(f"{kills} kills: {len(got)} answers received, all in the journal of {len(looks)} rounds")


@pytest.mark.slow
@pytest.mark.skipif(not CALLS.exists(), reason="the recorded rounds are not at hand")
def test_all_recorded_calls_are_decided_as_in_a_replay(
    tmp_path: Path, figure: Callable[[str], None]
) -> None:
    log, table = recorded_log(), tmp_path / "rounds.npz"
    write_table(log, table)
    found = replay(log, ["default"], feedback="opened")
    totals, known = list(map(float, found.of(found.main))), reference(log)
    assert known.totals == totals
    with upstream(table) as models:
        config = config_of(log, tmp_path / "gateway.toml", models.url, begin="")
        begin = time.monotonic()
        with gateway(config, table, tmp_path / "a.db") as service:
            for number in range(len(totals)):
                reply = service.post("/v1/chat/completions", question(number))
                asked = [look["model"] for look in reply.json()["weitzman"]["asked"]]
                assert tuple(asked) == known.opened[number]
        seconds, account = time.monotonic() - begin, models.account()
    looks = list(journaled(tmp_path / "a.db", log.boxes).values())
    for number, seen in enumerate(looks):
        paid = sum(cost for _, cost in seen.values())
        values = [value for value, _ in seen.values() if value is not None]
        assert min([WRONG, *values]) + paid == totals[number]
    assert account["asked"] == {
        f"{k} {box}": 1 for k, boxes in enumerate(known.opened) for box in boxes
    }
    figure(
        f"{len(totals)} questions in {seconds:.0f} s: {math.fsum(totals) / len(totals):.4f} each"
    )
