"""The SQLite journal: the common test case, and what only a file can suffer."""

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from weitzman.errors import (
    JournalDamagedError,
    JournalFormatError,
    JournalMovedError,
    JournalUnavailableError,
)
from weitzman.ledger.journal import Journal
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.sqlite.layout import LAYOUT
from weitzman.ledger.testing import JournalCase, drafts


class TestSqliteJournal(JournalCase):
    def new_place(self, tmp_path: Path) -> Path:
        return tmp_path / "events.db"

    def open_journal(self, place: Path) -> Journal:
        return SqliteJournal(place)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A closed journal of 300 events."""
    path = tmp_path / "events.db"
    journal = SqliteJournal(path)
    for first in range(1, 300, 50):
        journal.append(drafts(50, first=first))
    journal.close()
    return path


def test_commits_wait_for_the_disk(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "events.db")
    assert journal._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert journal._writer.execute("PRAGMA synchronous").fetchone() == (2,)
    journal.close()


@pytest.mark.parametrize(
    "content", [b"not a journal at all" * 20, b"SQLite format 3\0" + bytes(84)]
)
def test_other_files_are_refused_and_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(JournalFormatError, match="no journal"):
        SqliteJournal(path)
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_a_later_version_is_refused_and_untouched(stored: Path) -> None:
    with sqlite3.connect(stored) as connection:
        connection.execute(f"PRAGMA user_version = {LAYOUT + 1}")
    connection.close()
    before = {p.name: p.read_bytes() for p in stored.parent.iterdir()}
    wanted = f"version {LAYOUT + 1}; this weitzman reads versions up to {LAYOUT}"
    with pytest.raises(JournalFormatError, match=wanted):
        SqliteJournal(stored)
    assert {p.name: p.read_bytes() for p in stored.parent.iterdir()} == before


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "events.db")
    with pytest.raises(JournalUnavailableError, match="held by another process"):
        SqliteJournal(tmp_path / "events.db")
    journal.append(drafts(1))
    journal.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE events SET at = at + 1 WHERE seq = 150",
        "UPDATE events SET kind = 'other' WHERE seq = 150",
        "UPDATE events SET problem = 'r' WHERE seq = 150",
        "UPDATE events SET number = 999 WHERE seq = 150",
        "UPDATE events SET key = key || '!' WHERE seq = 150",
        "UPDATE events SET body = x'00' WHERE seq = 150",
        "UPDATE events SET chain = x'00' WHERE seq = 150",
        "UPDATE events SET body = 'text' WHERE seq = 150",
        "DELETE FROM events WHERE seq = 150",
    ],
)
def test_a_change_of_any_column_is_found(stored: Path, change: str) -> None:
    with sqlite3.connect(stored) as connection:
        connection.execute(change)
    connection.close()
    journal = SqliteJournal(stored)
    seen = 0
    with pytest.raises(JournalDamagedError) as caught:
        for event in journal.read():
            seen = event.seq
    assert seen == caught.value.readable == 149
    journal.close()


def test_an_event_that_is_cut_off_the_end_is_missed(stored: Path) -> None:
    with sqlite3.connect(stored) as connection:
        connection.execute("DELETE FROM events WHERE seq = 300")
        connection.execute(
            "UPDATE head SET seq = 299, chain = (SELECT chain FROM events WHERE seq = 299)"
        )
    connection.close()
    with pytest.raises(JournalDamagedError, match="after event 299 of 300"):
        SqliteJournal(stored)


def test_a_cut_write_ahead_log_is_noticed(tmp_path: Path) -> None:
    """SQLite itself would go on from a shorter journal and say nothing."""
    path = tmp_path / "events.db"
    journal = SqliteJournal(path)
    for n in range(1, 21):
        journal.append(drafts(1, first=n))
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in tmp_path.glob("events.db*"):
        shutil.copy(file, copy)
    journal.close()
    log = copy / "events.db-wal"
    log.write_bytes(log.read_bytes()[:-5_000])
    with pytest.raises(JournalDamagedError, match="of 20"):
        SqliteJournal(copy / "events.db")


def test_a_full_disk_stores_nothing_of_a_batch(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "events.db")
    events = journal.append(drafts(10))
    pages = journal._writer.execute("PRAGMA page_count").fetchone()[0]
    journal._writer.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalUnavailableError, match="full"):
        journal.append(drafts(5_000, first=11))
    assert list(journal.read()) == events
    journal._writer.execute("PRAGMA max_page_count = 1000000")
    assert len(journal.append(drafts(5_000, first=11))) == 5_000
    assert len(list(journal.read())) == 5_010
    journal.close()


def test_another_writer_is_noticed(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "events.db")
    journal.append(drafts(2))
    with sqlite3.connect(tmp_path / "events.db") as other:
        other.execute("INSERT INTO events VALUES (3, 'p', 3, 'k', 0, '', x'', x'')")
    other.close()
    with pytest.raises(JournalMovedError, match="gone on without"):
        journal.append(drafts(1, first=3))
    journal.close()


def test_what_append_returned_outlives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    code = (
        "import sys; from weitzman.ledger.sqlite.journal import SqliteJournal; "
        "from weitzman.ledger.testing import drafts\n"
        f"journal = SqliteJournal({str(path)!r})\n"
        "for n in range(1, 100000):\n"
        "    print(journal.append(drafts(1, first=n))[0].seq, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(50):
        last = int(process.stdout.readline())
    process.kill()
    rest = process.stdout.read().split("\n")[:-1]
    process.stdout.close()
    process.wait()
    acknowledged = int(rest[-1]) if rest else last
    journal = SqliteJournal(path)
    assert acknowledged <= len(list(journal.read())) <= acknowledged + 1
    journal.close()
