"""The contract of a journal: append, read since.

A journal holds events in order and never changes one. ``append`` is all or nothing, and what it returns is
durable: a crash of the process or the machine afterwards does not lose it. ``read`` checks the chain of
everything it yields (:mod:`weitzman.ledger.event`), so bytes that are not those that were stored raise
:class:`~weitzman.errors.JournalDamagedError` at the first event that is not whole.

A journal of another format, or of a later version, is refused when it is opened, and left as it is. Every
backend passes :class:`weitzman.ledger.testing.JournalCase`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from weitzman.errors import JournalDamagedError, JournalMovedError, JournalUnavailableError
from weitzman.ledger.event import GENESIS, Draft, Event, follows

VERSION = 1
"""The version of the format of events that this code writes; it reads this and earlier ones."""


class Head(NamedTuple):
    """The end of a journal: the ``seq`` of its last event, and the chain after it."""

    seq: int
    chain: bytes


EMPTY = Head(0, GENESIS)
"""The end of a journal without events."""


class Journal(Protocol):
    """A durable list of events.

    Messages call it by its ``name``; where it ``is_far``, looking something up takes a way over a network.
    """

    name: str
    is_far: bool

    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        """Store drafts as the next events, all or none, and return them when they are durable.

        Raises
        ------
        JournalUnavailableError
            If they cannot be stored now.
        JournalMovedError
            If another writer has appended an event of one of these problems, or holds the journal.
        """

    def read(
        self, since: Head = EMPTY, *, problem: str | None = None, until: int | None = None
    ) -> Iterator[Event]:
        """Yield the events after ``since`` in order, up to event ``until``, or only those of one problem.

        The chain is checked from ``since.chain`` on. Events of one problem are checked one by one only:
        each stands where it stood and its number follows; the chain of all others is not read.
        """

    def find(self, problem: str, key: str) -> list[Event]:
        """Return the events of a problem with a key, in order."""

    def may_hold(self, problem: str, key: str) -> bool:
        """Return whether an event has this key, perhaps, without a look; False is certain.

        Certain of the events that were appended or read by means of this object.
        """

    def head(self) -> Head:
        """Return the end of the journal."""

    def close(self) -> None:
        """Let go of the journal."""


def unavailable(name: str, what: str, error: object) -> JournalUnavailableError:
    """Return the error of a journal that cannot be used now.

    >>> unavailable("a.db", "takes nothing", "the disk is full")
    JournalUnavailableError("The journal 'a.db' takes nothing: the disk is full.")
    """
    return JournalUnavailableError(f"The journal {name!r} {what}: {error}.")


def moved(name: str) -> JournalMovedError:
    """Return the error of a writer that has not seen the last event of a problem."""
    return JournalMovedError(f"The journal {name!r} has gone on without this writer.")


def whole_alone(
    found: Iterable[tuple[int, Event | None, bytes | None]], *, name: str, last: int
) -> Iterator[Event]:
    """Yield events that are checked one by one, each given with its seq and the chain before it."""
    for seq, event, before in found:
        if event is None or not follows(EMPTY.chain if seq == 1 else before, event):
            raise JournalDamagedError(name, seq - 1, last, "an event is not whole")
        yield event
