"""Which keys a journal certainly does not hold, without asking it: a Bloom filter.

A key marks k = 3 of m = 2²⁴ places, picked by its hash. A key of which one place is not marked was never
added. With n keys a new one is taken for known with probability about (1 − e^{−kn/m})³: 0.4 % at a million.
Whoever hears "perhaps" asks the journal, so that nothing depends on it but time.

Where several processes write a journal, one of them knows all events up to some seq: those it has read
without a gap, and its own. The keys of older events, which it took over in a snapshot, are read on a thread.
Until they are there, and after a gap, every key is perhaps known; a key that is not is certainly that of no
event which the process has taken in.
"""

import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np

from weitzman.ledger.event import Event

EVERYTHING = sys.maxsize
"""A page without end."""

_PLACES = 1 << 24
_MASK = _PLACES - 1
_SOME = 5_000

Page = Callable[[int, int], Iterable[tuple[str, str]]]
"""Of two seqs to the problems and keys of the events after the first, up to the second."""


class KnownKeys:
    """The keys of what a process reads and appends; may take a new one for known, never a known one for new.

    ``page`` reads keys of the journal, those of ``most`` events at a time.

    Examples
    --------
    >>> keys = KnownKeys(lambda after, until: [("p", "r1")])
    >>> keys.reach(1)
    >>> keys.may_hold("p", "r1")
    True
    """

    def __init__(self, page: Page, *, most: int = 20_000) -> None:
        self._page, self._most = page, most
        # One byte a place: threads may mark at the same time
        self._marks = bytearray(_PLACES)
        self._lock = threading.Lock()
        self._is_complete = False
        self._held = 0  # the keys of all events up to here are marked
        self._wanted = 0  # ... and up to here they have to be
        self._thread: threading.Thread | None = None
        self._end = threading.Event()

    def may_hold(self, problem: str, key: str) -> bool:
        """Return whether an event has this key, perhaps; False is certain."""
        if not self._is_complete:
            return True
        number = hash((problem, key))
        marks = self._marks
        return bool(
            marks[number & _MASK] and marks[number >> 20 & _MASK] and marks[number >> 40 & _MASK]
        )

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
            self._end.set()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _add(self, events: Iterable[Event]) -> None:
        marks = self._marks
        for event in events:
            if event.key:
                number = hash((event.problem, event.key))
                marks[number & _MASK] = marks[number >> 20 & _MASK] = 1
                marks[number >> 40 & _MASK] = 1

    def _add_all(self, pairs: Sequence[tuple[str, str]]) -> None:
        numbers = np.fromiter(map(hash, pairs), dtype=np.int64, count=len(pairs))
        marks = np.frombuffer(self._marks, dtype=np.uint8)
        for shift in (0, 20, 40):
            marks[numbers >> shift & _MASK] = 1

    def _reach(self, seq: int) -> None:
        self._held = max(self._held, seq)
        self._wanted = max(self._wanted, seq)
        self._is_complete = self._held >= self._wanted

    def _want(self, seq: int) -> None:
        self._wanted = max(self._wanted, seq)
        self._is_complete = self._held >= self._wanted
        if not self._is_complete and self._thread is None and not self._end.is_set():
            self._thread = threading.Thread(target=self._fill, name="keys", daemon=True)
            self._thread.start()

    def _fill(self) -> None:
        while True:
            with self._lock:
                begin, end = self._held, min(self._wanted, self._held + self._most)
                if begin >= end or self._end.is_set():
                    self._thread = None
                    return
            try:
                pairs = iter(self._page(begin, end))
                while some := list(islice(pairs, _SOME)):
                    if self._end.is_set():
                        return
                    self._add_all(some)
            except Exception:
                # All keys stay perhaps known; whoever asks for one finds what is wrong
                with self._lock:
                    self._thread = None
                return
            with self._lock:
                self._reach(end)
