"""The number of the last event of every problem: the one who writes the next has seen it.

They are kept in memory, and every so many events in the file, with the commit; a start reads what is kept
and the few events after it. An index of problems and numbers would tell as much, but each event would change
a page of it where its problem stands, and a commit of many problems writes many pages.

What is kept has a checksum. If it is not whole, it is made again from all events.
"""

import sqlite3
import zlib
from collections.abc import Iterable

import msgspec

from weitzman.ledger.event import Draft

_EVERY = 10_000
_DECODER = msgspec.msgpack.Decoder(tuple[int, dict[str, int]])


class LastNumbers:
    """The last number of every problem."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._kept = 0

    def read(self, connection: sqlite3.Connection, head: int) -> None:
        """Take in what a file with events up to ``head`` holds."""
        self._kept, self._last = _kept(connection, head)
        query = "SELECT problem, number FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"
        try:
            for problem, number in connection.execute(query, (self._kept, head)):
                self._last[problem] = number
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            return  # whoever reads the journal finds the damage; nothing is appended to it

    def after(self, drafts: Iterable[Draft]) -> dict[str, int] | None:
        """Return the numbers that change by drafts; None if one of them does not follow."""
        new: dict[str, int] = {}
        last = self._last
        for draft in drafts:
            problem = draft.problem
            before = new.get(problem)
            if before is None:
                before = last.get(problem, 0)
            if draft.number != before + 1:
                return None
            new[problem] = draft.number
        return new

    def keep(self, connection: sqlite3.Connection, new: dict[str, int], head: int) -> bool:
        """Write all numbers with the commit of event ``head``, if it is time; return whether it was."""
        if head < self._kept + _EVERY:
            return False
        content = msgspec.msgpack.encode((head, {**self._last, **new}))
        content += zlib.crc32(content).to_bytes(4, "big")
        connection.execute("REPLACE INTO tails VALUES (1, ?)", (content,))
        return True

    def take(self, new: dict[str, int], head: int, *, kept: bool) -> None:
        """Take in numbers whose events are stored."""
        self._last.update(new)
        if kept:
            self._kept = head


def _kept(connection: sqlite3.Connection, head: int) -> tuple[int, dict[str, int]]:
    """Return what is kept and up to which event it goes; nothing if it is not whole."""
    try:
        row = connection.execute("SELECT content FROM tails").fetchone()
        if row is not None and zlib.crc32(row[0][:-4]).to_bytes(4, "big") == row[0][-4:]:
            seq, numbers = _DECODER.decode(row[0][:-4])
            if seq <= head:
                return seq, numbers
    except (sqlite3.DatabaseError, UnicodeDecodeError, TypeError, msgspec.DecodeError):
        pass
    return 0, {}
