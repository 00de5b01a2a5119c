"""The keys of a journal that several processes write, as far as one of them has to know them.

A process knows all events up to some seq: those it has read without a gap, and its own. The keys of older
events, which it took over in a snapshot, are read on a thread. Until they are there, and after a gap, every
key is perhaps known; a key that is not is certainly that of no event which the process has taken in.
"""

import threading
from collections.abc import Callable, Iterable, Sequence

from weitzman.errors import LedgerError
from weitzman.ledger.event import Event
from weitzman.ledger.key_filter import KeyFilter

__all__ = ["KnownKeys"]

_PAGE = 20_000

Page = Callable[[int, int], Iterable[tuple[str, str]]]
"""Of two seqs to the problems and keys of the events after the first, up to the second."""


class KnownKeys:
    """A filter of keys that goes along with what a process reads and appends.

    Parameters
    ----------
    page
        Reads keys of the journal.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._filter = KeyFilter()
        self._lock = threading.Lock()
        self._held = 0  # the keys of all events up to here are in the filter
        self._wanted = 0  # ... and up to here they have to be
        self._thread: threading.Thread | None = None
        self._closed = False

    def may_hold(self, problem: str, key: str) -> bool:
        """Return whether an event has this key, perhaps; False is certain."""
        return self._filter.may_hold(problem, key)

    def appended(self, events: Sequence[Event]) -> None:
        """Take in events that this process has appended."""
        self._add(events)
        with self._lock:
            if events[0].seq <= self._held + 1:
                self._reach(events[-1].seq)

    def read(self, since: int, events: Sequence[Event]) -> None:
        """Take in events that were read after event ``since``, all that follow it."""
        self._add(events)
        last = events[-1].seq if events else since
        with self._lock:
            if since <= self._held:
                self._reach(last)
            else:
                self._want(last)

    def reach(self, seq: int) -> None:
        """Have the keys of all events up to this one."""
        with self._lock:
            self._want(seq)

    def close(self) -> None:
        """Read no more."""
        with self._lock:
            self._closed = True
            thread = self._thread
        if thread is not None:
            thread.join()

    def _add(self, events: Iterable[Event]) -> None:
        for event in events:
            if event.key:
                self._filter.add(event.problem, event.key)

    def _reach(self, seq: int) -> None:
        self._held = max(self._held, seq)
        self._wanted = max(self._wanted, seq)
        self._filter.is_complete = self._held >= self._wanted

    def _want(self, seq: int) -> None:
        self._wanted = max(self._wanted, seq)
        self._filter.is_complete = self._held >= self._wanted
        if not self._filter.is_complete and self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._fill, name="keys", daemon=True)
            self._thread.start()

    def _fill(self) -> None:
        while True:
            with self._lock:
                begin, end = self._held, min(self._wanted, self._held + _PAGE)
                if begin >= end or self._closed:
                    self._thread = None
                    return
            try:
                for problem, key in self._page(begin, end):
                    self._filter.add(problem, key)
            except (LedgerError, UnicodeDecodeError):
                # All keys stay perhaps known; whoever asks for one finds what is wrong
                with self._lock:
                    self._thread = None
                return
            with self._lock:
                self._reach(end)
