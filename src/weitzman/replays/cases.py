"""Replays of one log side by side: feedbacks, cost scales and twins, in several processes.

A *case* is one replay; its parts (:mod:`weitzman.replays.runs`) are what processes are given. They depend on
nothing but the log and their own description, so neither the number of cases nor that of processes changes a
bit of what comes back (:mod:`weitzman.jobs.processes`). The reservation values whose calibration is looked at
are learned in a run of their own beside them.

Finished parts are kept in a directory, so that a replay that was stopped goes on where it was. A
file is named by a hash of everything that its content depends on: the log, the task and the
version.
"""

import functools
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weitzman.compiled.beside import waiting
from weitzman.feedback import Feedback
from weitzman.jobs.files import Finished
from weitzman.jobs.processes import Tick, cores, in_processes
from weitzman.jobs.progress import bar
from weitzman.learn.policy import Policy
from weitzman.learn.storage.registry import described_policy
from weitzman.logs.log import Log
from weitzman.replays.diagnosis.calibration import Promise, promised
from weitzman.replays.diagnosis.residuals import residuals_of
from weitzman.replays.diagnosis.twin import Twin, twin
from weitzman.replays.lineup import Lineup, lineup_of
from weitzman.replays.replay import Play, Replay
from weitzman.replays.runs import Part, Piece, rank_of

