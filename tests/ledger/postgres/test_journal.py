"""The PostgreSQL journal: the common test case, and what only a shared server can do."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.postgres import Server, running_server
from weitzman.errors import (
    JournalDamagedError,
    JournalFormatError,
    JournalMovedError,
    JournalUnavailableError,
)
from weitzman.ledger.event import Event
from weitzman.ledger.journal import EMPTY, Head, Journal
from weitzman.ledger.postgres.journal import PostgresJournal
from weitzman.ledger.testing import JournalCase, drafts


class TestPostgresJournal(JournalCase):
    @pytest.fixture(autouse=True)
    def _lent(self, place: str) -> None:
        self.place = place

    def new_place(self, tmp_path: Path) -> str:
        return self.place

    def open_journal(self, place: str) -> Journal:
        return PostgresJournal(place)


@pytest.fixture
def stored(place: str) -> str:
    """A closed journal of 300 events."""
    journal = PostgresJournal(place)
    for first in range(1, 300, 50):
        journal.append(drafts(50, first=first))
    journal.close()
    return place


@pytest.fixture
def own() -> Iterator[Server]:
    """A server that a test may stop."""
    with running_server() as server:
        yield server


def test_commits_wait_for_the_disk_whatever_the_role_is_set_to(
    postgres: Server, place: str
) -> None:
    postgres.run(place, f"ALTER DATABASE {place.rsplit('/', 1)[1]} SET synchronous_commit = off")
    journal = PostgresJournal(place)
    assert journal._writer is not None
    assert journal._writer.execute("SHOW synchronous_commit").fetchone() == ("on",)
    assert journal._writer.execute("SHOW fsync").fetchone() == ("on",)
    journal.close()


@pytest.mark.parametrize(
    "other",
    [
        "CREATE TABLE weitzman.events(what text)",
        "CREATE TABLE weitzman.format(name text, version integer)",
        "CREATE TABLE weitzman.format AS SELECT 'other' AS name, 1 AS version",
        "CREATE TABLE weitzman.format AS SELECT 'weitzman.journal' AS name",
    ],
)
def test_other_schemas_are_refused_and_untouched(postgres: Server, place: str, other: str) -> None:
    postgres.run(place, "CREATE SCHEMA weitzman", other)
    before = postgres.dump(place)
    with pytest.raises(JournalFormatError, match="no journal"):
        PostgresJournal(place)
    assert postgres.dump(place) == before


def test_a_later_version_is_refused_and_untouched(postgres: Server, stored: str) -> None:
    postgres.run(stored, "UPDATE weitzman.format SET version = 2")
    before = postgres.dump(stored)
    with pytest.raises(JournalFormatError, match="version 2; this weitzman reads versions up to 1"):
        PostgresJournal(stored)
    assert postgres.dump(stored) == before


def test_an_empty_schema_of_its_own_is_taken(postgres: Server, place: str) -> None:
    """So a role that may not make schemas can be given one."""
    postgres.run(place, "CREATE SCHEMA weitzman")
    journal = PostgresJournal(place)
    assert len(journal.append(drafts(3))) == 3
    journal.close()


def test_no_password_is_told() -> None:
    with pytest.raises(JournalUnavailableError, match="cannot be reached") as caught:
        PostgresJournal("postgresql://ann:secret@127.0.0.1:1/search")
    assert "secret" not in str(caught.value)


def test_a_null_character_comes_back(postgres: Server, place: str) -> None:
    """PostgreSQL's own text has none."""
    journal = PostgresJournal(place)
    draft = drafts(1, problem="a\0b")
    stored = journal.append(draft)
    assert list(journal.read(problem="a\0b")) == stored
    journal.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE weitzman.events SET at = at + 1 WHERE seq = 150",
        "UPDATE weitzman.events SET kind = 'other' WHERE seq = 150",
        "UPDATE weitzman.events SET problem = 'r' WHERE seq = 150",
        "UPDATE weitzman.events SET number = 999 WHERE seq = 150",
        "UPDATE weitzman.events SET key = key || '!' WHERE seq = 150",
        "UPDATE weitzman.events SET key = '\\xff' WHERE seq = 150",
        "UPDATE weitzman.events SET body = '' WHERE seq = 150",
        "UPDATE weitzman.events SET chain = '' WHERE seq = 150",
        "DELETE FROM weitzman.events WHERE seq = 150",
    ],
)
def test_a_change_of_any_column_is_found(postgres: Server, stored: str, change: str) -> None:
    postgres.run(stored, change)
    journal = PostgresJournal(stored)
    seen = 0
    with pytest.raises(JournalDamagedError) as caught:
        for event in journal.read():
            seen = event.seq
    assert seen == caught.value.readable == 149
    journal.close()


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM weitzman.events WHERE seq = 300",
        "DELETE FROM weitzman.events",
        "UPDATE weitzman.head SET seq = 299",
        "UPDATE weitzman.head SET chain = ''",
        "UPDATE weitzman.events SET body = '' WHERE seq = 300",
        "DELETE FROM weitzman.head",
    ],
)
def test_an_end_that_does_not_fit_is_refused(postgres: Server, stored: str, change: str) -> None:
    postgres.run(stored, change)
    with pytest.raises(JournalDamagedError):
        PostgresJournal(stored)


def test_a_number_that_leaves_a_gap_is_refused(postgres: Server, place: str) -> None:
    journal = PostgresJournal(place)
    journal.append(drafts(3))
    for gap in (drafts(1, first=5), [*drafts(1, first=4), *drafts(1, first=6)]):
        with pytest.raises(JournalMovedError):
            journal.append(gap)
    assert journal.head().seq == 3
    assert len(journal.append(drafts(1, first=4))) == 1
    journal.close()


