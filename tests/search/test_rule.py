"""The rule itself, against its three lines of text."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz
from tests.strategies import steady
from weitzman.search.rule import opening_order

numbers = st.integers(-4, 4).map(float)


@steady
@given(st.lists(numbers, min_size=1, max_size=8))
def test_order_is_by_value_and_then_by_position(s: list[float]) -> None:
    assert opening_order(np.array(s)).tolist() == sorted(range(len(s)), key=lambda i: (s[i], i))


@steady
@given(st.lists(numbers, min_size=1, max_size=8), numbers, st.integers(0, 8))
def test_next_box_is_the_first_closed_one_unless_the_value_in_hand_is_as_good(
    s: list[float], best: float, opened: int
) -> None:
    order = sorted(range(len(s)), key=lambda i: (s[i], i))
    opened = min(opened, len(s))
    found = wz.next_box(order, s, opened, best)
    closed = order[opened:]
    if not closed or best <= min(s[i] for i in closed):
        assert found == wz.STOP
    else:
        assert found == closed[0]


def test_equality_stops() -> None:
    assert wz.next_box([0], [2.0], 0, 2.0) == wz.STOP
    assert wz.next_box([0], [2.0], 0, math.nextafter(2.0, 3.0)) == 0


def test_nothing_in_hand_opens_any_box() -> None:
    assert wz.next_box([0], [1e308], 0, math.inf) == 0
    assert wz.next_box([0], [-math.inf], 0, -1e308) == 0


def test_the_answer_is_a_plain_integer() -> None:
    order = opening_order(np.array([2.0, 1.0]))
    assert type(wz.next_box(order, np.array([2.0, 1.0]), 0, math.inf)) is int
