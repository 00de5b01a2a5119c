"""What commands share: options that several take, and the console and the tables that they print."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["AsJson", "Data", "Workers", "console", "table_of"]

Workers = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="The number of processes; one per core if not given."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the final table as JSON rows.")]
Data = Annotated[
    str, typer.Option(metavar="FILE", help="The journal: a SQLite file, or postgresql://…")
]


def console() -> "Console":
    """Return a console for tables; in a file nothing needs to be folded."""
    from rich.console import Console

    found = Console(highlight=False)
    if not found.is_terminal:
        found.width = 120
    return found


def table_of(
    words: Sequence[str], numbers: Sequence[str], rows: Iterable[Sequence[str]]
) -> "Table":
    """Return a table with these headings; words may be folded where the terminal is narrow, numbers never."""
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
