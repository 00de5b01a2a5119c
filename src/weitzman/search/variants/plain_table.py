"""What the plans of variants print: a table without trees, and the lines below any table."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from weitzman.search.table import number

_MOST_ROWS = 40


def printed(plan: Any) -> str:
    """Return what a plan prints, as plain text."""
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(plan)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def plan_lines(
    head: str, columns: Sequence[str], rows: Sequence[Sequence[str | float]], plan: Any, *more: str
) -> Group:
    """Return a sentence, a table of names and numbers, what the search is worth, and more lines."""
    table = Table()
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", overflow="fold")
    for row in rows[:_MOST_ROWS]:
        table.add_row(*(Text(cell if isinstance(cell, str) else number(cell)) for cell in row))
    if len(rows) > _MOST_ROWS:
        table.add_row(f"… {len(rows) - _MOST_ROWS} more", *([""] * (len(columns) - 1)))
    below = [*summary(plan, len(plan.boxes)), *more]
    return Group(Text(head), table, *(Text(line) for line in below))


def summary(plan: Any, boxes: int) -> list[str]:
    """Return what a plan is worth, and its outside option."""
    what, part = (
        ("expected total", "of which costs")
        if plan.sense == "min"
        else ("expected net value", "after costs of")
    )
    found = [
        f"{what} {number(plan.expected_total)} ({plan.kind}), {part} {number(plan.expected_paid)}; "
        f"{plan.expected_opened:.3g} looks at {boxes} box{'es' if boxes > 1 else ''}"
    ]
    if plan.outside is not None:
        verdict = "" if plan.searches else " (do not search at all)"
        found.append(f"outside option: {number(plan.outside)}{verdict}")
    return found
