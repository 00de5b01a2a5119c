"""A state that holds events which were not stored becomes the fold over the journal again."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.ledger.happenings import Happenings, three_problems
from weitzman.ledger.event import Event
from weitzman.ledger.journal import EMPTY, Head
from weitzman.ledger.snapshots import FileSnapshots, Snapshots, repair, resume, take
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.state.fold import digest, replay


class Counting(SqliteJournal):
    """Counts the events that are read."""

    count = 0

    def read(
        self, since: Head = EMPTY, *, problem: str | None = None, until: int | None = None
    ) -> Iterator[Event]:
        for event in super().read(since, problem=problem, until=until):
            self.count += 1
            yield event


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Counting]:
    opened = Counting(tmp_path / "events.db")
    yield opened
    opened.close()


def _stored(
    journal: Counting, seed: int, *, events: int, kept: int | None = None
) -> tuple[Happenings, Head]:
    """Return a world of which the journal holds only the beginning, and where that ends."""
    world = three_problems(seed=seed, events=events)
    journal.append(world.drafts[:kept])
    return world, journal.head()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("snapped", [0, 90])
def test_it_is_the_fold_over_the_journal(
    journal: Counting, tmp_path: Path, seed: int, snapped: int
) -> None:
    world, head = _stored(journal, seed, events=200, kept=150)
    snapshots: Snapshots | None = None
    if snapped:
        snapshots = FileSnapshots(tmp_path / "events.db")
        events = list(journal.read())
        snapshots.write(
            take(replay(world.drafts[:snapped]), Head(snapped, events[snapped - 1].chain))
        )
    lost = {draft.problem for draft in world.drafts[150:]}
    repaired = repair(journal, snapshots, world.state, head, lost)
    assert digest(repaired.state) == digest(resume(journal).state)
    assert (repaired.head, repaired.snapshot) == (journal.head(), snapped)


def test_what_others_stored_meanwhile_is_taken_in(journal: Counting) -> None:
    world, head = _stored(journal, 7, events=160, kept=150)
    lost = {draft.problem for draft in world.drafts[150:]}
    other = three_problems(seed=7, events=160)
    other.drafts = other.drafts[:150]
    other.state = replay(other.drafts)
    other.rng = np.random.default_rng(8)
    other.go_on(40)
    journal.append(other.drafts[150:])
    repaired = repair(journal, None, world.state, head, lost)
    assert digest(repaired.state) == digest(other.state)


def test_a_problem_that_was_never_stored_is_gone(journal: Counting) -> None:
    world, head = _stored(journal, 3, events=50)
    world.create("new")
    repaired = repair(journal, None, world.state, head, {"new"})
    assert "new" not in repaired.state.problems
    assert digest(repaired.state) == digest(resume(journal).state)


def test_only_the_events_of_what_is_lost_are_read(journal: Counting) -> None:
    world, head = _stored(journal, 3, events=300)
    name = min(world.state.problems, key=lambda p: world.state.problems[p].events)
    own = world.state.problems[name].events
    repaired = repair(journal, None, world.state, head, {name})
    assert journal.count == own < 150
    assert digest(repaired.state) == digest(resume(journal).state)
