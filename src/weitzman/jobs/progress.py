"""What is shown on standard error while something takes long.

The bar is for people only: nothing of it is written where standard error is no terminal. There, a command
whose first run compiles may say so in a line, so that nobody takes it for stuck.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager


@contextmanager
def bar(
    wanted: bool, *, runs: int, done: int, rounds: int
) -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """Show a bar, if wanted; yield what to call with rounds played, and with runs finished.

    ``done`` of all runs were finished before; the ``rounds`` still to be played tell the time left.
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


def told_of_compiling() -> AbstractContextManager[None]:
    """Say once that loops are compiled, if they are and standard error is no terminal.

    In a terminal :mod:`weitzman.compiled.decorators` says it.
    """
    from weitzman.compiled.notices import Notice

    return Notice("Compiling, once: about a minute.\n", terminal=False).listening()
