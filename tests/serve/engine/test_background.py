"""A command that takes long has its problem to itself; everybody else is answered meanwhile."""

import io
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from tests.reliability.calls import Caller, truth_of
from tests.serve.running import CONTEXTS, Running, running

BOXES = "abc"
PARQUET = "application/vnd.apache.parquet"


def log_of(rounds: int) -> bytes:
    """Return a log of rounds with three boxes and two features."""
    rng = np.random.default_rng(rounds)
    rows = rounds * len(BOXES)
    columns = {
        "round": np.repeat(np.arange(rounds), len(BOXES)).astype(str),
        "box": np.tile(list(BOXES), rounds),
        "cost": np.full(rows, 0.1),
        "value": rng.normal(size=rows),
        "x_0": rng.normal(size=rows),
        "x_1": rng.normal(size=rows),
    }
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


def send(port: int, path: str, log: bytes, key: str = "k") -> httpx.Response | None:
    headers = {"content-type": PARQUET, "idempotency-key": key}
    url = f"http://127.0.0.1:{port}{path}/log"
    try:
        return httpx.post(url, content=log, headers=headers, timeout=120.0)
    except httpx.TransportError:
        return None


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as threads:
        yield threads


def longest_wait(service: Running, task: "Future[httpx.Response | None]") -> float:
    """Return the longest time for which a call was not answered while something else was done."""
    waits = []
    while not task.done():
        began = time.monotonic()
        assert service.get("/healthz").status_code == 200
        waits.append(time.monotonic() - began)
        time.sleep(0.002)
    return max(waits)


@pytest.mark.parametrize(("policy", "rounds"), [(None, 30_000), ("default", 600)])
def test_an_import_holds_up_nobody_else(
    tmp_path: Path,
    pool: ThreadPoolExecutor,
    figure: Callable[[str], None],
    policy: str | None,
    rounds: int,
) -> None:
    data, log = tmp_path / "events.db", log_of(rounds)
    with running(data) as service:
        path = service.problem("p", policy=policy, feedback="full")
        assert send(service.port, path, log_of(10), key="first") is not None  # loads what it needs
        began = time.monotonic()
        task = pool.submit(send, service.port, path, log)
        longest = longest_wait(service, task)
        took = time.monotonic() - began
        answer = task.result()
        assert answer is not None
        expected = {"rounds": rounds, "values": 3 * rounds, "unknown_levels": []}
        assert answer.json() == expected
        caller = Caller(lambda: service.port)
        live = caller.digest()
        caller.close()
        service.kill()
    figure(
        f"a log of {rounds} rounds, policy {policy}: learned in {took:.2f} s, nobody else waited more "
        f"than {1000 * longest:.0f} ms"
    )
    assert longest < 0.25 * took
    truth = truth_of(data)
    assert live == (truth.events[-1].seq, truth.folded)


