"""The journal in a PostgreSQL database, shared by processes on several hosts.

Its tables are those of :mod:`weitzman.ledger.postgres.tables`. There is one chain over all problems, as in
a file, so that a reader follows one list. Every writer appends by one statement that moves the head row
*from the place it knows* to the new one and stores the events in the same commit:

    head = (s, chain_s)  →  (s + k, chain_{s+k}),   and nothing at all if head is elsewhere.

Alone, a writer thus needs one round trip and one commit for a batch. If others write too, a writer that
missed reads the head again with a lock on its row, where writers queue: one commit each, however large the
batch that has gathered meanwhile. Other commits are held up for one round trip at most.

The numbers of a problem are checked in the same statement: the first of each problem follows the last that
is stored. A writer that was deposed and does not know it is refused by its numbers, whatever it believes:
whoever is elected (:mod:`weitzman.ledger.postgres.election`) is a matter of speed, not of truth.

A connection that breaks leaves open whether the commit was made. The same batch is then offered once more:
if it stands where it was going to, it was; if not, it is stored now, and the first try can no longer succeed,
because the head has left the place it knew. If the server does not come back, the batch counts as not stored;
should it be stored after all, the next batch of its problems is refused by its numbers.
"""

from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any

import psycopg

from weitzman.errors import JournalDamagedError
from weitzman.ledger.event import Draft, Event, chained
from weitzman.ledger.journal import EMPTY, Head, moved, unavailable, whole_alone
from weitzman.ledger.key_filter import KnownKeys
from weitzman.ledger.postgres.connection import Pool, connect, place_name
from weitzman.ledger.postgres.tables import CHANNEL, from_row, make_tables, to_row, whole

_BATCH = 2_000
_COLUMNS = "seq, problem, number, kind, at, key, body, chain"
# A first event of a problem follows number 0, which is not stored: only the others are looked for
_APPEND = f"""
WITH placed AS (
  SELECT count(*) AS count FROM unnest(%(problems)b::bytea[], %(lasts)b::int8[]) AS p(problem, number)
  JOIN weitzman.events USING (problem, number)),
moved AS (
  UPDATE weitzman.head SET seq = %(seq)b, chain = %(chain)b
  WHERE seq = %(old_seq)b AND chain = %(old_chain)b AND (SELECT count FROM placed) = %(count)b
  RETURNING pg_notify('{CHANNEL}', %(seq)b::text))
INSERT INTO weitzman.events({_COLUMNS})
SELECT e.* FROM moved, unnest(%(c0)b::int8[], %(c1)b::bytea[], %(c2)b::int8[], %(c3)b::bytea[],
  %(c4)b::int8[], %(c5)b::bytea[], %(c6)b::bytea[], %(c7)b::bytea[]) AS e
"""
_READ = f"""
SELECT {_COLUMNS} FROM weitzman.events WHERE seq > %(after)b AND seq <= %(last)b ORDER BY seq LIMIT {_BATCH}
"""
_KEYS = """
SELECT problem, key FROM weitzman.events WHERE seq > %(after)b AND seq <= %(until)b AND key <> ''
"""
# Each row with the chain before it, so that it can be checked by itself
_ALONE = """
SELECT e.seq, e.problem, e.number, e.kind, e.at, e.key, e.body, e.chain, b.chain
FROM weitzman.events e LEFT JOIN weitzman.events b ON b.seq = e.seq - 1
"""
# The head beside the last event, as one moment shows them
_END = """
SELECT h.seq, h.chain, coalesce(e.seq, 0), coalesce(e.chain, %(empty)b)
FROM weitzman.head h LEFT JOIN (SELECT seq, chain FROM weitzman.events ORDER BY seq DESC LIMIT 1) e ON true
"""


