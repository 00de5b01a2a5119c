"""Snapshots: the state at some event, so that a start need not read the whole journal.

A start takes the newest snapshot that is whole and applies the events after it. A snapshot that is cut,
changed, or not of this journal is left out: the next older one is taken, or none. A snapshot that
holds events which the journal has lost shows that the journal is damaged.

The records of a snapshot may be taken one after the other while events go on: each tells how many events
it holds, and ``apply`` leaves those out. ``head`` is the end of the journal before the first record was
taken, ``until`` the seq after the last.

As bytes it is a line with format and version, the SHA-256 of the rest, and the rest: seq, chain and until as
msgpack, the record of the service and those of the problems, each after its length in eight bytes. One of an
earlier version is left out too: policies had other arrays then.

A state may have taken in events that could not be stored. The events of one problem change no other, so that
it is right in all other problems: only these are made again, from the newest snapshot and their own events
after it (:func:`repair`). The result is the fold over the journal, as :func:`resume` would give it.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from weitzman.errors import JournalDamagedError
from weitzman.ledger.journal import EMPTY, Head, Journal
from weitzman.ledger.state.arrays import pack, unpack
from weitzman.ledger.state.fold import SERVICE, Service, State, apply
from weitzman.ledger.state.problem import Problem

KEPT = 2
"""How many snapshots are kept."""

_MAGIC = b"weitzman.snapshot 4\n"
_BEGIN = len(_MAGIC) + 32
_PLACE = msgspec.msgpack.Decoder(tuple[int, bytes, int])
Bytes = bytes | memoryview


class _Named(msgspec.Struct):
    """As much of a problem's record as tells whose it is."""

    name: str


@dataclass(frozen=True)
class Snapshot:
    """The records of the service and of all problems at one time."""

    head: Head
    until: int
    service: Bytes
    problems: Sequence[Bytes]

    @property
    def size(self) -> int:
        """How many bytes its records have."""
        return len(self.service) + sum(map(len, self.problems))

    def parts(self) -> Iterator[Bytes]:
        """Yield what comes after the hash, in pieces."""
        place = msgspec.msgpack.encode((*self.head, self.until))
        for record in (place, self.service, *self.problems):
            yield len(record).to_bytes(8, "big")
            yield record

    def to_bytes(self) -> bytes:
        """Return the snapshot with its hash."""
        content = b"".join(self.parts())
        return _MAGIC + hashlib.sha256(content).digest() + content

    @classmethod
    def from_bytes(cls, content: bytes) -> "Snapshot | None":
        """Return the snapshot; None if it is cut, changed or of another version."""
        view = memoryview(content)
        if view[: len(_MAGIC)] != _MAGIC:
            return None
        if hashlib.sha256(view[_BEGIN:]).digest() != view[len(_MAGIC) : _BEGIN]:
            return None
        records, begin = [], _BEGIN
        while begin < len(view):
            end = begin + 8 + int.from_bytes(view[begin : begin + 8], "big")
            records.append(view[begin + 8 : end])
            begin = end
        place, service, *problems = records
        seq, chain, until = _PLACE.decode(place)
        return cls(Head(seq, chain), until, service, problems)

    def put_into(self, state: State, only: Set[str] | None = None) -> State:
        """Return the state with what the records hold, or those of some names only.

        ValueError if the records are those of other code.
        """
        try:
            if only is None or SERVICE in only:
                state.service = unpack(self.service, Service)
            for record in self.problems:
                if only is None or msgspec.msgpack.decode(record, type=_Named).name in only:
                    problem = Problem.from_record(record)
                    state.problems[problem.name] = problem
        except msgspec.DecodeError as error:
            raise ValueError(str(error)) from None
        return state


class Snapshots(Protocol):
    """Where the snapshots of a journal are kept."""

    def write(self, snapshot: Snapshot) -> None:
        """Keep a snapshot, all or nothing, and forget the oldest."""

    def newest_first(self) -> Iterator[Snapshot]:
        """Yield the snapshots that are whole."""


