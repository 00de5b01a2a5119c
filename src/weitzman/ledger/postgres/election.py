"""Election: among the processes that share a PostgreSQL journal, one leads each problem.

The leader of a problem is whoever holds its *advisory lock*, 64 bits of SHA-256 of its name, in a session of
the database. The session is the whole proof of life: when its process is killed, the server sees the
connection close and frees the lock at once; when its host is cut off or it hangs, the server ends the session
after three seconds in which it was asked nothing (``idle_session_timeout``). There is no heartbeat to store
and no clock to compare. Where a leader can be asked stands in ``weitzman.process`` under the number of its
session.

A leader that has lost its session may not know it for a moment, and another may lead already. Nothing is
lost by that: both append by numbers, and the journal takes each number once
(:mod:`weitzman.ledger.postgres.journal`). A new leader reads the journal to its end before it decides
anything.

Locks of a session need a session: a pooler between must pool sessions, not transactions.
"""

import hashlib
from threading import Event, Lock, Thread
from typing import Any

import psycopg

from weitzman.ledger.journal import unavailable
from weitzman.ledger.postgres.connection import AWAY, SILENCE, connect, place_name

_BEAT = 1.0
# A session writes its row before it can hold a lock: the row of a lock's holder is always its own
_REGISTER = """
WITH gone AS (DELETE FROM weitzman.process WHERE pid NOT IN (SELECT pid FROM pg_stat_activity))
INSERT INTO weitzman.process VALUES (pg_backend_pid(), %s)
ON CONFLICT (pid) DO UPDATE SET address = excluded.address
"""
_LEADER = """
SELECT p.address FROM pg_locks l JOIN weitzman.process p USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND l.classid = %s::bigint::oid AND l.objid = %s::bigint::oid
"""


def lock_of(problem: str) -> int:
    """Return the number of a problem's lock, a signed 64-bit integer.

    >>> lock_of("p")
    3623225637476495872
    """
    found = hashlib.sha256(b"weitzman.problem\0" + problem.encode()).digest()
    return int.from_bytes(found[:8], signed=True)


class Election:
    """A process that stands for the lead of problems; others can ask it at its ``address``.

    Its methods raise JournalUnavailableError if the server does not answer.
    """

    def __init__(self, place: str, *, address: str) -> None:
        self._place = place
        self.address = address
        self._lock = Lock()
        self._held: set[str] = set()
        # How many sessions were lost: a lead of an earlier term may have been another's meanwhile
        self.term = 0
        self._session: psycopg.Connection[Any] | None = None
        self._end = Event()
        with self._lock:
            self._connection()
        self._watch = Thread(target=self._beat, name="weitzman-election", daemon=True)
        self._watch.start()

    def leads(self, problem: str) -> bool:
        """Return whether this process leads a problem, as far as it knows; nobody is asked."""
        return problem in self._held

    def lead(self, problem: str) -> bool:
        """Return whether this process leads a problem, taking the lead if nobody has it."""
        with self._lock:
            if problem not in self._held:
                rows = self._ask("SELECT pg_try_advisory_lock(%s)", [lock_of(problem)])
                if rows == [(True,)]:
                    self._held.add(problem)
            return problem in self._held

    def leader(self, problem: str) -> str | None:
        """Return the address of the process that leads a problem; None if nobody does."""
        if problem in self._held:
            return self.address
        number = lock_of(problem) % 2**64
        with self._lock:
            rows = self._ask(_LEADER, [number >> 32, number % 2**32])
        return str(rows[0][0]) if rows else None

    def resign(self) -> None:
        """Give up every lead, so that others need not wait."""
        with self._lock:
            self._held.clear()
            if self._session is not None and not self._session.closed:
                self._ask("SELECT pg_advisory_unlock_all()", [])

    def close(self) -> None:
        """Give up every lead and stand no more."""
        self._end.set()
        self._watch.join()
        with self._lock:
            self._held.clear()
            if self._session is not None:
                self._session.close()

    def _ask(self, query: str, values: list[Any], *, again: bool = True) -> list[tuple[Any, ...]]:
        """Return the rows of a query of the session; made again once if it turns out to be dead."""
        connection = self._connection()
        try:
            return connection.execute(query, values).fetchall()
        except AWAY as error:
            # Whatever happened, the locks of a session that fails are not to be counted on
            self._lose()
            if not again:
                raise unavailable(place_name(self._place), "does not answer", error) from None
        return self._ask(query, values, again=False)

    def _connection(self) -> psycopg.Connection[Any]:
        if self._session is None or self._session.closed:
            self._lose()
            connection = connect(self._place)
            try:
                connection.execute(f"SET idle_session_timeout = '{SILENCE}s'")
                connection.execute(_REGISTER, [self.address])
            except psycopg.Error as error:
                connection.close()
                raise unavailable(place_name(self._place), "does not answer", error) from None
            self._session = connection
        return self._session

    def _lose(self) -> None:
        self._held.clear()
        self.term += 1
        if self._session is not None:
            self._session.close()

    def _beat(self) -> None:
        """Look after the session, so that a lead that is lost is known to be lost."""
        while not self._end.wait(_BEAT):
            with self._lock:
                session = self._session
                if session is None or session.closed:
                    continue
                try:
                    session.execute("SELECT 1")
                except psycopg.Error:
                    self._lose()