def test_a_problem_that_is_held_is_asked_in_order(tmp_path: Path, pool: ThreadPoolExecutor) -> None:
    """Rounds that are opened meanwhile know the whole log; those of others do not wait for it."""
    data, log = tmp_path / "events.db", log_of(20_000)
    with running(data) as service:
        path, other = service.problem("p", feedback="full"), service.problem("q")
        task = pool.submit(send, service.port, path, log)
        longest: dict[str, float] = {path: 0.0, other: 0.0}

        def ask(where: str) -> None:
            with httpx.Client(base_url=service.http.base_url, timeout=60.0) as http:
                while not task.done():
                    began = time.monotonic()
                    told = http.post(f"{where}/rounds", json={"contexts": CONTEXTS})
                    assert told.status_code == 201
                    close = f"{where}/rounds/{told.json()['round']}/close"
                    assert http.post(close, json={}).status_code == 200
                    longest[where] = max(longest[where], time.monotonic() - began)

        threads = [threading.Thread(target=ask, args=(where,)) for where in (path, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert longest[other] < longest[path]
        live = service.get("/v1/digest").json()
        service.kill()
    truth = truth_of(data)
    assert live == {"events": truth.events[-1].seq, "digest": truth.folded}
    kinds = [event.kind for event in truth.events if event.problem == "p"]
    first = kinds.index("imported")
    last = len(kinds) - kinds[::-1].index("imported")
    assert set(kinds[first:last]) == {"imported"}


@pytest.mark.parametrize("wait", [0.15, 0.4])
def test_a_kill_in_the_middle_leaves_all_or_nothing(
    tmp_path: Path, pool: ThreadPoolExecutor, wait: float
) -> None:
    data, log = tmp_path / "events.db", log_of(10_000)
    with running(data) as service:
        path = service.problem("p", feedback="full")
        task = pool.submit(send, service.port, path, log)
        time.sleep(wait)
        service.kill()
        task.result()
    assert truth_of(data).state.problems["p"].tally.imported in (0, 10_000)
    with running(data) as service:
        answer = send(service.port, path, log)
        assert answer is not None
        assert answer.status_code == 200
        service.kill()
    assert truth_of(data).state.problems["p"].tally.imported == 10_000


def test_a_failure_meanwhile_undoes_what_was_not_stored(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    data, log = tmp_path / "events.db", log_of(600)
    with running(data) as service:
        path, other = service.problem("p", policy="default"), service.problem("q")
        with sqlite3.connect(data, isolation_level=None) as writer:
            # An event that nobody here has seen stands where the next one is to go
            writer.execute(
                "INSERT INTO events SELECT seq + 1, problem, number + 1, kind, at, 'x', body, chain "
                "FROM events ORDER BY seq DESC LIMIT 1"
            )
        task = pool.submit(send, service.port, path, log)
        time.sleep(0.3)
        body = {"id": "r", "contexts": CONTEXTS}
        assert service.post(f"{other}/rounds", body).status_code == 503
        with sqlite3.connect(data, isolation_level=None) as writer:
            writer.execute("DELETE FROM events WHERE key = 'x'")
        answer = task.result()
        assert answer is not None
        assert answer.status_code == 503
        service.wait_until_ready()
        assert service.post(f"{other}/rounds", body).status_code == 201
        again = send(service.port, path, log)
        assert again is not None
        assert again.status_code == 200
        live = service.get("/v1/digest").json()
        service.kill()
    truth = truth_of(data)
    assert live == {"events": truth.events[-1].seq, "digest": truth.folded}
    assert truth.state.problems["p"].tally.imported == 600


def test_a_batch_aside_finds_what_it_did_itself(tmp_path: Path) -> None:
    data = tmp_path / "events.db"
    with running(data) as service:
        path = service.problem("p", policy="default", waiting_time=0.5)
        again = {"open": {"id": "r", "contexts": CONTEXTS}}
        see = {"see": {"round": "r", "values": {"a": 1.0}}}
        late = {"see": {"round": "r", "values": {"b": 2.0}}}
        close = {"close": {"round": "r"}}
        commands = [again, again, see, close, again, see, late, close]
        told = service.post(f"{path}/batch", {"commands": commands}).json()["results"]
        assert [result["status"] for result in told] == [201, 201, 200, 200, 201, 200, 200, 200]
        assert [r["seen"]["late"] for r in told if "seen" in r] == [False, True, True]
        # One that nobody closes is closed by itself
        assert service.post(f"{path}/rounds", {"contexts": CONTEXTS}).status_code == 201
        deadline = time.monotonic() + 10.0
        while service.get(path).json()["rounds_closed"] < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        live = service.get("/v1/digest").json()
        service.kill()
    truth = truth_of(data)
    assert live == {"events": truth.events[-1].seq, "digest": truth.folded}
    assert [e.kind for e in truth.events if e.key == "r"] == ["opened", "seen", "closed", "seen"]
