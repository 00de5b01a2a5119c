"""Rules: Weitzman's against its three lines of text, and how any rule is applied to a round."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz
from tests.strategies import steady
from weitzman.arrays import Arrays
from weitzman.learn.policy import walk
from weitzman.search.reservation import Sense
from weitzman.search.rule import (
    NO_BOX,
    Action,
    Open,
    Take,
    WeitzmanRule,
    advance,
    follow,
    opening_order,
)

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
        assert found == NO_BOX
    else:
        assert found == closed[0]


def test_equality_stops() -> None:
    assert wz.next_box([0], [2.0], 0, 2.0) == NO_BOX
    assert wz.next_box([0], [2.0], 0, math.nextafter(2.0, 3.0)) == 0


def test_nothing_in_hand_opens_any_box() -> None:
    assert wz.next_box([0], [1e308], 0, math.inf) == 0
    assert wz.next_box([0], [-math.inf], 0, -1e308) == 0


def test_the_answer_is_a_plain_integer() -> None:
    order = opening_order(np.array([2.0, 1.0]))
    assert type(wz.next_box(order, np.array([2.0, 1.0]), 0, math.inf)) is int


# Rules over the state of a round


def acted(action: Action) -> int:
    return action.box if isinstance(action, Open) else NO_BOX


@steady
@given(st.lists(numbers, min_size=1, max_size=8), st.one_of(numbers, st.just(math.inf)), st.data())
def test_weitzmans_rule_is_next_box(s: list[float], outside: float, data: st.DataObject) -> None:
    rule, state = WeitzmanRule(np.array(s)), wz.RoundState([1.0] * len(s), outside)
    order = sorted(range(len(s)), key=lambda i: (s[i], i))
    for position in range(len(s) + 1):
        found = rule.next(state)
        assert acted(found) == wz.next_box(order, s, position, state.best)
        assert rule.next(state) == found
        if not isinstance(found, Open):
            assert found is wz.STOP
            return
        state.open(found.box)
        state.see(found.box, data.draw(numbers))
    raise AssertionError("a round ends when everything is open")


@steady
@given(st.lists(numbers, min_size=1, max_size=8), st.one_of(numbers, st.just(math.inf)), st.data())
def test_rows_may_be_opened_in_any_order(
    s: list[float], outside: float, data: st.DataObject
) -> None:
    """The caller opens what it likes; the rule goes on with the best of what is closed."""
    rule, state = WeitzmanRule(np.array(s)), wz.RoundState([1.0] * len(s), outside)
    for row in data.draw(st.permutations(range(len(s)))):
        closed = [i for i in range(len(s)) if i not in state.opened]
        head = min(closed, key=lambda i: (s[i], i))
        expected = wz.STOP if state.best <= s[head] else Open(head)
        assert rule.next(state) == expected
        state.open(row)
        if data.draw(st.booleans()):
            state.see(row, data.draw(numbers))
        else:
            state.miss()
    assert rule.next(state) is wz.STOP


def test_a_kept_rule_is_the_rule() -> None:
    sigma = np.array([3.0, -math.inf, math.inf, 3.0])
    again = WeitzmanRule.restored(WeitzmanRule(sigma).state())
    np.testing.assert_array_equal(again.sigma, sigma)
    np.testing.assert_array_equal(again.order, opening_order(sigma))


class Lines:
    """Open some rows one after the other, then take one or stop: a rule of somebody else's."""

    def __init__(self, rows: list[int], last: Action) -> None:
        self.rows, self.last = rows, last

    def next(self, state: wz.RoundState) -> Action:
        left = [row for row in self.rows if row not in state.opened]
        return Open(left[0]) if left else self.last

    def state(self) -> Arrays:
        return {}


