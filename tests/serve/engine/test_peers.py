"""Services that share a journal: either can be asked, one writes, both know."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.postgres import Server, running_server
from tests.serve.running import CONTEXTS, Running
from weitzman.ledger.event import Draft
from weitzman.ledger.postgres.election import Election
from weitzman.ledger.postgres.journal import PostgresJournal


def start(place: str, folder: Path, *options: str) -> Running:
    return Running(place, *options, log=folder / "services.log")


@pytest.fixture(scope="module")
def place(postgres: Server) -> str:
    return postgres.new_database()


@pytest.fixture
def lent(postgres: Server) -> Iterator[str]:
    with postgres.lent_database() as place:
        yield place


@pytest.fixture(scope="module")
def two(place: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Running]]:
    folder = tmp_path_factory.mktemp("services")
    services = [start(place, folder) for _ in range(2)]
    for service in services:
        service.wait_until_ready()
    yield services
    for service in services:
        assert service.stop() in (0, -signal.SIGTERM)


def until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_either_can_be_asked(two: list[Running]) -> None:
    """A round goes on at the other service, wherever its leader is."""
    a, b = two
    path = a.problem("either")
    for first, second in ((a, b), (b, a)):
        opened = first.post(f"{path}/rounds", {"contexts": CONTEXTS})
        assert opened.status_code == 201
        rounds = f"{path}/rounds/{opened.json()['round']}"
        seen = second.post(f"{rounds}/values", {"values": {opened.json()["next"]: 1.5}})
        assert seen.status_code == 200, seen.text
        closed = first.post(f"{rounds}/close")
        assert closed.json()["value"] == 1.5
    until(lambda: a.get(f"{path}/report").json() == b.get(f"{path}/report").json())
    assert a.get(f"{path}/state").content == b.get(f"{path}/state").content


def test_a_caller_sees_what_it_wrote(two: list[Running]) -> None:
    """Also at the service that handed the request on."""
    a, b = two
    path = a.problem("own")
    for k in range(20):
        for service in (a, b):
            name = f"r{k}{service is a}"
            assert (
                service.post(f"{path}/rounds", {"id": name, "contexts": CONTEXTS}).status_code
                == 201
            )
            assert service.get(f"{path}/rounds/{name}").status_code == 200


def test_each_problem_has_a_leader_of_its_own(two: list[Running], place: str) -> None:
    """Whoever is asked first."""
    observer = Election(place, address="nowhere")
    for k, service in enumerate([*two, *two]):
        service.problem(f"led{k}")
        assert observer.leader(f"led{k}") == f"http://127.0.0.1:{service.port}"
    observer.close()


def test_a_key_and_its_answer_are_known_to_all(two: list[Running]) -> None:
    a, b = two
    path = a.problem("keys")
    body = {"contexts": CONTEXTS}
    first = a.post(f"{path}/rounds", body, idempotency_key="k1")
    again = b.post(f"{path}/rounds", body, idempotency_key="k1")
    assert first.status_code == 201
    assert (again.status_code, again.content) == (201, first.content)
    other = b.post(f"{path}/rounds", {**body, "outside": 3.0}, idempotency_key="k1")
    assert other.status_code == 422
    assert other.headers["content-type"] == "application/problem+json"


def test_errors_come_back_as_they_are(two: list[Running]) -> None:
    a, b = two
    path = a.problem("errors")
    for service in (a, b):
        missing = service.post(f"{path}/rounds/none/close")
        assert missing.status_code == 404
        assert missing.headers["content-type"] == "application/problem+json"
        assert missing.json()["type"] == "urn:weitzman:unknown"
        assert service.post("/v1/problems", {"name": "errors"}).status_code == 422
        taken = service.post("/v1/problems", {"name": "errors", "boxes": ["a"], "dimension": 1})
        assert taken.status_code == 409, taken.text


def test_a_key_that_one_revoked_opens_no_other(two: list[Running]) -> None:
    a, b = two
    made = a.post("/v1/keys", {"name": "me", "scope": "read"}).json()
    bearer = f"Bearer {made['key']}"
    until(lambda: b.get("/v1/problems", authorization=bearer).status_code == 200)
    assert b.http.delete(f"/v1/keys/{made['id']}").status_code == 200
    until(lambda: a.get("/v1/problems", authorization=bearer).status_code == 401)


def test_a_request_is_handed_on_once(two: list[Running]) -> None:
    a, b = two
    path = a.problem("once")
    told = b.post(f"{path}/rounds", {"contexts": CONTEXTS}, x_weitzman_forwarded="1")
    assert told.status_code == 421


def test_a_stop_hands_over_at_once_and_overdue_rounds_are_closed(lent: str, tmp_path: Path) -> None:
    a, b = services = [start(lent, tmp_path) for _ in range(2)]
    try:
        for service in services:
            service.wait_until_ready()
        path = a.problem("short", waiting_time=2.0)
        assert a.post(f"{path}/rounds", {"id": "r", "contexts": CONTEXTS}).status_code == 201
        a.stop()
        until(lambda: b.get(f"{path}/report").json()["rounds_closed"] == 1, 15.0)
        assert b.post(f"{path}/rounds", {"contexts": CONTEXTS}).status_code == 201
    finally:
        for service in services:
            if service.process.poll() is None:
                service.stop()


def test_a_leader_that_hangs_is_followed_and_comes_back(lent: str, tmp_path: Path) -> None:
    """Its session ends although its host still answers for it; nothing that it had half done is stored."""
    a, b = services = [start(lent, tmp_path) for _ in range(2)]
    body = {"contexts": CONTEXTS}
    try:
        for service in services:
            service.wait_until_ready()
        path = a.problem("hung")
        assert b.post(f"{path}/rounds", {"id": "r0", **body}).status_code == 201
        a.process.send_signal(signal.SIGSTOP)
        until(lambda: _opened(b, path, {"id": "r1", **body}), 8.0)
        a.process.send_signal(signal.SIGCONT)
        until(lambda: _opened(a, path, {"id": "r2", **body}))
        until(lambda: a.get(f"{path}/report").json() == b.get(f"{path}/report").json())
        assert a.get(f"{path}/report").json()["rounds_open"] == 3
    finally:
        for service in services:
            service.process.send_signal(signal.SIGCONT)
            service.stop()


def test_a_database_that_restarts_stops_nobody_for_long(tmp_path: Path) -> None:
    with running_server() as server:
        place = server.new_database()
        a = start(place, tmp_path)
        try:
            a.wait_until_ready()
            path = a.problem("steady")
            body = {"contexts": CONTEXTS}
            assert a.post(f"{path}/rounds", {"id": "r1", **body}).status_code == 201
            server.stop(signal.SIGQUIT)
            away = a.post(f"{path}/rounds", {"id": "r2", **body})
            assert away.status_code == 503
            assert away.headers["retry-after"] == "1"
            server.start()
            until(lambda: _opened(a, path, {"id": "r2", **body}))
            assert a.get(f"{path}/rounds/r1").status_code == 200
        finally:
            a.stop()
        journal = PostgresJournal(place)
        assert [e.key for e in journal.read() if e.kind == "opened"] == ["r1", "r2"]
        journal.close()


def test_what_is_not_understood_ends_the_service_loudly(lent: str, tmp_path: Path) -> None:
    """Somebody of a later version writes: not ready, the reason told once, no lead kept, no more tries."""
    a = start(lent, tmp_path)
    try:
        a.wait_until_ready()
        path = a.problem("known")
        observer = Election(lent, address="nowhere")
        assert observer.leader("known") is not None
        journal = PostgresJournal(lent)
        journal.append([Draft("later", 1, "dreamt", 1, "", b"{}")])
        until(lambda: a.get("/readyz").status_code == 503)
        until(lambda: "dreamt" in a.get("/readyz").json()["detail"])
        refused = a.post(f"{path}/rounds", {"contexts": CONTEXTS})
        assert refused.status_code == 503
        assert "dreamt" in refused.json()["detail"]
        assert a.get("/healthz").status_code == 200
        until(lambda: observer.leader("known") is None)
        before, lines = process_seconds(a), len(a.log.read_bytes().splitlines())
        time.sleep(1.0)
        assert process_seconds(a) - before < 0.25
        assert len(a.log.read_bytes().splitlines()) == lines
        told = [line["event"] for line in a.logged()]
        assert told.count("refused") == 1
        journal.close()
        observer.close()
    finally:
        assert a.stop() in (0, -signal.SIGTERM)


def process_seconds(service: Running) -> float:
    fields = Path(f"/proc/{service.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _opened(service: Running, path: str, body: object) -> bool:
    try:
        return service.post(f"{path}/rounds", body).status_code == 201
    except httpx.TransportError:
        return False
