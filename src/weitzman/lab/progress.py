"""A progress bar on standard error, for people only: nothing is written where it is no terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["bar"]


@contextmanager
def bar(
    wanted: bool, *, runs: int, done: int, rounds: int
) -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """Show a bar; yield what to call with a number of rounds played, and of runs finished.

    Parameters
    ----------
    wanted
        Whether to show it at all.
    runs, done
        All runs, and those that were finished before.
    rounds
        The rounds still to be played, by which the time left is told.
    """
    if not wanted or not sys.stderr.isatty() or rounds == 0:
        yield lambda _: None, lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    finished = done
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"{finished}/{runs} runs", total=rounds)

        def note(more: int) -> None:
            nonlocal finished
            finished += more
            progress.update(task, description=f"{finished}/{runs} runs")

        yield lambda more: progress.advance(task, more), note
