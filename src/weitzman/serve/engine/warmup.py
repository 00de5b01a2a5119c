"""Warm-up: compiled code is loaded, or asked for, before it is needed by a request.

What is not on disk is compiled beside the service, which decides in plain Python until then.
"""

import threading

import numpy as np

from weitzman.ledger.bodies import Closed, Created, Opened, Seen
from weitzman.ledger.state.problem import Problem
from weitzman.serve.messages.schema import NewProblem


class WarmUp:
    """Which settings have been warmed up in this process."""

    def __init__(self) -> None:
        self._done: set[tuple[str | None, str, str | None]] = set()
        self._lock = threading.Lock()

    def is_done(self, settings: Created | NewProblem) -> bool:
        """Whether a round of such a problem loads nothing that is there by now."""
        return _key(settings) in self._done

    def run(self, settings: Created | NewProblem) -> None:
        """Play a small round with the same learner; call it on a thread of its own."""
        with self._lock:
            if self.is_done(settings):
                return
            same = (
                "sense",
                "feedback",
                "learner",
                "parameters",
                "policy",
                "optimism",
                "explore_for",
            )
            given = {name: getattr(settings, name) for name in same}
            if settings.learner is None:
                del given["learner"]
            # Parameters that nobody gave are those of the problem's release, which not every learner has had
            given["defaults"] = getattr(settings, "defaults", 3)
            small = Created(boxes=["a", "b"], features=["x"], waiting=1, **given)
            problem = Problem(name="warm", at=0, settings=small)
            # A policy needs its last loops when its first trees are grown
            for number in range(20 if problem.may_take_long else 2):
                contexts = np.array([[1.0], [2.0 + number]])
                sigma = problem.propose(None, contexts, [1.0, 1.0], 3.0)
                draw = None if settings.explore is None else (settings.explore, number % 2 == 1)
                body = Opened(contexts.tolist(), [1.0, 1.0], sigma, 3.0, draw=draw)
                problem.open("r", number, body)
                problem.see("r", number, Seen([(0, 1.0)]))
                problem.close(
                    "r", number, Closed([(1, 2.0)] if settings.feedback == "full" else [])
                )
            Problem.from_record(problem.record())
            self._done.add(_key(settings))


def _key(settings: Created | NewProblem) -> tuple[str | None, str, str | None]:
    return settings.policy or settings.learner, settings.feedback, settings.explore_for
