"""Followers hear of what others append."""

import threading
import time

import pytest

from tests.postgres import Server
from weitzman.errors import JournalUnavailableError
from weitzman.ledger.journal import EMPTY, Head
from weitzman.ledger.postgres.journal import PostgresJournal
from weitzman.ledger.postgres.listener import Listener
from weitzman.ledger.testing import drafts


def test_what_is_there_is_told_at_once(postgres: Server, place: str) -> None:
    journal, listener = PostgresJournal(place), Listener(place)
    assert listener.wait(0, 0.0) == 0
    journal.append(drafts(3))
    assert listener.wait(0, 60.0) == 3
    assert listener.wait(3, 0.1) == 3
    listener.close()
    journal.close()


def test_a_follower_reads_everything_in_order(
    postgres: Server, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks only when it is told: without announcements it would wait for a minute."""
    monkeypatch.setattr("weitzman.ledger.postgres.listener._LOOK", 60.0)
    writer, reader, listener = PostgresJournal(place), PostgresJournal(place), Listener(place)
    seen, head = [], EMPTY

    def write() -> None:
        for n in range(1, 61):
            writer.append(drafts(1, first=n))
            time.sleep(0.002)

    thread = threading.Thread(target=write)
    thread.start()
    began = time.monotonic()
    while head.seq < 60:
        listener.wait(head.seq, 60.0)
        for event in reader.read(head):
            seen.append(event.number)
            head = Head(event.seq, event.chain)
    assert time.monotonic() - began < 50.0
    thread.join()
    assert seen == list(range(1, 61))
    for journal in (writer, reader):
        journal.close()
    listener.close()


def test_a_lost_connection_is_told_and_made_again(postgres: Server, place: str) -> None:
    journal, listener = PostgresJournal(place), Listener(place)
    listener.wait(0, 0.0)
    journal.append(drafts(2))
    postgres.run(
        place,
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    with pytest.raises(JournalUnavailableError, match="does not answer"):
        listener.wait(0, 1.0)
    assert listener.wait(0, 1.0) == 2
    listener.close()
    journal.close()
