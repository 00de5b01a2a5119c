"""The state of a service as it runs, of a replay, and of a start from a snapshot: one digest.

Problems of several learners, policies, senses and feedbacks are driven over HTTP by batches, imports and
uploads, some in shadow mode, some archived on the way.
"""

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.reliability.calls import Caller, truth_of
from tests.reliability.scale import scaled
from tests.serve.running import Running
from weitzman.ledger.bodies import KINDS
from weitzman.ledger.snapshots import FileSnapshots

# Name, settings, and how often it is chosen
PROBLEMS: tuple[tuple[str, dict[str, Any], float], ...] = (
    ("plain", {}, 20.0),
    ("wins", {"sense": "max", "feedback": "full"}, 20.0),
    ("watched", {"shadow": True, "feedback": "full", "sense": "max"}, 12.0),
    ("ridge", {"learner": "Ridge", "feedback": "full"}, 12.0),
    ("newton", {"learner": "NewtonStep"}, 12.0),
    ("linearised", {"learner": "LinearisedFTRL", "optimism": 0.5}, 12.0),
    ("default", {"policy": "default", "feedback": "full"}, 0.6),
    ("default-opened", {"policy": "default", "sense": "max"}, 0.4),
    ("ending", {}, 6.0),
)
BOXES, DIMENSION = 4, 3
NAMES = [f"b{i}" for i in range(BOXES)]


class Driver:
    """Lets things happen to all problems."""

    def __init__(self, service: Running, port: Callable[[], int], seed: int) -> None:
        self._service = service
        self._caller = Caller(port)
        self._random = random.Random(seed)
        self._open: dict[str, list[str]] = {name: [] for name, _, _ in PROBLEMS}
        self._archived: set[str] = set()
        self._count = 0
        for name, _, _ in PROBLEMS:
            self._create(name)

    def _create(self, name: str) -> None:
        (settings,) = (settings for known, settings, _ in PROBLEMS if known == name)
        told = {"name": name, "boxes": NAMES, "dimension": DIMENSION, "cost": 0.3, **settings}
        answer, _ = self._caller.insist("POST", "/v1/problems", told)
        assert answer.status == 201, answer

    def go_on(self, events: int) -> None:
        """Let about that many events happen."""
        goal = self._events() + events
        number = 0
        while self._events() < goal:
            number += 1
            for _ in range(6):
                self._batch()
            self._log(number)
            if number % 3 == 0:
                self._state("plain")
            if number == 3:
                self._archive("ending")
            if number == 5:
                self._begin_again("ending")

    def _events(self) -> int:
        answer, _ = self._caller.insist("GET", "/readyz")
        events: int = answer.body["events"]
        return events

    def _batch(self) -> None:
        weights = [share for _, _, share in PROBLEMS]
        name, settings, share = self._random.choices(PROBLEMS, weights)[0]
        size = 100 if share >= 1.0 else 5
        commands = [self._command(name, settings.get("feedback") == "full") for _ in range(size)]
        key = f"b{self._random.getrandbits(60)}" if self._random.random() < 0.3 else None
        path = f"/v1/problems/{name}/batch"
        answer, _ = self._caller.insist("POST", path, {"commands": commands}, key)
        assert answer.status == 200, answer
        for result in answer.body["results"]:
            # Looks that contradict earlier ones, boxes that a round is without, an archived problem
            assert result["status"] in (200, 201, 404, 409), result

    def _command(self, name: str, full: bool) -> dict[str, Any]:
        rounds, chance = self._open[name], self._random.random()
        if not rounds or chance < 0.3:
            self._count += 1
            rounds.append(f"r{self._count}")
            return {"open": self._round(rounds[-1])}
        which = self._random.choice(rounds[-20:])
        if chance < 0.75:
            values = {
                box: None if self._random.random() < 0.1 else self._value()
                for box in self._random.sample(NAMES, self._random.randint(1, 2))
            }
            return {"see": {"round": which, "values": values}}
        if self._random.random() < 0.8:
            rounds.remove(which)  # otherwise it may get late values
        return {"close": {"round": which, "values": {}}} if not full else self._close(which)

    def _close(self, which: str) -> dict[str, Any]:
        return {"close": {"round": which, "values": {self._random.choice(NAMES): self._value()}}}

    def _round(self, name: str) -> dict[str, Any]:
        rows = {box: [self._value() for _ in range(DIMENSION)] for box in NAMES}
        for box in self._random.sample(NAMES, self._random.choice([0, 0, 0, 1])):
            del rows[box]
        ask: dict[str, Any] = {"id": name, "contexts": rows}
        if self._random.random() < 0.5:
            ask["outside"] = self._value()
        if self._random.random() < 0.5:
            ask["costs"] = {box: self._random.random() for box in rows}
        return ask

    def _value(self) -> float:
        return self._random.gauss(0.0, 1.0)

    def _log(self, seed: int) -> None:
        import pyarrow
        from pyarrow import parquet

        rng, rounds = np.random.default_rng(seed), 20
        n = rounds * BOXES
        columns: dict[str, Any] = {
            "round": np.repeat(np.arange(rounds), BOXES),
            "box": NAMES * rounds,
            "cost": rng.uniform(0.1, 1.0, size=n),
            "value": rng.normal(size=n),
        }
        for place in range(DIMENSION):
            columns[f"x_{place}"] = rng.normal(size=n)
        sink = io.BytesIO()
        parquet.write_table(pyarrow.table(columns), sink)
        name = ("plain", "wins", "ridge", "default")[seed % 4]
        kind = "application/vnd.apache.parquet"
        answer = self._service.post(f"/v1/problems/{name}/log", sink.getvalue(), content_type=kind)
        assert answer.status_code == 200, answer.text

    def _state(self, name: str) -> None:
        path = f"/v1/problems/{name}/state"
        saved = self._service.get(path).content
        kind = {"content-type": "application/octet-stream"}
        answer = self._service.http.put(path, content=saved, headers=kind)
        assert answer.status_code == 200, answer.text

    def _archive(self, name: str) -> None:
        answer = self._service.post(f"/v1/problems/{name}/archive")
        assert answer.status_code == 200, answer.text

    def _begin_again(self, name: str) -> None:
        """Change a problem, take it up again, forget it, and create it once more."""
        path = f"/v1/problems/{name}"
        for method, to, body in (
            ("PATCH", path, {"description": "for the last time", "least": -100.0}),
            ("POST", f"{path}/unarchive", None),
            ("DELETE", path, None),
        ):
            answer, _ = self._caller.insist(method, to, body, f"l{self._random.getrandbits(60)}")
            assert answer.status == 200, answer
        self._open[name].clear()
        self._create(name)

    def close(self) -> None:
        self._caller.close()

    def digest(self) -> tuple[int, str]:
        return self._caller.digest()


