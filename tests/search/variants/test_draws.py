"""Boxes that are drawn from again and again, by hand: one box of three outcomes.

With values 0, 4 and 10 of chances ¼, ¼ and ½ and a cost of 1, σ = 4 for smaller values: E(4 − v)⁺ = 1. So
a draw ends the search with chance ½, two draws are made on average, and the value kept is 2 on average.
"""

from typing import Any

import pytest

import weitzman as wz

LAW = wz.Discrete([0.0, 4.0, 10.0], [0.25, 0.25, 0.5])
MIRRORED = wz.Discrete([0.0, -4.0, -10.0], [0.25, 0.25, 0.5])
IDLE = wz.Box("idle", 5.0, wz.Draws(wz.Discrete([3.0])))


def plan_of(sign: float, outside: float | None) -> Any:
    law = LAW if sign > 0 else MIRRORED
    idle = IDLE if sign > 0 else wz.Box("idle", 5.0, wz.Draws(wz.Discrete([-3.0])))
    boxes = [idle, wz.Box("drawn", 1.0, wz.Draws(law))]
    sense: Any = "min" if sign > 0 else "max"
    return wz.plan(boxes, sense=sense, outside=None if outside is None else sign * outside)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("outside", [None, 9.0])
def test_draws_that_are_worth_their_cost(sign: float, outside: float | None) -> None:
    plan = plan_of(sign, outside)
    assert plan.reservation_values == {"idle": sign * 8.0, "drawn": sign * 4.0}
    assert (plan.best, plan.searches) == ("drawn", True)
    assert plan.expected_total == sign * 4.0
    assert (plan.expected_opened, plan.expected_paid) == (2.0, 2.0)
    assert plan.open_probabilities == plan.keep_probabilities == {"idle": 0.0, "drawn": 1.0}
    search = plan.search()
    for value in (10.0, 10.0, 4.0):
        assert next(search) == "drawn"
        search.see(sign * value)
    assert list(search) == []
    outcome = search.close()
    assert (outcome.opened, outcome.kept) == (("drawn",) * 3, ("drawn",))
    assert (outcome.value, outcome.paid, outcome.total) == (
        sign * 4.0,
        3.0,
        sign * 4.0 + sign * 3.0,
    )
    assert f"Draw from 'drawn' until a value is as good as {sign * 4:g}." in str(plan)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("outside", [4.0, -1.0])
def test_nothing_is_drawn_where_the_outside_option_is_as_good(sign: float, outside: float) -> None:
    plan = plan_of(sign, outside)
    assert not plan.searches
    assert plan.expected_total == sign * outside
    assert (plan.expected_opened, plan.expected_paid) == (0.0, 0.0)
    assert plan.open_probabilities == plan.keep_probabilities == {"idle": 0.0, "drawn": 0.0}
    search = plan.search()
    assert list(search) == []
    assert search.close().total == sign * outside
    run = plan.simulate(3, 1)
    assert (run.mean, run.opened_count.tolist()) == (sign * outside, [0, 0, 0])
    assert "Draw nothing: the outside option is better." in str(plan)
