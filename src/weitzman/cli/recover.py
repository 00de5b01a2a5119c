"""``weitzman recover``: what is left of a damaged journal."""

import datetime
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer


def recover_command(
    file: Annotated[Path, typer.Argument(help="The SQLite file of a journal.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be kept and lost; change nothing.")
    ] = False,
) -> None:
    """Keep the events of a damaged journal before the damage, and list those that are lost.

    The damaged files are put aside, with all that is in them.
    """
    from weitzman.errors import InvalidInputError
    from weitzman.ledger.sqlite.recover import recover

    if not file.exists():
        raise InvalidInputError("The journal", "be a file that is there", str(file))
    recovery = recover(file, dry_run=dry_run)
    if recovery.is_whole:
        typer.echo(f"The journal is whole: {recovery.kept} events.")
        return
    kept, lost = ("Would be kept", "Would be lost") if dry_run else ("Kept", "Lost")
    typer.echo(f"{kept}: events 1 to {recovery.kept}.")
    typer.echo(
        f"{lost}: {recovery.stored - recovery.kept} events, {recovery.kept + 1} to {recovery.stored}."
    )
    for problem, count in sorted(Counter(problem for _, problem, _, _ in recovery.lost).items()):
        typer.echo(f"  of {problem or 'the service itself'}: {count} that can still be read")
    for seq, problem, kind, at in recovery.lost:
        try:
            when = datetime.datetime.fromtimestamp(at / 1e6, datetime.UTC).isoformat()
        except (TypeError, ValueError, OverflowError, OSError):
            when = "at an unreadable time"
        typer.echo(f"  {seq}  {when}  {kind}  {problem}")
    if recovery.aside is not None:
        typer.echo(f"The damaged files are in {recovery.aside}.")
