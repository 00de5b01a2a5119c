"""Charts to explore: plotly figures, the twins of those of :mod:`weitzman.figures.chart_matplotlib`.

The ground is transparent and the text has no colour of its own, so that a page can set both for light and
dark.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from weitzman.errors import WeitzmanError
from weitzman.figures.charts import APART, Chart, Series
from weitzman.figures.palette import Look, filled, looks

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["explore_chart"]

_LINE = "#888888"
_POINTS = 400  # of a line: more than a screen is wide is of no use


def explore_chart(chart: Chart) -> "Figure":
    """Return an interactive figure of one chart."""
    try:
        import plotly.graph_objects as go
    except ImportError:
        raise WeitzmanError(
            "An interactive picture needs plotly. Install it with: pip install 'weitzman[lab]'."
        ) from None
    figure = go.Figure()
    names = [series.name for series in chart.series]
    styles = filled(names) if chart.kind == "areas" else looks(names)
    for order, series in enumerate(chart.series):
        look = styles[series.name]
        if chart.kind == "dots":
            _dots(figure, chart, series, look, order)
        else:
            _line(figure, chart, series, look)
    _frame(figure, chart)
    return figure


def _line(figure: "Figure", chart: Chart, series: Series, look: Look) -> None:
    step = max(1, len(series.x) // _POINTS)
    # The last point is always there
    kept = np.arange(len(series.x) - 1, -1, -step)[::-1]
    style: dict[str, Any] = {"line": {"color": look.colour, "dash": look.dash, "width": 2}}
    if chart.kind == "areas":
        style = {"line": {"color": look.colour, "width": 0.5}, "stackgroup": "one"}
    if series.error is not None:
        style["error_y"] = {"array": series.error[kept], "color": look.colour, "thickness": 1.2}
        style |= {"mode": "lines+markers", "marker": {"symbol": look.symbol, "size": 7}}
    figure.add_scatter(
        x=series.x[kept], y=series.y[kept], name=series.name, hovertemplate="%{y:.4g}",
        **{"mode": "lines", **style},
    )  # fmt: skip


def _dots(figure: "Figure", chart: Chart, series: Series, look: Look, order: int) -> None:
    y = series.y + APART * ((order + 0.5) / len(chart.series) - 0.5)
    inside = np.array([chart.inside(float(x)) for x in series.x], dtype=np.bool_)
    bars = None
    if series.error is not None:
        bars = {"array": series.error[inside], "color": look.colour, "thickness": 1.2}
    figure.add_scatter(
        x=series.x[inside], y=y[inside], error_x=bars, name=series.name, mode="markers",
        marker={"symbol": look.symbol, "size": 8, "color": look.colour},
        text=[chart.names[int(k)] for k in series.y[inside]],
        hovertemplate="%{text}: %{x:.4g}",
    )  # fmt: skip
    for place in np.flatnonzero(~inside):
        if chart.limits is None or np.isnan(series.x[place]):
            continue
        right = bool(series.x[place] > chart.limits[1])
        figure.add_annotation(
            text=f"{series.x[place]:.4g} →" if right else f"← {series.x[place]:.4g}",
            x=chart.limits[right], y=float(y[place]), xanchor="right" if right else "left",
            showarrow=False, font={"size": 11, "color": look.colour},
        )  # fmt: skip


def _frame(figure: "Figure", chart: Chart) -> None:
    figure.update_layout(
        title={"text": chart.title, "font": {"size": 14}, "x": 0.02, "xanchor": "left"},
        margin={"l": 60, "r": 15, "t": 44, "b": 50},
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0.0},
        showlegend=len(chart.series) > 1,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hovermode="closest" if chart.kind == "dots" else "x unified",
        template="none",
    )
    figure.update_xaxes(title=chart.across, automargin=True, title_standoff=6, zeroline=False)
    figure.update_yaxes(title=chart.up, automargin=True, title_standoff=8, zeroline=False)
    line = {"color": _LINE, "width": 1}
    if chart.kind == "dots":
        rows = list(range(len(chart.names)))
        figure.update_yaxes(
            tickvals=rows, ticktext=list(chart.names), range=[len(rows) - 0.5, -0.5], showgrid=False
        )
        figure.update_xaxes(range=chart.limits)
        if chart.reference is not None:
            figure.add_vline(chart.reference, line=line)
        return
    figure.update_yaxes(range=[0, 1] if chart.kind == "areas" else chart.limits)
    if chart.reference is not None:
        figure.add_hline(chart.reference, line=line)