_WARM = 12  # rounds that compile everything
_PROMISE = [field.name for field in fields(Promise)]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One replay: what a round reveals, what multiplies the costs, which twin is played.

    The twins are those of :mod:`weitzman.replays.diagnosis.twin`; None stands for the log itself.
    """

    feedback: Feedback = "full"
    cost_scale: float = 1.0
    twin: Twin | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Replays:
    """The replays, in the order asked for, and the reservation values if they were wanted.

    The policies of the ``lineup`` are as they were given, in the user's sense.
    """

    lineup: Lineup
    cases: Mapping[Case, Replay]
    promises: list[Promise]

    @property
    def played(self) -> list[Replay]:
        """The replays of the log itself."""
        return [one for case, one in self.cases.items() if case.twin is None]


def play_cases(
    log: Log,
    cases: Sequence[Case],
    *,
    policies: Sequence[Policy | str] = ("default",),
    promises: float | None = None,
    trees: bool = True,
    workers: int | None = None,
    kept: Path | None = None,
    progress: bool = True,
) -> Replays:
    """Play a log in every case, all distinct, by policies as for :func:`weitzman.replay`.

    ``promises`` is the cost scale at which reservation values are wanted, ``trees`` whether
    candidates with trees take part. ``workers`` is the number of processes, that of the cores if
    None; one plays in this process. What is finished is kept in the directory ``kept``, so that a
    replay that was stopped goes on. ``progress`` shows a bar, if standard error is a terminal.
    """
    plays = _plays(log, cases, policies, trees)
    tasks = [_Task(case, part) for case, play in plays.items() for part in play.parts()]
    if promises is not None:
        tasks.append(_Task(promises, None))
    # What takes longest first, so that none is waited for at the end
    tasks.sort(key=lambda task: 1 if task.part is None else rank_of(task.part))
    before = None if kept is None else _Pieces(kept, log)
    # What a kept piece depends on beside the log; a policy may look like another as text
    texts = (
        [] if kept is None else [p if isinstance(p, str) else described_policy(p) for p in policies]
    )
    kept_by = () if kept is None else (texts, trees)
    found = {t: r for t in tasks if before and (r := before.load((t, kept_by))) is not None}
    left = [task for task in tasks if task not in found]
    work = functools.partial(_perform, log, trees, plays)
    count = cores() if workers is None else workers
    shown = bar(progress, runs=len(tasks), done=len(found), rounds=len(left) * len(log))
    with shown as (tick, note):
        if min(count, len(left)) > 1:
            # Compiled once, here: processes find the machine code on disk
            first = _beginning(log)
            short = {case: replace(play, log=first) for case, play in plays.items()}
            with waiting():
                for task in left:
                    _perform(first, trees, short, task, lambda _: None)
        for task, result in in_processes(work, left, count, tick):
            found[task] = result
            if before is not None:
                before.save((task, kept_by), result)
            note(1)
    return Replays(
        lineup=lineup_of(policies, shared=log.shared, trees=trees),
        cases={case: play.whole(_pieces(tasks, found, case)) for case, play in plays.items()},
        promises=[p for task in tasks if isinstance(r := found[task], list) for p in r],
    )


def _pieces(
    tasks: "list[_Task]", found: "dict[_Task, Piece | list[Promise]]", case: Case
) -> list[Piece]:
    """Return what the parts of a case came to."""
    return [
        piece for task in tasks if task.what is case and isinstance(piece := found[task], Piece)
    ]


class _Task(NamedTuple):
    """A part of a case; without a part, the reservation values at a cost scale."""

    what: Case | float
    part: Part | None


def _plays(
    log: Log, cases: Sequence[Case], policies: Sequence[Policy | str], trees: bool
) -> dict[Case, Play]:
    """Return the replay of each case; residuals and twins are found once."""
    kinds = {case.twin for case in cases if case.twin is not None}
    residuals = residuals_of(log) if kinds else None
    twins = {kind: twin(log, residuals, kind) for kind in kinds if residuals is not None}
    lineup = lineup_of(policies, shared=log.shared, trees=trees, sense=log.sense)
    return {
        case: Play(
            log=log if case.twin is None else twins[case.twin],
            lineup=lineup,
            feedback=case.feedback,
            cost_scale=case.cost_scale,
            others=list(lineup)[1 : len(policies)],
        )
        for case in cases
    }


def _perform(
    log: Log, trees: bool, plays: Mapping[Case, Play], task: _Task, tick: Tick
) -> Piece | list[Promise]:
    """Play a part of a case, or learn the reservation values at a cost scale."""
    if isinstance(task.what, Case):
        assert task.part is not None
        return plays[task.what].play(task.part, tick)
    return promised(log, cost_scale=task.what, trees=trees, progress=tick)


def _beginning(log: Log) -> Log:
    """Return the first rounds of a log that have values."""
    kept = np.flatnonzero(~np.isnan(log.values).all(axis=1))[:_WARM]
    names = ("rounds", "contexts", "costs", "values", "outside", "opened", "paid")
    arrays = {name: getattr(log, name) for name in names}
    return replace(log, **{name: a[kept] for name, a in arrays.items() if a is not None})


def finished_parts(directory: Path) -> Finished:
    """Return the finished parts in a directory."""
    return Finished(directory, suffix=".npz")


class _Pieces:
    """What is finished of the replays of a log, in a directory made with the first piece."""

    def __init__(self, directory: Path, log: Log) -> None:
        self._finished = finished_parts(directory)
        found = hashlib.sha256(
            f"{version('weitzman')} {log.shared} {log.least} {log.sense}".encode()
        )
        for array in (log.contexts, log.costs, log.values, log.outside, log.paid):
            if array is not None:
                found.update(f"{array.shape}".encode())
                found.update(np.ascontiguousarray(array).data)
        self._log = found.hexdigest()

    def load(self, task: object) -> Piece | list[Promise] | None:
        """Return what a task came to; None if it is not finished."""
        stored = self._finished.load_arrays(self._key(task)) or {}
        arrays: Any = {n: a.tolist() if a.dtype.kind == "U" else a for n, a in stored.items()}
        try:
            if "rule" not in arrays:
                return Piece(**arrays)
            each = zip(*(arrays[name] for name in _PROMISE), strict=True)
            return [Promise(**dict(zip(_PROMISE, one, strict=True))) for one in each]
        except (KeyError, TypeError):  # made by another version
            return None

    def save(self, task: object, result: Piece | list[Promise]) -> None:
        """Keep what a task came to."""
        if isinstance(result, Piece):
            parts = result._asdict()
        else:
            parts = {name: [getattr(promise, name) for promise in result] for name in _PROMISE}
        arrays = {name: np.array(part) for name, part in parts.items()}
        self._finished.save_arrays(self._key(task), arrays)

    def _key(self, task: object) -> str:
        return hashlib.sha256(f"{self._log} {task!r}".encode()).hexdigest()[:32]
