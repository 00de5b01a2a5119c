"""Run a study: in this process, in several, or on a cluster, with the same rows.

Runs of one world, seed and horizon are played together, on one draw, as a task. Tasks depend on
nothing but their own description, so that neither their order nor their place changes a bit of
their rows. The process that was asked writes what comes back, run by run
(:mod:`weitzman.lab.study.folder`); started again after any kind of end it plays what is missing.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from weitzman.errors import WeitzmanError
from weitzman.jobs.processes import Tick, cores, in_processes
from weitzman.jobs.progress import bar
from weitzman.lab.study.evaluate import evaluate_each
from weitzman.lab.study.folder import claimed
from weitzman.lab.study.rows import Row, join_files, read_rows, write_rows
from weitzman.lab.study.study import Run, Study
from weitzman.search.numbers import whole_number

__all__ = ["Task", "play_task", "run"]

_TASK_ROUNDS: Final = 50_000

Results = Iterator[tuple["Task", list[list[Row]]]]


@dataclass(frozen=True)
class Task:
    """Runs of one world, seed and horizon, and their keys."""

    runs: tuple[Run, ...]
    keys: tuple[str, ...]

    @property
    def rounds(self) -> int:
        """How many rounds it plays."""
        return sum(r.rounds for r in self.runs)


def run(
    study: Study,
    directory: str | os.PathLike[str],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: bool = True,
) -> dict[str, NDArray[Any]]:
    """Play what is missing of a study and return all its rows.

    Parameters
    ----------
    study
        What to run.
    directory
        Where rows are kept; see :mod:`weitzman.lab.study.folder`.
    workers
        The number of processes; that of the cores if None. One plays in this process.
    scheduler
        The address of a Dask scheduler, whose workers then play instead.
    progress
        Whether to show a bar, if standard error is a terminal.
    """
    runs = study.runs()
    keys = [r.key for r in runs]
    count = cores() if workers is None else whole_number(workers, "The number of workers", least=1)
    place = Path(directory)
    with claimed(place, study) as kept:
        finished = kept.keys()
        missing = [(r, k) for r, k in zip(runs, keys, strict=True) if k not in finished]
        rounds = sum(r.rounds for r, _ in missing)
        shown = bar(progress, runs=len(runs), done=len(runs) - len(missing), rounds=rounds)
        with shown as (tick, note):
            for task, results in _played(_tasks(missing), count, scheduler, tick):
                for key, rows in zip(task.keys, results, strict=True):
                    write_rows(kept.file(key), rows)
                note(len(task.keys))
        join_files([kept.file(key) for key in keys], place / "rows.parquet")
        return read_rows(place)


def play_task(task: Task, tick: Tick | None = None) -> list[list[Row]]:
    """Return the rows of each run of a task."""
    first = task.runs[0]
    if tuple(r.key for r in task.runs) != task.keys:
        # A worker elsewhere may have another version, and its rows another meaning
        raise WeitzmanError(
            "A worker has another version of weitzman than the process that sent its task."
        )
    told = 0

    def progress(done: int, _: int) -> None:
        nonlocal told
        if tick is not None:
            tick(done - told)
        told = done

    return evaluate_each(
        [(r.name, r.contender) for r in task.runs],
        first.world,
        first.rounds,
        first.seed,
        label=first.world_name,
        checkpoints=first.checkpoints,
        expected=first.expected,
        progress=progress,
    )


def _tasks(runs: Sequence[tuple[Run, str]]) -> list[Task]:
    """Return tasks of a bounded number of rounds, the longest first, so that none is left to the end."""
    groups: dict[tuple[str, int, int], list[tuple[Run, str]]] = {}
    for one, key in runs:
        groups.setdefault((one.world_name, one.seed, one.rounds), []).append((one, key))
    tasks = []
    for (_, _, rounds), group in groups.items():
        size = max(1, _TASK_ROUNDS // rounds)
        for begin in range(0, len(group), size):
            part = group[begin : begin + size]
            tasks.append(Task(tuple(r for r, _ in part), tuple(k for _, k in part)))
    return sorted(tasks, key=lambda task: -task.rounds)


def _played(tasks: list[Task], workers: int, scheduler: str | None, tick: Tick) -> Results:
    """Yield tasks with their rows, as they come."""
    if scheduler is not None:
        from weitzman.jobs.cluster import on_cluster

        for task, rows in on_cluster(play_task, tasks, scheduler):
            tick(task.rounds)
            yield task, rows
    else:
        if min(workers, len(tasks)) > 1:
            _warm(tasks)
        yield from in_processes(play_task, tasks, workers, tick)


def _warm(tasks: list[Task]) -> None:
    """Play two rounds of every kind of run, so that workers find the machine code on disk."""
    kinds: dict[tuple[type, bool, bool], Task] = {}
    for task in tasks:
        for one in task.runs:
            what = one.contender.decides or one.contender
            kind = (
                type(getattr(what, "learner", what)),
                "probe" in one.contender.feedback,
                one.expected,
            )
            if kind not in kinds:
                short = replace(one, rounds=2, checkpoints=(2,))
                kinds[kind] = Task((short,), (short.key,))
    for task in kinds.values():
        play_task(task)
