"""Costs that are known afterwards: the rule goes by what was expected, the books by what it was."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz

costs = st.floats(0.0, 1e3)


@given(st.lists(st.tuples(costs, st.none() | costs), min_size=1, max_size=6), st.randoms())
def test_what_was_paid_does_not_depend_on_when_it_was_said(
    looks: list[tuple[float, float | None]], random: "object"
) -> None:
    expected = [c for c, _ in looks]
    rows = list(range(len(looks)))
    random.shuffle(rows)  # type: ignore[attr-defined]
    at_once, afterwards = wz.RoundState(expected), wz.RoundState(expected)
    paid = 0.0
    for row in rows:
        real = looks[row][1]
        for state in (at_once, afterwards):
            state.open(row)
            state.see(row, 1.0)
        if real is not None:
            at_once.spend(row, real)
        paid += expected[row] if real is None else real
    for row in reversed(rows):
        real = looks[row][1]
        if real is not None:
            afterwards.spend(row, real)
    assert at_once.paid == afterwards.paid == paid
    assert at_once.total == 1.0 + paid


@pytest.mark.parametrize("sense", ["min", "max"])
def test_the_outcome_has_what_looks_really_cost(sense: wz.search.reservation.Sense) -> None:
    sign = 1.0 if sense == "min" else -1.0
    search = wz.search_by(
        boxes="abc",
        costs=[1.0, 1.0, 1.0],
        reservation_values=[sign, sign * 2, sign * 3],
        sense=sense,
    )
    assert next(search) == "a"
    search.see(sign * 9.0, cost=0.25)
    assert next(search) == "b"
    search.miss(cost=4)
    assert next(search) == "c"
    search.see(sign * 8.0)
    outcome = search.close()
    assert (outcome.paid, outcome.value, outcome.total) == (5.25, sign * 8.0, sign * 13.25)


@pytest.mark.parametrize("cost", [-1.0, math.nan, math.inf, "1", True])
def test_a_cost_that_is_none_is_refused_and_changes_nothing(cost: float) -> None:
    search = wz.search_by(boxes="ab", costs=[1.0, 1.0], reservation_values=[1.0, 2.0])
    next(search)
    rule = "The cost of box 'a' must be a finite number >= 0"
    with pytest.raises(wz.InvalidInputError, match=rule):
        search.see(1.0, cost=cost)
    with pytest.raises(wz.InvalidInputError, match=rule):
        search.miss(cost=cost)
    search.see(0.5, cost=2.0)
    assert search.close().paid == 2.0


def test_the_cost_of_a_value_that_came_after_all() -> None:
    search = wz.search_by(boxes="ab", costs=[1.0, 1.0], reservation_values=[1.0, 2.0])
    next(search)
    search.miss()
    next(search)
    search.see(5.0, box="a", cost=3.0)
    search.see(4.0)
    assert search.close().paid == 4.0


def test_only_the_expected_cost_enters_the_reservation_value() -> None:
    """Brute force over all searches of two boxes whose costs depend on their values, in exact fractions."""
    # Value and cost of a look, equally likely: good values are quick in one box and slow in the other
    a = [(Fraction(0), Fraction(1)), (Fraction(6), Fraction(3))]
    b = [(Fraction(1), Fraction(4)), (Fraction(5), Fraction(0))]
    boxes = {"a": a, "b": b}

    def least_total(best: Fraction | None, closed: frozenset[str]) -> Fraction:
        """The least expected total to come, with the best value in hand."""
        ways = [] if best is None else [best]
        for name in closed:
            (v, c), (w, d) = boxes[name]
            left = closed - {name}
            one = c + least_total(v if best is None else min(best, v), left)
            other = d + least_total(w if best is None else min(best, w), left)
            ways.append((one + other) / 2)
        return min(ways)

    mean = {name: sum(c for _, c in law) / 2 for name, law in boxes.items()}
    known = [
        wz.Box(name, cost=float(mean[name]), value=wz.Discrete([float(v) for v, _ in law]))
        for name, law in boxes.items()
    ]
    plan = wz.plan(known)
    assert plan.expected_total == pytest.approx(float(least_total(None, frozenset(boxes))))
    # And the rule at these reservation values, with the books of what looks really cost
    total = Fraction(0)
    for pair in product(a, b):
        search, found = plan.search(), dict(zip("ab", pair, strict=True))
        for name in search:
            search.see(float(found[str(name)][0]), cost=float(found[str(name)][1]))
        total += Fraction(search.close().total) / 4
    assert float(total) == pytest.approx(plan.expected_total)
