"""The points held around an anchor: those that may have turned are found, each once and in order."""

from typing import Any

import numba
import numpy as np
import pytest

from weitzman.learn.learners.exact import anchor
from weitzman.learn.learners.exact.anchor import HELD, LENGTH, SAFE, SOUGHT, TRIED

njit: Any = numba.njit


@njit  # type: ignore[untyped-decorator]
def hold(around: Any, x: Any, value: float, reach: float, is_active: bool, slot: int) -> None:
    anchor.hold(around, x, value, reach, is_active, slot)


@njit  # type: ignore[untyped-decorator]
def find_turned(around: Any, weights: Any, places: Any) -> int:
    return anchor.find_turned(around, weights, places)


@njit  # type: ignore[untyped-decorator]
def slot_at(around: Any, place: int, size: int) -> int:
    return anchor.slot_at(around, place, size)


def around_of(size: int, capacity: int = 512) -> Any:
    around = np.zeros(anchor.length_of(size, capacity))
    around[size + SAFE], around[size + SOUGHT], around[size + LENGTH] = 1.0, 1.0, 1.0
    return around


@pytest.mark.parametrize("size", [1, 3, 4, 6])
@pytest.mark.parametrize("held", [0, 1, 31, 32, 33, 70, 136])
def test_those_that_may_have_turned_are_found_once_and_in_order(size: int, held: int) -> None:
    rng = np.random.default_rng(held)
    around, places = around_of(size), np.full(512, -1)
    # What was held before an anchor is behind what is held now: it does not count
    points = rng.normal(size=(136, size))
    values = rng.normal(size=136)
    signs = rng.random(136) < 0.5
    for count in (136, held):
        around[size + HELD] = 0.0
        for i in range(count):
            reach = 1.0 / np.linalg.norm(points[i])
            hold(around, points[i], values[i], reach, bool(signs[i]), 1000 + i)
    weights = rng.normal(size=size)
    found = find_turned(around, weights, places)
    residuals = np.where(signs, 1.0, -1.0) * (points @ weights - values)
    assert np.abs(residuals).min() > 1e-9
    assert places[:found].tolist() == np.flatnonzero(residuals[:held] <= 0.0).tolist()
    assert around[size + TRIED] == held
    assert [slot_at(around, place, size) for place in range(held)] == list(range(1000, 1000 + held))


def test_a_point_for_which_there_is_no_room_ends_the_safety() -> None:
    around = around_of(2)
    room = 136
    for i in range(room):
        hold(around, np.ones(2), 1.0, 0.5, True, i)
    assert (around[2 + HELD], around[2 + SAFE], around[2 + SOUGHT]) == (room, 1.0, 1.0)
    for _ in range(2):
        hold(around, np.ones(2), 1.0, 0.5, True, room)
        assert (around[2 + HELD], around[2 + SAFE], around[2 + SOUGHT]) == (room, 0.0, 0.5)


def test_a_point_on_its_kink_is_always_looked_at() -> None:
    """Rounding may have put it on either side."""
    for is_active in (True, False):
        around, places = around_of(2), np.zeros(8, dtype=np.int64)
        hold(around, np.array([3.0, -1.0]), 1.0, 0.5, is_active, 7)
        assert find_turned(around, np.array([0.5, 0.5]), places) == 1
        beyond = np.array([0.5, 0.25]) if is_active else np.array([0.5, 0.75])
        assert find_turned(around, beyond, places) == 0
