"""What a picture of regret shows, before it is drawn: the matplotlib and plotly twins draw the same.

A panel is one world under one feedback. It holds one line per searcher, the mean over seeds with its
standard error, and the proved bounds. The vertical axis is made for the lines: a bound that ends above it is
told in words, with "vacuous" where it exceeds what any policy can lose. On logarithmic axes bounds
are drawn, and the first hundredth of the rounds, which says nothing about growth, is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.lab.study.summary import Curve, mean_and_error

__all__ = ["MEASURES", "Bounds", "DrawnBound", "Line", "Panel", "grid", "panels"]

Array = NDArray[np.float64]

# What the vertical axis says, for each measure that can be drawn.
MEASURES = {
    "regret": "regret (units of value)",
    "expected_regret": "expected regret (units of value)",
    "total": "total (units of value)",
    "expected_total": "expected total (units of value)",
    "opened": "boxes opened",
    "paid": "paid for looks (units of value)",
    "certificate": "certificate (units of value)",
}


_DECADES = 100.0


@dataclass(frozen=True, kw_only=True)
class DrawnBound:
    """A bound on regret as a function of the number of rounds.

    Attributes
    ----------
    label
        Its short name.
    at, values
        The bound at these numbers of rounds.
    vacuous
        Whether at the last of them it exceeds what any policy can lose.
    """

    label: str
    at: Array
    values: Array
    vacuous: bool


Bounds = Mapping[tuple[str, str], Sequence[DrawnBound]]


@dataclass(frozen=True, kw_only=True)
class Line:
    """A searcher's mean and standard error at some numbers of rounds."""

    searcher: str
    at: Array
    mean: Array
    error: Array


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One world under one feedback; ``bottom`` and ``top`` limit the vertical axis."""

    world: str
    feedback: str
    lines: tuple[Line, ...]
    bounds: tuple[DrawnBound, ...]
    notes: tuple[str, ...]
    bottom: float
    top: float


def panels(curves: list[Curve], *, bounds: Bounds | None = None, log: bool = False) -> list[Panel]:
    """Return a panel for each world and feedback that the curves have.

    Of several horizons the longest is shown; on logarithmic axes the ends of all.
    """
    if not curves:
        raise InvalidInputError("The rows of a picture", "hold at least one run", 0)
    groups: dict[tuple[str, str], dict[str, list[Curve]]] = {}
    for curve in curves:
        inner = groups.setdefault((curve.world, curve.feedback), {})
        inner.setdefault(curve.searcher, []).append(curve)
    return [
        _panel(key, [_line(same, log) for same in group.values()], (bounds or {}).get(key, ()), log)
        for key, group in groups.items()
    ]


def grid(shown: list[Panel]) -> tuple[int, int, list[tuple[int, int]]]:
    """Return rows, columns and the place of each panel: worlds × feedbacks, or worlds in a square."""
    worlds = list(dict.fromkeys(p.world for p in shown))
    feedbacks = list(dict.fromkeys(p.feedback for p in shown))
    if len(feedbacks) > 1:
        places = [(worlds.index(p.world), feedbacks.index(p.feedback)) for p in shown]
        return len(worlds), len(feedbacks), places
    columns = len(worlds) if len(worlds) < 4 else 3
    return -(-len(worlds) // columns), columns, [divmod(i, columns) for i in range(len(shown))]


def _line(curves: list[Curve], log: bool) -> Line:
    if log and len(curves) > 1:
        ends = sorted(curves, key=lambda c: c.rounds)
        pairs = [mean_and_error(c.final) for c in ends]
        at = np.array([c.rounds for c in ends], dtype=np.float64)
        mean, error = (np.array([p[i] for p in pairs]) for i in (0, 1))
    else:
        longest = max(curves, key=lambda c: c.rounds)
        at, mean, error = longest.at.astype(np.float64), longest.mean, longest.error
    # A logarithmic axis has no place for what is not positive
    shown = np.isfinite(mean) & ((mean > 0.0) & (at >= at[-1] / _DECADES) | (not log))
    return Line(searcher=curves[0].searcher, at=at[shown], mean=mean[shown], error=error[shown])


def _panel(
    key: tuple[str, str], lines: list[Line], bounds: Sequence[DrawnBound], log: bool
) -> Panel:
    highest = max(float((ln.mean + np.nan_to_num(ln.error)).max(initial=0.0)) for ln in lines)
    lowest = min(float((ln.mean - np.nan_to_num(ln.error)).min(initial=0.0)) for ln in lines)
    span = (highest - lowest) or 1.0
    top, bottom = highest + 0.06 * span, lowest - (0.06 * span if lowest < 0.0 else 0.0)
    drawn = [b for b in bounds if b.values[-1] <= top]
    notes = [_note(b) for b in bounds if b.values[-1] > top]
    if log:
        drawn = [_late(b) for b in bounds]
        notes = [f"{b.label}: vacuous" for b in bounds if b.vacuous]
        positive = [float(ln.mean.min()) for ln in lines if ln.mean.size]
        bottom = 0.7 * min(positive, default=1.0)
        top = 1.6 * max([highest, *(float(b.values.max()) for b in drawn)])
    return Panel(
        world=key[0],
        feedback=key[1],
        lines=tuple(lines),
        bounds=tuple(drawn),
        notes=tuple(notes),
        bottom=bottom,
        top=top,
    )


def _late(bound: DrawnBound) -> DrawnBound:
    shown = bound.at >= bound.at[-1] / _DECADES
    return replace(bound, at=bound.at[shown], values=bound.values[shown])


def _note(bound: DrawnBound) -> str:
    word = "above the axis, vacuous" if bound.vacuous else "above the axis"
    return f"{bound.label} {bound.values[-1]:,.0f}: {word}"
