"""A state machine against a small model: what a service answers is what the rules say, step after step.

The model knows nothing of the code: rounds with looks, and the rules of the documentation. It takes
reservation values as they were told when a round was opened, and derives everything else by itself.
"""

import math
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from tests.reliability.calls import Answer, Caller, truth_of
from tests.reliability.scale import scaled
from tests.serve.running import Running

BOXES = ("a", "b", "c")
COST = 0.25
SHORT = 0.4  # a waiting time that can be waited for

NUMBERS = st.integers(-8, 8).map(lambda n: n / 4)
BOX = st.sampled_from(BOXES)
ROUND = st.sampled_from(["r1", "r2", "r3"])


@dataclass
class Round:
    """A round as the model sees it; ``sign`` −1 where larger values are better."""

    content: dict[str, Any]
    sigma: dict[str, float]
    sign: float
    first: Any
    opened: tuple[float, float]
    looks: dict[str, float | None] = field(default_factory=dict)
    late: dict[str, float | None] = field(default_factory=dict)
    shown: dict[str, float] | None = None  # None while it is open
    outcome: Any = None

    def best(self) -> float | None:
        found = [v for v in self.looks.values() if v is not None]
        if self.content.get("outside") is not None:
            found.append(self.content["outside"])
        return None if not found else min(found, key=lambda v: self.sign * v)

    def next(self) -> str | None:
        closed = [b for b in BOXES if b not in self.looks]
        if not closed:
            return None
        box = min(closed, key=lambda b: self.sign * self.sigma[b])
        best = self.best()
        stop = best is not None and self.sign * best <= self.sign * self.sigma[box]
        return None if stop else box

    def ends(self) -> dict[str, Any]:
        """Return what it comes to."""
        paid = COST * len(self.looks)
        best, chosen = self.content.get("outside"), None
        for box, value in self.looks.items():
            if value is not None and (best is None or self.sign * value < self.sign * best):
                best, chosen = value, box
        assert self.shown is not None
        known = {b for b, v in self.looks.items() if v is not None} | set(self.shown)
        total = None if best is None else best + self.sign * paid
        return {"opened": list(self.looks), "chosen": chosen, "value": best, "paid": paid,
                "total": total, "learned": len(known)}  # fmt: skip


@dataclass
class Problem:
    """A problem as the model sees it."""

    name: str
    sense: str
    feedback: str
    waiting: float
    archived: bool = False
    rounds: dict[str, Round] = field(default_factory=dict)


