"""A judgement as a table for people, and as rows for programs."""

import math
from typing import TYPE_CHECKING

from weitzman.figures.table import table_of
from weitzman.replays.judgement.estimate import METHODS

if TYPE_CHECKING:
    from rich.console import Group

    from weitzman.replays.judgement.judge import Judgement
    from weitzman.replays.judgement.judged import Judged


def judgement_rows(judgement: "Judgement") -> list[dict[str, str | float | None]]:
    """Return a row for each rule, with None for what cannot be said."""
    return [_row(name, one, judgement.against) for name, one in judgement.rules.items()]


def _row(name: str, one: "Judged", against: str) -> dict[str, str | float | None]:
    row: dict[str, str | float | None] = {"policy": name}
    for method in METHODS:
        key = method.replace(" ", "_").replace("-", "_")
        row[key], row[f"{key}_se"] = one.estimates[method].mean, one.estimates[method].se
    verdict = one.verdict
    row |= {
        "low": one.low,
        "high": one.high,
        "certain": one.certain,
        "explored": one.explored,
        "unidentified": one.unidentified,
        "rounds_explored": one.rounds_explored,
        "largest_weight": one.largest_weight,
        "against": against,
        "difference": None if verdict is None else verdict.mean,
        "difference_low": None if verdict is None else verdict.low,
        "difference_high": None if verdict is None else verdict.high,
        "verdict": None if verdict is None else verdict.word,
    }
    return {k: None if isinstance(x, float) and not math.isfinite(x) else x for k, x in row.items()}


def judgement_table(judgement: "Judgement") -> "Group":
    """Return what is said of each rule, and how to read it."""
    from rich.console import Group
    from rich.text import Text

    scale = "" if judgement.cost_scale == 1.0 else f", costs × {judgement.cost_scale:g}"
    lines = [f"{judgement.rounds:,} rounds{scale}, compared with {judgement.against}"]
    if judgement.recorded is not None:
        lines.append(
            f"recorded: {judgement.recorded.mean():.4g} per round, without what draws opened"
        )
    numbers = (
        "total per round",
        "95 %",
        "naive",
        "certain",
        "by draws",
        "unknown",
        "difference, 95 %",
    )
    table = table_of(["policy"], numbers, (_cells(n, one) for n, one in judgement.rules.items()))
    table.add_column("verdict")
    table.columns[-1]._cells = [
        "" if one.verdict is None else one.verdict.word for one in judgement.rules.values()
    ]
    return Group(Text("\n".join(lines)), table)


def _cells(name: str, one: "Judged") -> list[str]:
    best = one.estimates[METHODS[0]]
    shares = [f"{100.0 * share:.0f} %" for share in (one.certain, one.explored, one.unidentified)]
    apart = "" if one.verdict is None else _between(one.verdict.low, one.verdict.high)
    return [
        name,
        "" if math.isnan(best.mean) else f"{best.mean:.4g}",
        _between(one.low, one.high),
        f"{one.estimates['naive'].mean:.4g}",
        *shares,
        apart,
    ]


def _between(low: float, high: float) -> str:
    return f"{low:.3g} … {high:.3g}"
