"""What commands share: options that several take, the console and the tables they print."""

import json
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
