"""Charts for print: matplotlib figures, with type that can be read at the size they are made at."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.figures.charts import FEW, Chart, Series, Sheet, looks_of
from weitzman.figures.palette import Look
from weitzman.search.extras import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 5.2, 3.4
_NARROW, _TYPE = 4.0, 7.0
_LINE, _BOUND, _DOTS = "#777777", "#555555", (0, (1, 1))
_HATCHES = {"--": "/", "-.": ".", ":": "x"}
_BARS = 6  # of a line of many points
_DPI = 200


def draw_chart(shown: Chart | Sheet) -> "Figure":
    """Return a figure of one chart, or of several with one legend."""
    need("A picture needs matplotlib", "plot", "matplotlib.figure")
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    sheet = _alone(shown) if isinstance(shown, Chart) else shown
    charts, columns = sheet.charts, sheet.columns
    rows = -(-len(charts) // columns)
    aside = 0.16 if len(charts) == 1 else 0.03
    layout = ConstrainedLayoutEngine(w_pad=aside, h_pad=0.05, wspace=0.02, hspace=0.02)
    figure = Figure(figsize=(sheet.width, sheet.height), layout=layout)
    places = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    styles = looks_of(charts)
    size = _TYPE if sheet.width / columns < _NARROW else _TYPE + 0.5
    for number, (axes, chart) in enumerate(zip(places, charts, strict=False)):
        {"lines": _lines, "dots": _dots, "areas": _areas}[chart.kind](axes, chart, styles, size)
        _frame(axes, chart, size)
        if number + columns >= len(charts):
            axes.set_xlabel(chart.across, fontsize=size + 0.5, labelpad=2)
    for spare in places[len(charts) :]:
        spare.set_axis_off()
    beside = places[0].set_ylabel if len(charts) == 1 else figure.supylabel
    beside(charts[0].up, fontsize=size + 0.5)
    if charts[0].has_legend:
        figure.legend(
            handles=_handles(charts, styles), loc="outside lower center", frameon=False,
            ncols=2 if sheet.width < 5 else 4, fontsize=size, handlelength=2.6, columnspacing=1.2,
        )  # fmt: skip
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


def save_pictures(directory: Path, pictures: Iterable[Chart | Sheet], *suffixes: str) -> None:
    """Draw pictures and write each into a directory, once for every suffix."""
    for shown in pictures:
        save_figure(draw_chart(shown), [directory / f"{shown.file}{end}" for end in suffixes])


def _alone(chart: Chart) -> Sheet:
    height = _HEIGHT
    if chart.kind == "dots":
        height = 1.3 + 0.105 * max(2, len(chart.series)) * len(chart.names)
    return Sheet(file=chart.file, charts=(chart,), columns=1, width=_WIDTH, height=height)


def _lines(axes: "Axes", chart: Chart, styles: dict[str, Look], size: float) -> None:
    for order, series in enumerate(chart.series):
        look = styles[series.name]
        axes.plot(series.x, series.y, color=look.colour, ls=look.line, lw=1.2)
        if series.error is not None and series.x.size:
            at = _barred(series, (order + 1) / (len(chart.series) + 1), chart.log)
            _bars(axes, series.x[at], series.y[at], look, yerr=series.error[at])
    for bound in chart.bounds:
        axes.plot(bound.x, bound.y, color=_BOUND, lw=0.8, ls=_DOTS)
    # A panel is narrow: a note may take two lines
    text = "\n".join(note.replace(": ", ":\n", 1) for note in chart.notes)
    note = axes.annotate(
        text, (0.03, 0.99), xycoords="axes fraction", va="top", fontsize=size - 1, color=_BOUND
    )
    note.set_in_layout(False)
    if chart.reference is not None:
        axes.axhline(chart.reference, color=_LINE, lw=0.8)
    if chart.log:
        _logarithmic(axes, chart)
    else:
        axes.locator_params(nbins=4 if size == _TYPE else 8)
    if chart.limits is not None:
        axes.set_ylim(chart.limits_with_notes(0.2))


def _barred(series: Series, shift: float, log: bool) -> Any:
    """Return the points with bars: all of a few; of many, some, beside those of other series."""
    if series.x.size <= FEW:
        return slice(None)
    parts = (np.arange(_BARS) + shift) / _BARS
    first, last = series.x[0], series.x[-1]
    wanted = first * (last / first) ** parts if log else last * parts
    return np.unique(np.abs(series.x[:, None] - wanted).argmin(axis=0))


def _bars(axes: "Axes", x: Any, y: Any, look: Look, **errors: Any) -> None:
    axes.errorbar(
        x, y, fmt=look.marker, ms=3.2, color=look.colour, elinewidth=0.8, capsize=1.7, capthick=0.8,
        **errors,
    )  # fmt: skip


def _logarithmic(axes: "Axes", chart: Chart) -> None:
    from matplotlib.ticker import LogLocator

    axes.set(xscale="log", yscale="log")
    axes.minorticks_off()
    if chart.limits is not None and chart.limits[1] < 30.0 * chart.limits[0]:
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda x, _: f"{x:,.0f}" if x >= 1.0 else f"{x:g}")


def _dots(axes: "Axes", chart: Chart, styles: dict[str, Look], size: float) -> None:
    for series, y, inside in chart.dots():
        error = None if series.error is None else series.error[inside]
        _bars(axes, series.x[inside], y[inside], styles[series.name], xerr=error)
    for name, edge, height, right, text in chart.beyond():
        axes.annotate(
            text, (edge, height), ha="right" if right else "left", va="center", fontsize=size - 1,
            color=styles[name].colour,
        )  # fmt: skip
    axes.set_yticks(range(len(chart.names)), chart.names)
    axes.set_ylim(len(chart.names) - 0.5, -0.5)
    if chart.limits is not None:
        axes.set_xlim(chart.limits)
    if chart.reference is not None:
        axes.axvline(chart.reference, color=_LINE, lw=0.8)


def _areas(axes: "Axes", chart: Chart, styles: dict[str, Look], _: float) -> None:
    base = np.zeros(len(chart.series[0].x))
    for series in chart.series:
        axes.fill_between(series.x, base, base + series.y, **_filling(styles[series.name]))
        base = base + series.y
    axes.set_ylim(0.0, 1.0)
    axes.margins(x=0.0)


def _filling(look: Look) -> dict[str, Any]:
    return {"color": look.colour, "alpha": 0.75, "lw": 0.4, "hatch": _HATCHES.get(look.line)}


def _frame(axes: "Axes", chart: Chart, size: float) -> None:
    axes.set_title(chart.title, fontsize=size + 1, pad=3)
    axes.tick_params(labelsize=size, length=2.5, pad=2)
    axes.spines[["top", "right"]].set_visible(False)
    if chart.kind != "areas":
        axes.grid(visible=True, axis="x" if chart.kind == "dots" else "both", lw=0.3, alpha=0.6)


def _handles(charts: tuple[Chart, ...], styles: dict[str, Look]) -> list[Any]:
    """Return what the legend shows: each name once, and that dotted lines are bounds."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found: dict[str, Any] = {}
    for chart in charts:
        for series in chart.series:
            name, look = series.name, styles[series.name]
            if chart.kind == "areas":
                found[name] = Patch(label=name, **_filling(look))
                continue
            line = look.line if chart.kind == "lines" else ""
            mark = look.marker if chart.kind == "dots" or series.error is not None else ""
            found[name] = Line2D(
                [], [], color=look.colour, ls=line, lw=1.2, marker=mark, ms=3.2, label=name
            )
    bounds = {b.name: b for chart in charts for b in chart.bounds}
    dotted = [Line2D([], [], color=_BOUND, ls=_DOTS, lw=0.8, label=name) for name in bounds]
    return [*found.values(), *dotted]
