"""The test case that every journal passes.

::

    class TestMyJournal(JournalCase):
        def open_journal(self, place): ...      # a journal at a place, made if it is not there
        def new_place(self, tmp_path): ...      # a place where no journal is yet

Run it with pytest.
"""

import threading
import time
from abc import ABC, abstractmethod
from contextlib import closing
from pathlib import Path
from typing import Any

from weitzman.errors import JournalMovedError
from weitzman.ledger.event import Draft, Event, chained
from weitzman.ledger.journal import EMPTY, Head, Journal


def drafts(count: int, *, problem: str = "p", first: int = 1) -> list[Draft]:
    """Return drafts of one problem that tell all columns apart."""
    return [
        Draft(
            problem, n, f"kind-{n % 3}", 1_000 * n, f"key {n % 5}" if n % 2 else "", b"%d \xff" % n
        )
        for n in range(first, first + count)
    ]


class JournalCase(ABC):
    """What a journal promises, as tests."""

    @abstractmethod
    def new_place(self, tmp_path: Path) -> Any:
        """Return a place where no journal is yet."""

    @abstractmethod
    def open_journal(self, place: Any) -> Journal:
        """Return the journal at a place, made if it is not there."""

    def test_a_new_journal_is_empty(self, tmp_path: Path) -> None:
        """No events, and the head that is before the first."""
        with closing(self.open_journal(self.new_place(tmp_path))) as journal:
            assert journal.head() == EMPTY
            assert list(journal.read()) == []

    def test_what_is_appended_is_read_in_order(self, tmp_path: Path) -> None:
        """All columns come back, numbered and chained, over several batches."""
        with closing(self.open_journal(self.new_place(tmp_path))) as journal:
            wanted = chained(*EMPTY, drafts(7))
            got = [*journal.append(drafts(3)), *journal.append(drafts(4, first=4))]
            assert got == wanted == list(journal.read())
            assert journal.head() == Head(7, wanted[-1].chain)

    def test_an_empty_batch_changes_nothing(self, tmp_path: Path) -> None:
        """Nothing is appended, nothing returned."""
        with closing(self.open_journal(self.new_place(tmp_path))) as journal:
            assert journal.append([]) == []
            assert journal.head() == EMPTY

    def test_reading_since_goes_on_after_an_event(self, tmp_path: Path) -> None:
        """A reader that has seen k events gets the others, up to where it wants."""
        with closing(self.open_journal(self.new_place(tmp_path))) as journal:
            events = journal.append(drafts(9))
            for k in range(10):
                since = EMPTY if k == 0 else Head(k, events[k - 1].chain)
                assert list(journal.read(since)) == events[k:]
            assert list(journal.read(until=4)) == events[:4]

    def test_problems_are_told_apart(self, tmp_path: Path) -> None:
        """Events of one problem, in order, with numbers of their own."""
        with closing(self.open_journal(self.new_place(tmp_path))) as journal:
            mixed = [
                d for pair in zip(drafts(4), drafts(4, problem="q"), strict=True) for d in pair
            ]
            events = journal.append(mixed)
            assert list(journal.read(problem="q")) == events[1::2]
            assert list(journal.read(Head(4, events[3].chain), problem="p")) == events[4::2]
            assert list(journal.read(problem="none")) == []

    def test_events_are_found_by_key(self, tmp_path: Path) -> None:
        """By problem and key together; no key finds nothing."""
        with closing(self.open_journal(self.new_place(tmp_path))) as journal:
            events = journal.append([*drafts(20), *drafts(20, problem="q")])
            wanted = [e for e in events if e.problem == "q" and e.key == "key 3"]
            assert len(wanted) == 2
            assert journal.find("q", "key 3") == wanted
            assert journal.find("q", "") == journal.find("r", "key 3") == []

    def test_any_text_and_bytes_come_back(self, tmp_path: Path) -> None:
        """Also empty, long, and of any alphabet."""
        with closing(self.open_journal(self.new_place(tmp_path))) as journal:
            odd = [
                Draft("", 1, "κ", -5, "ключ ' \" %", b""),
                Draft("прод", 1, "x" * 300, 2**62, "🔑", bytes(range(256)) * 4_000),
            ]
            stored = journal.append(odd)
            assert [_draft(e) for e in journal.read()] == odd
            assert journal.find("прод", "🔑") == stored[1:]

    def test_it_is_there_when_opened_again(self, tmp_path: Path) -> None:
        """Closing and opening changes nothing, and the chain goes on."""
        place = self.new_place(tmp_path)
        first = self.open_journal(place)
        events = first.append(drafts(5))
        first.close()
        again = self.open_journal(place)
        assert list(again.read()) == events
        assert again.append(drafts(1, first=6)) == chained(5, events[-1].chain, drafts(1, first=6))
        again.close()

    def test_a_number_that_is_taken_is_refused_whole(self, tmp_path: Path) -> None:
        """The writer has not seen the last event of the problem: nothing of the batch is stored."""
        with closing(self.open_journal(self.new_place(tmp_path))) as journal:
            events = journal.append(drafts(3))
            try:
                journal.append([*drafts(2, problem="q"), *drafts(1, first=3)])
            except JournalMovedError:
                pass
            else:
                raise AssertionError("a taken number was stored")
            assert list(journal.read()) == events
            assert journal.append(drafts(1, first=4))[0].seq == 4

    def test_no_key_of_a_stored_event_is_denied(self, tmp_path: Path) -> None:
        """Also after opening again, from the first moment; others are known to be new, in time."""
        place = self.new_place(tmp_path)
        journal = self.open_journal(place)
        journal.append(drafts(20))
        assert all(journal.may_hold("p", f"key {n}") for n in range(5))
        journal.close()
        again = self.open_journal(place)
        deadline = time.monotonic() + 10.0
        while again.may_hold("p", "another") and time.monotonic() < deadline:
            assert all(again.may_hold("p", f"key {n}") for n in range(5))
            time.sleep(0.01)
        assert not again.may_hold("p", "another")
        assert not again.may_hold("q", "key 1")
        assert all(again.may_hold("p", f"key {n}") for n in range(5))
        again.close()

    def test_threads_may_read_while_one_writes(self, tmp_path: Path) -> None:
        """Every reader sees a prefix."""
        with closing(self.open_journal(self.new_place(tmp_path))) as journal:
            seen: list[list[Event]] = []

            def look() -> None:
                for _ in range(20):
                    seen.append(list(journal.read()))  # noqa: PERF401

            thread = threading.Thread(target=look)
            thread.start()
            for n in range(1, 41):
                journal.append(drafts(1, first=n))
            thread.join()
            events = list(journal.read())
            assert len(events) == 40
            assert all(part == events[: len(part)] for part in seen)


def _draft(event: Event) -> Draft:
    return Draft(event.problem, event.number, event.kind, event.at, event.key, event.body)
