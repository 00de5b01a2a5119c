"""The final table of a study, as the commands of the laboratory print it."""

import json
import math
from typing import Any

import typer

from weitzman.cli.options import console, table_of

__all__ = ["print_finals"]

_RUN = ("world", "feedback", "searcher")
_NUMBERS = ("rounds", "regret", "expected", "opened")


def print_finals(rows: list[dict[str, Any]], *, as_json: bool, place: str) -> None:
    """Print what :func:`weitzman.lab.study.summary.finals` returns, and where the rest is."""
    if as_json:
        typer.echo(json.dumps([_plain(row) for row in rows], indent=2, allow_nan=False))
        return
    terminal = console()
    terminal.print(table_of(_RUN, _NUMBERS, map(_cells, rows)))
    terminal.print(place, soft_wrap=True, markup=False)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for JSON, which has no NaN: null stands for what one seed cannot tell."""
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}


def _cells(row: dict[str, Any]) -> list[str]:
    """Return the run, its final regrets, mean ± s.e., and the boxes opened per round."""
    from weitzman.lab.study.summary import mean_in_words

    names = ("regret", "expected_regret")
    regrets = [mean_in_words(row[f"{name}_mean"], row[f"{name}_se"]) for name in names]
    return [*(row[name] for name in _RUN), f"{row['rounds']:,}", *regrets, f"{row['opened']:.2f}"]
