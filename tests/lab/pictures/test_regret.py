"""What pictures show, before they are drawn."""

import numpy as np
import pytest

from tests.replays.synthetic import roots, table
from weitzman.errors import InvalidInputError
from weitzman.lab.pictures.regret import DrawnBound, grid, panels
from weitzman.lab.study.summary import summarise

AT = np.array([10.0, 100.0])


def bound(end: float, *, vacuous: bool = False) -> DrawnBound:
    return DrawnBound(label="bound", at=AT, values=np.array([0.0, end]), vacuous=vacuous)


def test_a_panel_per_world_and_feedback_with_a_line_per_searcher() -> None:
    shown = panels(summarise(table(roots, worlds=("signed", "shifted"))))
    assert [(p.world, p.feedback) for p in shown] == [
        ("signed", "full"), ("signed", "opened"), ("shifted", "full"), ("shifted", "opened"),
    ]  # fmt: skip
    for p in shown:
        assert [line.searcher for line in p.lines] == ["cpb", "linear-regression"]
        assert p.lines[0].mean[-1] == pytest.approx(11.0)
        assert p.bottom <= 0.0 < p.lines[1].mean[-1] + p.lines[1].error[-1] < p.top


def test_a_bound_inside_the_axis_is_drawn() -> None:
    (shown,) = panels(
        summarise(table(roots, feedbacks=("full",))), bounds={("signed", "full"): [bound(20.0)]}
    )
    assert shown.bounds[0].values[-1] == 20.0
    assert shown.notes == ()


@pytest.mark.parametrize(
    ("vacuous", "told"),
    [(True, "bound 4,849: above the axis, vacuous"), (False, "bound 4,849: above the axis")],
)
def test_a_bound_above_the_axis_is_told(vacuous: bool, told: str) -> None:
    bounds = {("signed", "full"): [bound(4849.2, vacuous=vacuous)]}
    full, opened = panels(summarise(table(roots)), bounds=bounds)
    assert (full.bounds, full.notes) == ((), (told,))
    assert (opened.bounds, opened.notes) == ((), ())
    # The axis is made for the lines
    assert full.top == opened.top


def test_logarithmic_axes_draw_every_bound_and_the_last_two_decades() -> None:
    curves = summarise(table(roots, feedbacks=("full",), horizons=(10_000,), every=20))
    (shown,) = panels(curves, bounds={("signed", "full"): [bound(1e6, vacuous=True)]}, log=True)
    assert shown.bounds[0].values[-1] == 1e6 < shown.top
    assert shown.notes == ("bound: vacuous",)
    assert shown.lines[0].at[0] == 100.0
    assert 0.0 < shown.bottom < shown.lines[0].mean[0]


def test_of_several_horizons_the_longest_is_shown_and_the_ends_on_logarithmic_axes() -> None:
    curves = summarise(table(roots, feedbacks=("full",), horizons=(50, 100, 200)))
    (plain,), (growth,) = panels(curves), panels(curves, log=True)
    assert plain.lines[0].at[-1] == 200.0
    assert len(plain.lines[0].at) == 20
    assert growth.lines[0].at.tolist() == [50.0, 100.0, 200.0]
    assert growth.lines[0].mean.tolist() == pytest.approx([1.1 * t**0.5 for t in (50, 100, 200)])


def test_what_is_not_positive_has_no_place_on_a_logarithmic_axis() -> None:
    curves = summarise(table(lambda _s, _k, t: float(t - 50), feedbacks=("full",)))
    (shown,) = panels(curves, log=True)
    assert shown.lines[0].at.tolist() == [60.0, 70.0, 80.0, 90.0, 100.0]
    (plain,) = panels(curves)
    assert plain.bottom < -40.0


def test_nothing_to_show_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="hold at least one run"):
        panels([])


def test_feedbacks_are_columns_and_one_feedback_wraps() -> None:
    both = panels(summarise(table(roots, worlds=("a", "b", "c"))))
    assert grid(both) == (3, 2, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)])
    many = panels(summarise(table(roots, worlds=tuple("abcdefghijk"), feedbacks=("full",))))
    rows, columns, places = grid(many)
    assert (rows, columns, places[-1]) == (4, 3, (3, 1))
    few = panels(summarise(table(roots, worlds=tuple("ab"), feedbacks=("full",))))
    assert grid(few)[:2] == (1, 2)
