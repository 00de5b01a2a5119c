"""The life of a service: starts, snapshots, full disks, kills."""

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from tests.serve.running import CONTEXTS, MAIN, Running, running
from weitzman.ledger.snapshots import FileSnapshots, resume
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.state.fold import digest


def _digests(data: Path) -> tuple[str, str, int]:
    """Return the digests of a full replay and of a start from snapshots, and how far those reach."""
    journal = SqliteJournal(data)
    resumed = resume(journal, FileSnapshots(data))
    both = digest(resume(journal).state), digest(resumed.state), resumed.snapshot
    journal.close()
    return both


def _rounds(service: Running, path: str, worker: int, count: int, done: list[str]) -> None:
    with httpx.Client(base_url=service.http.base_url, timeout=30.0) as http:
        for number in range(count):
            name = f"w{worker}-{number}"
            try:
                told = http.post(f"{path}/rounds", json={"id": name, "contexts": CONTEXTS}).json()
                box = told["next"]
                http.post(f"{path}/rounds/{name}/values", json={"values": {box: 1.0 + number % 7}})
                if http.post(f"{path}/rounds/{name}/close", json={}).status_code == 200:
                    done.append(name)
            except (httpx.TransportError, KeyError, ValueError):
                return


def _load(
    service: Running, path: str, workers: int, count: int
) -> tuple[list[threading.Thread], list[str]]:
    done: list[str] = []
    threads = [
        threading.Thread(target=_rounds, args=(service, path, w, count, done))
        for w in range(workers)
    ]
    for thread in threads:
        thread.start()
    return threads, done


def test_snapshots_are_written_under_load_and_hold_the_same_state(tmp_path: Path) -> None:
    data = tmp_path / "events.db"
    with running(data, "--snapshot-every", "50") as service:
        path = service.problem("p")
        threads, done = _load(service, path, 4, 40)
        for thread in threads:
            thread.join()
        assert len(done) == 160
        learned = sum(b["learned"] for b in service.get(f"{path}/report").json()["boxes"])
        assert learned == 160
        service.kill()
    full, resumed, reach = _digests(data)
    assert full == resumed
    assert reach > 300


def test_what_was_answered_survives_a_kill_and_is_learned_once(tmp_path: Path) -> None:
    data = tmp_path / "events.db"
    service = Running(data, "--snapshot-every", "40")
    service.wait_until_ready()
    path = service.problem("p")
    for _ in range(3):
        threads, done = _load(service, path, 4, 1_000)
        while len(done) < 30:
            threads[0].join(0.02)
        service.kill()
        for thread in threads:
            thread.join()
        service = Running(data, "--snapshot-every", "40")
        service.wait_until_ready()
        for name in done:
            assert service.get(f"{path}/rounds/{name}").json()["closed"] is True
        report = service.get(f"{path}/report").json()
        assert sum(b["learned"] for b in report["boxes"]) == report["rounds_closed"]
        service.post(f"{path}/archive")
        path = service.problem(f"p{len(service.logged())}-{report['rounds_closed']}")
    service.stop()
    full, resumed, _ = _digests(data)
    assert full == resumed


def test_a_full_disk_is_told_and_nothing_is_acknowledged_that_is_not_stored(tmp_path: Path) -> None:
    """The limit on the size of files stands for the disk: writes fail as on a full one."""
    data = tmp_path / "events.db"
    limit = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))"
    )
    answered: list[str] = []
    refused = 0
    with running(data, before=limit) as service:
        path = service.problem("p")
        for number in range(1_500):
            name = f"r{number}"
            answer = service.post(f"{path}/rounds", {"id": name, "contexts": CONTEXTS})
            if answer.status_code == 201:
                answered.append(name)
            else:
                assert answer.status_code == 503, answer.text
                assert answer.headers["retry-after"] == "1"
                refused += 1
                if refused == 3:
                    break
        assert refused == 3
        service.kill()
    with running(data) as service:
        for name in answered:
            assert service.get(f"{path}/rounds/{name}").status_code == 200
        assert service.post(f"{path}/rounds", {"contexts": CONTEXTS}).status_code == 201
    full, resumed, _ = _digests(data)
    assert full == resumed


