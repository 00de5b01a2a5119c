"""What commands share: options that several take, and the console that they print on."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["AsJson", "Data", "Workers", "console"]

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
