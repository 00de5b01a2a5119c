"""Run a study: in this process, in several, or on a cluster, with the same rows.

Runs of one world, seed and horizon are played together, on one draw, as a task. Tasks depend on
nothing but their own description, so that neither their order nor their place changes a bit of
their rows. The process that was asked writes what comes back, run by run, into the directory of the
study; started again after any kind of end it plays what is missing.

::

    DIR/study.json          the study, the versions and the machine that run it
    DIR/runs/KEY.parquet    the rows of one finished run, whole or not there
    DIR/rows.parquet        all rows in the order of the study, when all runs are finished

A directory belongs to one study, and one process at a time works in it
(:mod:`weitzman.jobs.files`).
"""

import json
import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from weitzman.compiled.beside import waiting
from weitzman.errors import InvalidFileError, InvalidInputError, WeitzmanError
from weitzman.jobs.files import Finished, clear_begun, whole_file
from weitzman.jobs.processes import Tick, cores, in_processes
from weitzman.jobs.progress import bar
from weitzman.lab.study.evaluate import evaluate_each
from weitzman.lab.study.rows import FORMAT, Row, join_files, read_rows, write_rows
from weitzman.lab.study.study import Run, Study
from weitzman.lab.worlds import WORLDS, World
from weitzman.search.numbers import whole_number

_PACKAGES = ("weitzman", "numpy", "scipy", "numba", "pyarrow")
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
    """Play what is missing of a study and return all its rows, which are kept in a directory.

    ``workers`` is the number of processes, that of the cores if None; one plays in this process.
    With the address of a Dask ``scheduler`` its workers play instead. ``progress`` shows a bar, if
    standard error is a terminal.
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
    shown = 0

    def progress(done: int, _: int) -> None:
        nonlocal shown
        if tick is not None:
            tick(done - shown)
        shown = done

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
    with waiting():
        for task in kinds.values():
            play_task(task)


@contextmanager
def claimed(directory: Path, study: Study) -> Iterator[Finished]:
    """Hold the directory of a study and yield its finished runs; that of another study is refused."""
    with Finished(directory / "runs", suffix=".parquet", lock=directory / "study.lock") as runs:
        clear_begun(directory)
        _claim(directory, study)
        yield runs


def kept_worlds(directory: Path) -> dict[str, World]:
    """Return the worlds of a study that was run, by their names in its rows; other packages' are left out."""
    file = directory / "study.json"
    if not file.exists():
        return {}
    kinds = {f"{kind.__module__}.{kind.__qualname__}": kind for kind in WORLDS.values()}
    return {
        name: kinds[settings["class"]](**{k: v for k, v in settings.items() if k != "class"})
        for name, settings in _known(file)["worlds"].items()
        if settings["class"] in kinds
    }


def _claim(directory: Path, study: Study) -> None:
    file, description = directory / "study.json", study.description()
    if file.exists():
        known = _known(file)
        if known != description:
            rule = "be empty or belong to this study, and not to one that differs in these"
            different = sorted(k for k in description if known.get(k) != description[k])
            raise InvalidInputError(f"The directory {str(directory)!r}", rule, different)
    content = {"study": description, "format": FORMAT, **_surroundings()}
    with whole_file(file) as out:
        out.write((json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())


def _known(file: Path) -> dict[str, Any]:
    try:
        known = json.loads(file.read_text(encoding="utf-8"))["study"]
        return {**known, "worlds": known["worlds"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidFileError(f"The file {str(file)!r}", "tell a study", str(error)) from None


def _surroundings() -> dict[str, Any]:
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    machine = {"system": platform.platform(), "processor": platform.machine()}
    return {"versions": versions, "machine": {**machine, "cores": os.cpu_count()}}
