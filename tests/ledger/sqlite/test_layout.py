"""The layout of a SQLite journal, and how one of version 1 comes to it."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from weitzman.errors import JournalMovedError
from weitzman.ledger.event import Draft
from weitzman.ledger.journal import EMPTY, Head
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.sqlite.layout import LAYOUT
from weitzman.ledger.testing import drafts

OLD = Path(__file__).parents[1] / "golden" / "journal-v1.db"


def _asked(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_a_journal_of_version_1_is_brought_up_with_the_same_events(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    shutil.copy(OLD, path)
    query = "SELECT * FROM events ORDER BY seq"
    before = _asked(path, query)
    journal = SqliteJournal(path)
    assert journal.head().seq == len(before)
    name = next(e.problem for e in journal.read() if e.problem)
    last = max(e.number for e in journal.read() if e.problem == name)
    with pytest.raises(JournalMovedError):
        journal.append([Draft(name, last, "archived", 0, "", b"{}")])
    (added,) = journal.append([Draft(name, last + 1, "archived", 0, "", b"{}")])
    assert list(journal.read(problem=name))[-1] == added
    journal.close()
    assert _asked(path, "PRAGMA user_version") == [(LAYOUT,)]
    assert _asked(path, query)[:-1] == before
    again = SqliteJournal(path)
    assert list(again.read(EMPTY))[-1] == added
    again.close()


def test_old_and_new_files_have_the_same_tables_and_indexes(tmp_path: Path) -> None:
    shutil.copy(OLD, tmp_path / "old.db")
    query = "SELECT type, name, tbl_name FROM sqlite_schema ORDER BY name"
    found = []
    for name in ("old.db", "new.db"):
        SqliteJournal(tmp_path / name).close()
        found.append(_asked(tmp_path / name, query))
    assert found[0] == found[1]


def test_keys_and_problems_are_found_by_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by reading all events, if these are many."""
    monkeypatch.setattr("weitzman.ledger.sqlite.journal._FEW", 5)
    journal = SqliteJournal(tmp_path / "events.db")
    events = journal.append(drafts(10))
    assert list(journal.read(problem="p")) == events
    assert list(journal.read(Head(7, events[6].chain), problem="p")) == events[7:]
    seen: list[str] = []
    journal._reader().set_trace_callback(seen.append)
    list(journal.read(problem="p"))
    journal.find("p", "key 3")
    journal._reader().set_trace_callback(None)
    queries = [q for q in seen if q.startswith("SELECT")]
    assert len(queries) == 2
    for query in queries:
        plan = [row[-1] for row in journal._reader().execute(f"EXPLAIN QUERY PLAN {query}")]
        assert not any("SCAN" in step and "COVERING INDEX" not in step for step in plan), plan
        assert any("events_place" in step for step in plan), plan
    journal.close()
