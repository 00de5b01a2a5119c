"""Work in several processes: the same results from any number of them.

Tasks depend on nothing but their own description, so neither their order nor their place changes a bit of
what comes back. A process that dies is replaced, and its task is done again. Processes end with the one
that started them.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any, Final, TypeVar

from weitzman.errors import WeitzmanError

Tick = Callable[[int], None]
"""Called with a number of rounds that are done."""

Item = TypeVar("Item")
Result = TypeVar("Result")

_ATTEMPTS: Final = 3
_PAUSE: Final = 0.2  # seconds between two words about progress

# What a worker process does, and where it counts what is done: set once when it begins
_work: Callable[[Any, Tick], Any] | None = None
_done: Any = None


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_processes(
    work: Callable[[Item, Tick], Result], tasks: Sequence[Item], workers: int, tick: Tick
) -> Iterator[tuple[Item, Result]]:
    """Yield tasks, the longest of which come first, with the results of the work, as they come.

    One worker, or a single task, is this process. The work goes to each other process once, so it
    and all tasks can be pickled. ``tick`` is called in this process with what the work tells.
    """
    if min(workers, len(tasks)) <= 1:
        yield from ((task, work(task, tick)) for task in tasks)
        return
    left, attempts = dict(enumerate(tasks)), 0
    while left:
        before = len(left)
        try:
            for number, result in _pool(work, left, min(workers, len(left)), tick):
                yield left.pop(number), result
        except BrokenProcessPool:
            attempts = attempts + 1 if len(left) == before else 0
            if attempts == _ATTEMPTS:
                raise WeitzmanError(
                    f"Worker processes died {_ATTEMPTS} times without finishing a run: is there "
                    "enough memory? Finished runs are kept; start again to go on."
                ) from None


def _pool(
    work: Callable[[Item, Tick], Result], tasks: dict[int, Item], workers: int, tick: Tick
) -> Iterator[tuple[int, Result]]:
    context = multiprocessing.get_context("spawn")
    # A number per task that only its process writes: no lock, so none that a killed process holds
    done = context.RawArray("q", 1 + max(tasks))
    made = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(work, done))
    with made as pool, _watched(done, tick):
        futures = {pool.submit(_perform, number, task): number for number, task in tasks.items()}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _watched(done: Any, tick: Tick) -> Iterator[None]:
    """Tell what processes count, a few times a second and at the end."""
    over = threading.Event()

    def watch() -> None:
        shown = 0
        while True:
            last = over.wait(_PAUSE)
            shown, before = sum(done), shown
            if shown > before:
                tick(shown - before)
            if last:
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _begin(work: Callable[[Any, Tick], Any], done: Any) -> None:
    # Not with the module: numba takes long to load
    from weitzman.compiled.beside import wait_from_now_on

    global _work, _done
    _work, _done = work, done
    wait_from_now_on()
    _end_with_parent()


def _perform(number: int, task: Any) -> Any:
    assert _work is not None

    def tick(amount: int) -> None:
        _done[number] += amount

    return _work(task, tick)


def _end_with_parent() -> None:
    """End this process when the one that started it does, even if that is killed."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
