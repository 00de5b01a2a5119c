"""What has to be read in a far journal holds up nobody else."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.serve.running import CONTEXTS, Running
from weitzman.ledger.event import Event
from weitzman.ledger.postgres.journal import PostgresJournal
from weitzman.ledger.testing import drafts
from weitzman.serve.engine.lookup import LookUps, NotAtHandError


@pytest.fixture
def far(place: str, tmp_path: Path) -> Iterator[Running]:
    service = Running(place, log=tmp_path / "service.log")
    service.wait_until_ready()
    yield service
    service.stop()


def test_a_past_round_is_looked_up_while_others_are_answered(far: Running, place: str) -> None:
    path = far.problem("p")
    for name in ("ended", "going"):
        assert far.post(f"{path}/rounds", {"id": name, "contexts": CONTEXTS}).status_code == 201
    far.post(f"{path}/rounds/ended/values", {"values": {"a": 1.0}})
    assert far.post(f"{path}/rounds/ended/close").status_code == 200
    batch = [{"see": {"round": "ended", "values": {"b": 2.0}}}, {"close": {"round": "going"}}]
    asked = [
        ("GET", f"{path}/rounds/ended", None),
        ("POST", f"{path}/rounds/ended/close", {}),
        ("POST", f"{path}/rounds", {"id": "ended", "contexts": CONTEXTS}),
        ("POST", f"{path}/rounds/ended/values", {"values": {"c": 3.0}}),
        ("POST", f"{path}/batch", {"commands": batch}),
    ]
    with psycopg.connect(place) as other, ThreadPoolExecutor(len(asked)) as pool:
        # Nobody can read the table: what is looked up has to wait
        other.execute("LOCK TABLE weitzman.events IN ACCESS EXCLUSIVE MODE")
        answers = [pool.submit(_ask, far.port, *request) for request in asked]
        time.sleep(0.3)
        assert not any(answer.done() for answer in answers)
        for _ in range(5):
            assert httpx.get(f"http://127.0.0.1:{far.port}/healthz", timeout=2.0).status_code == 200
        assert not any(answer.done() for answer in answers)
        other.rollback()
        told = [answer.result() for answer in answers]
    assert [answer.status_code for answer in told] == [200, 200, 201, 200, 200]
    assert told[3].json()["late"]
    assert [result["status"] for result in told[4].json()["results"]] == [200, 200]


def test_a_batch_that_looks_up_the_past_happens_once(far: Running) -> None:
    """What stands before the past round in the batch is not done a second time."""
    path = far.problem("p", feedback="full")
    for name in ("ended", "other"):
        far.post(f"{path}/rounds", {"id": name, "contexts": CONTEXTS})
        assert far.post(f"{path}/rounds/{name}/close").status_code == 200
    batch = [
        {"open": {"contexts": CONTEXTS}},
        {"see": {"round": "ended", "values": {"b": 2.0}}},
        {"open": {"contexts": CONTEXTS}},
        {"close": {"round": "other"}},
    ]
    results = far.post(f"{path}/batch", {"commands": batch}).json()["results"]
    assert [result["status"] for result in results] == [201, 200, 201, 200]
    assert far.get(path).json()["rounds_open"] == 2


def _ask(port: int, method: str, path: str, body: object) -> httpx.Response:
    return httpx.request(method, f"http://127.0.0.1:{port}{path}", json=body, timeout=30.0)


def test_a_new_id_is_not_looked_up(place: str) -> None:
    journal = PostgresJournal(place)
    journal.append(drafts(10))
    look_ups = LookUps(journal)
    with psycopg.connect(place) as other:
        other.execute("LOCK TABLE weitzman.events IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        assert look_ups.find("p", "another") == []
        assert time.monotonic() < began + 1.0
        with pytest.raises(NotAtHandError):
            look_ups.find("p", "key 1")
    journal.close()


class Slow(PostgresJournal):
    """A journal of which the answer on one key takes its time."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.gate = threading.Event()

    def find(self, problem: str, key: str) -> list[Event]:
        found = super().find(problem, key)
        if key == "key 3":
            self.gate.wait()
        return found


def test_what_is_stored_meanwhile_is_at_hand(place: str) -> None:
    journal = Slow(place)
    events = journal.append(drafts(10))
    look_ups, tries = LookUps(journal), 0

    def command() -> list[Event]:
        nonlocal tries
        tries += 1
        return [*look_ups.find("p", "key 1"), *look_ups.find("p", "key 3")]

    async def main() -> list[Event]:
        carried = asyncio.ensure_future(look_ups.carry_out(command))
        while tries < 2:
            await asyncio.sleep(0.001)
        # The first key is at hand, the second was read before these are stored
        more = await asyncio.to_thread(journal.append, drafts(10, first=11))
        look_ups.stored(more)
        events.extend(more)
        journal.gate.set()
        return await carried

    found = asyncio.run(main())
    assert tries == 3
    for key in ("key 1", "key 3"):
        assert [e for e in found if e.key == key] == [e for e in events if e.key == key]
    journal.close()
