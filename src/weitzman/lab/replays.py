"""Replays of one log side by side: feedbacks, cost scales and twins, in several processes.

A *case* is one replay. Cases depend on nothing but the log and their own description, so that neither their
number nor that of the processes changes a bit of what comes back (:mod:`weitzman.lab.processes`). The
reservation values whose calibration is looked at are learned in a run of their own beside them.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weitzman.lab.calibration import Promise, promised
from weitzman.lab.processes import Tick, cores, in_processes
from weitzman.lab.progress import bar
from weitzman.lab.recorded import Log
from weitzman.lab.replay import Replay, replay
from weitzman.lab.residuals import residuals_of
from weitzman.lab.twin import Twin, twin
from weitzman.learn.past import Revealed
from weitzman.learn.portfolio import default

__all__ = ["Case", "Replays", "play_cases"]

_WARM = 12  # rounds that compile everything


@dataclass(frozen=True, kw_only=True)
class Case:
    """One replay of a log.

    Parameters
    ----------
    feedback
        What a round reveals.
    cost_scale
        By what the costs are multiplied.
    twin
        Which twin of the log is played (:mod:`weitzman.lab.twin`); None for the log itself.
    """

    feedback: Revealed = "full"
    cost_scale: float = 1.0
    twin: Twin | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Replays:
    """What came out.

    Attributes
    ----------
    cases
        The replays, in the order in which they were asked for.
    promises
        The reservation values on the log itself; empty if they were not asked for.
    """

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
    promises: float | None = None,
    trees: bool = True,
    workers: int | None = None,
    progress: bool = True,
) -> Replays:
    """Play a log in every case.

    Parameters
    ----------
    log
        The recorded rounds.
    cases
        What to play, distinct.
    promises
        The cost scale at which reservation values are wanted; None for none.
    trees
        Whether candidates with trees take part.
    workers
        The number of processes; that of the cores if None. One plays in this process.
    progress
        Whether to show a bar, if standard error is a terminal.
    """
    work = functools.partial(_perform, log, trees)
    tasks: list[Case | float] = [*cases]
    if promises is not None:
        tasks.append(promises)
    found: dict[Case | float, Replay | list[Promise]] = {}
    with bar(progress, runs=len(tasks), done=0, rounds=len(tasks) * len(log)) as (tick, note):
        count = min(cores() if workers is None else workers, len(tasks))
        if count > 1:
            # Compiled once, here: processes find the machine code on disk
            for task in tasks:
                _perform(_beginning(log), trees, task, lambda _: None)
            done = in_processes(work, tasks, count, tick)
        else:
            done = ((task, work(task, tick)) for task in tasks)
        for task, result in done:
            found[task] = result
            note(1)
    kept = [found.get(task, []) for task in tasks if not isinstance(task, Case)]
    return Replays(
        cases={case: one for case in cases if isinstance(one := found[case], Replay)},
        promises=[p for group in kept if isinstance(group, list) for p in group],
    )


def _perform(log: Log, trees: bool, task: Case | float, tick: Tick) -> Replay | list[Promise]:
    """Play a case, or learn the reservation values at a cost scale."""
    if not isinstance(task, Case):
        return promised(log, cost_scale=task, trees=trees, progress=tick)
    shown = log if task.twin is None else twin(log, residuals_of(log), task.twin)
    return replay(
        shown,
        default(shared=log.shared, trees=trees, standardise=False),
        feedback=task.feedback,
        cost_scale=task.cost_scale,
        progress=lambda *_: tick(1),
    )


def _beginning(log: Log) -> Log:
    """Return the first rounds of a log that have values."""
    kept = np.flatnonzero(~np.isnan(log.values).all(axis=1))[:_WARM]
    return replace(
        log,
        rounds=log.rounds[kept],
        contexts=log.contexts[kept],
        costs=log.costs[kept],
        values=log.values[kept],
        outside=None if log.outside is None else log.outside[kept],
        opened=None if log.opened is None else log.opened[kept],
    )
