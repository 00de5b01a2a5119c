"""What pictures of curves show, before they are drawn."""

import numpy as np
import pytest

from tests.replays.synthetic import roots, table
from weitzman.errors import InvalidInputError
from weitzman.lab.study.charts import DrawnBound, curve_charts, curve_sheet
from weitzman.lab.study.summary import summarise

AT = np.array([10.0, 100.0])


def bound(end: float, *, vacuous: bool = False) -> DrawnBound:
    return DrawnBound(at=AT, values=np.array([0.0, end]), vacuous=vacuous)


def test_a_chart_per_world_and_feedback_with_a_line_per_searcher() -> None:
    shown = curve_charts(summarise(table(roots, worlds=("signed", "shifted"))))
    assert [chart.title for chart in shown] == [
        "signed, full", "signed, opened", "shifted, full", "shifted, opened",
    ]  # fmt: skip
    for chart in shown:
        first, second = chart.series
        assert (first.name, second.name) == ("cpb", "linear-regression")
        assert first.y[-1] == pytest.approx(11.0)
        assert chart.limits is not None
        assert second.error is not None
        assert chart.limits[0] <= 0.0 < second.y[-1] + second.error[-1] < chart.limits[1]


def test_a_bound_inside_the_axis_is_drawn() -> None:
    curves = summarise(table(roots, feedbacks=("full",)))
    (shown,) = curve_charts(curves, bounds={("signed", "full"): bound(20.0)})
    assert shown.bounds[0].y[-1] == 20.0
    assert shown.notes == ()


@pytest.mark.parametrize(
    ("vacuous", "told"),
    [(True, "bound 4,849: above the axis, vacuous"), (False, "bound 4,849: above the axis")],
)
def test_a_bound_above_the_axis_is_told(vacuous: bool, told: str) -> None:
    bounds = {("signed", "full"): bound(4849.2, vacuous=vacuous)}
    full, opened = curve_charts(summarise(table(roots)), bounds=bounds)
    assert (full.bounds, full.notes) == ((), (told,))
    assert (opened.bounds, opened.notes) == ((), ())
    # The axis is made for the lines
    assert full.limits == opened.limits


def test_logarithmic_axes_draw_every_bound_and_the_last_two_decades() -> None:
    curves = summarise(table(roots, feedbacks=("full",), horizons=(10_000,), every=20))
    bounds = {("signed", "full"): bound(1e6, vacuous=True)}
    (shown,) = curve_charts(curves, bounds=bounds, log=True)
    assert shown.limits is not None
    assert shown.bounds[0].y[-1] == 1e6 < shown.limits[1]
    assert shown.notes == ("bound: vacuous",)
    assert shown.series[0].x[0] == 100.0
    assert 0.0 < shown.limits[0] < shown.series[0].y[0]


def test_of_several_horizons_the_longest_is_shown_and_the_ends_on_logarithmic_axes() -> None:
    curves = summarise(table(roots, feedbacks=("full",), horizons=(50, 100, 200)))
    (plain,), (growth,) = curve_charts(curves), curve_charts(curves, log=True)
    assert plain.series[0].x[-1] == 200.0
    assert len(plain.series[0].x) == 20
    assert growth.series[0].x.tolist() == [50.0, 100.0, 200.0]
    assert growth.series[0].y.tolist() == pytest.approx([1.1 * t**0.5 for t in (50, 100, 200)])


def test_what_is_not_positive_has_no_place_on_a_logarithmic_axis() -> None:
    curves = summarise(table(lambda _s, _k, t: float(t - 50), feedbacks=("full",)))
    (shown,) = curve_charts(curves, log=True)
    assert shown.series[0].x.tolist() == [60.0, 70.0, 80.0, 90.0, 100.0]
    (plain,) = curve_charts(curves)
    assert plain.limits is not None
    assert plain.limits[0] < -40.0


def test_nothing_to_show_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="hold at least one run"):
        curve_charts([])


def test_feedbacks_are_columns_and_one_feedback_wraps() -> None:
    both = curve_sheet(summarise(table(roots, worlds=("a", "b", "c"))))
    assert both.columns == 2
    assert [chart.title for chart in both.charts[:3]] == ["a, full", "a, opened", "b, full"]
    many = curve_sheet(summarise(table(roots, worlds=tuple("abcdefghijk"), feedbacks=("full",))))
    assert (many.columns, len(many.charts)) == (3, 11)
    few = curve_sheet(summarise(table(roots, worlds=tuple("ab"), feedbacks=("full",))))
    assert few.columns == 2


def test_a_world_without_one_of_the_feedbacks_does_not_shift_the_others() -> None:
    curves = summarise(table(roots, worlds=("a", "b"))) + summarise(
        table(roots, worlds=("a",), feedbacks=("probe",))
    )
    sheet = curve_sheet(curves)
    titles = ["a, full", "a, opened", "a, probe", "b, full", "b, opened"]
    assert [chart.title for chart in sheet.charts] == titles
    assert sheet.columns == 3