@scaled(3_000, 100_000)
def test_live_replayed_and_resumed_digests_are_one(
    count: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    data = tmp_path / "events.db"
    service = Running(data, "--snapshot-every", str(count // 7))
    try:
        service.wait_until_ready()
        driver = Driver(service, lambda: service.port, seed=count)
        driver.go_on(count)
        events, live = driver.digest()
        assert events >= count
        service.kill()
        truth = truth_of(data)
        assert truth.events[-1].seq == events
        assert 0 < truth.snapshot < events
        kinds = {event.kind for event in truth.events}
        assert kinds == set(KINDS) - {"key-created", "key-revoked"}
        service = Running(data)
        service.wait_until_ready()
        driver.close()
        again = driver.digest()
        driver.close()
        service.stop()
    finally:
        if service.process.poll() is None:
            service.kill()
    newest = next(FileSnapshots(data).newest_first())
    stopped = truth_of(data)
    figure(
        f"{events} events of {len(truth.state.problems)} problems: live {live[:12]}, replayed "
        f"{truth.folded[:12]}, resumed from event {truth.snapshot} {truth.resumed[:12]}, started again "
        f"{again[1][:12]}, from the snapshot of a stop at event {newest.head.seq} {stopped.resumed[:12]}"
    )
    assert {truth.folded, truth.resumed, again[1], stopped.folded, stopped.resumed} == {live}
    assert again[0] == newest.head.seq == events
