"""What is done before a command: compiled code is there before the problem is."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.contracts.live import InProcess
from weitzman.errors import InvalidInputError
from weitzman.serve.commands.problems import warm_up
from weitzman.serve.engine.warmup import WarmUp
from weitzman.serve.http.routes import ROUTES
from weitzman.serve.messages.schema import NewProblem

ASK = NewProblem(name="p", boxes=["a", "b"], dimension=1, learner="Ridge")


class Watched(WarmUp):
    """Notes on which threads it is asked to warm up, and may refuse."""

    def __init__(self, refuses: bool = False) -> None:
        super().__init__()
        self.threads: list[int] = []
        self.refuses = refuses

    def run(self, settings: Any) -> None:
        self.threads.append(threading.get_ident())
        if self.refuses:
            raise InvalidInputError("The learner", "be known", settings.learner)
        super().run(settings)


def _prepared(warmth: WarmUp, ask: NewProblem) -> Any:
    engine: Any = SimpleNamespace(warm_up=warmth)
    return asyncio.run(warm_up(engine, ask))


def test_a_new_problem_is_warmed_up_off_the_event_loop_and_once() -> None:
    warmth = Watched()
    assert not warmth.is_done(ASK)
    assert _prepared(warmth, ASK) is ASK
    assert warmth.is_done(ASK)
    assert len(warmth.threads) == 1
    assert warmth.threads[0] != threading.get_ident()
    assert _prepared(warmth, ASK) is ASK
    assert len(warmth.threads) == 1


def test_a_service_without_problems_has_loaded_no_loops(tmp_path: Path) -> None:
    with InProcess.running(tmp_path / "events.db") as service:
        usual = NewProblem(name="p", boxes=["a", "b"], dimension=1, learner="FTRL")
        assert not service.engine.warm_up.is_done(usual)
        told = {"name": "p", "boxes": ["a", "b"], "dimension": 1, "learner": "FTRL"}
        service.send("/v1/problems", told)
        assert service.engine.warm_up.is_done(usual)
    # After a restart they are there before anybody asks
    with InProcess.running(tmp_path / "events.db") as service:
        assert service.engine.warm_up.is_done(usual)


def test_each_learner_policy_and_feedback_is_warmed_up_for_itself() -> None:
    warmth = Watched()
    _prepared(warmth, ASK)
    full = NewProblem(name="p", boxes=["a"], dimension=1, learner="Ridge", feedback="full")
    other = NewProblem(name="p", boxes=["a"], dimension=1)
    assert not warmth.is_done(full)
    assert not warmth.is_done(other)
    _prepared(warmth, full)
    assert warmth.is_done(full)
    assert len(warmth.threads) == 2


def test_what_cannot_be_warmed_up_is_left_to_the_command() -> None:
    warmth = Watched(refuses=True)
    assert _prepared(warmth, ASK) is ASK
    assert len(warmth.threads) == 1
    assert not warmth.is_done(ASK)


def test_problems_are_warmed_up_before_they_are_created() -> None:
    route = next(r for r in ROUTES if (r.method, r.path) == ("POST", "/v1/problems"))
    warmth = Watched()
    call: Any = SimpleNamespace(engine=SimpleNamespace(warm_up=warmth), body=ASK)
    prepare: Any = route.prepare
    assert asyncio.run(prepare(call)) is ASK
    assert len(warmth.threads) == 1


WATCH = """
import gc
import numpy as np
from numba.core.dispatcher import Dispatcher
from weitzman.ledger.bodies import Closed, Created, Opened, Seen
from weitzman.ledger.state.problem import Problem
from weitzman.serve.engine.warmup import WarmUp

def compiled():
    return sum(len(x.overloads) for x in gc.get_objects() if isinstance(x, Dispatcher))

settings = Created(
    boxes=["a", "b", "c"], features=["x", "y"], sense="min", feedback="opened", waiting=9,
    learner="FTRL", parameters={}, policy=None, optimism="auto",
)
WarmUp().run(settings)
before = compiled()
problem = Problem(name="p", at=0, settings=settings)
for number in range(5):
    contexts = np.arange(6.0).reshape(3, 2) + number
    sigma = problem.propose(None, contexts, [0.5, 1.0, 2.0], 3.0)
    problem.open("r", number, Opened(contexts.tolist(), [0.5, 1.0, 2.0], sigma, 3.0))
    problem.see("r", number, Seen([(0, 1.0)]))
    problem.close("r", number, Closed([]))
Problem.from_record(problem.record())
print(compiled() - before)
"""


def test_rounds_of_a_problem_that_is_warm_compile_and_load_nothing() -> None:
    """In a process of its own: in this one other tests may have compiled everything."""
    done = subprocess.run([sys.executable, "-c", WATCH], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
