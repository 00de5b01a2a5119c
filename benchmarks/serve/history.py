"""A journal with a long past: many problems, and rounds that were opened, seen, closed and learned.

Events are made as the service makes them, applied to a state, and appended in large batches; a snapshot of
that state stands beside the journal, as one does in a service that has run for long.
"""

import time
from pathlib import Path

import numpy as np

from weitzman.ledger.bodies import Body, Closed, Created, Opened, Seen, encode
from weitzman.ledger.event import Draft
from weitzman.ledger.snapshots import FileSnapshots, take
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.state.fold import State, apply

from .client import BOXES, DIMENSION

_BATCH = 20_000
_HOUR = 3_600_000_000


class Past:
    """A journal that is being written, and the state it comes to."""

    def __init__(self, path: Path) -> None:
        self.state = State()
        self.count = 0
        self._snapshots = FileSnapshots(path)
        self._journal = SqliteJournal(path)
        self._drafts: list[Draft] = []
        self._begin = time.time_ns() // 1_000 - 24 * _HOUR

    def happen(self, problem: str, body: Body, key: str = "") -> None:
        """Let something happen."""
        kind, content = encode(body)
        number, at = self.state.events(problem) + 1, self._begin + self.count
        draft = Draft(problem, number, kind, at, key, content)
        apply(self.state, draft, body)
        self._drafts.append(draft)
        self.count += 1
        if len(self._drafts) == _BATCH:
            self._store()

    def close(self) -> None:
        """Store the rest and the snapshot."""
        self._store()
        self._snapshots.write(take(self.state, self._journal.head()))
        self._journal.close()

    def _store(self) -> None:
        self._journal.append(self._drafts)
        self._drafts.clear()


def settings(explore: float | None = None) -> Created:
    """Return what a problem of the benchmark is created with."""
    return Created(
        boxes=[f"b{k}" for k in range(BOXES)],
        features=[f"x{k}" for k in range(DIMENSION)],
        sense="min",
        feedback="opened",
        waiting=_HOUR,
        cost=0.5,
        explore=explore,
    )


def write_past(path: Path, *, problems: int, events: int, explore: float | None = None) -> None:
    """Write a journal of at least so many events of problems ``p0``, ``p1``, …, each in turn."""
    rng = np.random.default_rng(0)
    past = Past(path)
    for k in range(problems):
        past.happen(f"p{k}", settings(explore))
    i = 0
    while past.count < events:
        name, key = f"p{i % problems}", f"h{i:08d}"
        contexts = rng.normal(size=(BOXES, DIMENSION)).round(6)
        costs = [0.5] * BOXES
        sigma = past.state.problems[name].propose(None, contexts, costs, 3.0)
        past.happen(name, Opened(contexts.tolist(), costs, sigma, 3.0), key)
        past.happen(name, Seen([(i // problems % BOXES, round(rng.uniform(0.0, 4.0), 3))]), key)
        past.happen(name, Closed(), key)
        i += 1
    past.close()