class PostgresJournal:
    """A journal in the database of a connection string, ``postgresql://…``, made if it is not there."""

    is_far = True

    def __init__(self, place: str) -> None:
        self.place = place
        self.name = place_name(place)
        self._lock = Lock()
        self._pool = Pool(place)
        self._keys = KnownKeys(self._key_page)
        self._writer: psycopg.Connection[Any] | None = None
        self._head = EMPTY
        self._tried: list[Event] = []
        try:
            with self._lock:
                make_tables(self._connection(), self.name)
            self._head = self.head()
            self._check_end()
            self._keys.reach(self._head.seq)
        except BaseException:
            self.close()
            raise

    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        """Store drafts by one statement, or behind a lock if others write at the same time."""
        if not drafts:
            return []
        lasts = self._lasts(drafts)
        with self._lock:
            self._tried = []
            for again in (False, True):
                try:
                    return self._store(drafts, lasts, doubtful=self._tried)
                except psycopg.errors.UniqueViolation:
                    raise moved(self.name) from None
                except psycopg.Error as error:
                    broken = self._writer is None or self._writer.closed
                    if again or not broken:
                        raise unavailable(self.name, "takes nothing", error) from None
        raise AssertionError("the second try ends in a return or a raise")

    def read(
        self, since: Head = EMPTY, *, problem: str | None = None, until: int | None = None
    ) -> Iterator[Event]:
        """Yield events in order, checked, some thousand at a time."""
        last = self.head().seq if until is None else until
        if problem is not None:
            yield from self._read_problem(problem, since.seq, last)
            return
        head = since
        while head.seq < last:
            rows = self._rows(_READ, {"after": head.seq, "last": last}, head.seq, last)
            events = whole(rows, head)
            self._keys.read(head.seq, events)
            yield from events
            if events:
                head = Head(events[-1].seq, events[-1].chain)
            if len(events) < len(rows) or not rows:
                reason = "next event is not whole" if rows else "events after it are not there"
                raise JournalDamagedError(self.name, head.seq, last, f"the {reason}")

    def may_hold(self, problem: str, key: str) -> bool:
        return self._keys.may_hold(problem, key)

    def find(self, problem: str, key: str) -> list[Event]:
        where = "WHERE e.problem = %(problem)b AND e.key = %(key)b AND e.key <> '' ORDER BY e.seq"
        return self._alone(where, {"problem": problem.encode(), "key": key.encode()})

    def head(self, lock: str = "") -> Head:
        """Return the end of what is stored, by anybody."""
        rows = self._rows(f"SELECT seq, chain FROM weitzman.head {lock}", {}, 0, None)
        if len(rows) != 1:
            raise JournalDamagedError(self.name, 0, None, "its end is missing")
        return Head(*rows[0])

    def settled_head(self) -> Head:
        """Return the end when every append that is under way has come to its own."""
        return self.head("FOR SHARE")

    def close(self) -> None:
        self._keys.close()
        if self._writer is not None:
            self._writer.close()
        self._pool.close()

    def _lasts(self, drafts: Sequence[Draft]) -> dict[str, int]:
        """Return the number that every problem of a batch must stand at."""
        lasts: dict[str, int] = {}
        at: dict[str, int] = {}
        for draft in drafts:
            before = draft.number - 1
            if at.get(draft.problem, before) != before:
                raise moved(self.name)
            lasts.setdefault(draft.problem, before)
            at[draft.problem] = draft.number
        return lasts

    def _store(
        self, drafts: Sequence[Draft], lasts: dict[str, int], *, doubtful: list[Event]
    ) -> list[Event]:
        """Append, or find that an earlier try whose answer was lost has succeeded."""
        connection = self._connection()
        if self._insert(connection, drafts, lasts):
            return self._arrived()
        with connection.transaction():
            row = connection.execute("SELECT seq, chain FROM weitzman.head FOR UPDATE").fetchone()
            if row is None:
                raise JournalDamagedError(self.name, 0, None, "its end is missing")
            self._head = Head(*row)
            for end in doubtful[-1:]:
                query = "SELECT chain FROM weitzman.events WHERE seq = %s"
                if connection.execute(query, [end.seq]).fetchone() == (end.chain,):
                    self._keys.appended(doubtful)
                    return doubtful
            if not self._insert(connection, drafts, lasts):
                raise moved(self.name)
        return self._arrived()

    def _insert(
        self, connection: psycopg.Connection[Any], drafts: Sequence[Draft], lasts: dict[str, int]
    ) -> bool:
        """Store drafts after the head that is known; false, and nothing stored, if it is elsewhere."""
        self._tried = events = chained(*self._head, drafts)
        stored = {problem: number for problem, number in lasts.items() if number}
        values = {
            "problems": [problem.encode() for problem in stored],
            "lasts": list(stored.values()),
            "count": len(stored),
            "seq": events[-1].seq,
            "chain": events[-1].chain,
            "old_seq": self._head.seq,
            "old_chain": self._head.chain,
        }
        columns = zip(*map(to_row, events), strict=True)
        values.update((f"c{i}", list(column)) for i, column in enumerate(columns))
        return connection.execute(_APPEND, values, prepare=True).rowcount == len(events)

    def _arrived(self) -> list[Event]:
        events = self._tried
        self._head = Head(events[-1].seq, events[-1].chain)
        self._keys.appended(events)
        return events

    def _connection(self) -> psycopg.Connection[Any]:
        if self._writer is None or self._writer.closed:
            self._writer = connect(self.place)
        return self._writer

    def _read_problem(self, problem: str, after: int, last: int) -> Iterator[Event]:
        where = (
            "WHERE e.problem = %(problem)b AND e.number > %(number)b AND e.seq > %(after)b "
            f"AND e.seq <= %(last)b ORDER BY e.number LIMIT {_BATCH}"
        )
        number = 0
        while True:
            values = {"problem": problem.encode(), "number": number, "after": after, "last": last}
            events = self._alone(where, values)
            yield from events
            if len(events) < _BATCH:
                return
            number = events[-1].number

    def _key_page(self, after: int, until: int) -> list[tuple[str, str]]:
        values = {"after": after, "until": until}
        rows = self._rows(_KEYS, values, after, until)
        return [(problem.decode(), key.decode()) for problem, key in rows]

    def _alone(self, where: str, values: dict[str, Any]) -> list[Event]:
        rows = self._rows(_ALONE + where, values, 0, None)
        found = ((row[0], from_row(row[:-1]), row[-1]) for row in rows)
        return list(whole_alone(found, name=self.name, last=self._head.seq))

    def _rows(
        self, query: str, values: dict[str, Any], seq: int, last: int | None
    ) -> list[tuple[Any, ...]]:
        try:
            return self._pool.rows(query, values)
        except psycopg.Error as error:
            raise JournalDamagedError(self.name, seq, last, str(error)) from None

    def _check_end(self) -> None:
        """Refuse a journal that does not end with its head."""
        rows = self._rows(_END, {"empty": EMPTY.chain}, 0, None)
        if len(rows) != 1 or rows[0][2:] != rows[0][:2]:
            reason = "its end is not the one that was stored"
            raise JournalDamagedError(self.name, 0, self._head.seq, reason)
        self._alone("WHERE e.seq = %(seq)b", {"seq": self._head.seq})
