"""What a picture of a replay shows, before it is drawn: the matplotlib and plotly twins draw the same.

=========  ========================================================================================
``lines``  y against x, with error bars or without
``dots``   one row per name and one mark per series, with error bars; values go across
``areas``  shares that add up to 1, stacked, against x
=========  ========================================================================================

Dots beyond the limits of a chart are told at its edge as an arrow with the number, so that one bad rule does
not flatten all the others.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["APART", "Chart", "Series", "limits_of"]

APART = 0.75
"""How much of the height of a row of dots its series take."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """One line, one set of dots, or one area.

    Attributes
    ----------
    name
        What the legend calls it.
    x, y
        Its points. Of dots, y are the numbers of the rows from the top; of areas, heights.
    error
        One standard error of what is measured, or None.
    """

    name: str
    x: Floats
    y: Floats
    error: Floats | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Chart:
    """A picture.

    Attributes
    ----------
    file
        The name of its file, without a suffix.
    title, across, up
        The words above, below and beside it.
    kind
        See the module.
    series
        What it shows.
    names
        Of dots: the names of the rows, from the top.
    reference
        A value to compare with, drawn as a thin line; None for none.
    limits
        The ends of the axis of values; None to leave them to the numbers.
    """

    file: str
    title: str
    across: str
    up: str = ""
    kind: Literal["lines", "dots", "areas"]
    series: tuple[Series, ...]
    names: tuple[str, ...] = ()
    reference: float | None = None
    limits: tuple[float, float] | None = None

    def inside(self, value: float) -> bool:
        """Return whether a value is within the limits."""
        return self.limits is None or self.limits[0] <= value <= self.limits[1]


def limits_of(values: Floats, shown: int, *, room: float = 0.12) -> tuple[float, float]:
    """Return limits that hold the smallest values, this many of them, and some room around.

    >>> limits_of(np.array([1.0, 2.0, 3.0, 100.0]), 3)
    (0.76, 3.24)
    """
    kept = np.sort(values[np.isfinite(values)])[:shown]
    low, high = (float(kept[0]), float(kept[-1])) if kept.size else (0.0, 1.0)
    span = (high - low) or abs(high) or 1.0
    return low - room * span, high + room * span
