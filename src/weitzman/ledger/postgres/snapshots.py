"""Snapshots in the database of a PostgreSQL journal, for every process that shares it."""

from collections.abc import Iterator
from contextlib import closing

import psycopg

from weitzman.ledger.journal import unavailable
from weitzman.ledger.postgres.connection import Pool, connect, place_name
from weitzman.ledger.snapshots import KEPT, Snapshot

_WRITE = """
INSERT INTO weitzman.snapshot VALUES (%(seq)b, %(content)b)
ON CONFLICT (seq) DO UPDATE SET content = excluded.content
"""
_FORGET = """
DELETE FROM weitzman.snapshot
WHERE seq < (SELECT min(seq) FROM (SELECT seq FROM weitzman.snapshot ORDER BY seq DESC LIMIT %s) AS kept)
"""


class TableSnapshots:
    """Snapshots in a table beside the events; ``place`` is the connection string of the journal."""

    def __init__(self, place: str) -> None:
        self._place = place

    def write(self, snapshot: Snapshot) -> None:
        """Store a snapshot and remove the oldest."""
        values = {"seq": snapshot.head.seq, "content": snapshot.to_bytes()}
        try:
            with connect(self._place) as connection, connection.transaction():
                connection.execute(_WRITE, values)
                connection.execute(_FORGET, [KEPT])
        except psycopg.Error as error:
            raise unavailable(place_name(self._place), "takes no snapshot", error) from None

    def newest_first(self) -> Iterator[Snapshot]:
        with closing(Pool(self._place)) as pool:
            seqs = pool.rows("SELECT seq FROM weitzman.snapshot ORDER BY seq DESC", {})
            for (seq,) in seqs:
                query = "SELECT content FROM weitzman.snapshot WHERE seq = %(seq)b"
                for (content,) in pool.rows(query, {"seq": seq}):
                    snapshot = Snapshot.from_bytes(content)
                    if snapshot is not None:
                        yield snapshot
