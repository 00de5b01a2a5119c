"""Repairing a state after events that were applied to it were not stored.

The events of one problem change no other. A state that has taken in events of some problems which the
journal does not hold is right in all other problems. So only these are made again, from the newest snapshot
and their own events after it; then the events that the state lacks are taken in. The result is the fold
over the journal, as :func:`~weitzman.ledger.snapshots.snapshot.resume` would give it.
"""

from collections.abc import Iterable

import msgspec

from weitzman.ledger.journal import EMPTY, Head, Journal
from weitzman.ledger.snapshots.snapshot import Resumed, Snapshot, Snapshots
from weitzman.ledger.state.fold import SERVICE, Service, State, apply
from weitzman.ledger.state.problem import Problem

__all__ = ["repair"]


class _Named(msgspec.Struct):
    """As much of a problem's record as tells whose it is."""

    name: str


def repair(
    journal: Journal, snapshots: Snapshots | None, state: State, head: Head, lost: Iterable[str]
) -> Resumed:
    """Return the state after all events of a journal; the state that is given is changed.

    Parameters
    ----------
    journal, snapshots
        Where the truth is.
    state, head
        The state, and the last event of which it holds that and all before, but for the lost problems.
    lost
        Problems that hold events which were perhaps not stored.
    """
    end = journal.head()
    since = _reset(state, set(lost), snapshots, end)
    count = 0
    for name in lost:
        for event in journal.read(since, problem=name, until=end.seq):
            count += apply(state, event)
    for event in journal.read(head, until=end.seq):
        count += apply(state, event)
    return Resumed(state, end, since.seq, count)


def _reset(state: State, lost: set[str], snapshots: Snapshots | None, end: Head) -> Head:
    """Put problems back to the newest snapshot that fits, or to nothing; return where that was taken."""
    for name in lost:
        state.problems.pop(name, None)
    if SERVICE in lost:
        state.service = Service()
    for snapshot in () if snapshots is None else snapshots.newest_first():
        if snapshot.until <= end.seq:
            _put_back(state, lost, snapshot)
            return Head(snapshot.seq, snapshot.chain)
    return EMPTY


def _put_back(state: State, lost: set[str], snapshot: Snapshot) -> None:
    if SERVICE in lost:
        state.service = Service.from_record(snapshot.service)
    for record in snapshot.problems:
        if msgspec.msgpack.decode(record, type=_Named).name in lost:
            problem = Problem.from_record(record)
            state.problems[problem.name] = problem
