"""The contract of a journal: append, read since.

A journal holds events in order and never changes one. ``append`` is all or nothing, and what it returns is
durable: a crash of the process or the machine afterwards does not lose it. ``read`` checks the chain of
everything it yields (:mod:`weitzman.ledger.event`), so bytes that are not those that were stored raise
:class:`~weitzman.errors.JournalDamagedError` at the first event that is not whole.

A journal of another format, or of a later version, is refused when it is opened, and left as it is. Every
backend passes :class:`weitzman.ledger.testing.JournalCase`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from weitzman.ledger.event import GENESIS, Draft, Event

__all__ = ["EMPTY", "VERSION", "Head", "Journal"]

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

    Attributes
    ----------
    name
        What messages call it.
    is_far
        Whether looking something up takes a way over a network.
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
