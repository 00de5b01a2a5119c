"""Kill -9 under load, again and again: while it answers, while it writes a snapshot, while it starts.

Four writers open, tell and close rounds; a call without an answer is made again with the same content.
What was acknowledged must be in the journal with the value that was sent, everything once, and the state
must be the fold of it. Where problems explore, chances must be those of a run that nothing disturbed.
"""

import itertools
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.reliability.calls import Caller, Truth, truth_of
from tests.reliability.scale import scaled
from tests.serve.running import CONTEXTS, Running

PROBLEMS = ("prices", "wins")
EXPLORING = ("explored", "explored-for-another", "explored-by-a-policy")
BOXES = "abc"
WRITERS = 4
EXPLORED = 3  # rounds for each kill


class Acknowledged(NamedTuple):
    """Something that a writer was told has happened."""

    problem: str
    kind: str
    round: str
    looks: tuple[tuple[str, float], ...] = ()


class Writer(threading.Thread):
    """Plays rounds until told to stop."""

    def __init__(self, number: int, port: Callable[[], int], stop: threading.Event) -> None:
        super().__init__(name=f"writer-{number}")
        self._number, self._stop_asked = number, stop
        self._caller = Caller(port)
        self._random = random.Random(number)
        self.acknowledged: list[Acknowledged] = []
        self.again = 0
        self.refused: list[object] = []

    def run(self) -> None:
        count = 0
        while not self._stop_asked.is_set():
            count += 1
            self._play(self._random.choice(PROBLEMS), f"w{self._number}-{count}")
        self._caller.close()

    def _play(self, problem: str, name: str) -> None:
        path = f"/v1/problems/{problem}/rounds"
        shift = self._random.gauss(0.0, 1.0)
        rows = [[x + shift for x in row] for row in CONTEXTS]
        told = self._call(path, {"id": name, "contexts": rows, "outside": 1.0})
        self.acknowledged.append(Acknowledged(problem, "opened", name))
        while told and not told["stop"]:
            box, value = str(told["next"]), self._random.gauss(0.0, 1.0)
            told = self._call(f"{path}/{name}/values", {"values": {box: value}})
            self.acknowledged.append(Acknowledged(problem, "seen", name, ((box, value),)))
        self._call(f"{path}/{name}/close", {})
        self.acknowledged.append(Acknowledged(problem, "closed", name))

    def _call(self, path: str, body: object) -> dict[str, object]:
        # Every other call is made safe to repeat by a key, the others by what they say
        key = f"k{self._random.getrandbits(64):x}" if self._random.random() < 0.5 else None
        answer, tries = self._caller.insist("POST", path, body, key)
        self.again += tries - 1
        if answer.status not in (200, 201):
            self.refused.append(answer)
        found: dict[str, object] = answer.body
        return found


class Victim:
    """A service that is killed and started again on the same file."""

    def __init__(self, data: Path, seed: int) -> None:
        self.data = data
        self.random = random.Random(seed)
        self.walls: list[float] = []
        self.cpus: list[float] = []
        self.kills: Counter[str] = Counter()
        self.service = self._start()
        self.service.wait_until_ready()

    def port(self) -> int:
        return self.service.port

    def _start(self) -> Running:
        return Running(self.data, "--snapshot-every", "25")

    def kill(self) -> None:
        """Kill it at some moment of its life, and start it until it answers."""
        chance = self.random.random()
        if chance < 0.6:
            self._kill("answering")
            self.service = self._start()
            time.sleep(self.random.uniform(0.0, 1.0))
            self._kill("starting")
        else:
            time.sleep(self.random.uniform(0.0, 0.2))
            if chance < 0.8:
                self._wait_for_a_snapshot()
            self._kill("answering")
        began = time.monotonic()
        self.service = self._start()
        self.service.wait_until_ready()
        self.walls.append(time.monotonic() - began)
        self.cpus.append(_cpu(self.service.process.pid))

    def _wait_for_a_snapshot(self) -> None:
        deadline = time.monotonic() + 0.5
        while time.monotonic() < deadline and not self._writing():
            time.sleep(0.0005)

    def _writing(self) -> bool:
        return any(file.suffix == ".part" for file in self.data.parent.iterdir())

    def _kill(self, when: str) -> None:
        self.service.kill()
        self.kills["in a snapshot" if self._writing() else when] += 1
        for part in self.data.parent.glob("*.part"):
            part.unlink()  # so that each is counted once


def yardstick(times: int) -> float:
    """Return the median processor seconds of a process that loads the libraries and does nothing."""
    used = [_used()]
    for _ in range(times):
        command = [sys.executable, "-c", "import numpy, numba, uvicorn, uvloop, typer"]
        subprocess.run(command, check=True)
        used.append(_used())
    return statistics.median(after - before for before, after in itertools.pairwise(used))


def _used() -> float:
    """Return the processor seconds of all processes that have ended here."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def _cpu(process: int) -> float:
    """Return the seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@scaled(50, 500)