class Service:
    """The service of a whole run: problems have fresh names, so every example begins with nothing."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "events.db"
        self._running = Running(self.data, "--snapshot-every", "40")
        self._running.wait_until_ready()
        self.caller = Caller(lambda: self._running.port)
        self.examples = self.steps = self.restarts = 0

    def restart(self, kill: bool) -> None:
        self.restarts += 1
        if kill:
            self._running.kill()
        else:
            self._running.stop()
        self.caller.close()
        self._running = Running(self.data, "--snapshot-every", "40")
        self._running.wait_until_ready()

    def end(self) -> None:
        self.caller.close()
        self._running.kill()


class Machine(RuleBasedStateMachine):
    """Steps of a caller who remembers what the rules make of each."""

    service: Service

    @initialize(
        sense=st.sampled_from(["min", "max"]),
        feedback=st.sampled_from(["opened", "full"]),
        waiting=st.sampled_from([3600.0, 3600.0, SHORT]),
    )
    def begin(self, sense: str, feedback: str, waiting: float) -> None:
        self.service.examples += 1
        self.answers: dict[str, tuple[str, Any, Answer]] = {}
        self.restarted, self.waits = False, 0
        name = f"p{self.service.examples}"
        self.problem = Problem(name, sense, feedback, waiting)
        self.path = f"/v1/problems/{name}"
        self.sign = 1.0 if sense == "min" else -1.0
        told = {"name": name, "boxes": BOXES, "dimension": 1, "sense": sense, "feedback": feedback,
                "cost": COST, "waiting_time": waiting,
                "learner": "FTRL", "parameters": {"intercept": False}}  # fmt: skip
        assert self.post("/v1/problems", told).status == 201
        assert self.post("/v1/problems", {**told, "cost": 9.0}).status == 409
        self.open("r1", 0.5, None)
        self.open("r2", -1.25, 0.75)

    def post(self, path: str, body: Any, key: str | None = None) -> Answer:
        self.service.steps += 1
        return self.service.caller.insist("POST", path, body, key)[0]

    def is_over(self, told: Round) -> bool | None:
        """Return whether the waiting time of a round is over; None if it cannot be told from here."""
        now = time.time()
        if now > told.opened[1] + self.problem.waiting + 0.01:
            return True
        return False if now < told.opened[0] + self.problem.waiting - 0.15 else None

    def settle(self, told: Round) -> None:
        """Wait until it is clear whether a round is over; let it end in the model if it is."""
        while told.shown is None and (over := self.is_over(told)) is not False:
            if over:
                told.shown = {}
            else:
                time.sleep(0.05)

    @rule(name=ROUND, x=NUMBERS, outside=st.none() | NUMBERS)
    def open(self, name: str, x: float, outside: float | None) -> None:
        content = {"id": name, "contexts": [[x], [1.0], [-x]], "outside": outside}
        before, began = self.problem.rounds.get(name), time.time()
        answer = self.post(f"{self.path}/rounds", content)
        if before is not None:
            if before.content == content:
                assert answer == (201, before.first)
            else:
                assert answer.status == 409
            return
        if self.problem.archived:
            assert answer.status == 409
            return
        assert answer.status == 201, answer
        told = answer.body
        opened = Round(content, told["reservation_values"], self.sign, told, (began, time.time()))
        assert told["order"] == sorted(BOXES, key=lambda b: self.sign * opened.sigma[b])
        assert (told["next"], told["best"]) == (opened.next(), opened.best())
        assert told["stop"] == (opened.next() is None)
        self.problem.rounds[name] = opened

    @rule(name=ROUND, values=st.dictionaries(BOX, st.none() | NUMBERS, min_size=1, max_size=3))
    def see(self, name: str, values: dict[str, float | None]) -> None:
        told = self.problem.rounds.get(name)
        if told is not None:
            self.settle(told)
        answer = self.post(f"{self.path}/rounds/{name}/values", {"values": values})
        if told is None:
            assert answer.status == 404
            return
        seen = told.looks if told.shown is None else {**told.looks, **told.late}
        if any(seen.get(b) is not None and seen[b] != v for b, v in values.items()):
            assert answer.status == 409
            return
        assert answer.status == 200, answer
        home = told.looks if told.shown is None else told.late
        for box, value in values.items():
            # Of two times nothing, the first stays; a value may still come after nothing
            if box not in seen or (seen[box] is None and value is not None):
                home[box] = value
        late = told.shown is not None
        row = None if late else told.next()
        assert answer.body == {"round": name, "next": row, "stop": row is None,
                               "best": told.best(), "late": late}  # fmt: skip

    @rule(name=ROUND, values=st.dictionaries(BOX, NUMBERS, max_size=2))
    def close(self, name: str, values: dict[str, float]) -> None:
        told = self.problem.rounds.get(name)
        if told is not None:
            self.settle(told)
        answer = self.post(f"{self.path}/rounds/{name}/close", {"values": values})
        if told is None:
            assert answer.status == 404
            return
        if values and self.problem.feedback == "opened":
            assert answer.status == 422
            return
        if any(told.looks.get(b) is not None and told.looks[b] != v for b, v in values.items()):
            assert answer.status == 409
            return
        new = {b: v for b, v in values.items() if told.looks.get(b) is None}
        if told.shown is not None and values and new != told.shown:
            assert answer.status == 409
            return
        assert answer.status == 200, answer
        if told.shown is None:
            told.shown = new
        self.check_outcome(told, answer.body)

    def check_outcome(self, told: Round, outcome: dict[str, Any]) -> None:
        wanted = told.ends()
        if wanted["total"] is not None:
            assert math.isclose(outcome["total"], wanted["total"], abs_tol=1e-12)
            wanted["total"] = outcome["total"]
        assert {k: outcome[k] for k in wanted} == wanted
        told.outcome = told.outcome or outcome
        assert outcome == told.outcome

    @rule(key=st.sampled_from(["k1", "k2"]), name=ROUND, value=NUMBERS)
    def see_with_a_key(self, key: str, name: str, value: float) -> None:
        told = self.problem.rounds.get(name)
        path, body = f"{self.path}/rounds/{name}/values", {"values": {"a": value}}
        if told is None:
            return
        self.settle(told)
        answer = self.post(path, body, key)
        if key in self.answers:
            same = self.answers[key][:2] == (path, body)
            assert answer == self.answers[key][2] if same else answer.status == 422
            return
        seen = told.looks if told.shown is None else {**told.looks, **told.late}
        if seen.get("a") not in (None, value):
            assert answer.status == 409
            return
        assert answer.status == 200
        if seen.get("a") is None:
            (told.looks if told.shown is None else told.late)["a"] = value
        self.answers[key] = (path, body, answer)

    @rule(really=st.integers(0, 4))
    def archive(self, really: int) -> None:
        if really == 0:
            assert self.post(f"{self.path}/archive", None).status == 200
            self.problem.archived = True

    @precondition(lambda self: self.problem.waiting == SHORT and self.waits < 2)
    @rule()
    def wait(self) -> None:
        self.waits += 1
        time.sleep(SHORT)

    @precondition(lambda self: not self.restarted)
    @rule(kill=st.booleans(), really=st.integers(0, 2))
    def restart(self, kill: bool, really: int) -> None:
        if really == 0:
            self.restarted = True
            self.service.restart(kill)

    @invariant()
    def rounds_are_as_the_model_has_them(self) -> None:
        if not hasattr(self, "problem"):
            return
        for name, told in self.problem.rounds.items():
            if self.problem.waiting == SHORT and told.shown is None:
                continue  # it may end while we look
            answer, _ = self.service.caller.insist("GET", f"{self.path}/rounds/{name}")
            story = answer.body
            boxes = {box["box"]: box for box in story["boxes"]}
            late = {b for b in told.late if told.looks.get(b) is None}
            assert story["closed"] == (told.shown is not None) or told.shown == {}
            assert {b for b in BOXES if boxes[b]["opened"]} == set(told.looks)
            assert {b for b in BOXES if boxes[b]["late"]} == late
            if told.shown is not None and story["closed"]:
                self.check_outcome(told, story["outcome"])

    def teardown(self) -> None:
        if not hasattr(self, "problem"):
            return
        for told in self.problem.rounds.values():
            self.settle(told)
        report, _ = self.service.caller.insist("GET", f"{self.path}/report")
        if self.problem.waiting != SHORT:
            ended = [told for told in self.problem.rounds.values() if told.shown is not None]
            assert report.body["rounds_closed"] == len(ended)
            learned = sum(told.ends()["learned"] for told in ended)
            assert sum(box["learned"] for box in report.body["boxes"]) == learned


@scaled(15, 400)
def test_the_service_does_what_the_model_says(count: int, figure: Callable[[str], None]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="machine-"))
    service = Machine.service = Service(folder)
    profile = settings(
        max_examples=count,
        stateful_step_count=40,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[
            Phase.generate
        ],  # with a real service, shrinking takes longer than reading the steps
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_machine(Machine, settings=profile)
        live = service.caller.digest()
    finally:
        service.end()
    truth = truth_of(service.data)
    figure(
        f"state machine: {service.examples} runs, {service.steps} commands, {service.restarts} restarts, "
        f"0 divergences; {truth.events[-1].seq} events"
    )
    assert live == (truth.events[-1].seq, truth.folded)
    assert service.restarts > 0
    shutil.rmtree(folder)
