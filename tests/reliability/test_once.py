"""Values that come once, often, in any order, late or never: each is learned exactly once, or not at all.

Rounds are opened in waves. Values of a wave are sent one to five times each, shuffled, over four
connections; those of one round in ten only after its waiting time, those of another never. Half of the
rounds are closed by the caller, some twice, the others by themselves. What a bank of its own learns from what
the caller knows to be in time must be what the service has learned, bit for bit.
"""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import weitzman as wz
from tests.reliability.calls import Caller, Truth, truth_of
from tests.reliability.scale import scaled
from tests.serve.running import running

BOXES = ["a", "b", "c", "d"]
DIMENSION = 3
WAITING = 4.0
WAVE = 500
SENDERS = 4


@dataclass
class Told:
    """A round as its caller knows it."""

    name: str
    contexts: list[list[float]]
    values: dict[str, float]
    fate: str
    closes: int
    opened: float = 0.0
    # How the service took each value: in time, or late
    taken: dict[str, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Senders:
    """Connections that share the work."""

    def __init__(self, port: int) -> None:
        self._local = threading.local()
        self._port = port
        self._pool = ThreadPoolExecutor(SENDERS)
        self._callers: list[Caller] = []

    def run(self, work: list[Callable[[Caller], None]]) -> None:
        def one(task: Callable[[Caller], None]) -> None:
            if not hasattr(self._local, "caller"):
                self._local.caller = Caller(lambda: self._port)
                self._callers.append(self._local.caller)
            task(self._local.caller)

        for _ in self._pool.map(one, work):
            pass

    def close(self) -> None:
        self._pool.shutdown()
        for caller in self._callers:
            caller.close()


def _rounds(count: int, rng: random.Random) -> list[Told]:
    fates = ["late"] * (count // 10) + ["missing"] * (count // 10)
    fates += ["in time"] * (count - len(fates))
    rng.shuffle(fates)
    return [
        Told(
            name=f"r{number}",
            contexts=[[rng.gauss(0.0, 1.0) for _ in range(DIMENSION)] for _ in BOXES],
            values={b: rng.gauss(0.0, 1.0) for b in rng.sample(BOXES, rng.randint(1, 4))},
            fate=fate,
            closes=rng.choice([0, 0, 1, 2]) if fate == "in time" else 0,
        )
        for number, fate in enumerate(fates)
    ]


def _open(told: Told) -> Callable[[Caller], None]:
    def act(caller: Caller) -> None:
        body = {"id": told.name, "contexts": told.contexts}
        answer, _ = caller.insist("POST", "/v1/problems/p/rounds", body)
        assert answer.status == 201, answer
        told.opened = time.monotonic()

    return act


def _send(told: Told, box: str) -> Callable[[Caller], None]:
    def act(caller: Caller) -> None:
        began = time.monotonic()
        path = f"/v1/problems/p/rounds/{told.name}/values"
        answer, _ = caller.insist("POST", path, {"values": {box: told.values[box]}})
        assert answer.status == 200, answer
        if told.fate == "late":
            assert began > told.opened + WAITING
            assert answer.body["late"]
        with told.lock:
            # One that comes again after the end is told late, whatever it was the first time
            if not answer.body["late"]:
                told.taken[box] = "in time"
            else:
                told.taken.setdefault(box, "late")

    return act


def _close(told: Told) -> Callable[[Caller], None]:
    def act(caller: Caller) -> None:
        answer, _ = caller.insist("POST", f"/v1/problems/p/rounds/{told.name}/close", {})
        assert answer.status == 200, answer

    return act


def _sendings(wave: list[Told], fate: str, rng: random.Random) -> list[Callable[[Caller], None]]:
    work = [
        _send(told, box)
        for told in wave
        if told.fate == fate
        for box in told.values
        for _ in range(rng.randint(1, 5))
    ]
    rng.shuffle(work)
    return work


def _play(wave: list[Told], senders: Senders, rng: random.Random) -> int:
    """Play a wave; return how many values were sent."""
    senders.run([_open(told) for told in wave])
    work = _sendings(wave, "in time", rng)
    some = len(work) * 4 // 5
    senders.run(work[:some])
    closing = [_close(told) for told in wave for _ in range(told.closes)]
    mixed = work[some:] + closing
    rng.shuffle(mixed)
    senders.run(mixed)
    time.sleep(max(0.0, max(told.opened for told in wave) + WAITING + 0.05 - time.monotonic()))
    late = _sendings(wave, "late", rng)
    senders.run(late)
    return len(work) + len(late)


@scaled(500, 10_000)
def test_values_are_learned_exactly_once(
    count: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    rng = random.Random(count)
    rounds = _rounds(count, rng)
    data = tmp_path / "events.db"
    with running(data, "--snapshot-every", "700") as service:
        service.problem("p", boxes=BOXES, dimension=DIMENSION, waiting_time=WAITING)
        senders = Senders(service.port)
        sent = sum(
            _play(rounds[begin : begin + WAVE], senders, rng) for begin in range(0, count, WAVE)
        )
        senders.close()
        deadline = time.monotonic() + 30.0
        while service.get("/v1/problems/p").json()["rounds_open"]:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        live = service.get("/v1/digest").json()
        service.kill()
    truth = truth_of(data)
    assert live == {"events": truth.events[-1].seq, "digest": truth.folded}
    assert truth.resumed == truth.folded
    ended = _stored(rounds, truth)
    problem = truth.state.problems["p"]
    alone = _learned_alone(rounds, ended)
    for name, array in problem.learned().items():
        np.testing.assert_array_equal(array, alone[name], err_msg=name)
    in_time = sum(how == "in time" for told in rounds for how in told.taken.values())
    late = sum(how == "late" for told in rounds for how in told.taken.values())
    assert (sum(problem.tally.learned), problem.tally.late) == (in_time, late)
    fates = Counter(told.fate for told in rounds)
    slow = sum("late" in told.taken.values() for told in rounds if told.fate == "in time")
    figure(
        f"{count} rounds ({fates['late']} late, {fates['missing']} missing), {sent} values sent for "
        f"{in_time + late}: {in_time} learned, each once; {late} late ones stored, none learned "
        f"({slow} rounds came late because they were closed before)"
    )


def _stored(rounds: list[Told], truth: Truth) -> list[str]:
    """Check that everything is stored once, and return the rounds in the order of their ends."""
    by_name = {told.name: told for told in rounds}
    found: Counter[tuple[str, str]] = Counter()
    ended: list[str] = []
    for event in truth.events:
        if event.kind == "closed":
            ended.append(event.key)
        elif event.kind == "seen":
            body: dict[str, Any] = json.loads(event.body)
            how = "late" if body.get("late") else "in time"
            for row, value in body["looks"]:
                told = by_name[event.key]
                assert told.values[BOXES[row]] == value
                assert told.taken[BOXES[row]] == how
                found[event.key, BOXES[row]] += 1
    wanted = {(told.name, box) for told in rounds if told.fate != "missing" for box in told.values}
    assert found == Counter(wanted)
    assert Counter(ended) == Counter(list(by_name))
    return ended


def _learned_alone(rounds: list[Told], ended: list[str]) -> dict[str, Any]:
    """Return the state of a bank that learns what its caller knows to have been in time."""
    learner = wz.FTRL(intercept=False, explore="own", prior="agreed")
    bank = learner.start(boxes=len(BOXES), dimension=DIMENSION)
    by_name = {told.name: told for told in rounds}
    for name in ended:
        told = by_name[name]
        values = np.full(len(BOXES), np.nan)
        for row, box in enumerate(BOXES):
            if told.taken.get(box) == "in time":
                values[row] = told.values[box]
        bank.update_arrays(
            boxes=bank.every,
            contexts=np.array(told.contexts),
            values=values,
            costs=np.full(len(BOXES), 0.5),
        )
    return dict(bank.state())