def test_a_damaged_journal_is_refused_and_recovered(tmp_path: Path) -> None:
    data = tmp_path / "events.db"
    with running(data) as service:
        path = service.problem("p")
        for number in range(30):
            service.post(f"{path}/rounds", {"id": f"r{number}", "contexts": CONTEXTS})
    for snapshot in FileSnapshots(data).files():
        snapshot.unlink()
    content = bytearray(data.read_bytes())
    place = content.index(b"r15{")
    content[place + 30] ^= 1
    data.write_bytes(bytes(content))
    command = [sys.executable, "-c", MAIN]
    run = subprocess.run(
        [*command, "serve", "--port", "0", "--data", str(data)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 1
    assert "is damaged after event 16 of 31" in run.stderr
    assert data.read_bytes() == bytes(content)
    recover = [*command, "recover", str(data)]
    dry = subprocess.run([*recover, "--dry-run"], capture_output=True, text=True, check=True).stdout
    assert "Would be kept: events 1 to 16." in dry
    assert "  of p: 15 that can still be read" in dry
    assert data.read_bytes() == bytes(content)
    told = subprocess.run(recover, capture_output=True, text=True, check=True).stdout
    assert "Kept: events 1 to 16." in told
    assert "Lost: 15 events, 17 to 31." in told
    with running(data) as service:
        assert service.get(f"{path}/rounds/r14").status_code == 200
        assert service.get(f"{path}/rounds/r15").status_code == 404


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    import sqlite3

    data = tmp_path / "events.db"
    SqliteJournal(data).close()
    with sqlite3.connect(data) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    before = data.read_bytes()
    run = subprocess.run(
        [sys.executable, "-c", MAIN, "serve", "--port", "0", "--data", str(data)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 1
    assert "format version 9" in run.stderr
    assert data.read_bytes() == before


def test_logs_are_lines_of_json(tmp_path: Path) -> None:
    with running(tmp_path / "events.db", "--log-requests") as service:
        service.problem("p")
        service.stop()
        lines = service.logged()
    assert lines[0]["event"] == "listening"
    assert "ready" in [x["event"] for x in lines]
    assert lines[-1]["event"] == "stopped"
    requests = [x for x in lines if x["event"] == "request"]
    assert {"route", "status", "seconds", "time", "path"} <= requests[-1].keys()


def test_only_what_was_lost_is_made_anew(tmp_path: Path) -> None:
    data = tmp_path / "events.db"
    with running(data) as service:
        for name in ("a", "b"):
            path = service.problem(name)
            for number in range(20):
                body = {"id": f"r{number}", "contexts": CONTEXTS}
                assert service.post(f"{path}/rounds", body).status_code == 201
        with sqlite3.connect(data, isolation_level=None) as other:
            # An event that nobody here has seen stands where the next one is to go
            other.execute(
                "INSERT INTO events SELECT seq + 1, problem, number + 1, kind, at, 'x', body, chain "
                "FROM events ORDER BY seq DESC LIMIT 1"
            )
        away = service.post("/v1/problems/b/rounds", {"id": "new", "contexts": CONTEXTS})
        assert away.status_code == 503
        with sqlite3.connect(data, isolation_level=None) as other:
            other.execute("DELETE FROM events WHERE key = 'x'")
        service.wait_until_ready()
        again = service.post("/v1/problems/b/rounds", {"id": "new", "contexts": CONTEXTS})
        assert again.status_code == 201
        opened = [line for line in service.logged() if line["event"] == "ready"]
        service.kill()
    assert [line["problems"] for line in opened] == [0, 2]
    assert opened[1]["replayed"] == 21
    full, resumed, _ = _digests(data)
    assert full == resumed


@pytest.mark.parametrize(("pays", "rare"), [(1, True), (1_000_000, False)])
def test_the_larger_the_state_the_rarer_are_its_snapshots(
    tmp_path: Path, pays: int, rare: bool
) -> None:
    data = tmp_path / "events.db"
    before = f"import weitzman.serve.engine.supervisor as supervisor; supervisor._PAYS = {pays}"
    with running(data, "--snapshot-every", "5", before=before) as service:
        path = service.problem("p")
        for number in range(60):
            body = {"id": f"r{number}", "contexts": CONTEXTS}
            assert service.post(f"{path}/rounds", body).status_code == 201
        taken = [int(file.name.rpartition("-")[2]) for file in FileSnapshots(data).files()]
    # The first is due as if the state were small, as nothing is known of it
    assert (max(taken) < 20) is rare
