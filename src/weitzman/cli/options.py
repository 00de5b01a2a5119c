"""What commands share: options that several take, the console and the tables they print."""

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weitzman.figures.table import table_of

if TYPE_CHECKING:
    from rich.console import Console

_RUN = ("world", "feedback", "searcher")
_NUMBERS = ("rounds", "regret", "expected", "opened")

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


def size_text(count: int) -> str:
    """Return the size of a file.

    >>> size_text(800), size_text(34_567), size_text(57_400_000)
    ('800 bytes', '35 kB', '57.4 MB')
    """
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1e3:.0f} kB" if count < 999_500 else f"{count / 1e6:,.3g} MB"


def problem_name(log: Path) -> str:
    """Return what a problem of a log may be called in the service.

    >>> problem_name(Path("logs/my calls.csv"))
    'my-calls'
    """
    return re.sub(r"[^A-Za-z0-9._~-]+", "-", log.stem).strip("-._~")[:64] or "problem"


def saved_words(policy: str, log: Path, save: Path, purpose: str) -> str:
    """Return that a policy was saved, and the command that lets it decide."""
    command = f"weitzman serve --problem {problem_name(log)}={shlex.quote(str(save))}"
    saved = f"Saved: {policy}, as it is after this log ({size_text(save.stat().st_size)})."
    return f"{saved} {purpose[0].upper()}{purpose[1:]}: {command}"


def print_finals(rows: list[dict[str, Any]], *, as_json: bool, place: str) -> None:
    """Print what :func:`weitzman.lab.study.summary.finals` returns, and where the rest is."""
    from weitzman.search.numbers import json_ready

    if as_json:
        typer.echo(json.dumps(json_ready(rows), indent=2, allow_nan=False))
        return
    terminal = console()
    terminal.print(table_of(_RUN, _NUMBERS, map(_cells, rows)))
    terminal.print(place, soft_wrap=True, markup=False)


def _cells(row: dict[str, Any]) -> list[str]:
    """Return the run, its final regrets, mean ± s.e., and the boxes opened per round."""
    from weitzman.lab.study.summary import mean_in_words

    names = ("regret", "expected_regret")
    regrets = [mean_in_words(row[f"{name}_mean"], row[f"{name}_se"]) for name in names]
    return [*(row[name] for name in _RUN), f"{row['rounds']:,}", *regrets, f"{row['opened']:.2f}"]
