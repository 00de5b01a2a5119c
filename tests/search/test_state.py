"""The state of a round against its history: everything that it says is a function of what was done."""

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz
from tests.strategies import steady

# Few numbers, so that ties are frequent; eighths, so that sums are exact
numbers = st.integers(-6, 6).map(lambda k: k / 8.0)
costs = st.lists(st.integers(0, 8).map(lambda k: k / 8.0), min_size=1, max_size=6)
outsides = st.one_of(st.just(math.inf), numbers)


def test_a_new_round_has_shown_nothing() -> None:
    state = wz.RoundState([1.0, 2.0])
    assert (state.opened, state.values, state.found) == ([], {}, [])
    assert (state.best, state.kept, state.paid, state.total) == (math.inf, None, 0.0, math.inf)
    assert (state.asked, state.taken) == (None, None)


def test_the_outside_option_is_in_hand_and_is_no_row() -> None:
    state = wz.RoundState([1.0], outside=-2.0)
    assert (state.best, state.kept, state.total) == (-2.0, None, -2.0)


def test_opening_pays_and_waits_for_the_value() -> None:
    state = wz.RoundState([1.0, 2.0, 4.0])
    state.open(2)
    assert (state.opened, state.asked, state.paid) == ([2], 2, 4.0)
    assert state.best == math.inf
    assert math.isnan(state.found[0])


def test_seeing_ends_the_wait() -> None:
    state = wz.RoundState([1.0, 2.0, 4.0], outside=9.0)
    state.open(2)
    state.see(2, 3.0)
    assert (state.asked, state.best, state.kept, state.total) == (None, 3.0, 2, 7.0)
    assert state.values == {2: 3.0}


def test_a_value_that_does_not_come_is_paid_and_shows_nothing() -> None:
    state = wz.RoundState([1.0, 2.0], outside=9.0)
    state.open(1)
    state.miss()
    assert (state.asked, state.opened, state.values) == (None, [1], {})
    assert (state.best, state.kept, state.total) == (9.0, None, 11.0)
    assert math.isnan(state.found[0])


def test_a_value_that_comes_late_counts_and_does_not_end_the_wait_for_another() -> None:
    state = wz.RoundState([1.0, 2.0, 4.0])
    state.open(0)
    state.miss()
    state.open(1)
    state.see(0, 5.0)
    assert (state.asked, state.best, state.kept) == (1, 5.0, 0)
    state.see(1, 6.0)
    assert (state.asked, state.best, state.kept) == (None, 5.0, 0)
    assert state.found == [5.0, 6.0]


def test_of_equal_values_the_first_that_came_is_kept() -> None:
    state = wz.RoundState([1.0, 1.0])
    for row in (1, 0):
        state.open(row)
        state.see(row, 4.0)
    assert state.kept == 1
    state = wz.RoundState([1.0], outside=4.0)
    state.open(0)
    state.see(0, 4.0)
    assert state.kept is None


def test_a_row_that_is_taken_is_kept_whatever_it_holds() -> None:
    state = wz.RoundState([1.0, 2.0], outside=9.0)
    state.open(0)
    state.see(0, 3.0)
    state.take(1)
    assert (state.taken, state.kept, state.opened, state.paid) == (1, 1, [0], 1.0)
    assert math.isnan(state.best)
    assert math.isnan(state.total)
    state.see(1, 100.0)
    assert (state.best, state.kept, state.total) == (100.0, 1, 101.0)


def test_what_other_rows_show_after_a_row_is_taken_changes_nothing() -> None:
    state = wz.RoundState([1.0, 2.0])
    state.open(0)
    state.miss()
    state.take(1)
    state.see(0, -50.0)
    assert state.kept == 1
    assert math.isnan(state.best)
    assert state.values == {0: -50.0}


def test_a_row_that_is_open_may_be_taken() -> None:
    state = wz.RoundState([1.0, 2.0])
    for row, value in ((0, 5.0), (1, 3.0)):
        state.open(row)
        state.see(row, value)
    state.take(0)
    assert (state.best, state.kept, state.total) == (5.0, 0, 8.0)


@steady
@given(costs, outsides, st.data())
def test_everything_follows_from_what_was_done(
    prices: list[float], outside: float, data: st.DataObject
) -> None:
    """Any order of opening, seeing, missing and late values, against sums and minima over the history."""
    state = wz.RoundState(prices, outside)
    opened: list[int] = []
    came: list[tuple[int, float]] = []
    draw: Any = data.draw
    for row in draw(st.permutations(range(len(prices)))):
        state.open(row)
        opened.append(row)
        late = [r for r in opened if r != row and r not in dict(came)]
        if late and draw(st.booleans()):
            came.append((draw(st.sampled_from(late)), draw(numbers)))
            state.see(*came[-1])
            assert state.asked == row
        if draw(st.booleans()):
            came.append((row, draw(numbers)))
            state.see(*came[-1])
        else:
            state.miss()
        assert state.asked is None
        assert state.opened == opened
        assert state.values == dict(came)
        assert state.paid == sum(prices[r] for r in opened)
        best = min([outside, *(value for _, value in came)])
        assert state.best == best
        assert state.total == best + state.paid
        first = next((r for r, value in came if value == best), None)
        assert state.kept == (None if best == outside else first)
        found = [dict(came).get(r) for r in opened]
        assert [None if math.isnan(v) else v for v in state.found] == found


def test_a_signal_is_seen_and_never_kept() -> None:
    state = wz.RoundState([1.0, 2.0], outside=9.0, signals=frozenset({0}))
    state.open(0)
    state.see(0, 0.0)
    assert (state.best, state.kept, state.values[0]) == (9.0, None, 0.0)
    state.open(1)
    state.see(1, 4.0)
    assert (state.best, state.kept, state.paid) == (4.0, 1, 3.0)
