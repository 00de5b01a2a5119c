"""Work in several processes: results, progress, failures."""

import functools
import os
import signal
import time
from pathlib import Path

import pytest

import weitzman as wz
from weitzman.jobs.processes import Tick, cores, in_processes


def squared(task: int, tick: Tick) -> int:
    for _ in range(task):
        tick(1)
    return task**2


def refuse(task: int, tick: Tick) -> int:
    raise wz.InvalidInputError("The task", "be another", task)


def die_once(place: Path, task: int, tick: Tick) -> int:
    mark = place / "died"
    if task == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def die(task: int, tick: Tick) -> int:
    time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)
    return task


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_with_their_tasks_and_progress_adds_up(workers: int) -> None:
    told: list[int] = []
    found = dict(in_processes(squared, [300, 2, 1], workers, told.append))
    assert found == {300: 90_000, 2: 4, 1: 1}
    assert sum(told) == 303


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_a_task_is_raised(workers: int) -> None:
    with pytest.raises(wz.InvalidInputError, match="be another"):
        list(in_processes(refuse, [1, 2], workers, lambda _: None))


def test_a_process_that_dies_is_replaced(tmp_path: Path) -> None:
    work = functools.partial(die_once, tmp_path)
    assert dict(in_processes(work, [1, 2], 2, lambda _: None)) == {1: 1, 2: 2}


def test_work_that_always_kills_its_process_is_given_up() -> None:
    with pytest.raises(wz.WeitzmanError, match="died 3 times"):
        list(in_processes(die, [1, 2], 2, lambda _: None))


def test_there_is_a_core() -> None:
    assert cores() >= 1
