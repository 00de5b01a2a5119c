"""What counts as a number, and what does not."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from weitzman.search.numbers import (
    LIMIT,
    checked_cost,
    checked_outside,
    checked_value,
    finite_array,
    finite_number,
    whole_number,
)


@pytest.mark.parametrize("value", [True, np.True_, 2.0, "2", None, [2], np.array([1, 2])])
@pytest.mark.parametrize("least", [0, 1, 2])
def test_what_is_no_whole_number_is_refused_whatever_the_bounds(value: Any, least: int) -> None:
    with pytest.raises(wz.InvalidInputError, match="The count must be an integer"):
        whole_number(value, "The count", least=least)


def test_whole_numbers_are_taken_up_to_their_bounds() -> None:
    assert [whole_number(n, "n", least=1, most=3) for n in (1, 2, np.int64(3))] == [1, 2, 3]
    assert type(whole_number(np.int64(3), "n", least=1)) is int
    assert whole_number(2**62, "n", least=1) == 2**62
    for value, words in ((0, "from 1 to 3"), (4, "from 1 to 3")):
        with pytest.raises(wz.InvalidInputError, match=words):
            whole_number(value, "n", least=1, most=3)
    for value in (0, 2**62 + 1):
        with pytest.raises(wz.InvalidInputError, match="an integer >= 1"):
            whole_number(value, "n", least=1)


@pytest.mark.parametrize("value", [1, 1.5, Fraction(3, 2), np.float32(1.5), np.array(2), -0.0])
def test_numbers_of_every_kind_are_floats(value: Any) -> None:
    number = finite_number(value, "x")
    assert type(number) is float
    assert number == value


@pytest.mark.parametrize(
    "value",
    [True, np.False_, "1", None, math.inf, math.nan, 10**400, 1j, np.array([1.0]), np.array("1")],
)
def test_what_is_no_finite_number_is_refused(value: Any) -> None:
    with pytest.raises(wz.InvalidInputError, match="x must be a finite number"):
        finite_number(value, "x")


def test_arrays_are_copied_as_floats_and_checked() -> None:
    given = np.array([1.0, 2.0])
    taken = finite_array(given, "x")
    taken[0] = 9.0
    assert given[0] == 1.0
    assert finite_array([[1], [2]], "x").dtype == np.float64
    for values in ([True, False], ["1"], [[1], [1, 2]], [1.0, math.nan], [math.inf]):
        with pytest.raises(wz.InvalidInputError, match="x must be finite numbers"):
            finite_array(values, "x")


def test_a_cost_may_be_zero_and_not_less() -> None:
    assert checked_cost(0, "a") == 0.0
    with pytest.raises(
        wz.InvalidInputError, match="The cost of box 'a' must be a finite number >= 0"
    ):
        checked_cost(-1e-300, "a")


def test_costs_values_and_outside_options_reach_to_one_limit() -> None:
    beyond = math.nextafter(LIMIT, math.inf)
    assert checked_cost(LIMIT, "a") == LIMIT
    with pytest.raises(wz.InvalidInputError, match=r"The cost of box 'a' must be at most 1e\+50\."):
        checked_cost(beyond, "a")
    for sign in (1.0, -1.0):
        assert checked_value(sign * LIMIT, "x") == checked_outside(sign * LIMIT) == sign * LIMIT
        with pytest.raises(wz.InvalidInputError, match=r"^x must be at most 1e\+50 in size"):
            checked_value(sign * beyond, "x")
        with pytest.raises(wz.InvalidInputError, match=r"option must be at most 1e\+50 in size"):
            checked_outside(sign * beyond)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_every_search_takes_what_reaches_to_the_limit_and_nothing_beyond(sign: float) -> None:
    """A plan and a searcher have one rule: what can be planned can be learned."""
    most, beyond = sign * LIMIT, sign * math.nextafter(LIMIT, math.inf)
    boxes, sense = [wz.Box("a", 1.0, 3.0)], "max" if sign > 0.0 else "min"
    asked: Any = {"boxes": ["a"], "costs": [1.0], "reservation_values": [2.0], "sense": sense}
    searcher = wz.Searcher(boxes=["a"], dimension=1, sense=sense)  # type: ignore[arg-type]
    opened: Any = (
        lambda outside: wz.plan(boxes, sense=sense, outside=outside).search(),  # type: ignore[call-overload]
        lambda outside: wz.search_by(**asked, outside=outside),
        lambda outside: searcher.open([[1.0]], 1.0, outside=outside),
    )
    for begin in opened:
        with pytest.raises(wz.InvalidInputError, match=r"1e\+50 in size"):
            begin(beyond)
        begin(most)
        search = begin(None)
        next(search)
        with pytest.raises(wz.InvalidInputError, match=r"1e\+50 in size"):
            search.see(beyond)
        search.see(most)
        assert search.close().value == most
