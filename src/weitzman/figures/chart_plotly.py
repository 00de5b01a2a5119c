"""Charts to explore: plotly figures, the twins of those of :mod:`weitzman.figures.chart_matplotlib`.

The ground is transparent and the text has no colour of its own, so that a page can set both for light and
dark.
"""

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from weitzman.arrays import Floats
from weitzman.figures.charts import FEW, Chart, Series, looks_of
from weitzman.figures.palette import Look
from weitzman.search.extras import need

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_LINE = {"color": "#888888", "width": 1}
_POINTS = 400  # of a line: more than a screen is wide is of no use
_HEIGHT = 380
_WIDE, _NARROW = 44, 16  # letters


def explore_chart(chart: Chart) -> "Figure":
    """Return an interactive figure of one chart."""
    need("An interactive picture needs plotly", "lab", "plotly.graph_objects")
    import plotly.graph_objects as go

    figure = go.Figure()
    _frame(figure, chart)
    (_dots if chart.kind == "dots" else _lines)(figure, chart, looks_of([chart]))
    return figure


def _lines(figure: "Figure", chart: Chart, styles: dict[str, Look]) -> None:
    for series in chart.series:
        look = styles[series.name]
        step = max(1, len(series.x) // _POINTS)
        # The last point is always there
        kept = np.arange(len(series.x) - 1, -1, -step)[::-1]
        x, y = series.x[kept], series.y[kept]
        style: dict[str, Any] = {"line": {"color": look.colour, "dash": look.dash, "width": 2}}
        if chart.kind == "areas":
            style = {"line": {"color": look.colour, "width": 0.5}, "stackgroup": "one"}
        if series.error is not None:
            error = series.error[kept]
            if len(x) > FEW:
                _band(figure, series, x, y, np.nan_to_num(error), look)
            else:
                style["error_y"] = {"array": error, "color": look.colour, "thickness": 1.2}
                style |= {"mode": "lines+markers", "marker": {"symbol": look.symbol, "size": 7}}
            style |= {"customdata": error, "hovertemplate": "%{y:,.4~r} ± %{customdata:,.2~r}"}
        figure.add_scatter(
            x=x, y=y, name=series.name, legendgroup=series.name,
            **{"mode": "lines", "hovertemplate": "%{y:,.4~r}", **style},
        )  # fmt: skip
    for bound in chart.bounds:
        figure.add_scatter(
            x=bound.x, y=bound.y, name=bound.name, line={**_LINE, "dash": "dot"}, mode="lines"
        )
    if chart.notes:
        figure.add_annotation(
            text="<br>".join(chart.notes), x=0.01, y=1.0, xref="x domain", yref="y domain",
            xanchor="left", yanchor="top", align="left", showarrow=False, font={"size": 11},
        )  # fmt: skip
    if chart.reference is not None:
        figure.add_hline(chart.reference, line=_LINE)
    if chart.log:
        limits = None if chart.limits is None else np.log10(chart.limits).tolist()
        # Every power of ten, or the digits 2 and 5 too where there is but one
        ticks = "D2" if limits and limits[1] - limits[0] <= 1.2 else 1
        figure.update_xaxes(type="log", dtick=1, tickformat=",")
        figure.update_yaxes(type="log", range=limits, dtick=ticks, tickformat=",")
    else:
        room = chart.limits_with_notes(0.13)
        figure.update_yaxes(range=[0, 1] if chart.kind == "areas" else room)


def _band(
    figure: "Figure", series: Series, x: Floats, y: Floats, error: Floats, look: Look
) -> None:
    red, green, blue = (int(look.colour[i : i + 2], 16) for i in (1, 3, 5))
    figure.add_scatter(
        x=np.concatenate([x, x[::-1]]), y=np.concatenate([y + error, (y - error)[::-1]]),
        mode="lines", fill="toself", fillcolor=f"rgba({red},{green},{blue},0.18)",
        line={"width": 0}, hoverinfo="skip", legendgroup=series.name, showlegend=False,
    )  # fmt: skip


def _dots(figure: "Figure", chart: Chart, styles: dict[str, Look]) -> None:
    for series, y, inside in chart.dots():
        look, bars = styles[series.name], None
        if series.error is not None:
            bars = {"array": series.error[inside], "color": look.colour, "thickness": 1.2}
        figure.add_scatter(
            x=series.x[inside], y=y[inside], error_x=bars, name=series.name, mode="markers",
            marker={"symbol": look.symbol, "size": 8, "color": look.colour},
            text=np.array(chart.names)[inside], hovertemplate="%{text}: %{x:.4g}",
        )  # fmt: skip
    for name, edge, height, right, text in chart.beyond():
        figure.add_annotation(
            text=text, x=edge, y=height, xanchor="right" if right else "left", showarrow=False,
            font={"size": 11, "color": styles[name].colour},
        )  # fmt: skip
    rows = len(chart.names)
    ticks = {"tickvals": list(range(rows)), "ticktext": list(chart.names)}
    figure.update_yaxes(**ticks, range=[rows - 0.5, -0.5], showgrid=False)
    figure.update_xaxes(range=chart.limits)
    # As high as its rows need, so that no number at the edge covers another
    figure.update_layout(height=max(_HEIGHT, 150 + 16 * max(2, len(chart.series)) * rows))
    if chart.reference is not None:
        figure.add_vline(chart.reference, line=_LINE)


def _frame(figure: "Figure", chart: Chart) -> None:
    figure.update_layout(
        title={"text": chart.title, "font": {"size": 14}, "x": 0.02, "xanchor": "left"},
        margin={"l": 60, "r": 15, "t": 44, "b": 50},
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0.0},
        showlegend=chart.has_legend,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hovermode="closest" if chart.kind == "dots" else "x unified",
        template="none",
    )
    # A telephone has no room for a long line, and less beside long names
    beside = max(map(len, chart.names), default=0)
    wide = _WIDE if not beside else min(_WIDE, max(_NARROW, _WIDE + 6 - beside))
    across = "<br>".join(textwrap.wrap(chart.across, wide))
    figure.update_xaxes(title=across, automargin=True, title_standoff=6, zeroline=False)
    figure.update_yaxes(title=chart.up, automargin=True, title_standoff=8, zeroline=False)
