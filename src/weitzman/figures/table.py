"""Tables for people, as rich prints them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_WIDTH = 120


def table_of(
    words: Sequence[str], numbers: Sequence[str], rows: Iterable[Sequence[str]]
) -> "Table":
    """Return a table; words may be folded where the terminal is narrow, numbers never."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for heading in words:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def as_text(shown: "RenderableType") -> str:
    """Return what rich would print as plain text."""
    from rich.console import Console

    console = Console(width=_WIDTH, color_system=None, highlight=False)
    with console.capture() as capture:
        console.print(shown)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())
