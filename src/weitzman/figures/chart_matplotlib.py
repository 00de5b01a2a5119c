"""Charts for print: matplotlib figures."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weitzman.errors import InvalidInputError, WeitzmanError
from weitzman.figures.charts import APART, Chart, Series
from weitzman.figures.palette import Look, filled, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_chart", "save_figure"]

_WIDTH, _TYPE, _LINE = 5.2, 8.0, "#777777"
_DPI = 200


def draw_chart(chart: Chart) -> "Figure":
    """Return a figure of one chart."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise WeitzmanError(
            "A picture needs matplotlib. Install it with: pip install 'weitzman[plot]'."
        ) from None
    tall = 1.3 + 0.21 * len(chart.names) if chart.kind == "dots" else 3.4
    layout = ConstrainedLayoutEngine(w_pad=0.16, h_pad=0.06)
    figure = Figure(figsize=(_WIDTH, tall), layout=layout)
    axes = figure.subplots()
    names = [series.name for series in chart.series]
    styles = filled(names) if chart.kind == "areas" else looks(names)
    if chart.kind == "areas":
        _areas(axes, chart, styles)
    else:
        for order, series in enumerate(chart.series):
            draw = _dots if chart.kind == "dots" else _line
            draw(axes, chart, series, styles[series.name], order)
    _frame(axes, chart)
    if len(chart.series) > 1:
        figure.legend(
            loc="outside lower center", ncols=4, frameon=False, fontsize=_TYPE - 1, handlelength=2.2
        )
    return figure


def save_figure(figure: "Figure", files: list[Path]) -> None:
    """Write a figure to files of the formats that their suffixes name."""
    # Finding the layout takes longer than drawing: once is enough
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for file in files:
        try:
            figure.savefig(file, dpi=_DPI)
        except OSError as error:
            rule, got = "be writable", error.strerror or str(error)
            raise InvalidInputError(f"The file {str(file)!r}", rule, got) from None


def _line(axes: "Axes", chart: Chart, series: Series, look: Look, _: int) -> None:
    style: dict[str, Any] = {"color": look.colour, "ls": look.line, "lw": 1.3, "label": series.name}
    if series.error is None:
        axes.plot(series.x, series.y, **style)
        return
    axes.errorbar(
        series.x, series.y, yerr=series.error, marker=look.marker, ms=3.5, capsize=2, elinewidth=0.9,
        **style,
    )  # fmt: skip


def _dots(axes: "Axes", chart: Chart, series: Series, look: Look, order: int) -> None:
    # Series of one row stand below each other
    y = series.y + APART * ((order + 0.5) / len(chart.series) - 0.5)
    inside = np.array([chart.inside(float(x)) for x in series.x], dtype=np.bool_)
    error = None if series.error is None else series.error[inside]
    axes.errorbar(
        series.x[inside], y[inside], xerr=error, fmt=look.marker, ms=4, color=look.colour, capsize=2,
        elinewidth=0.9, label=series.name,
    )  # fmt: skip
    for place in np.flatnonzero(~inside):
        if chart.limits is None or np.isnan(series.x[place]):
            continue
        right = bool(series.x[place] > chart.limits[1])
        axes.annotate(
            f"{series.x[place]:.4g} →" if right else f"← {series.x[place]:.4g}",
            (chart.limits[right], y[place]), ha="right" if right else "left", va="center",
            fontsize=_TYPE - 1.5, color=look.colour,
        )  # fmt: skip


def _areas(axes: "Axes", chart: Chart, styles: dict[str, Look]) -> None:
    hatches = {"--": "/", "-.": ".", ":": "x"}
    base = np.zeros(len(chart.series[0].x))
    for series in chart.series:
        look = styles[series.name]
        axes.fill_between(
            series.x, base, base + series.y, color=look.colour, alpha=0.75, lw=0.4, label=series.name,
            hatch=hatches.get(look.line),
        )  # fmt: skip
        base = base + series.y
    axes.set_ylim(0.0, 1.0)
    axes.margins(x=0.0)


def _frame(axes: "Axes", chart: Chart) -> None:
    if chart.kind == "dots":
        axes.set_yticks(range(len(chart.names)), chart.names)
        axes.set_ylim(len(chart.names) - 0.5, -0.5)
        if chart.limits is not None:
            axes.set_xlim(chart.limits)
        if chart.reference is not None:
            axes.axvline(chart.reference, color=_LINE, lw=0.8)
    elif chart.limits is not None:
        axes.set_ylim(chart.limits)
    if chart.kind == "lines" and chart.reference is not None:
        axes.axhline(chart.reference, color=_LINE, lw=0.8)
    axes.set_title(chart.title, fontsize=_TYPE + 1)
    axes.set_xlabel(chart.across, fontsize=_TYPE)
    axes.set_ylabel(chart.up, fontsize=_TYPE)
    axes.tick_params(labelsize=_TYPE - 0.5, length=2.5)
    axes.spines[["top", "right"]].set_visible(False)
    if chart.kind != "areas":
        axes.grid(visible=True, axis="x" if chart.kind == "dots" else "both", lw=0.3, alpha=0.6)
