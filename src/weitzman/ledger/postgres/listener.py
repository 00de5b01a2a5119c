"""Listening to a PostgreSQL journal that others write.

Every append announces the new head (``NOTIFY``), so a listener hears of it with the commit. An announcement
is no promise: one that is lost with a connection is made good by a look at the head every second.
"""

import time
from threading import Lock
from typing import Any

import psycopg

from weitzman.ledger.journal import unavailable
from weitzman.ledger.postgres.connection import connect, place_name
from weitzman.ledger.postgres.tables import CHANNEL

_LOOK = 1.0


class Listener:
    """Waits for events of others; JournalUnavailableError if the server does not answer."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._lock = Lock()
        self._connection: psycopg.Connection[Any] | None = None

    def wait(self, seq: int, timeout: float) -> int:
        """Return the seq of the head as soon as it is beyond ``seq``, or when the time is over."""
        deadline = time.monotonic() + timeout
        with self._lock:
            try:
                connection = self._listening()
                while True:
                    row = connection.execute("SELECT seq FROM weitzman.head").fetchone()
                    now = 0 if row is None else int(row[0])
                    left = deadline - time.monotonic()
                    if now > seq or left <= 0.0:
                        return now
                    for _ in connection.notifies(timeout=min(left, _LOOK), stop_after=1):
                        pass
            except psycopg.Error as error:
                self._forget()
                raise unavailable(place_name(self._place), "does not answer", error) from None

    def close(self) -> None:
        """Listen no more, when nobody waits."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _listening(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._place)
            self._connection.execute(f"LISTEN {CHANNEL}")
        return self._connection
