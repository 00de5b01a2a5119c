"""A judgement as a table for people, and as rows for programs."""

import math
from typing import TYPE_CHECKING, Any

from weitzman.amounts import amount, minus
from weitzman.figures.table import table_of
from weitzman.replays.judgement.estimate import METHODS
from weitzman.replays.judgement.independent import INDEPENDENT

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from weitzman.replays.judgement.judge import Judgement
    from weitzman.replays.judgement.judged import Judged

HEADINGS = (
    *("policy", "total per round", "95 %", "naive", "certain", "by draws", "unknown"),
    *("difference, 95 %", "verdict"),
)
"""The headings of :func:`cells`."""


def judgement_rows(judgement: "Judgement") -> list[dict[str, str | float | None]]:
    """Return a row for each rule, with None for what cannot be said."""
    check = judgement.correlation
    found = [_row(name, one, judgement.against) for name, one in judgement.shown.items()]
    if check is not None:
        more = {"correlation": check.mean, "correlation_se": check.se}
        found = [row | _finite(more) for row in found]
    return found


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(x, float) and not math.isfinite(x) else x for k, x in row.items()}


def _row(name: str, one: "Judged", against: str) -> dict[str, str | float | None]:
    row: dict[str, str | float | None] = {"policy": name}
    for method in one.estimates:
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
    return _finite(row)


def judgement_table(judgement: "Judgement") -> "Group":
    """Return what is said of each rule, and how to read it."""
    from rich.console import Group
    from rich.text import Text

    return Group(
        Text("\n".join(lead_lines(judgement))),
        rule_table(judgement),
        Text("\n".join(notes(judgement))),
    )


def rule_table(judgement: "Judgement") -> "Table":
    """Return a row for each rule."""
    rows = (cells(name, one) for name, one in judgement.shown.items())
    return table_of(HEADINGS[:1], HEADINGS[1:], rows)


def lead_lines(judgement: "Judgement") -> list[str]:
    """Return what was judged, and what was recorded."""
    scale = "" if judgement.cost_scale == 1.0 else f", costs × {judgement.cost_scale:g}"
    lines = [f"{judgement.rounds:,} rounds{scale}, compared with {judgement.against}."]
    if judgement.recorded is not None:
        mean = judgement.sign * float(judgement.recorded.mean())
        said = amount(mean, judgement.unit, minus(f"{mean:.4g}"))
        lines.append(f"Recorded: {said} per round, without what draws opened.")
    return lines


def notes(judgement: "Judgement") -> list[str]:
    """Return what a reader must know to take the table right."""
    lines = [
        "naive is the mean over the rounds that happen to be known: for contrast, not for use."
    ]
    if judgement.sense == "max":
        lines.append(
            "Larger values are better in this log: a total is the value that is kept less the costs, and "
            "more is better."
        )
    unknown = [name for name, one in judgement.rules.items() if one.unidentified > 0.0]
    if unknown:
        least, most = sorted(judgement.sign * x for x in (judgement.floor, judgement.ceiling))
        ends = f"{least:.4g} and {most:.4g}"
        lines.append(
            f"Of {', '.join(unknown)} a part of the rounds is shown by no draw, or by one alone. What stands "
            f"under 95 % has bounds for it, which take {ends} for the smallest and the largest value."
        )
    if judgement.correlation is not None:
        lines += independence(judgement)
    few = [name for name, one in judgement.rules.items() if 0 < one.rounds_explored < 50]
    if few:
        lines.append(f"Fewer than 50 explored rounds speak of {', '.join(few)}.")
    return lines


def independence(judgement: "Judgement") -> list[str]:
    """Return what rules would cost if boxes were independent, and whether they are."""
    found = {name: one.estimates[INDEPENDENT] for name, one in judgement.shown.items()}
    said = [
        f"{name} {best.mean:.4g} ({_between(best.low, best.high)})"
        for name, best in found.items()
        if not math.isnan(best.mean)
    ]
    check = judgement.correlation
    assert check is not None
    lines = [f"If boxes are independent: {', '.join(said) or 'nothing can be said'}."]
    if math.isnan(check.mean):
        return [*lines, "No round shows two boxes, so nothing says whether they are."]
    apart = abs(check.mean) > 2.0 * check.se
    return [
        *lines,
        f"Residual correlation of two boxes of a round: {check.mean:+.3f} ± {check.se:.3f} "
        f"({check.pairs:,} pairs). "
        + ("It is not 0, so do not use the line above." if apart else "That is 0, up to chance."),
    ]


def cells(name: str, one: "Judged") -> list[str]:
    """Return what is said of a rule, as texts."""
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
        "" if one.verdict is None else one.verdict.word,
    ]


def _between(low: float, high: float) -> str:
    return f"{low:.3g} … {high:.3g}"
