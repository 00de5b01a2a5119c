"""What a box takes and refuses."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weitzman as wz


@pytest.mark.parametrize("cost", [0, 1, 2.5, np.float64(1.5), np.int32(3)])
def test_a_cost_is_any_finite_number_from_zero(cost: Any) -> None:
    assert wz.Box("a", cost, 3.0).cost == cost


@pytest.mark.parametrize(
    "cost", [-1.0, -1e-300, math.nan, math.inf, -math.inf, True, "1", None, [1.0], 1j, 10**400]
)
def test_any_other_cost_is_refused_by_name(cost: Any) -> None:
    message = r"^The cost of box 'b7' must be a finite number >= 0\. Got .*\.$"
    with pytest.raises(wz.InvalidInputError, match=message):
        wz.Box("b7", cost, 3.0)


def test_a_box_does_not_change() -> None:
    box = wz.Box("a", 1.0, 3.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        box.cost = 2.0  # type: ignore[misc]


def test_the_law_is_read_once() -> None:
    box = wz.Box("a", 1.0, scipy.stats.t(3))
    assert box.law is box.law


def test_equal_boxes_are_equal() -> None:
    law = wz.Discrete([1, 2])
    assert wz.Box("a", 1.0, law) == wz.Box("a", 1.0, law)
    assert len({wz.Box("a", 1.0, law), wz.Box("a", 1.0, law)}) == 1


@pytest.mark.parametrize(
    "more", [{"cost": 1.0}, {"cost": 0.0}, {"value": 3.0}, {"cost": 1.0, "value": 3.0}]
)
def test_a_box_of_stages_has_neither_cost_nor_value_of_its_own(more: dict[str, Any]) -> None:
    stages = [
        wz.Stage("test", 1.0, {"good": 0.5, "bad": 0.5}),
        wz.Stage("trial", 4.0, {"good": 20.0}),
    ]
    assert wz.Box("a", stages=stages).stages == stages
    with pytest.raises(
        wz.InvalidInputError, match="Box 'a' must leave cost and value to its stages"
    ):
        wz.Box("a", stages=stages, **more)
