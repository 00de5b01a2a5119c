"""What is left of a damaged SQLite journal: the events before the damage, and a list of those after.

A journal is a chain: what follows an event that is not whole may rest on it, so the exact prefix is kept
and nothing else. The damaged files are moved aside, never deleted.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from weitzman.errors import JournalDamagedError
from weitzman.ledger.bodies import KINDS
from weitzman.ledger.event import Draft, Event, follows
from weitzman.ledger.journal import EMPTY, Head
from weitzman.ledger.snapshots import FileSnapshots
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.sqlite.last_commit import LastCommit
from weitzman.ledger.sqlite.layout import check_header

_BATCH = 10_000


class Recovery(NamedTuple):
    """What recovering came to.

    The events 1 … ``kept`` are whole, and ``stored`` is the seq of the last event that is known to have been
    stored. ``lost`` has seq, problem, kind and time of the lost events that can still be read in part.
    ``aside`` is where the damaged files are now; None if they are where they were. If all ``is_whole``,
    nothing was damaged.
    """

    kept: int
    stored: int
    lost: Sequence[tuple[int, str, str, int]] = ()
    aside: Path | None = None
    is_whole: bool = False


def recover(path: str | os.PathLike[str], *, dry_run: bool = False) -> Recovery:
    """Keep what is whole of a journal, and say what is lost; a dry run only says it."""
    file = Path(path)
    check_header(file)
    with closing(LastCommit(file)) as last_commit:
        committed = last_commit.read()
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}-") as folder:
            copy = Path(folder) / file.name
            for part in _parts(file):
                shutil.copy(part, Path(folder) / part.name)
            whole = Path(folder) / "whole"
            kept, lost, read = _copy_prefix(copy, whole)
            # Nobody heard of an event after the witness; the head row, if that is lost, may be damaged too
            stored = max(kept, read, committed or _head(copy))
            if kept == stored and _opens(copy, committed):
                return Recovery(kept=kept, stored=stored, is_whole=True)
            if dry_run:
                return Recovery(kept=kept, stored=stored, lost=lost)
            aside = _move_aside(file)
            whole.replace(file)
    for snapshot in FileSnapshots(file).files():
        snapshot.replace(aside / snapshot.name)
    file.with_name(f"{file.name}-witness").unlink(missing_ok=True)
    return Recovery(kept=kept, stored=stored, lost=lost, aside=aside)


def _parts(file: Path) -> list[Path]:
    return [p for p in (file, file.with_name(f"{file.name}-wal")) if p.exists()]


def _opens(copy: Path, committed: int) -> bool:
    try:
        journal = SqliteJournal(copy)
    except JournalDamagedError:
        return False
    head = journal.head()
    journal.close()
    return head.seq >= committed


def _copy_prefix(copy: Path, target: Path) -> tuple[int, list[tuple[int, str, str, int]], int]:
    """Write the events before the damage into a new journal.

    Return how many there are, what can be read of those after it, and the seq of the last one that is whole.
    """
    lost: list[tuple[int, str, str, int]] = []
    head, before, last, damaged, batch = EMPTY, EMPTY, 0, False, []
    journal = SqliteJournal(target)
    with closing(sqlite3.connect(copy)) as connection:
        for row in _rows(connection):
            event = Event(*row)
            whole = event.seq == before.seq + 1 and follows(before.chain, event)
            before = Head(event.seq, event.chain)
            damaged = damaged or not whole
            last = event.seq if whole else last
            if damaged:
                # A row that lost its bytes reads as zeros: nothing of an event
                if whole or (event.kind in KINDS and event.seq > head.seq):
                    lost.append((event.seq, str(event.problem), event.kind, event.at))
                continue
            head = before
            batch.append(Draft(*row[1:7]))
            if len(batch) == _BATCH:
                journal.append(batch)
                batch = []
    journal.append(batch)
    journal.close()
    target.with_name(f"{target.name}-witness").unlink()
    return head.seq, lost, last


def _rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    query = "SELECT seq, problem, number, kind, at, key, body, chain FROM events ORDER BY seq"
    try:
        yield from connection.execute(query)
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return


def _head(copy: Path) -> int:
    try:
        with closing(sqlite3.connect(copy)) as connection:
            row = connection.execute("SELECT seq FROM head").fetchone()
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return 0
    return row[0] if row is not None and isinstance(row[0], int) else 0


def _move_aside(file: Path) -> Path:
    number = 1
    while (aside := file.with_name(f"{file.name}-damaged-{number}")).exists():
        number += 1
    aside.mkdir()
    for part in (*_parts(file), file.with_name(f"{file.name}-shm")):
        if part.exists():
            part.replace(aside / part.name)
    return aside
