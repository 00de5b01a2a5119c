"""Regret as pictures: matplotlib figures for print, from the same panels as the plotly ones.

Figures are made at the size they are printed at, 3.3 in for one column of a paper and 6.9 in
for two, with type that can be read there. Lines are means over seeds, bars are ± one standard error.
"""

from typing import TYPE_CHECKING

import numpy as np

from weitzman.errors import WeitzmanError
from weitzman.figures.palette import Look, looks
from weitzman.lab.pictures.regret import MEASURES, Bounds, Line, Panel, grid, panels
from weitzman.lab.study.summary import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLUMN", "PAGE", "draw_regret"]

COLUMN, PAGE = 3.3, 6.9
_BARS = 6
_TYPE = 7.0
_BOUND, _DOTS = "#555555", (0, (1, 1))


def draw_regret(
    curves: list[Curve],
    *,
    bounds: Bounds | None = None,
    measure: str = "regret",
    width: float | None = None,
    log: bool = False,
) -> "Figure":
    """Return a figure with a panel per world and feedback.

    Parameters
    ----------
    curves
        What :func:`weitzman.lab.study.summary.summarise` returns.
    bounds
        The bounds to draw or to tell, by world and feedback.
    measure
        What the curves measure, for the label of the axis.
    width
        In inches; one column of a paper for up to two panels in a row, else a page, if None.
    log
        Whether both axes are logarithmic, as for growth.
    """
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise WeitzmanError(
            "A picture needs matplotlib. Install it with: pip install 'weitzman[plot]'."
        ) from None
    shown = panels(curves, bounds=bounds, log=log)
    rows, columns, places = grid(shown)
    width = width or (COLUMN if columns <= 2 and rows == 1 else PAGE)
    height = 0.75 * width / columns if rows > 1 else 0.95 * width / max(columns, 1.4)
    layout = ConstrainedLayoutEngine(w_pad=0.02, h_pad=0.03, wspace=0.02, hspace=0.02)
    figure = Figure(figsize=(width, min(9.4, 0.55 + rows * height)), layout=layout)
    axes = figure.subplots(rows, columns, squeeze=False)
    for spare in {(r, c) for r in range(rows) for c in range(columns)} - set(places):
        axes[spare].set_axis_off()
    styles = looks(line.searcher for p in shown for line in p.lines)
    for panel, place in zip(shown, places, strict=True):
        _draw(axes[place], panel, styles, log)
        if place[0] == rows - 1:
            axes[place].set_xlabel("rounds" if log else "round", fontsize=_TYPE + 1, labelpad=2)
    figure.supylabel(MEASURES.get(measure, measure), fontsize=_TYPE + 1)
    _legend(figure, styles, width, any(p.bounds for p in shown))
    return figure


def _draw(axes: "Axes", panel: Panel, styles: dict[str, Look], log: bool) -> None:
    from matplotlib.ticker import LogLocator

    for order, line in enumerate(panel.lines):
        _draw_line(axes, line, styles[line.searcher], (order + 1) / (len(panel.lines) + 1), log)
    for bound in panel.bounds:
        axes.plot(bound.at, bound.values, color=_BOUND, lw=0.8, ls=_DOTS)
    if log:
        axes.set(xscale="log", yscale="log")
        axes.minorticks_off()
        if panel.top < 30.0 * panel.bottom:
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda x, _: f"{x:,.0f}" if x >= 1.0 else f"{x:g}")
    else:
        axes.locator_params(nbins=4)
    room = 0.0 if log else 0.2 * len(panel.notes)
    axes.set_ylim(panel.bottom, panel.top + room * (panel.top - panel.bottom))
    axes.set_title(f"{panel.world}, {panel.feedback}", fontsize=_TYPE + 1, pad=3)
    text = "\n".join(note.replace(": ", ":\n", 1) for note in panel.notes)
    note = axes.annotate(
        text, (0.03, 0.99), xycoords="axes fraction", va="top", fontsize=_TYPE - 1, color=_BOUND
    )
    note.set_in_layout(False)
    axes.tick_params(labelsize=_TYPE, length=2.5, pad=2)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, lw=0.3, alpha=0.5)


def _draw_line(axes: "Axes", line: Line, look: Look, shift: float, log: bool) -> None:
    axes.plot(line.at, line.mean, color=look.colour, ls=look.line, lw=1.2)
    if not line.at.size:
        return
    # Bars of different searchers stand beside each other, not on top
    parts = (np.arange(_BARS) + shift) / _BARS
    first, last = line.at[0], line.at[-1]
    wanted = first * (last / first) ** parts if log else last * parts
    near = np.unique(np.abs(line.at[:, None] - wanted).argmin(axis=0))
    if line.at.size <= _BARS:
        near = np.arange(line.at.size)
    axes.errorbar(
        line.at[near], line.mean[near], yerr=line.error[near], fmt=look.marker, ms=2.8,
        color=look.colour, elinewidth=0.8, capsize=1.4, capthick=0.8,
    )  # fmt: skip


def _legend(figure: "Figure", styles: dict[str, Look], width: float, bounds: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=k.colour, ls=k.line, marker=k.marker, ms=3, lw=1.2, label=name)
        for name, k in styles.items()
    ]
    if bounds:
        handles.append(Line2D([], [], color=_BOUND, ls=_DOTS, lw=0.8, label="bound"))
    figure.legend(
        handles=handles, loc="outside lower center", ncols=2 if width < 5 else 4, frameon=False,
        fontsize=_TYPE, handlelength=2.6, columnspacing=1.2, borderpad=0.1,
    )  # fmt: skip
