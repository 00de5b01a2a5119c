"""Pictures: both twins show the summarised numbers, and can be read at the width they are made for."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tests.replays.synthetic import roots, table
from weitzman.errors import InvalidInputError
from weitzman.figures.chart_matplotlib import draw_chart, save_figure, save_pictures
from weitzman.figures.chart_plotly import explore_chart
from weitzman.lab.study.charts import PAGE, DrawnBound, curve_charts, curve_sheet
from weitzman.lab.study.summary import summarise

AT = np.array([10.0, 100.0])
BOUNDS = {
    (world, "full"): DrawnBound(at=AT, values=np.array([500.0, 4849.0]), vacuous=True)
    for world in ("signed", "orthant", "shifted")
}
SEARCHERS = ("cpb", "cpb-theorem", "cpb-tuned", "linear-regression")


def curves(**options: Any) -> Any:
    return summarise(table(roots, **options))


def drawn(**options: Any) -> Figure:
    figure = draw_chart(curve_sheet(curves(searchers=SEARCHERS, **options), bounds=BOUNDS))
    figure.draw_without_rendering()
    return figure


def data(values: Any) -> list[float]:
    return [float(value) for value in values]


def test_twins_show_the_same_numbers() -> None:
    given = curves(worlds=("signed", "shifted"))
    print_figure, charts = draw_chart(curve_sheet(given)), curve_charts(given)
    for axes, chart, pair in zip(print_figure.axes, charts, _pairs(given), strict=True):
        lines = [line for line in axes.lines if len(data(line.get_xdata())) == 10]
        traces = explore_chart(chart).data[1::2]
        for curve, line, trace in zip(pair, lines, traces, strict=True):
            assert data(line.get_ydata()) == data(trace.y) == curve.mean.tolist()
            assert data(line.get_xdata()) == data(trace.x) == curve.at.tolist()
            assert data(trace.customdata) == curve.error.tolist()
            assert trace.name == curve.searcher


def _pairs(given: Any) -> list[Any]:
    return [given[i : i + 2] for i in range(0, len(given), 2)]


def test_bars_and_bands_are_one_standard_error() -> None:
    given = curves(feedbacks=("full",), searchers=("cpb",))
    axes = draw_chart(curve_sheet(given)).axes[0]
    (bars,) = axes.containers
    for low, high in (segment[:, 1] for segment in bars[2][0].get_segments()):
        middle = (low + high) / 2.0
        near = np.abs(given[0].mean - middle).argmin()
        assert middle == pytest.approx(given[0].mean[near])
        assert (high - low) / 2.0 == pytest.approx(given[0].error[near])
    band = explore_chart(curve_charts(given)[0]).data[0]
    upper, lower = np.array(data(band.y)[:10]), np.array(data(band.y)[10:])[::-1]
    assert ((upper - lower) / 2.0).tolist() == pytest.approx(given[0].error.tolist())


def test_axes_say_what_they_measure_and_in_what_unit() -> None:
    figure = drawn()
    assert figure.get_supylabel() == "regret (units of value)"
    assert [axes.get_xlabel() for axes in figure.axes] == ["round", "round"]
    assert [axes.get_title() for axes in figure.axes] == ["signed, full", "signed, opened"]
    screen = explore_chart(curve_charts(curves())[0])
    assert screen.layout.yaxis.title.text == "regret (units of value)"
    assert screen.layout.xaxis.title.text == "round"


def test_vacuous_bounds_are_told_in_both() -> None:
    told = "bound 4,849: above the axis, vacuous"
    texts = [text.get_text() for text in drawn().axes[0].texts]
    assert told in [text.replace("\n", " ") for text in texts]
    screen = explore_chart(curve_charts(curves(), bounds=BOUNDS)[0])
    assert told in [note.text for note in screen.layout.annotations]


@pytest.mark.parametrize(
    ("options", "width"),
    [({}, 3.3), ({"worlds": ("signed", "orthant", "shifted")}, PAGE)],
)
def test_type_is_large_enough_and_nothing_is_cut_or_covered(
    options: dict[str, Any], width: float
) -> None:
    figure = drawn(**options)
    assert figure.get_figwidth() == width
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    boxes = [axes.get_tightbbox(renderer) for axes in figure.axes]
    for axes, box in zip(figure.axes, boxes, strict=True):
        assert box is not None
        assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 <= box.y1 <= figure.bbox.y1
        texts = [*axes.texts, axes.title, axes.xaxis.label, *axes.get_xticklabels()]
        assert min(float(text.get_fontsize()) for text in texts) >= 6.0
        notes = [note.get_window_extent(renderer) for note in axes.texts if note.get_text()]
        assert all(note.x1 <= axes.bbox.x1 for note in notes)
    (legend,) = figure.legends
    boxes.append(legend.get_window_extent(renderer))
    for one, two in itertools.combinations(boxes, 2):
        assert one is not None
        assert two is not None
        assert one.x1 <= two.x0 or two.x1 <= one.x0 or one.y1 <= two.y0 or two.y1 <= one.y0


def test_growth_is_drawn_on_logarithmic_axes_with_its_bound() -> None:
    given = curves(horizons=(1000,), feedbacks=("full",))
    sheet = curve_sheet(given, bounds=BOUNDS, log=True, measure="expected_regret")
    axes = draw_chart(sheet).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert any(data(line.get_ydata())[-1:] == [4849.0] for line in axes.lines)
    screen = explore_chart(sheet.charts[0])
    assert (screen.layout.xaxis.type, screen.layout.yaxis.type) == ("log", "log")
    assert [trace.name for trace in screen.data if trace.name][-1] == "bound"


def test_one_seed_and_one_checkpoint_can_be_drawn() -> None:
    given = curves(seeds=(0,), horizons=(10,))
    draw_chart(curve_sheet(given)).draw_without_rendering()
    # A line of few points has a mark and a bar at each, and no band
    trace = explore_chart(curve_charts(given)[0]).data[0]
    assert (data(trace.y), trace.mode) == (given[0].mean.tolist(), "lines+markers")


def test_every_column_says_what_goes_across_and_the_legend_names_each_searcher_once() -> None:
    figure = draw_chart(curve_sheet(curves(worlds=tuple("abcde"), feedbacks=("full",))))
    labels = [axes.get_xlabel() for axes in figure.axes]
    assert labels == ["", "", "round", "round", "round", ""]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["cpb", "linear-regression"]


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
def test_figures_are_written(tmp_path: Path, suffix: str, start: bytes) -> None:
    save_pictures(tmp_path, [curve_sheet(curves(), file=name) for name in "ab"], f".{suffix}")
    assert (tmp_path / f"a.{suffix}").read_bytes().startswith(start)
    assert (tmp_path / f"b.{suffix}").exists()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"must be writable\. Got 'No such file"):
        save_figure(draw_chart(curve_sheet(curves())), [tmp_path / "absent" / "a.png"])
