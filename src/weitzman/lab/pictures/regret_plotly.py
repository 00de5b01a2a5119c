"""Regret as pictures to explore: plotly figures, twins of :mod:`weitzman.lab.pictures.regret_matplotlib`.

Lines are means over seeds, bands are ± one standard error. The ground is transparent and the text
has no colour of its own, so that a page can set both for light and dark.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from weitzman.errors import WeitzmanError
from weitzman.figures.palette import Look, looks
from weitzman.lab.pictures.regret import MEASURES, Bounds, Line, Panel, grid, panels
from weitzman.lab.study.summary import Curve, select

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["explore_panels", "explore_regret"]

_BOUND = "#888888"
_HEIGHT = 330


def explore_regret(
    curves: list[Curve],
    *,
    bounds: Bounds | None = None,
    measure: str = "regret",
    log: bool = False,
) -> "Figure":
    """Return an interactive figure; arguments as for the matplotlib twin."""
    try:
        from plotly.subplots import make_subplots
    except ImportError:
        raise WeitzmanError(
            "An interactive picture needs plotly. Install it with: pip install 'weitzman[lab]'."
        ) from None
    shown = panels(curves, bounds=bounds, log=log)
    rows, columns, places = grid(shown)
    titles = {place: f"{p.world}, {p.feedback}" for p, place in zip(shown, places, strict=True)}
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[titles.get((r, c), "") for r in range(rows) for c in range(columns)],
        horizontal_spacing=0.2 / columns if columns > 1 else None,
        vertical_spacing=0.3 / rows if rows > 1 else None,
    )
    named: set[str] = set()
    styles = looks(line.searcher for p in shown for line in p.lines)
    for panel, (row, column) in zip(shown, places, strict=True):
        _draw(figure, panel, styles, {"row": row + 1, "col": column + 1}, named, log)
        figure.update_xaxes(title="rounds" if log else "round", row=row + 1, col=column + 1)
        if column == 0:
            figure.update_yaxes(title=MEASURES.get(measure, measure), row=row + 1, col=1)
    figure.update_yaxes(automargin=True, title_standoff=8)
    figure.update_xaxes(automargin=True, title_standoff=6)
    figure.update_layout(
        height=90 + _HEIGHT * rows,
        margin={"l": 60, "r": 15, "t": 40, "b": 50},
        legend={"orientation": "h", "yanchor": "top", "y": -0.25 / rows, "x": 0.0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hovermode="x unified" if len(shown) == 1 else "closest",
        template="none",
    )
    return figure


def explore_panels(
    curves: list[Curve],
    *,
    bounds: Bounds | None = None,
    measure: str = "regret",
    log: bool = False,
) -> "tuple[Figure, ...]":
    """Return a figure per panel: a page lays them out by its width, a telephone below each other."""
    keys = dict.fromkeys((c.world, c.feedback) for c in curves)
    return tuple(
        explore_regret(
            select(curves, world=world, feedback=feedback), bounds=bounds, measure=measure, log=log
        )
        for world, feedback in keys
    )


def _draw(
    figure: "Figure",
    panel: Panel,
    styles: dict[str, Look],
    place: dict[str, int],
    named: set[str],
    log: bool,
) -> None:
    for line in panel.lines:
        for trace in _traces(line, styles[line.searcher], line.searcher not in named):
            figure.add_trace(trace, **place)
        named.add(line.searcher)
    for bound in panel.bounds:
        dotted = {"color": _BOUND, "dash": "dot", "width": 1}
        figure.add_scatter(
            x=bound.at, y=bound.values, name=bound.label, line=dotted, mode="lines", **place
        )
    if panel.notes:
        figure.add_annotation(
            text="<br>".join(panel.notes), x=0.01, y=1.0, xref="x domain", yref="y domain",
            xanchor="left", yanchor="top", align="left", showarrow=False, font={"size": 11}, **place,
        )  # fmt: skip
    if log:
        limits = [float(np.log10(panel.bottom)), float(np.log10(panel.top))]
        # Every power of ten, or the digits 2 and 5 too where there is but one
        ticks = 1 if limits[1] - limits[0] > 1.2 else "D2"
        figure.update_xaxes(type="log", dtick=1, tickformat=",", **place)
        figure.update_yaxes(type="log", range=limits, dtick=ticks, tickformat=",", **place)
    else:
        room = 0.13 * len(panel.notes) * (panel.top - panel.bottom)
        figure.update_yaxes(range=[panel.bottom, panel.top + room], **place)


def _traces(line: Line, look: Look, first: bool) -> list[Any]:
    import plotly.graph_objects as go

    error = np.nan_to_num(line.error)
    red, green, blue = (int(look.colour[i : i + 2], 16) for i in (1, 3, 5))
    band = go.Scatter(
        x=np.concatenate([line.at, line.at[::-1]]),
        y=np.concatenate([line.mean + error, (line.mean - error)[::-1]]),
        mode="lines",
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.18)",
        line={"width": 0},
        hoverinfo="skip",
        legendgroup=line.searcher,
        showlegend=False,
    )
    mean = go.Scatter(
        x=line.at,
        y=line.mean,
        customdata=line.error,
        name=line.searcher,
        legendgroup=line.searcher,
        showlegend=first,
        mode="lines+markers" if line.at.size < 8 else "lines",
        line={"color": look.colour, "dash": look.dash, "width": 2},
        marker={"symbol": look.symbol},
        hovertemplate="%{y:.1f} ± %{customdata:.1f}",
    )
    return [band, mean]
