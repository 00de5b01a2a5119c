"""The live search: replays by hand, misuse that changes nothing, ties by the stated convention."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz
from tests.search.brute import Problem, rule_order
from tests.strategies import dyadics, plan_of, problems_with_reservation_values, steady


def by_hand(
    problem: Problem, s: tuple[Fraction, ...], values: list[Fraction]
) -> tuple[list[str], str | None, Fraction, Fraction]:
    """Play the rule on given values: the boxes opened, the one kept, its value, the costs paid."""
    sign = problem.sign
    best = None if problem.outside is None else sign * problem.outside
    opened: list[str] = []
    chosen, paid = None, Fraction(0)
    for i in rule_order(problem, s):
        if best is not None and best <= sign * s[i]:
            break
        opened.append(str(i))
        paid += problem.boxes[i].cost
        if best is None or sign * values[i] < best:
            best, chosen = sign * values[i], str(i)
    assert best is not None
    return opened, chosen, sign * best, paid


@steady
@given(problems_with_reservation_values(), st.lists(dyadics(-10, 10, 4), min_size=4, max_size=4))
def test_a_search_is_the_replay_by_hand(
    drawn: tuple[Problem, tuple[Fraction, ...]], values: list[Fraction]
) -> None:
    problem, s = drawn
    search = plan_of(problem, s).search()
    for box in search:
        search.see(float(values[int(box)]))
    outcome = search.close()
    opened, chosen, value, paid = by_hand(problem, s, values)
    assert list(outcome.opened) == opened
    assert outcome.chosen == chosen
    assert outcome.value == float(value)
    assert outcome.paid == float(paid)
    assert outcome.total == float(value + problem.sign * paid)


def three(**options: Any) -> wz.Search[str]:
    return wz.search_by(
        boxes=["a", "b", "c"],
        costs=[1.0, 2.0, 4.0],
        reservation_values=[3.0, 1.0, 3.0],
        **options,
    )


# Ties and equality.


def test_equal_reservation_values_go_by_position() -> None:
    search = three()
    seen = []
    for box in search:
        seen.append(box)
        search.see(9.0)
    assert seen == ["b", "a", "c"]


def test_equality_stops() -> None:
    search = three()
    assert next(search) == "b"
    search.see(3.0)
    assert list(search) == []
    search = three(outside=1.0)
    assert list(search) == []
    assert search.close().chosen is None


def test_equality_stops_when_larger_is_better() -> None:
    search = three(sense="max")
    assert next(search) == "a"
    search.see(2.0)
    assert next(search) == "c"
    search.see(3.0)
    assert list(search) == []
    assert search.close() == wz.Outcome(("a", "c"), ("c",), 3.0, 5.0, -2.0)


def test_of_equal_values_the_first_is_kept() -> None:
    search = three()
    for _ in search:
        search.see(5.0)
    assert search.close().chosen == "b"
    search = three(outside=5.0)
    for _ in search:
        search.see(5.0)
    assert search.close().chosen is None


# Misuse: the right exception, one sentence, and nothing changed.

Step = Callable[[wz.Search[str]], object]
VALUES = {"a": 2.0, "b": 8.0, "c": 0.5}


def fresh(search: wz.Search[str]) -> None:
    """Nothing is asked for yet."""


def asked(search: wz.Search[str]) -> None:
    next(search)


def seen(search: wz.Search[str]) -> None:
    next(search)
    search.see(8.0)


def missed(search: wz.Search[str]) -> None:
    next(search)
    search.miss()


def closed(search: wz.Search[str]) -> None:
    finish(search)


def finish(search: wz.Search[str]) -> object:
    """Play on to the end and return all there is to see."""
    try:
        if search._state.asked is not None:
            search.see(8.0)
        handed = []
        for box in search:
            handed.append(box)
            search.see(VALUES[box])
        return handed, search.close()
    except wz.SearchStateError as error:
        return str(error)


BAD_VALUES: list[Any] = [
    math.nan,
    math.inf,
    -math.inf,
    True,
    np.True_,
    "3",
    b"3",
    None,
    [1.0],
    np.array([1.0]),
    np.array([1.0, 2.0]),
    1j,
    {},
    10**400,
    np.array(True),
]


@pytest.mark.parametrize("value", BAD_VALUES, ids=lambda v: repr(v)[:20])
@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_value_that_is_no_finite_number_is_refused(value: Any, sense: Any) -> None:
    search, twin = three(sense=sense), three(sense=sense)
    name = next(search)
    next(twin)
    with pytest.raises(wz.InvalidInputError) as caught:
        search.see(value)
    text = str(caught.value)
    assert text.startswith(f"The value of box {name!r} must be a finite number. Got ")
    assert text.count("\n") == 0
    assert finish(search) == finish(twin)


MISUSE: list[tuple[str, Step, Step, str]] = [
    (
        "a value before any box",
        fresh,
        lambda s: s.see(1.0),
        r"waits for no value: call next\(search\), or iterate",
    ),
    ("a value for a box before any", fresh, lambda s: s.see(1.0, box="b"), "box 'b'.*no value"),
    (
        "two values",
        seen,
        lambda s: s.see(1.0),
        r"waits for no value: call next\(search\), or iterate",
    ),
    (
        "a value after a miss",
        missed,
        lambda s: s.see(1.0),
        r"waits for no value: call next\(search\), or iterate",
    ),
    (
        "a miss before any box",
        fresh,
        lambda s: s.miss(),
        r"waits for no value: call next\(search\), or iterate",
    ),
    (
        "two misses",
        missed,
        lambda s: s.miss(),
        r"waits for no value: call next\(search\), or iterate",
    ),
    ("the value of another box", asked, lambda s: s.see(1.0, box="a"), "box 'a'.*that of box 'b'"),
    ("the value of no box", asked, lambda s: s.see(1.0, box="z"), "box 'z'.*that of box 'b'"),
    ("a miss of another box", asked, lambda s: s.miss(box="c"), "box 'c'.*that of box 'b'"),
    ("going on without a value", asked, lambda s: next(s), "waits for the value of box 'b'"),
    ("closing without the value", asked, lambda s: s.close(), "cannot close while .* box 'b'"),
    ("closing with nothing", fresh, lambda s: s.close(), "cannot close without a value"),
    ("closing after a miss", missed, lambda s: s.close(), "cannot close without a value"),
    ("a value after the end", closed, lambda s: s.see(1.0), "The search is closed"),
    ("a miss after the end", closed, lambda s: s.miss(), "The search is closed"),
    ("going on after the end", closed, lambda s: next(s), "The search is closed"),
    ("closing twice", closed, lambda s: s.close(), "The search is closed"),
]


@pytest.mark.parametrize(("what", "before", "wrong", "message"), MISUSE, ids=[m[0] for m in MISUSE])
def test_misuse_raises_one_sentence_and_changes_nothing(
    what: str, before: Step, wrong: Step, message: str
) -> None:
    search, twin = three(), three()
    before(search)
    before(twin)
    for _ in range(2):
        with pytest.raises(wz.SearchStateError, match=message) as caught:
            wrong(search)
        text = str(caught.value)
        assert text.startswith("The search ")
        assert text.endswith(".")
        assert "\n" not in text
    assert finish(search) == finish(twin)
    assert what


def test_the_box_may_be_named_to_be_checked() -> None:
    search = three()
    search.see(8.0, box=next(search))
    search.miss(box=next(search))
    assert next(search) == "c"


def test_a_missed_value_is_paid_and_not_kept() -> None:
    search = three(outside=7.5)
    for box in search:
        if box == "a":
            search.miss()
        else:
            search.see(9.0)
    assert search.close() == wz.Outcome(("b", "a", "c"), (), 7.5, 7.0, 14.5)


def test_one_may_stop_early() -> None:
    search = three()
    next(search)
    search.see(8.0)
    assert search.close() == wz.Outcome(("b",), ("b",), 8.0, 2.0, 10.0)


def test_an_ended_search_stays_ended_until_closed() -> None:
    search = three(outside=0.0)
    assert list(search) == []
    assert list(search) == []
    assert search.close().total == 0.0


def test_numpy_numbers_and_fractions_are_numbers() -> None:
    good: list[Any] = [np.float32(8.0), np.int64(8), Fraction(8), np.array(8.0), 8]
    for value in good:
        search = three()
        next(search)
        search.see(value)
        assert search.close().value == 8.0


BAD_SEARCHES: list[tuple[dict[str, Any], str]] = [
    ({"boxes": ["a", "a", "c"]}, "names of the boxes must be distinct"),
    ({"boxes": []}, "boxes must be at least one"),
    ({"boxes": ["a", "b"]}, "must be one number per box|one per box"),
    ({"costs": [1.0]}, "must be one number per box|one per box"),
    ({"costs": [1.0, -1.0, 1.0]}, "cost.* must be a finite number >= 0"),
    ({"costs": [1.0, math.nan, 1.0]}, "cost.* must be a finite number >= 0"),
    ({"reservation_values": [1.0]}, "must be one number per box|one per box"),
    ({"reservation_values": [1.0, math.nan, 1.0]}, "reservation values must be"),
    ({"reservation_values": [1.0, math.inf, 1.0]}, "reservation values must be"),
    ({"sense": "most"}, "sense must be 'min' or 'max'"),
    ({"outside": math.nan}, "outside option must be a finite number"),
    ({"outside": math.inf}, "outside option must be a finite number"),
]


@pytest.mark.parametrize(("changed", "message"), BAD_SEARCHES, ids=lambda c: str(c)[:40])
def test_a_search_over_nonsense_is_refused(changed: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "boxes": ["a", "b", "c"],
        "costs": [1.0, 1.0, 1.0],
        "reservation_values": [1.0, 2.0, 3.0],
    }
    with pytest.raises(wz.InvalidInputError, match=message):
        wz.search_by(**{**arguments, **changed})


def test_boxes_may_have_any_names() -> None:
    search = wz.search_by(boxes=[3, 1], costs=[1.0, 1.0], reservation_values=[0.0, 5.0])
    assert next(search) == 3
    search.see(2.0)
    assert search.close().chosen == 3
