"""Random but valid events of a few problems, as a service would write them."""

import math

import msgspec
import numpy as np

from weitzman.ledger.bodies import (
    Answered,
    Archived,
    Body,
    Closed,
    Created,
    Imported,
    KeyCreated,
    KeyRevoked,
    Opened,
    PastRound,
    Seen,
    encode,
)
from weitzman.ledger.event import Draft
from weitzman.ledger.state.fold import State, apply

HOUR = 3_600_000_000


class Happenings:
    """Applies events to a state as they happen, and keeps the drafts."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.state = State()
        self.drafts: list[Draft] = []
        self.now = 1_700_000_000_000_000
        self._closed: list[tuple[str, str]] = []

    def happen(self, problem: str, body: Body, key: str = "") -> None:
        self.now += int(self.rng.integers(1, 1_000_000))
        kind, content = encode(body)
        draft = Draft(problem, self.state.events(problem) + 1, kind, self.now, key, content)
        assert apply(self.state, draft, body)
        self.drafts.append(draft)

    def create(self, name: str, boxes: int = 3, dimension: int = 2, **settings: object) -> None:
        told = {
            "boxes": [f"b{i}" for i in range(boxes)],
            "features": [f"x{i}" for i in range(dimension)],
            "sense": "min",
            "feedback": "opened",
            "waiting": HOUR,
            "defaults": 2,
            **settings,
        }
        self.happen(name, msgspec.convert(told, Created))

    def go_on(self, events: int) -> None:
        """Let that many events, or a few more, happen to the problems that are there."""
        goal = len(self.drafts) + events
        while len(self.drafts) < goal:
            self.step()

    def step(self) -> None:
        name = str(self.rng.choice(sorted(self.state.problems)))
        problem = self.state.problems[name]
        chance = self.rng.random()
        if chance < 0.02:
            self.happen(
                name, Answered("00", 200, msgspec.Raw(b'{"a":1}')), key=f"k{len(self.drafts)}"
            )
        elif chance < 0.03:
            self.happen(name, Imported([self._past(name) for _ in range(3)]))
        elif chance < 0.04:
            self.happen("", KeyCreated("me", "write", "ab"), key=f"key{len(self.drafts)}")
        elif chance < 0.05 and self.state.service.keys:
            self.happen("", KeyRevoked(), key=str(self.rng.choice(list(self.state.service.keys))))
        elif chance < 0.08 and self._closed:
            where, late = self._closed[int(self.rng.integers(len(self._closed)))]
            self.happen(where, Seen([(0, 1.0)], late=True), key=late)
        elif chance < 0.5 or not problem.rounds:
            self._open(name)
        else:
            self._go_on_with(name, str(self.rng.choice(sorted(problem.rounds))))

    def archive(self, name: str) -> None:
        self.happen(name, Archived())

    def _open(self, name: str) -> None:
        problem = self.state.problems[name]
        n, d = len(problem.settings.boxes), len(problem.settings.features)
        places = None
        if self.rng.random() < 0.2:
            places = sorted(self.rng.choice(n, size=n - 1, replace=False).tolist())
        rows = n if places is None else n - 1
        contexts = self.rng.normal(size=(rows, d))
        costs = self.rng.uniform(0.0, 1.0, size=rows).tolist()
        outside = float(self.rng.normal()) if self.rng.random() < 0.5 else None
        sigma = problem.propose(places, contexts, costs, outside)
        body = Opened(contexts.tolist(), costs, sigma, outside, places)
        self.happen(name, body, key=f"r{len(self.drafts)}")

    def _go_on_with(self, name: str, key: str) -> None:
        problem = self.state.problems[name]
        open_round = problem.rounds[key]
        row = open_round.next()
        if row is not None and self.rng.random() < 0.9:
            value = None if self.rng.random() < 0.1 else float(self.rng.normal())
            self.happen(name, Seen([(row, value)]), key=key)
            return
        shown = []
        if problem.settings.feedback == "full":
            rest = [r for r in range(len(open_round.costs)) if r not in open_round.looks]
            shown = [(r, float(self.rng.normal())) for r in rest if self.rng.random() < 0.9]
        self.happen(name, Closed(shown, waited=bool(self.rng.random() < 0.1)), key=key)
        self._closed.append((name, key))

    def _past(self, name: str) -> PastRound:
        settings = self.state.problems[name].settings
        n, d = len(settings.boxes), len(settings.features)
        values = [None if self.rng.random() < 0.2 else float(v) for v in self.rng.normal(size=n)]
        return PastRound(self.rng.normal(size=(n, d)).tolist(), [0.5] * n, values)


def three_problems(seed: int, events: int) -> Happenings:
    """Return what happens to three problems: both feedbacks, both senses, another learner."""
    world = Happenings(seed)
    world.create("prices", boxes=3, dimension=2)
    world.create("wins", boxes=4, dimension=1, sense="max", feedback="full", shadow=True)
    world.create("plain", boxes=2, dimension=2, learner="Ridge", cost=0.5)
    world.go_on(events)
    assert not math.isnan(world.state.problems["prices"].tally.total)
    return world
