"""``weitzman recover``: what is left of a damaged journal."""

import datetime
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["RECOVER_EXAMPLE", "recover_command"]

RECOVER_EXAMPLE = "Example: weitzman recover decisions.db"


def recover_command(
    file: Annotated[Path, typer.Argument(help="The SQLite file of a journal.")],
) -> None:
    """Keep the events of a damaged journal that are whole, and list those that are lost."""
    from weitzman.errors import InvalidInputError
    from weitzman.ledger.recover import recover

    if not file.exists():
        raise InvalidInputError("The journal", "be a file that is there", str(file))
    told = recover(file)
    if told.aside is None:
        typer.echo(f"The journal is whole: {told.kept} events.")
        return
    typer.echo(f"Kept: events 1 to {told.kept}.")
    typer.echo(f"Lost: {told.stored - told.kept} events, {told.kept + 1} to {told.stored}.")
    for seq, problem, kind, at in told.lost:
        try:
            when = datetime.datetime.fromtimestamp(at / 1e6, datetime.UTC).isoformat()
        except (TypeError, ValueError, OverflowError, OSError):
            when = "at an unreadable time"
        typer.echo(f"  {seq}  {when}  {kind}  {problem}")
    typer.echo(f"The damaged files are in {told.aside}.")
