"""The layout of a SQLite journal: its tables, and how a file of an earlier version is brought to it.

::

    events(seq, problem, number, kind, at, key, body, chain)
    head(seq, chain)                    the last event, written in the same transaction
    tails(content)                      the last number of every problem (``sqlite.last_numbers``)

Events are found by key, then problem. Keys that grow with time, as those do that the service chooses, then
stand at the end of the index whichever problem they belong to: a commit of many problems writes few pages.
Version 1 had an index for each problem's numbers and one for its keys, and every event changed a page of its
own in both. The events themselves are the same in all versions.

The file's header tells format and version (``application_id``, ``user_version``); it is read as bytes
before SQLite opens the file, which is thus untouched if it is refused.
"""

import os
import sqlite3
import struct
from pathlib import Path

from weitzman.errors import JournalDamagedError, JournalFormatError, JournalUnavailableError

APPLICATION = 0x57545A4A  # "WTZJ"
LAYOUT = 2
"""The version that is written; earlier ones are brought to it."""

_TABLES = """
CREATE TABLE events(
  seq INTEGER PRIMARY KEY, problem TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL,
  at INTEGER NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL, chain BLOB NOT NULL);
CREATE TABLE head(one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, chain BLOB NOT NULL);
"""
_SINCE_2 = """
CREATE INDEX events_place ON events(key, problem);
CREATE TABLE tails(one INTEGER PRIMARY KEY CHECK (one = 1), content BLOB NOT NULL);
"""
_UNTIL_1 = "DROP INDEX events_number; DROP INDEX events_key;"


def lay_out(connection: sqlite3.Connection) -> None:
    """Make the tables of a new journal."""
    marks = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {LAYOUT};"
    connection.executescript(f"BEGIN; {marks} {_TABLES} {_SINCE_2} COMMIT;")


def bring_up(connection: sqlite3.Connection) -> None:
    """Bring a journal of an earlier version to this one, all or nothing; its events stay as they are."""
    if connection.execute("PRAGMA user_version").fetchone() == (1,):
        script = f"BEGIN IMMEDIATE; {_UNTIL_1} {_SINCE_2} PRAGMA user_version = {LAYOUT}; COMMIT;"
        try:
            connection.executescript(script)
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def check_place(path: Path) -> None:
    """Refuse a path where no journal can be, before anything is made there."""
    if path.is_dir():
        raise JournalUnavailableError(
            f"The journal must be a file. {os.fspath(path)!r} is a folder."
        )
    if not path.parent.is_dir():
        raise JournalUnavailableError(
            f"The folder of the journal {os.fspath(path)!r} must be there: make it, or mend the path."
        )


def check_header(path: Path) -> None:
    """Refuse a file that is no journal, or one of a later version, by its first bytes."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100:
        raise JournalDamagedError(os.fspath(path), 0, None, "the file is shorter than its header")
    version, application = struct.unpack_from(">I4xI", header, 60)
    if not header.startswith(b"SQLite format 3\0") or application != APPLICATION:
        raise JournalFormatError(f"The file {os.fspath(path)!r} is no journal of weitzman.")
    if not 1 <= version <= LAYOUT:
        raise JournalFormatError(
            f"The journal {os.fspath(path)!r} has the format version {version}; this weitzman reads "
            f"versions up to {LAYOUT}."
        )