def test_advance_does_what_the_rule_says() -> None:
    state = wz.RoundState([1.0, 2.0, 4.0])
    rule = Lines([2], Take(0))
    assert advance(rule, state) == Open(2)
    assert (state.opened, state.asked, state.paid) == ([2], 2, 4.0)
    state.see(2, 5.0)
    assert advance(rule, state) == Take(0)
    assert (state.taken, state.kept, state.paid) == (0, 0, 4.0)
    before = (list(state.opened), state.paid, state.taken)
    assert advance(Lines([], wz.STOP), state) is wz.STOP
    assert (state.opened, state.paid, state.taken) == before


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_search_keeps_a_box_that_its_rule_takes_unopened(sense: Sense) -> None:
    def fresh() -> wz.Search[str]:
        state = wz.RoundState([1.0, 2.0, 4.0], math.inf)
        return wz.Search(boxes=["a", "b", "c"], rule=Lines([1], Take(2)), state=state, sense=sense)

    search = fresh()
    assert next(search) == "b"
    search.see(7.0)
    assert list(search) == []
    assert list(search) == []
    outcome = search.close()
    assert (outcome.opened, outcome.paid) == (("b",), 2.0)
    assert (outcome.kept, outcome.chosen) == (("c",), "c")
    assert math.isnan(outcome.value)
    assert math.isnan(outcome.total)
    search = fresh()
    next(search)
    search.see(7.0)
    assert list(search) == []
    # What was taken may be seen afterwards; it is kept for better or worse
    search.see(50.0, box="c")
    total = 52.0 if sense == "min" else 48.0
    assert search.close() == wz.Outcome(("b",), ("c",), 50.0, 2.0, total)
    search = fresh()
    next(search)
    search.see(7.0)
    assert list(search) == []
    with pytest.raises(wz.SearchStateError, match="cannot see a value of box 'a'"):
        search.see(1.0, box="a")
    # A look that was not made has no cost
    with pytest.raises(wz.InvalidInputError, match="The cost of box 'c' must be left out"):
        search.see(50.0, box="c", cost=1.0)
    search.see(50.0, box="c")
    assert search.close().paid == 2.0


def test_following_a_rule_that_takes_ends_the_round() -> None:
    rule = Lines([1], Take(2))
    done = follow(rule, wz.RoundState([1.0, 2.0, 4.0], 9.0), [0.0, 7.0, 8.0])
    assert (done.opened, done.kept, done.best, done.total) == ([1], 2, 8.0, 10.0)
    done = follow(rule, wz.RoundState([1.0, 2.0, 4.0], 9.0), [0.0, 7.0, math.nan])
    assert (done.opened, done.kept, done.values) == ([1], 2, {1: 7.0})
    assert math.isnan(done.total)


# The compiled walk of the learn room


def everything(state: wz.RoundState) -> tuple[Any, ...]:
    names = ("opened", "values", "best", "kept", "paid", "total", "asked", "taken", "outside")
    found = [None if math.isnan(v) else v for v in state.found]
    return (*(getattr(state, name) for name in names), found, list(state.costs))


infinite = st.sampled_from([-math.inf, math.inf])
some = st.one_of(numbers, numbers, numbers, infinite)
values_or_none = st.one_of(numbers, numbers, st.just(math.nan))


@steady
@given(
    st.lists(st.tuples(some, st.sampled_from([0.0, 0.1, 0.25, 0.7]), values_or_none), min_size=1),
    st.one_of(numbers, st.just(math.inf)),
)
def test_walking_is_following(rows: list[tuple[float, float, float]], outside: float) -> None:
    """With ties, values that do not come and reservation values at infinity; the same bits."""
    sigma, costs, values = (np.array(column) for column in zip(*rows, strict=True))
    shown = wz.Round(
        contexts=np.zeros((len(rows), 1)), costs=costs, outside=outside, places=np.arange(len(rows))
    )
    plain = follow(WeitzmanRule(sigma), wz.RoundState(costs.tolist(), outside), values)
    assert everything(walk(WeitzmanRule(sigma), shown, values)) == everything(plain)


def test_walking_by_another_rule_is_following_too() -> None:
    shown = wz.Round(contexts=np.zeros((3, 1)), costs=np.ones(3), outside=9.0, places=np.arange(3))
    values = np.array([5.0, math.nan, 4.0])
    done = walk(Lines([2, 1], Take(0)), shown, values)
    plain = follow(Lines([2, 1], Take(0)), wz.RoundState([1.0] * 3, 9.0), values)
    assert everything(done) == everything(plain)
    assert (done.opened, done.kept, done.total) == ([2, 1], 0, 7.0)
