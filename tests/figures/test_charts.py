"""Charts are drawn the same in print and on a page."""

from dataclasses import replace

import numpy as np
import pytest

from weitzman.figures.chart_matplotlib import draw_chart
from weitzman.figures.chart_plotly import explore_chart
from weitzman.figures.charts import Chart, Series

ROWS = np.arange(3.0)
DOTS = Chart(
    file="dots",
    title="Dots",
    across="value",
    kind="dots",
    names=("a", "b", "c"),
    series=(
        Series(name="full", x=np.array([1.0, 2.0, 90.0]), error=np.full(3, 0.1)),
        Series(name="opened", x=np.array([1.5, np.nan, -90.0]), error=np.full(3, 0.1)),
    ),
    reference=1.0,
    limits=(0.0, 3.0),
)
LINES = Chart(
    file="lines",
    title="Lines",
    across="round",
    up="saved",
    kind="lines",
    series=(
        Series(name="paper", x=np.arange(2000.0), y=np.arange(2000.0)),
        Series(name="mean", x=ROWS, y=ROWS, error=np.ones(3)),
    ),
    reference=0.0,
)
AREAS = Chart(
    file="areas",
    title="Areas",
    across="round",
    kind="areas",
    series=(
        Series(name="a", x=ROWS, y=np.full(3, 0.25)),
        Series(name="b", x=ROWS, y=np.full(3, 0.75)),
    ),
)


def test_dots_beyond_the_limits_are_told_at_the_edge() -> None:
    figure = explore_chart(DOTS)
    assert [note.text for note in figure.layout.annotations] == ["90 →", "← -90"]
    assert [len(trace.x) for trace in figure.data] == [2, 1]
    (axes,) = draw_chart(DOTS).axes
    assert [text.get_text() for text in axes.texts] == ["90 →", "← -90"]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["a", "b", "c"]


def test_no_name_of_a_row_is_cut_and_the_reference_is_always_seen() -> None:
    chart = replace(DOTS, limits=None, reference=-200.0, names=("a", "b", "a long name of a box"))
    figure = draw_chart(chart)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert axes.get_xlim()[0] < -200.0
    assert min(label.get_window_extent().x0 for label in axes.get_yticklabels()) > 10.0


def test_rows_of_many_series_are_higher() -> None:
    more = replace(DOTS, series=(*DOTS.series, Series(name="more", x=ROWS)))
    assert draw_chart(more).get_figheight() > draw_chart(DOTS).get_figheight()
    many = replace(
        more, names=tuple("abcdefghij"), series=(Series(name="x", x=np.arange(10.0)),) * 3
    )
    assert explore_chart(many).layout.height > explore_chart(more).layout.height


def test_long_lines_are_thinned_on_the_page_and_keep_their_end() -> None:
    first, second = explore_chart(LINES).data
    assert len(first.x) <= 401
    assert first.x[-1] == 1999.0
    assert second.error_y.array.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("chart", [DOTS, LINES, AREAS], ids=lambda chart: chart.kind)
def test_both_twins_have_the_same_words(chart: Chart) -> None:
    page = explore_chart(chart)
    figure = draw_chart(chart)
    (axes,) = figure.axes
    assert axes.get_title() == page.layout.title.text == chart.title
    assert axes.get_xlabel() == page.layout.xaxis.title.text
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == [trace.name for trace in page.data]


def test_areas_are_stacked() -> None:
    (axes,) = draw_chart(AREAS).axes
    tops = [float(np.asarray(c.get_paths()[0].vertices)[:, 1].max()) for c in axes.collections]
    assert tops == [0.25, 1.0]
    assert all(trace.stackgroup == "one" for trace in explore_chart(AREAS).data)
