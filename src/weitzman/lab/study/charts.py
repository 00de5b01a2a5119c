"""Curves as charts: one per world and feedback, with a line per searcher, its mean over seeds ± one s.e.

The vertical axis is made for the lines: a bound that ends above it is put in words, with "vacuous" where it
exceeds what any policy can lose. On logarithmic axes bounds are drawn, and the first hundredth of the rounds,
which says nothing about growth, is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.figures.charts import Chart, Series, Sheet
from weitzman.lab.study.summary import Curve, mean_and_error

MEASURES = {
    "regret": "regret (units of value)",
    "expected_regret": "expected regret (units of value)",
    "total": "total (units of value)",
    "expected_total": "expected total (units of value)",
    "opened": "boxes opened",
    "paid": "paid for looks (units of value)",
    "certificate": "certificate (units of value)",
}
"""What the vertical axis says, for each measure that can be drawn."""

PAGE = 6.9
"""The width of a page of a paper, in inches."""
_COLUMN = 3.3
_DECADES = 100.0


@dataclass(frozen=True, kw_only=True)
class DrawnBound:
    """A bound on regret at numbers of rounds; vacuous if nobody can lose more than the last."""

    at: Floats
    values: Floats
    vacuous: bool


Bounds = Mapping[tuple[str, str], DrawnBound]
"""The bound of each world and feedback that has one."""


def curve_charts(
    curves: list[Curve],
    *,
    bounds: Bounds | None = None,
    measure: str = "regret",
    log: bool = False,
) -> tuple[Chart, ...]:
    """Return a chart for each world and feedback that the curves have, the feedbacks of a world side by side.

    The curves are those of :func:`weitzman.lab.study.summary.summarise`. Of several horizons the
    longest is shown; on logarithmic axes (``log``) the ends of all. Bounds, by world and feedback,
    are drawn or put in words. The measure gives the axis its label.
    """
    if not curves:
        raise InvalidInputError("The rows of a picture", "hold at least one run", 0)
    worlds, feedbacks = ([getattr(c, of) for c in curves] for of in ("world", "feedback"))
    groups: dict[tuple[str, str], dict[str, list[Curve]]] = {}
    for c in sorted(curves, key=lambda c: (worlds.index(c.world), feedbacks.index(c.feedback))):
        group = groups.setdefault((c.world, c.feedback), {})
        group.setdefault(c.searcher, []).append(c)
    return tuple(
        _chart(
            f"{world}, {feedback}",
            tuple(_line(same, log) for same in group.values()),
            (bounds or {}).get((world, feedback)),
            MEASURES.get(measure, measure),
            log,
        )
        for (world, feedback), group in groups.items()
    )


def curve_sheet(
    curves: list[Curve],
    *,
    file: str = "",
    bounds: Bounds | None = None,
    measure: str = "regret",
    width: float | None = None,
    log: bool = False,
) -> Sheet:
    """Return the charts of curves on one sheet: worlds × feedbacks, or worlds in a square.

    ``file`` is the name of its file, without a suffix. Its width, in inches, is one column of a
    paper for up to two panels in a row, else a page, if None. The others are those of
    :func:`curve_charts`.
    """
    charts = curve_charts(curves, bounds=bounds, measure=measure, log=log)
    worlds, feedbacks = (len({getattr(c, of) for c in curves}) for of in ("world", "feedback"))
    columns = len(charts) if len(charts) < 4 else 3
    if feedbacks > 1 and len(charts) == worlds * feedbacks:
        columns = feedbacks
    rows = -(-len(charts) // columns)
    wide = width or (_COLUMN if columns <= 2 and rows == 1 else PAGE)
    height = 0.75 * wide / columns if rows > 1 else 0.95 * wide / max(columns, 1.4)
    return Sheet(
        file=file, charts=charts, columns=columns, width=wide, height=min(9.4, 0.55 + rows * height)
    )


def _line(curves: list[Curve], log: bool) -> Series:
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
    return Series(name=curves[0].searcher, x=at[shown], y=mean[shown], error=error[shown])


def _chart(
    title: str, lines: tuple[Series, ...], bound: DrawnBound | None, up: str, log: bool
) -> Chart:
    errors = [0.0 if line.error is None else np.nan_to_num(line.error) for line in lines]
    pairs = list(zip(lines, errors, strict=True))
    lowest = min((line.y - error).min(initial=0.0) for line, error in pairs)
    highest = max((line.y + error).max(initial=0.0) for line, error in pairs)
    room = 0.06 * ((highest - lowest) or 1.0)
    bottom, top = lowest - (room if lowest < 0.0 else 0.0), highest + room
    drawn, notes = [], []
    if bound is not None and (log or bound.values[-1] <= top):
        late = bound.at >= bound.at[-1] / _DECADES if log else slice(None)
        drawn.append(Series(name="bound", x=bound.at[late], y=bound.values[late]))
        notes += ["bound: vacuous"] if log and bound.vacuous else []
    elif bound is not None:
        word = "above the axis, vacuous" if bound.vacuous else "above the axis"
        notes.append(f"bound {bound.values[-1]:,.0f}: {word}")
    if log:
        bottom = 0.7 * min((line.y.min() for line in lines if line.y.size), default=1.0)
        top = 1.6 * max([highest, *(b.y.max() for b in drawn)])
    return Chart(
        title=title,
        across="rounds" if log else "round",
        up=up,
        kind="lines",
        series=lines,
        limits=(float(bottom), float(top)),
        bounds=tuple(drawn),
        notes=tuple(notes),
        log=log,
    )