def test_kills_lose_nothing_and_nothing_is_learned_twice(
    count: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    victim = Victim(tmp_path / "events.db", seed=count)
    victim.service.problem(PROBLEMS[0])
    victim.service.problem(PROBLEMS[1], sense="max")
    stop = threading.Event()
    writers = [Writer(number, victim.port, stop) for number in range(WRITERS)]
    try:
        for writer in writers:
            writer.start()
        while victim.kills.total() < count:
            victim.kill()
    finally:
        stop.set()
        for writer in writers:
            writer.join(150.0)
        caller = Caller(victim.port)
        live = caller.digest()
        caller.close()
        victim.service.kill()
    loading = yardstick(7)
    assert [told for writer in writers for told in writer.refused] == []
    truth = truth_of(victim.data)
    lost, twice, acknowledged = _compare(writers, truth)
    figure(
        f"{victim.kills.total()} kills under load ({dict(victim.kills)}): {lost} of {acknowledged} "
        f"acknowledged events lost, {twice} stored or learned twice; restart "
        f"{statistics.median(victim.walls):.2f} s median, {max(victim.walls):.2f} s at most (of processor "
        f"time {statistics.median(victim.cpus):.2f} and {max(victim.cpus):.2f} s; loading the libraries "
        f"alone {loading:.2f}); "
        f"{sum(w.again for w in writers)} calls made again; {truth.events[-1].seq} events"
    )
    assert (lost, twice) == (0, 0)
    assert live == (truth.events[-1].seq, truth.folded)
    assert truth.resumed == truth.folded
    assert truth.snapshot > 0
    assert acknowledged > 10 * count
    assert min(victim.kills.values()) > 0
    # By processor time and in loads of the libraries: the same on a fast, a slow and a busy machine
    assert statistics.median(victim.cpus) <= 3.0 * loading
    assert max(victim.cpus) <= 6.0 * loading


def _explored(service: Callable[[], Running], rounds: int, after: Callable[[int], None]) -> None:
    """Play rounds of exploring problems one after the other; ``after`` is called behind every round."""
    caller = Caller(lambda: service().port)
    drawn = random.Random(7)
    for number in range(rounds):
        problem = EXPLORING[number % len(EXPLORING)]
        path = f"/v1/problems/{problem}/rounds"
        shift = drawn.gauss(0.0, 1.0)
        rows = [[x + shift for x in row] for row in CONTEXTS]
        told, _ = caller.insist("POST", path, {"id": f"r{number}", "contexts": rows})
        values = {box: drawn.gauss(0.0, 1.0) for box in BOXES}
        while not told.body["stop"]:
            box = str(told.body["next"])
            body = {"values": {box: values[box]}}
            told, _ = caller.insist("POST", f"{path}/r{number}/values", body)
            # Sometimes between two looks
            if drawn.random() < 0.2:
                after(number)
        caller.insist("POST", f"{path}/r{number}/close", {})
        after(number)
    caller.close()


def _chances(data: Path) -> dict[tuple[str, str, str], bytes]:
    """Return the bytes of all draws and chances that a journal holds."""
    found = {}
    for event in truth_of(data).events:
        if event.kind in ("opened", "closed") and event.problem in EXPLORING:
            told = json.loads(event.body)
            part = told["draw"] if event.kind == "opened" else told["chances"]
            found[event.problem, event.key, event.kind] = json.dumps(part).encode()
    return found


@scaled(12, 200)
def test_chances_are_those_of_a_run_that_nothing_disturbed(
    count: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    (tmp_path / "killed").mkdir()
    (tmp_path / "calm").mkdir()
    victim = Victim(tmp_path / "killed" / "events.db", seed=count)
    calm = Running(tmp_path / "calm" / "events.db")
    calm.wait_until_ready()
    for service in (victim.service, calm):
        service.problem(EXPLORING[0], learner="FTRL", explore=0.3, seed=11)
        service.problem(EXPLORING[1], sense="max", explore=0.2, explore_for="no-context")
        service.problem(EXPLORING[2], policy="Aware", explore=0.3, seed=3)
    rounds = EXPLORED * count

    def kill(number: int) -> None:
        if victim.kills.total() * rounds < count * (number + 1):
            victim.kill()

    try:
        _explored(lambda: victim.service, rounds, kill)
        while victim.kills.total() < count:
            victim.kill()
    finally:
        victim.service.kill()
    _explored(lambda: calm, rounds, lambda _: None)
    calm.kill()
    found, wanted = _chances(victim.data), _chances(calm.data)
    drawn = sum(b"true" in part for part in wanted.values())
    same = sum(found.get(place) == part for place, part in wanted.items())
    figure(
        f"{victim.kills.total()} kills while it explores ({dict(victim.kills)}): {same} of {len(wanted)} "
        f"draws and chances are bit for bit those of a run without kills; {drawn} of {rounds} rounds drawn"
    )
    assert victim.kills.total() >= count
    assert found == wanted
    assert 0.1 * rounds < drawn < 0.5 * rounds


def _compare(writers: list[Writer], truth: Truth) -> tuple[int, int, int]:
    """Return how many acknowledged events are lost, how many are there twice, and how many there are."""
    stored: Counter[Acknowledged] = Counter()
    values: dict[str, dict[str, set[tuple[str, str]]]] = {p: {} for p in PROBLEMS}
    for event in truth.events:
        if event.kind not in ("opened", "seen", "closed"):
            continue
        looks: tuple[tuple[str, float], ...] = ()
        if event.kind == "seen":
            told = json.loads(event.body)
            assert not told.get("late")
            looks = tuple((BOXES[row], value) for row, value in told["looks"])
            for box, _ in looks:
                values[event.problem].setdefault(event.key, set()).add((event.key, box))
        stored[Acknowledged(event.problem, event.kind, event.key, looks)] += 1
    acknowledged = {told for writer in writers for told in writer.acknowledged}
    lost = sum(stored[told] == 0 for told in acknowledged)
    twice = sum(number - 1 for number in stored.values())
    for name in PROBLEMS:
        tally = truth.state.problems[name].tally
        closed = {told.round for told in stored if (told.problem, told.kind) == (name, "closed")}
        learned = sum(len(looks) for key, looks in values[name].items() if key in closed)
        twice += abs(sum(tally.learned) - learned) + abs(tally.closed - len(closed))
        twice += abs(sum(tally.looks) - learned)
    return lost, twice, len(acknowledged)
