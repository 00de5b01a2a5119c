"""The journal in a SQLite file.

One process holds the file, and one connection of it writes; readers have connections of their own. The
file is in WAL mode with ``synchronous=FULL``: a commit returns after its bytes are on the disk. A batch of
drafts is one transaction. The tables are those of :mod:`weitzman.ledger.sqlite.layout`.

SQLite takes the end of a damaged write-ahead log for one that was never finished, and drops it in silence;
a page that lost its last rows looks like a shorter one. So that no acknowledged event disappears unseen,
the seq of the last commit is also kept in a small file beside, the *witness*, written after the commit and
before anybody hears of it. A journal that ends before its head row or its witness is damaged.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from weitzman.errors import JournalDamagedError
from weitzman.ledger.event import Draft, Event, chained, follows
from weitzman.ledger.journal import EMPTY, Head, moved, unavailable, whole_alone
from weitzman.ledger.key_filter import EVERYTHING, KnownKeys
from weitzman.ledger.sqlite.last_commit import LastCommit
from weitzman.ledger.sqlite.last_numbers import LastNumbers
from weitzman.ledger.sqlite.layout import bring_up, check_header, check_place, lay_out

_COLUMNS = "seq, problem, number, kind, at, key, body, chain"
_ROW = "(?, ?, ?, ?, ?, ?, ?, ?)"
_ROWS = 64
"""The most rows of one statement: other threads run while SQLite does, so each may cost a wait for them."""
# Each row with the chain before it, so that it can be checked by itself
_ALONE = (
    "SELECT e.seq, e.problem, e.number, e.kind, e.at, e.key, e.body, e.chain, b.chain "
    "FROM events e LEFT JOIN events b ON b.seq = e.seq - 1 "
)
# Of few events, the events themselves are looked through for those of a problem; of many, the index
_FEW = 100_000
_OF_PROBLEM_IN_FEW = "WHERE e.problem = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq"
_OF_PROBLEM = (
    "WHERE e.seq IN (SELECT seq FROM events WHERE problem = ? AND +seq > ? AND +seq <= ?) "
    "ORDER BY e.seq"
)


class SqliteJournal:
    """A journal in a file of this machine, made if it is not there."""

    is_far = False

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.name = os.fspath(path)
        check_place(self.path)
        check_header(self.path)
        self._last_commit = LastCommit(self.path)
        self._lock = threading.Lock()
        self._readers = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._keys = KnownKeys(self._all_keys, most=EVERYTHING)
        self._numbers = LastNumbers()
        try:
            self._writer = self._writing()
            self._head = self._read_head()
            self._check_end()
            self._bring_up()
        except BaseException:
            self.close()
            raise
        self._keys.reach(self._head.seq)

    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        """Store drafts in one transaction."""
        with self._lock:
            before = self._head
            events = chained(*before, drafts)
            if not events:
                return events
            head = Head(events[-1].seq, events[-1].chain)
            numbers = self._numbers.after(drafts)
            if numbers is None:
                raise moved(self.name)
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                for begin in range(0, len(events), _ROWS):
                    self._writer.execute(*_insert(events[begin : begin + _ROWS]))
                kept = self._numbers.keep(self._writer, numbers, head.seq)
                self._writer.execute("REPLACE INTO head VALUES (1, ?, ?)", head)
                self._writer.execute("COMMIT")
            except sqlite3.Error as error:
                self._roll_back()
                if isinstance(error, sqlite3.IntegrityError):
                    raise moved(self.name) from None
                raise unavailable(self.name, "takes nothing", error) from None
            self._head = head
            self._last_commit.write(head.seq)
            self._numbers.take(numbers, head.seq, kept=kept)
            self._keys.appended(events)
            return events

    def read(
        self, since: Head = EMPTY, *, problem: str | None = None, until: int | None = None
    ) -> Iterator[Event]:
        last = self.head().seq if until is None else until
        if problem is not None:
            few = last - since.seq <= _FEW
            where = _OF_PROBLEM_IN_FEW if few else _OF_PROBLEM
            yield from self._alone(where, (problem, since.seq, last))
            return
        seq, chain = since
        query = f"SELECT {_COLUMNS} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"
        for row in self._rows(query, (since.seq, last), since.seq):
            event = Event(*row)
            if event.seq != seq + 1 or not follows(chain, event):
                raise JournalDamagedError(self.name, seq, last, "the next event is not whole")
            seq, chain = event.seq, event.chain
            yield event
        if seq < last:
            raise JournalDamagedError(self.name, seq, last, "the events after it are not there")

    def may_hold(self, problem: str, key: str) -> bool:
        return self._keys.may_hold(problem, key)

    def find(self, problem: str, key: str) -> list[Event]:
        if not key or not self._keys.may_hold(problem, key):
            return []
        where = "WHERE e.key = ? AND e.problem = ? ORDER BY e.seq"
        return list(self._alone(where, (key, problem)))

    def head(self) -> Head:
        return self._head

    def close(self) -> None:
        """Close all connections; what SQLite has in its log goes into the file."""
        self._keys.close()
        for connection in self._open:
            connection.close()
        self._open.clear()
        self._last_commit.close()

    def _alone(self, where: str, values: tuple[str | int, ...]) -> Iterator[Event]:
        rows = self._rows(_ALONE + where, values)
        found = ((row[0], Event(*row[:-1]), row[-1]) for row in rows)
        return whole_alone(found, name=self.name, last=self._head.seq)

    def _rows(
        self, query: str, values: tuple[str | int, ...], after: int = 0
    ) -> Iterator[tuple[Any, ...]]:
        """Yield rows that begin with their seq."""
        try:
            for row in self._reader().execute(query, values):
                yield row
                after = row[0]
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise JournalDamagedError(self.name, after, self._head.seq, str(error)) from None

    def _all_keys(self, after: int, until: int) -> Iterator[tuple[str, str]]:
        """Yield every key that is there, by the index, where they stand together."""
        return self._reader().execute("SELECT DISTINCT problem, key FROM events WHERE key <> ''")

    def _writing(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            if self.path.stat().st_size == 0:
                # Before WAL, so that format and version are in the file's own header
                lay_out(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA cache_size = -65536")
        except sqlite3.OperationalError as error:
            raise unavailable(self.name, "cannot be opened", error) from None
        except sqlite3.DatabaseError as error:
            raise JournalDamagedError(self.name, 0, None, str(error)) from None
        return connection

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._readers, "connection", None)
        if connection is None:
            connection = self._readers.connection = self._connect()
            connection.execute("PRAGMA query_only = 1")
            connection.execute("PRAGMA cache_size = -65536")
        return connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False, cached_statements=2 * _ROWS
        )
        self._open.append(connection)
        return connection

    def _read_head(self) -> Head:
        try:
            row = self._writer.execute("SELECT seq, chain FROM head").fetchone()
        except sqlite3.DatabaseError as error:
            raise JournalDamagedError(self.name, 0, None, str(error)) from None
        return EMPTY if row is None else Head(*row)

    def _check_end(self) -> None:
        """Refuse a journal that ends before what was said to be stored, or not with its head."""
        seen = self._last_commit.read()
        if seen > self._head.seq:
            reason = "the events after it were stored and are not there"
            raise JournalDamagedError(self.name, self._head.seq, seen, reason)
        if self._head.seq == 0:
            whole = not list(self._rows("SELECT seq FROM events LIMIT 1", ()))
        else:
            last = list(self._alone("WHERE e.seq = ?", (self._head.seq,)))
            whole = len(last) == 1 and last[0].chain == self._head.chain
        if not whole:
            reason = "its end is not the one that was stored"
            raise JournalDamagedError(self.name, 0, self._head.seq, reason)
        self._last_commit.write(self._head.seq)

    def _bring_up(self) -> None:
        """Bring an earlier layout to this one, and learn the numbers of all problems."""
        try:
            bring_up(self._writer)
        except sqlite3.OperationalError as error:
            raise unavailable(self.name, "cannot be opened", error) from None
        except sqlite3.DatabaseError as error:
            raise JournalDamagedError(self.name, 0, self._head.seq, str(error)) from None
        self._numbers.read(self._writer, self._head.seq)

    def _roll_back(self) -> None:
        try:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            # A commit that failed at its very end may be there after all
            self._head = self._read_head()
            self._numbers.read(self._writer, self._head.seq)
        except (sqlite3.Error, JournalDamagedError) as error:
            raise unavailable(self.name, "takes nothing", error) from None


@cache
def _statement(rows: int) -> str:
    return f"INSERT INTO events({_COLUMNS}) VALUES {', '.join([_ROW] * rows)}"


def _insert(events: Sequence[Event]) -> tuple[str, list[Any]]:
    """Return the statement that stores a few events, and its values."""
    values: list[Any] = []
    for e in events:
        values += (e.seq, e.problem, e.number, e.kind, e.at, e.key, e.body, e.chain)
    return _statement(len(events)), values
