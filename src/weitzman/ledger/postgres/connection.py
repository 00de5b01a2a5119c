"""Connections to PostgreSQL that a journal can rely on.

A connection made here commits to the disk before it answers (``synchronous_commit``), notices within seconds
that the other side is gone (keepalives on both sides), and never holds a lock for long: waiting for one,
idling in a transaction, and statements themselves are limited by the server.

Errors of the database differ in what they say of the data: a server that is away, full, read-only or
busy leaves everything as it is (:class:`~weitzman.errors.JournalUnavailableError`); anything else that goes
wrong in reading is damage.
"""

from threading import Lock
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from weitzman.errors import JournalUnavailableError
from weitzman.ledger.journal import unavailable

AWAY = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,
    psycopg.errors.InsufficientPrivilege,
)
"""Errors that say nothing of the data: the server does not answer, or does not want to."""

SILENCE = 3
"""Seconds after which a host that says nothing is taken for dead."""

_SETTINGS = {
    "application_name": "weitzman",
    "client_encoding": "UTF8",
    "lock_timeout": "10s",
    "statement_timeout": "60s",
    "idle_in_transaction_session_timeout": f"{SILENCE}s",
    "tcp_keepalives_idle": "1",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": str(SILENCE - 1),
    "tcp_user_timeout": str(1000 * SILENCE),
}
_SET = "SELECT " + ", ".join(
    f"set_config('{name}', '{value}', false)" for name, value in _SETTINGS.items()
)
# 'off' answers before the disk has it; the others wait at least for that
_DURABLE = """
SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')
"""


def place_name(place: str) -> str:
    """Return where a connection string leads, without user and password.

    >>> place_name("postgresql://ann:secret@db.example:5433/search")
    'postgresql://db.example:5433/search'
    """
    parts = conninfo_to_dict(place)
    host = parts.get("host") or parts.get("hostaddr") or ""
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{host}{port}/{parts.get('dbname') or ''}"


def connect(place: str) -> psycopg.Connection[Any]:
    """Return a new connection, in autocommit."""
    name = place_name(place)
    try:
        connection = psycopg.connect(
            place,
            autocommit=True,
            connect_timeout=SILENCE,
            keepalives_idle=1,
            keepalives_interval=1,
            keepalives_count=SILENCE - 1,
            tcp_user_timeout=1000 * SILENCE,
        )
    except psycopg.Error as error:
        raise unavailable(name, "cannot be reached", _line(error)) from None
    try:
        connection.execute(_SET)
        connection.execute(_DURABLE)
        fsync = connection.execute("SHOW fsync").fetchone()
    except psycopg.Error as error:
        connection.close()
        raise unavailable(name, "cannot be reached", _line(error)) from None
    if fsync != ("on",):
        connection.close()
        raise JournalUnavailableError(
            f"The server of the journal {name!r} must run with fsync=on. Got {fsync and fsync[0]!r}."
        )
    return connection


class Pool:
    """A few connections for short reads, made when they are needed and kept."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._lock = Lock()
        self._free: list[psycopg.Connection[Any]] = []
        self._closed = False

    def rows(self, query: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Return the rows of a query; asked again once if a kept connection turns out to be dead."""
        while True:
            with self._lock:
                kept = self._free.pop() if self._free else None
            connection = kept or connect(self._place)
            try:
                return connection.execute(query, values, prepare=True, binary=True).fetchall()
            except AWAY as error:
                if kept is None or not connection.closed:
                    name = place_name(self._place)
                    raise unavailable(name, "does not answer", _line(error)) from None
            finally:
                self._give_back(connection)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            free, self._free = self._free, []
        for connection in free:
            connection.close()

    def _give_back(self, connection: psycopg.Connection[Any]) -> None:
        with self._lock:
            if not (connection.closed or self._closed):
                self._free.append(connection)
                return
        connection.close()


def _line(error: psycopg.Error) -> str:
    """Return what an error says, in one line without a full stop."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