def test_writers_of_different_problems_share_one_chain(postgres: Server, place: str) -> None:
    """Every event is there once, in the order of its writer, in batches that stay together."""
    journals = [PostgresJournal(place) for _ in range(4)]

    def write(k: int) -> None:
        for first in range(1, 151, 3):
            journals[k].append(drafts(3, problem=f"p{k}", first=first))

    threads = [threading.Thread(target=write, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = list(journals[0].read())
    assert len(events) == 600
    for k in range(4):
        assert [e.number for e in events if e.problem == f"p{k}"] == list(range(1, 151))
    assert all(events[i].problem == events[i + 2].problem for i in range(0, 600, 3))
    assert all(j.head() == Head(600, events[-1].chain) for j in journals)
    for journal in journals:
        journal.close()


def test_a_writer_that_lost_its_place_is_refused(postgres: Server, place: str) -> None:
    """It goes on after reading what it has missed."""
    old, new = PostgresJournal(place), PostgresJournal(place)
    seen = old.append(drafts(2))
    new.append(drafts(2, first=3))
    with pytest.raises(JournalMovedError, match="gone on without"):
        old.append(drafts(1, first=3))
    missed = list(old.read(Head(2, seen[-1].chain)))
    assert [e.number for e in missed] == [3, 4]
    assert old.append(drafts(1, first=5))[0].seq == 5
    old.close()
    new.close()


def test_several_processes_may_make_it_at_once(postgres: Server, place: str) -> None:
    made: list[PostgresJournal] = []
    threads = [
        threading.Thread(target=lambda: made.append(PostgresJournal(place))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [j.head() for j in made] == [EMPTY] * 6
    for journal in made:
        journal.close()


def test_a_server_that_is_away_stores_nothing_and_comes_back(own: Server) -> None:
    place = own.new_database()
    journal = PostgresJournal(place)
    journal.append(drafts(2))
    own.stop(signal.SIGQUIT)
    for _ in range(2):
        with pytest.raises(JournalUnavailableError):
            journal.append(drafts(1, first=3))
        with pytest.raises(JournalUnavailableError):
            list(journal.read())
    own.start()
    assert len(list(journal.read())) == 2
    assert journal.append(drafts(1, first=3))[0].seq == 3
    journal.close()


def test_a_connection_that_broke_unseen_is_made_again(postgres: Server, place: str) -> None:
    journal = PostgresJournal(place)
    journal.append(drafts(2))
    list(journal.read())
    postgres.run(
        place,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    assert len(list(journal.read())) == 2
    assert journal.append(drafts(1, first=3))[0].seq == 3
    journal.close()


@pytest.mark.parametrize("others", [False, True])
def test_a_commit_whose_answer_was_lost_is_found(
    place: str, monkeypatch: pytest.MonkeyPatch, others: bool
) -> None:
    """The connection breaks after the commit and before the answer: the batch is stored once."""
    journal = PostgresJournal(place)
    journal.append(drafts(2))
    if others:
        other = PostgresJournal(place)
        other.append(drafts(5, problem="q"))
        other.close()
    arrived = PostgresJournal._arrived

    def unheard(self: PostgresJournal) -> list[Event]:
        monkeypatch.setattr(PostgresJournal, "_arrived", arrived)
        assert self._writer is not None
        self._writer.close()
        raise psycopg.OperationalError("the connection is lost")

    monkeypatch.setattr(PostgresJournal, "_arrived", unheard)
    stored = journal.append(drafts(2, first=3))
    assert list(journal.read())[-2:] == stored
    assert list(journal.read(problem="p"))[-2:] == stored
    assert journal.append(drafts(1, first=5))[0].seq == stored[-1].seq + 1
    journal.close()


def test_a_try_that_broke_before_the_commit_is_made_again(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = PostgresJournal(place)
    journal.append(drafts(2))
    insert = PostgresJournal._insert

    def unsent(self: PostgresJournal, connection: psycopg.Connection[Any], *_: Any) -> bool:
        monkeypatch.setattr(PostgresJournal, "_insert", insert)
        connection.close()
        raise psycopg.OperationalError("the connection is lost")

    monkeypatch.setattr(PostgresJournal, "_insert", unsent)
    assert [e.seq for e in journal.append(drafts(2, first=3))] == [3, 4]
    assert len(list(journal.read())) == 4
    journal.close()


def test_a_server_without_fsync_is_refused(own: Server) -> None:
    place = own.new_database()
    own.stop()
    own.start(fsync=False)
    with pytest.raises(JournalUnavailableError, match="must run with fsync=on"):
        PostgresJournal(place)


def test_what_append_returned_outlives_a_kill_of_the_server(own: Server) -> None:
    """The server is ended as by a crash, in the middle of a stream of commits."""
    place = own.new_database()
    code = (
        "from weitzman.ledger.postgres.journal import PostgresJournal; "
        "from weitzman.ledger.testing import drafts\n"
        f"journal = PostgresJournal({place!r})\n"
        "for n in range(1, 100000):\n"
        "    print(journal.append(drafts(1, first=n))[0].seq, flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    for _ in range(50):
        last = int(process.stdout.readline())
    own.stop(signal.SIGQUIT)
    rest = process.stdout.read().split("\n")[:-1]
    process.stdout.close()
    process.wait()
    acknowledged = int(rest[-1]) if rest else last
    own.start()
    journal = PostgresJournal(place)
    assert acknowledged <= len(list(journal.read())) <= acknowledged + 1
    journal.close()
