"""The tables of a journal in PostgreSQL, and events as rows of them.

::

    weitzman.format(name, version)      one row: what this is
    weitzman.events(seq, problem, number, kind, at, key, body, chain)
    weitzman.head(seq, chain)           one row: the last event
    weitzman.snapshot(seq, content)     states, for a quick start (weitzman.ledger.postgres.snapshots)
    weitzman.process(pid, address)      who can be asked where (weitzman.ledger.postgres.election)

They stand in a schema of their own, so that a database has one journal, beside anything else. Text is stored
as UTF-8 in ``bytea``: neither the database's encoding nor a null character matters, and equal is equal bytes.

A schema ``weitzman`` that has no journal in it, or one of a later version, is refused and left as it is. An
empty one is taken: a role that may not make schemas can be given one.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import psycopg

from weitzman.errors import JournalFormatError
from weitzman.ledger.event import Event, follows
from weitzman.ledger.journal import EMPTY, VERSION, Head, unavailable
from weitzman.ledger.postgres.connection import AWAY

CHANNEL = "weitzman"
"""Where the seq of every new head is announced."""

_FORMAT = "weitzman.journal"
_MAKING = 0x57545A4A  # "WTZJ": the advisory lock of whoever makes the tables
_TABLES = f"""
CREATE TABLE weitzman.format(name text NOT NULL, version integer NOT NULL);
CREATE TABLE weitzman.events(
  seq bigint PRIMARY KEY, problem bytea NOT NULL, number bigint NOT NULL, kind bytea NOT NULL,
  at bigint NOT NULL, key bytea NOT NULL, body bytea NOT NULL, chain bytea NOT NULL);
CREATE UNIQUE INDEX events_number ON weitzman.events(problem, number);
CREATE INDEX events_key ON weitzman.events(problem, key) WHERE key <> '';
CREATE TABLE weitzman.head(
  one boolean PRIMARY KEY DEFAULT true CHECK (one), seq bigint NOT NULL, chain bytea NOT NULL);
CREATE TABLE weitzman.snapshot(seq bigint PRIMARY KEY, content bytea NOT NULL);
ALTER TABLE weitzman.snapshot ALTER content SET STORAGE EXTERNAL;
CREATE TABLE weitzman.process(pid integer PRIMARY KEY, address text NOT NULL);
INSERT INTO weitzman.format VALUES ('{_FORMAT}', {VERSION});
INSERT INTO weitzman.head(seq, chain) VALUES (0, '\\x{EMPTY.chain.hex()}');
"""
_THERE = """
SELECT to_regnamespace('weitzman') IS NOT NULL,
  EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('weitzman')),
  to_regclass('weitzman.format') IS NOT NULL
"""


def make_tables(connection: psycopg.Connection[Any], name: str) -> None:
    """Make the tables where there are none; refuse another format or a later version."""
    try:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [_MAKING])
            schema, things, marked = connection.execute(_THERE).fetchall()[0]
            if not things:
                connection.execute(("" if schema else "CREATE SCHEMA weitzman;") + _TABLES)
                return
            rows = connection.execute("SELECT * FROM weitzman.format").fetchall() if marked else []
    except AWAY as error:
        raise unavailable(name, "cannot be opened", error) from None
    if len(rows) != 1 or len(rows[0]) != 2 or rows[0][0] != _FORMAT:
        raise JournalFormatError(f"The schema 'weitzman' of {name!r} is no journal of weitzman.")
    version = rows[0][1]
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise JournalFormatError(
            f"The journal {name!r} has the format version {version}; this weitzman reads versions up to "
            f"{VERSION}."
        )


def whole(rows: Sequence[Sequence[Any]], head: Head) -> list[Event]:
    """Return the events of rows, as far as they follow ``head`` and are whole."""
    events = []
    seq, chain = head
    for row in rows:
        event = from_row(row)
        if event is None or event.seq != seq + 1 or not follows(chain, event):
            break
        events.append(event)
        seq, chain = event.seq, event.chain
    return events


def to_row(event: Event) -> tuple[int | bytes, ...]:
    """Return the columns of an event."""
    columns = msgspec.structs.astuple(event)
    return tuple(part.encode() if isinstance(part, str) else part for part in columns)


def from_row(row: Sequence[Any]) -> Event | None:
    """Return the event of a row; None if its text is none."""
    seq, problem, number, kind, at, key, body, chain = row
    try:
        return Event(seq, problem.decode(), number, kind.decode(), at, key.decode(), body, chain)
    except UnicodeDecodeError:
        return None
