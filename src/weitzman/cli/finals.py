"""The final table of a study, as the commands of the laboratory print it."""

import json
import math
from typing import TYPE_CHECKING, Any

import typer

from weitzman.cli.options import console

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table

__all__ = ["print_finals"]

_HEADINGS = ("world", "feedback", "searcher", "rounds", "regret", "expected", "opened")


def print_finals(rows: list[dict[str, Any]], *, as_json: bool, place: str) -> None:
    """Print what :func:`weitzman.lab.study.summary.finals` returns, and where the rest is."""
    if as_json:
        typer.echo(json.dumps([_plain(row) for row in rows], indent=2, allow_nan=False))
        return
    terminal = console()
    terminal.print(_shown(rows))
    terminal.print(place, soft_wrap=True, markup=False)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for JSON, which has no NaN: null stands for what one seed cannot tell."""
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}


def _shown(rows: list[dict[str, Any]]) -> "Table":
    """Return the final regrets, mean ± s.e., and the boxes opened per round."""
    from rich.table import Table
    from rich.text import Text

    from weitzman.lab.study.summary import mean_in_words

    table = Table(box=None, pad_edge=False)
    for heading in _HEADINGS:
        words = heading in {"world", "feedback", "searcher"}
        # Words may be folded where the terminal is narrow, numbers never
        side: JustifyMethod = "left" if words else "right"
        table.add_column(heading, justify=side, no_wrap=not words, overflow="fold")
    for row in rows:
        cells = [row["world"], row["feedback"], row["searcher"], f"{row['rounds']:,}"]
        regrets = ("regret", "expected_regret")
        cells += [mean_in_words(row[f"{name}_mean"], row[f"{name}_se"]) for name in regrets]
        table.add_row(*(Text(cell) for cell in [*cells, f"{row['opened']:.2f}"]))
    return table
