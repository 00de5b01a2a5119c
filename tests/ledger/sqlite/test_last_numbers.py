"""The last numbers of all problems: kept, read again, and made anew when they are not whole."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from weitzman.errors import JournalMovedError
from weitzman.ledger.event import Draft
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.sqlite.last_numbers import LastNumbers

PROBLEMS = 7


def _drafts(first: int, count: int) -> list[Draft]:
    """Return drafts of problems in turn."""
    places = range(first, first + count)
    return [Draft(f"p{i % PROBLEMS}", i // PROBLEMS + 1, "seen", i, f"k{i}", b"{}") for i in places]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A journal of 25,000 events, which has kept its numbers twice."""
    path = tmp_path / "events.db"
    journal = SqliteJournal(path)
    for first in range(0, 25_000, 1_000):
        journal.append(_drafts(first, 1_000))
    journal.close()
    return path


def _goes_on(path: Path) -> bool:
    """Whether the next number of every problem is taken, and no other."""
    journal = SqliteJournal(path)
    begin = journal.head().seq
    for place in range(begin, begin + PROBLEMS):
        (wanted,) = _drafts(place, 1)
        for number in (wanted.number - 1, wanted.number + 1):
            with pytest.raises(JournalMovedError):
                journal.append([Draft(wanted.problem, number, "seen", 0, "", b"{}")])
    assert len(journal.append(_drafts(begin, PROBLEMS))) == PROBLEMS
    whole = [e.number for e in journal.read(problem="p3")]
    journal.close()
    return whole == list(range(1, len(whole) + 1))


def test_numbers_are_known_after_a_start(stored: Path) -> None:
    with closing(sqlite3.connect(stored)) as connection:
        numbers = LastNumbers()
        numbers.read(connection, 25_000)
        assert numbers._kept == 20_000
    assert _goes_on(stored)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM tails",
        "UPDATE tails SET content = substr(content, 1, 20)",
        "UPDATE tails SET content = x'ff' || substr(content, 2)",
        "UPDATE tails SET content = 'text'",
        "UPDATE tails SET content = x''",
    ],
)
def test_numbers_that_are_not_whole_are_made_anew(stored: Path, change: str) -> None:
    with sqlite3.connect(stored) as connection:
        connection.execute(change)
    connection.close()
    assert _goes_on(stored)


def test_a_batch_that_does_not_follow_changes_nothing(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "events.db")
    with pytest.raises(JournalMovedError):
        journal.append([*_drafts(0, PROBLEMS), *_drafts(0, 1)])
    assert journal.head().seq == 0
    assert len(journal.append(_drafts(0, PROBLEMS))) == PROBLEMS
    journal.close()
