"""Two services on one PostgreSQL: the leader is killed again and again under load.

Four callers open, tell and close rounds at either service. A call that fails is made again, at the other
one, with the same content, as a client would. What was acknowledged must be in the journal, once.
"""

import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.postgres import Server
from tests.serve.running import CONTEXTS, Running
from weitzman.ledger.postgres.election import Election
from weitzman.ledger.postgres.journal import PostgresJournal
from weitzman.ledger.state.fold import replay

CALLERS = 4
NAME = "prices"


class Pair:
    """Two services that share a journal, each started again when it is killed."""

    def __init__(self, place: str, folder: Path) -> None:
        self._place, self._folder = place, folder
        self.services: list[Running] = []
        for _ in range(2):
            self.services.append(self._start())
        for service in self.services:
            service.wait_until_ready()
        self._observer = Election(place, address="nowhere")

    def _start(self) -> Running:
        return Running(self._place, log=self._folder / "services.log")

    def leader(self) -> int:
        """Return which of them leads the problem."""
        deadline = time.monotonic() + 30.0
        while time.monotonic() < deadline:
            address = self._observer.leader(NAME)
            for i, service in enumerate(self.services):
                if address == f"http://127.0.0.1:{service.port}":
                    return i
            time.sleep(0.01)
        raise TimeoutError((self._folder / "services.log").read_text(encoding="utf-8")[-3000:])

    def kill_leader(self) -> tuple[int, float]:
        """Kill the leader; return which, and when."""
        which = self.leader()
        self.services[which].process.kill()
        at = time.monotonic()
        self.services[which].kill()
        return which, at

    def start_again(self, which: int) -> None:
        self.services[which] = self._start()
        self.services[which].wait_until_ready()

    def close(self) -> None:
        self._observer.close()
        for service in self.services:
            if service.process.poll() is None:
                service.stop()
            service.http.close()


class Caller(threading.Thread):
    """Plays rounds until told to stop, and remembers what was acknowledged, and when."""

    def __init__(self, pair: Pair, number: int, stop: threading.Event) -> None:
        super().__init__()
        self._pair, self._number, self._stop_asked = pair, number, stop
        self._random = random.Random(number)
        self.acknowledged: list[tuple[str, str]] = []
        self.written: list[tuple[float, float]] = []
        self.retries = 0
        self.refused: list[str] = []

    def run(self) -> None:
        count = 0
        with httpx.Client(timeout=10.0, trust_env=False) as http:
            while not self._stop_asked.is_set():
                count += 1
                name = f"c{self._number}-{count}"
                shift = self._random.gauss(0.0, 1.0)
                rows = [[x + shift for x in row] for row in CONTEXTS]
                path = f"/v1/problems/{NAME}/rounds"
                reply = self._call(http, path, {"id": name, "contexts": rows}, ("opened", name))
                while reply and not reply["stop"]:
                    box = reply["next"]
                    seen = {box: self._random.gauss(0.0, 1.0)}
                    told = {"values": seen}
                    reply = self._call(http, f"{path}/{name}/values", told, (f"seen {box}", name))
                self._call(http, f"{path}/{name}/close", {}, ("closed", name))

    def _call(
        self, http: httpx.Client, path: str, body: object, what: tuple[str, str]
    ) -> dict[str, object]:
        which = self._random.randrange(2)
        while True:
            port = self._pair.services[which].port
            began = time.monotonic()
            try:
                answer = http.post(f"http://127.0.0.1:{port}{path}", json=body)
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.status_code in (200, 201):
                self.written.append((began, time.monotonic()))
                self.acknowledged.append(what)
                found: dict[str, object] = answer.json()
                return found
            if answer is not None and answer.status_code != 503:
                self.refused.append(answer.text)
                return {}
            self.retries += 1
            which = 1 - which
            time.sleep(0.01)


def hand_over(postgres: Server, folder: Path, kills: int, figure: Callable[[str], None]) -> None:
    place = postgres.new_database()
    pair = Pair(place, folder)
    stop = threading.Event()
    callers = [Caller(pair, k, stop) for k in range(CALLERS)]
    rng = random.Random(0)
    killed: list[float] = []
    try:
        pair.services[0].problem(NAME)
        for caller in callers:
            caller.start()
        for _ in range(kills):
            time.sleep(rng.uniform(0.1, 0.6))
            which, at = pair.kill_leader()
            killed.append(at)
            pair.leader()
            time.sleep(rng.uniform(0.1, 0.3))
            pair.start_again(which)
        time.sleep(0.5)
        stop.set()
        for caller in callers:
            caller.join(60.0)
            assert not caller.is_alive()
        states = _states(pair, place)
    finally:
        stop.set()
        pair.close()
    assert [text for caller in callers for text in caller.refused] == []
    events, learned = _stored(place)
    acknowledged = Counter(what for caller in callers for what in caller.acknowledged)
    lost = [what for what in acknowledged if events[what] == 0]
    twice = [what for what, count in events.items() if count > 1]
    spans = [span for caller in callers for span in caller.written]
    takeovers = [min(end for began, end in spans if began > at) - at for at in killed]
    figure(
        f"{kills} kills of the leader under load: {len(lost)} of {len(acknowledged)} acknowledged events "
        f"lost, {len(twice)} stored twice; hand-over median {statistics.median(takeovers):.2f} s, at "
        f"most {max(takeovers):.2f} s; {sum(c.retries for c in callers)} calls made again"
    )
    assert (lost, twice) == ([], [])
    assert len(acknowledged) > 20 * kills
    assert states == [learned, learned]
    assert max(takeovers) <= 5.0


def _states(pair: Pair, place: str) -> list[bytes]:
    """Return what each service has learned, when each has taken in the whole journal."""
    journal = PostgresJournal(place)
    head = journal.head().seq
    journal.close()
    states = []
    for service in pair.services:
        deadline = time.monotonic() + 10.0
        while service.get("/readyz").json().get("events", 0) < head:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        states.append(service.get(f"/v1/problems/{NAME}/state").content)
    return states


def _stored(place: str) -> tuple[Counter[tuple[str, str]], bytes]:
    """Return how often each thing is stored, and what the journal has taught."""
    import msgspec

    journal = PostgresJournal(place)
    events = list(journal.read())
    journal.close()
    found: Counter[tuple[str, str]] = Counter()
    for event in events:
        if event.kind == "seen":
            for row, _ in msgspec.json.decode(event.body)["looks"]:
                found[f"seen {'abc'[row]}", event.key] += 1
        else:
            found[event.kind, event.key] += 1
    state = replay(events)
    return found, state.problems[NAME].saved()


def test_a_killed_leader_loses_nothing(
    postgres: Server, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    hand_over(postgres, tmp_path, 5, figure)


@pytest.mark.reliability
def test_fifty_killed_leaders_lose_nothing(
    postgres: Server, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    hand_over(postgres, tmp_path, 50, figure)
