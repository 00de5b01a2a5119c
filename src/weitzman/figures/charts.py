"""What a picture shows, before it is drawn: the matplotlib and plotly twins draw the same.

=========  ========================================================================================
``lines``  y against x; with errors, as bars in print and as a band on a page
``dots``   one row per name and one mark per series, with error bars; values go across
``areas``  shares that add up to 1, stacked, against x
=========  ========================================================================================

Dots beyond the limits of a chart are shown at its edge as an arrow with the number, so that one bad rule does
not flatten all the others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.figures.palette import Look, filled, looks

FEW = 8
"""A line of so many points at most has a mark at each of them."""
_APART = 0.75  # how much of the height of a row of dots its series take


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """One line, one set of dots, or one area, with one standard error of what is measured, or none.

    The y of areas are heights. Dots have no y: there is one in each row of the chart.
    """

    name: str
    x: Floats
    y: Floats = field(default_factory=lambda: np.empty(0))
    error: Floats | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Chart:
    """A picture with one pair of axes.

    The words ``across`` and ``up`` stand below and beside it; ``file`` is the name of its file,
    without a suffix. ``reference`` is a value to compare with, drawn as a thin line, and
    ``limits`` are the ends of the axis of values; None leaves them to the numbers. Of dots,
    ``names`` are those of the rows, from the top. Of lines, ``bounds`` are thin dotted lines
    beside them, ``notes`` are said in the upper left corner, and ``log`` makes both axes
    logarithmic.
    """

    file: str = ""
    title: str
    across: str
    up: str = ""
    kind: Literal["lines", "dots", "areas"]
    series: tuple[Series, ...]
    names: tuple[str, ...] = ()
    reference: float | None = None
    limits: tuple[float, float] | None = None
    bounds: tuple[Series, ...] = ()
    notes: tuple[str, ...] = ()
    log: bool = False

    @property
    def has_legend(self) -> bool:
        """Whether the names of the series are needed; those of a single set of dots are not."""
        return self.kind != "dots" or len(self.series) > 1

    def limits_with_notes(self, room: float) -> tuple[float, float] | None:
        """Return the limits, with room above for notes, each this share of the axis."""
        if self.limits is None or self.log:
            return self.limits
        low, high = self.limits
        return low, high + room * len(self.notes) * (high - low)

    def dots(self) -> Iterator[tuple[Series, Floats, Flags]]:
        """Yield each set of dots, its heights, and which of them are within the limits.

        The series of one row stand below each other.
        """
        low, high = self.limits or (-np.inf, np.inf)
        for order, series in enumerate(self.series):
            shift = _APART * ((order + 0.5) / len(self.series) - 0.5)
            y = np.arange(len(self.names), dtype=np.float64) + shift
            yield series, y, (low <= series.x) & (series.x <= high)

    def beyond(self) -> Iterator[tuple[str, float, float, bool, str]]:
        """Yield the dots beyond the limits: series, edge, height, whether it is the right one, text."""
        for series, y, inside in self.dots():
            for x, height in zip(series.x[~inside], y[~inside], strict=True):
                if self.limits is not None and not np.isnan(x):
                    right = bool(x > self.limits[1])
                    text = f"{x:.4g} →" if right else f"← {x:.4g}"
                    yield series.name, self.limits[right], float(height), right, text


@dataclass(frozen=True, kw_only=True, eq=False)
class Sheet:
    """Charts of one kind in one figure for print, row by row, with one legend; sizes are in inches.

    A page lays its charts out by its own width.
    """

    file: str
    charts: tuple[Chart, ...]
    columns: int
    width: float
    height: float


def looks_of(charts: Sequence[Chart]) -> dict[str, Look]:
    """Return a look for each series of charts that share a legend."""
    names = [series.name for chart in charts for series in chart.series]
    return filled(names) if charts[0].kind == "areas" else looks(names)
