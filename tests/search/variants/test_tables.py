"""Tables of plans: as many rows as there are up to forty, and how many more there are."""

from collections.abc import Callable
from typing import Any

import pytest

import weitzman as wz


@pytest.mark.parametrize("values", [2, 38, 39, 40, 60])
def test_the_tree_of_scenarios_is_cut_behind_forty_lines(values: int) -> None:
    made = wz.plan(scenarios={"a": [float(v) for v in range(values)]}, costs={"a": 1.0})
    tree = made.tree.split("\n")
    assert len(tree) == values + 1
    shown = str(made).split("\n")
    if len(tree) <= 40:
        assert shown[: len(tree)] == tree
        assert "more line" not in str(made)
    else:
        assert shown[:41] == [*tree[:40], f"… {len(tree) - 40} more lines"]
    assert "taking the boxes for independent: " in str(made)


def boxes_of(count: int, value: Any) -> list[wz.Box]:
    return [wz.Box(f"box{n:03}", 1.0 + n, value) for n in range(count)]


PLANS: dict[str, Callable[[int], Any]] = {
    "draws": lambda count: wz.plan(boxes_of(count, wz.Draws(wz.Discrete([0.0, 9.0])))),
    "no recall": lambda count: wz.plan(boxes_of(count, wz.Discrete([0.0, 900.0])), recall=False),
    "arrivals": lambda count: wz.plan(
        boxes_of(count, wz.Discrete([0.0, 900.0])), sense="max", outside=0.0, arrivals=True
    ),
}


@pytest.mark.parametrize("count", [1, 39, 40, 41, 60])
@pytest.mark.parametrize("kind", PLANS)
def test_a_table_is_cut_behind_forty_boxes(kind: str, count: int) -> None:
    text = str(PLANS[kind](count))
    rows = [line for line in text.split("\n") if "│ box0" in line]
    assert len(rows) == min(count, 40)
    assert (f"… {count - 40} more" in text) == (count > 40)
    assert ("more" in text.replace("no search is better", "")) == (count > 40)


@pytest.mark.parametrize("kind", PLANS)
def test_a_picture_is_cut_behind_thirty_boxes(kind: str) -> None:
    figure = PLANS[kind](45).plot()
    assert [len(bars) for bars in figure.axes[0].containers] == [30, 30]
    assert "(first 30 of 45 boxes)" in figure.get_suptitle()


@pytest.mark.parametrize("sense", ["min", "max"])
def test_draws_of_successes_are_shown_by_what_came_before(sense: Any) -> None:
    sign = 1.0 if sense == "min" else -1.0
    coin = wz.Box("coin", 0.5, wz.Successes(sign * 2.0, 1.0, 1.0))
    text = str(wz.plan([coin], sense=sense, outside=sign * 6.0))
    rows = [line for line in text.split("\n") if "coin" in line]
    assert "after a failure" not in rows[0]
    assert len(rows) > 2
    assert all("└ after a failure: coin" in row for row in rows[1:])


@pytest.mark.parametrize("sense", ["min", "max"])
def test_boxes_behind_a_value_are_shown_by_it(sense: Any) -> None:
    sign = 1.0 if sense == "min" else -1.0
    first = wz.Box("first", 0.5, wz.Discrete([sign * 3.0, 0.0]))
    laws = {sign * 3.0: wz.Discrete([0.0, sign * 9.0]), 0.0: wz.Discrete([sign * 1.0, sign * 2.0])}
    text = str(wz.plan([first, wz.Box("then", 0.1, laws, after="first")], sense=sense))
    assert f"{sign * 3:g}: then" in text
    assert " 0: then" in text
