"""Which keys a journal certainly does not hold, without asking it: a Bloom filter.

A key marks k = 3 of m = 2²⁴ places, picked by its hash. A key of which one place is not marked was never
added. With n keys a new one is taken for known with probability about (1 − e^{−kn/m})³: 0.4 % at a million.
Whoever hears "perhaps" asks the journal, so that nothing depends on it but time.

Where several processes write a journal, one of them knows all events up to some seq: those it has read
without a gap, and its own. The keys of older events, which it took over in a snapshot, are read on a thread.
Until they are there, and after a gap, every key is perhaps known; a key that is not is certainly that of no
event which the process has taken in.
"""

import threading
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from weitzman.errors import LedgerError
from weitzman.ledger.event import Event

__all__ = ["KeyFilter", "KnownKeys"]

_PLACES = 1 << 24
_MASK = _PLACES - 1
_PAGE = 20_000

Page = Callable[[int, int], Iterable[tuple[str, str]]]
"""Of two seqs to the problems and keys of the events after the first, up to the second."""


class KeyFilter:
    """Remembers keys of problems; may take a new one for known, never a known one for new.

    Attributes
    ----------
    is_complete
        Whether all keys have been added; until then every key is known, perhaps.

    Examples
    --------
    >>> keys = KeyFilter()
    >>> keys.add("p", "r1")
    >>> keys.is_complete = True
    >>> keys.may_hold("p", "r1"), keys.may_hold("p", "r2")
    (True, False)
    """

    def __init__(self) -> None:
        self.is_complete = False
        # One byte a place: threads may mark at the same time
        self._marks = bytearray(_PLACES)

    def add(self, problem: str, key: str) -> None:
        """Remember a key."""
        number = hash((problem, key))
        marks = self._marks
        marks[number & _MASK] = marks[number >> 20 & _MASK] = marks[number >> 40 & _MASK] = 1

    def add_all(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Remember many pairs of problem and key."""
        numbers = np.fromiter(map(hash, pairs), dtype=np.int64, count=len(pairs))
        marks = np.frombuffer(self._marks, dtype=np.uint8)
        for shift in (0, 20, 40):
            marks[numbers >> shift & _MASK] = 1

    def may_hold(self, problem: str, key: str) -> bool:
        """Return whether a key was perhaps added; False is certain."""
        if not self.is_complete:
            return True
        number = hash((problem, key))
        marks = self._marks
        return bool(
            marks[number & _MASK] and marks[number >> 20 & _MASK] and marks[number >> 40 & _MASK]
        )


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
