"""The picture of a plan."""

import sys
from typing import Any

import matplotlib
import numpy as np
import pytest
import scipy.stats
from matplotlib.figure import Figure

import weitzman as wz
from tests.search.brute import Sense

matplotlib.use("Agg")

BOXES = [
    wz.Box("a", 1.0, scipy.stats.uniform(0, 8)),
    wz.Box("b", 0.2, wz.Discrete([1.0, 5.0, 6.0])),
    wz.Box("c", 0.5, scipy.stats.norm(3, 1)),
]


def drawn(**options: Any) -> tuple[wz.Plan, Figure]:
    p = wz.plan(BOXES, **options)
    figure = p.plot()
    figure.canvas.draw()
    return p, figure


@pytest.mark.parametrize("sense", ["min", "max"])
def test_the_picture_has_a_row_per_box_in_opening_order(sense: Sense) -> None:
    p, figure = drawn(sense=sense)
    assert isinstance(figure, Figure)
    left, right = figure.axes
    assert [label.get_text() for label in left.get_yticklabels()] == list(p.order)
    assert len(right.patches) == len(BOXES)
    low, high = left.get_ylim()
    assert low > high


def test_bars_are_the_open_probabilities() -> None:
    p, figure = drawn()
    bars = [bar.get_window_extent().width for bar in figure.axes[1].patches]
    whole = figure.axes[1].get_window_extent().width
    assert bars == pytest.approx([whole * p.open_probabilities[n] for n in p.order], rel=1e-6)


def test_marks_are_the_reservation_values() -> None:
    p, figure = drawn()
    marks = [
        (float(x), float(y))
        for line in figure.axes[0].lines
        if line.get_marker() == "D"
        for x, y in zip(np.ravel(line.get_xdata()), np.ravel(line.get_ydata()), strict=True)
    ]
    assert marks == [(p.reservation_values[n], float(row)) for row, n in enumerate(p.order)]


def test_the_outside_option_is_a_line() -> None:
    _, figure = drawn(outside=2.5)
    lines = [np.asarray(line.get_xdata()).tolist() for line in figure.axes[0].lines]
    assert [2.5, 2.5] in lines


def test_the_title_tells_the_total() -> None:
    p, figure = drawn(sense="max")
    title = figure.get_suptitle()
    assert "Expected net value" in title
    assert f"{p.expected_total:.4g}" in title


def test_many_boxes_are_cut_and_the_title_says_so() -> None:
    boxes = [wz.Box(f"b{i}", 1.0, scipy.stats.uniform(i, 8)) for i in range(45)]
    figure = wz.plan(boxes).plot()
    figure.canvas.draw()
    assert len(figure.axes[1].patches) == 30
    assert "first 30 of 45" in figure.get_suptitle()


def test_infinite_reservation_values_and_point_masses_can_be_drawn() -> None:
    boxes = [wz.Box("free", 0.0, scipy.stats.norm()), wz.Box("sure", 1.0, 2.0)]
    wz.plan(boxes).plot().canvas.draw()


def test_names_with_signs_of_mathematics_are_drawn() -> None:
    boxes = [wz.Box("$5 to $9", 1.0, scipy.stats.uniform(0, 8)), wz.Box("a_{", 1.0, 2.0)]
    figure = wz.plan(boxes).plot()
    figure.canvas.draw()
    labels = [label.get_text().replace("\\$", "$") for label in figure.axes[0].get_yticklabels()]
    assert "$5 to $9" in labels


def test_a_picture_opens_no_window_and_keeps_no_figure() -> None:
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    drawn()
    assert plt.get_fignums() == before


def test_without_matplotlib_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(wz.WeitzmanError, match=r"pip install 'weitzman\[plot\]'"):
        wz.plan(BOXES).plot()