class FileSnapshots:
    """Snapshots in files beside a journal: ``<journal>-snapshot-<seq>``."""

    def __init__(self, journal: str | os.PathLike[str]) -> None:
        self._journal = Path(journal)

    def write(self, snapshot: Snapshot) -> None:
        """Write a file beside its place, move it there, and remove the oldest."""
        for left in self._journal.parent.glob(f"{self._journal.name}-snapshot-*.part"):
            left.unlink(missing_ok=True)  # of a process that was killed meanwhile
        target = self._journal.with_name(f"{self._journal.name}-snapshot-{snapshot.head.seq:016d}")
        beside = target.with_name(f"{target.name}.part")
        try:
            with beside.open("wb", buffering=1 << 20) as file:
                # In pieces, between which others run
                found = hashlib.sha256()
                file.write(_MAGIC + bytes(32))
                for part in snapshot.parts():
                    found.update(part)
                    file.write(part)
                file.seek(len(_MAGIC))
                file.write(found.digest())
                file.flush()
                os.fsync(file.fileno())
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
        for old in self.files()[KEPT:]:
            old.unlink(missing_ok=True)

    def newest_first(self) -> Iterator[Snapshot]:
        for file in self.files():
            with contextlib.suppress(OSError):
                snapshot = Snapshot.from_bytes(file.read_bytes())
                if snapshot is not None:
                    yield snapshot

    def files(self) -> list[Path]:
        """Return the files, newest first."""
        found = self._journal.parent.glob(f"{self._journal.name}-snapshot-{'[0-9]' * 16}")
        return sorted(found, reverse=True)


class Resumed(NamedTuple):
    """A state, the end of the journal that it was made from, and how.

    ``snapshot`` is the seq of the snapshot it began with and ``size`` that of its records in bytes, both 0
    if there was none; ``replayed`` counts the events after.
    """

    state: State
    head: Head
    snapshot: int
    replayed: int
    size: int = 0


def take(state: State, head: Head) -> Snapshot:
    """Return a snapshot of a state that holds exactly the events up to ``head``."""
    problems = [problem.record() for problem in state.problems.values()]
    return Snapshot(head=head, until=head.seq, service=pack(state.service), problems=problems)


def resume(journal: Journal, snapshots: Snapshots | None = None) -> Resumed:
    """Return the state after all events of a journal, from the newest snapshot that fits."""
    head = journal.head()
    for snapshot in () if snapshots is None else snapshots.newest_first():
        if snapshot.until > head.seq:
            head = journal.head()  # another process may have gone on since
        if snapshot.until > head.seq:
            reason = "a snapshot holds events that are not there"
            raise JournalDamagedError(journal.name, head.seq, snapshot.until, reason)
        since = snapshot.head
        if since.seq == head.seq and since.chain != head.chain:
            continue
        with contextlib.suppress(JournalDamagedError, ValueError):
            resumed = _replayed(journal, snapshot.put_into(State()), since, head)
            return resumed._replace(size=snapshot.size)
    return _replayed(journal, State(), EMPTY, head)


def _replayed(journal: Journal, state: State, since: Head, head: Head) -> Resumed:
    count = 0
    for event in journal.read(since, until=head.seq):
        apply(state, event)
        count += 1
    return Resumed(state, head, snapshot=since.seq, replayed=count)


def repair(
    journal: Journal, snapshots: Snapshots | None, state: State, head: Head, lost: Set[str]
) -> Resumed:
    """Return the state after all events of a journal; the state that is given is changed.

    It holds ``head`` and all events before, but for the problems that are ``lost``: those hold events which
    were perhaps not stored.
    """
    end, since = journal.head(), EMPTY
    for name in lost:
        state.problems.pop(name, None)
    if SERVICE in lost:
        state.service = Service()
    for snapshot in () if snapshots is None else snapshots.newest_first():
        if snapshot.until <= end.seq:
            snapshot.put_into(state, lost)
            since = snapshot.head
            break
    count = 0
    for name in lost:
        for event in journal.read(since, problem=name, until=end.seq):
            count += apply(state, event)
    for event in journal.read(head, until=end.seq):
        count += apply(state, event)
    return Resumed(state, end, snapshot=since.seq, replayed=count)
