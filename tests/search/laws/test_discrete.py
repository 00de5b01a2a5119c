"""Discrete and empirical values against rational arithmetic."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz
from tests.search import brute
from tests.search.brute import ExactBox, Sense
from tests.strategies import dyadics, exact_boxes, law_of, senses, steady


@steady
@given(exact_boxes(), dyadics(-12, 12, 8), senses)
def test_expected_excess_is_the_sum(box: ExactBox, s: Fraction, sense: Sense) -> None:
    found = wz.expected_excess(law_of(box), float(s), sense=sense)
    assert found == pytest.approx(float(brute.excess(box, s, sense)), rel=1e-13, abs=1e-13)


@steady
@given(exact_boxes(), dyadics(-12, 12, 8))
def test_cdf_survival_and_atoms_are_sums(box: ExactBox, x: Fraction) -> None:
    law = law_of(box)
    for found, exact in (
        (law.cdf(float(x)), sum(p for v, p in box.outcomes if v <= x)),
        (law.sf(float(x)), sum(p for v, p in box.outcomes if v > x)),
        (law.atom(float(x)), sum(p for v, p in box.outcomes if v == x)),
    ):
        assert float(found) == pytest.approx(float(exact), abs=1e-15)


@steady
@given(exact_boxes(), senses)
def test_reservation_value_is_the_exact_one(box: ExactBox, sense: Sense) -> None:
    found = wz.reservation_value(law_of(box), float(box.cost), sense=sense)
    exact = float(brute.reservation_value(box, sense))
    assert found == pytest.approx(exact, rel=1e-13, abs=1e-13)


@steady
@given(exact_boxes())
def test_equal_outcomes_are_merged_and_sorted(box: ExactBox) -> None:
    law = law_of(box)
    assert law.values.tolist() == sorted({float(v) for v, _ in box.outcomes})
    assert float(law.probabilities.sum()) == pytest.approx(1.0, abs=1e-15)


def test_impossible_outcomes_do_not_count() -> None:
    law = wz.Discrete([-100, 1, 2], [0.0, 0.5, 0.5])
    assert [float(e) for e in law.support()] == [1.0, 2.0]


def test_a_sample_is_the_discrete_law_of_its_counts() -> None:
    a, b = wz.Empirical([3, 1, 3, 2]), wz.Discrete([1, 2, 3], [0.25, 0.25, 0.5])
    x = np.linspace(0, 4, 33)
    assert a.cdf(x).tolist() == b.cdf(x).tolist()
    assert float(a.mean()) == 2.25


def test_small_upper_tails_keep_their_digits() -> None:
    law = wz.Discrete([0.0, 1.0], [1.0 - 1e-12, 1e-12])
    assert float(law.sf(0.5)) == pytest.approx(1e-12, rel=1e-9)
    cost = 1e-13
    assert wz.reservation_value(law, cost, sense="max") == pytest.approx(0.9, rel=1e-9)


def test_the_laws_do_not_share_the_callers_array() -> None:
    mine = np.array([1.0, 2.0])
    law = wz.Discrete(mine)
    mine[:] = 9.0
    assert law.values.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: wz.Discrete([]), r"The values of Discrete must be a list of at least one number"),
        (lambda: wz.Discrete([1, math.nan]), r"The values of Discrete must be finite\. Got nan\."),
        (lambda: wz.Discrete([1, math.inf]), r"The values of Discrete must be finite\. Got inf\."),
        (lambda: wz.Discrete(["x"]), r"The values of Discrete must be numbers\. Got \['x'\]\."),
        (lambda: wz.Discrete([[1, 2]]), r"The values of Discrete must be a list"),
        (lambda: wz.Discrete([1, 2], [1]), r"must be as many as the values, 2\. Got 1\."),
        (lambda: wz.Discrete([1, 2], [0.5, 0.6]), r"must sum to 1\. Got 1\.1"),
        (lambda: wz.Discrete([1, 2], [1.5, -0.5]), r"must be >= 0\. Got -0\.5\."),
        (lambda: wz.Discrete([1, 2], [math.nan, 1]), r"must be finite\. Got nan\."),
        (lambda: wz.Empirical([1, 2], [0, 0]), r"must not all be 0\. Got \[0\.0, 0\.0\]\."),
        (lambda: wz.Empirical([]), r"The sample of Empirical must be a list of at least one"),
        (lambda: wz.Empirical([1, 2], [1, -1]), r"The weights of Empirical must be >= 0"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make: Any, message: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=message):
        make()


@steady
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(1e-6, 1e6))
def test_residual_of_any_sample(sample: list[float], cost: float) -> None:
    sigma = wz.reservation_value(wz.Empirical(sample), cost)
    s = Fraction(sigma)
    total = sum((max(s - Fraction(x), Fraction(0)) for x in sample), Fraction(0))
    residual = abs(total / len(sample) - Fraction(cost))
    assert residual <= max(
        1e-12 * max(1.0, cost), math.ulp(sigma), 2.0 * math.ulp(max(map(abs, sample)))
    )
