"""Mixtures and truncations by their defining identities."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate

import weitzman as wz
from tests.search import brute
from tests.search.brute import ExactBox
from tests.strategies import closed_laws, dyadics, exact_boxes, law_of, simple_laws, steady

points = st.floats(-15, 15)
NONSENSE: Any = "x"
STEEP = scipy.stats.beta(1.0, 0.375, loc=0.5, scale=0.1)
"""Its cdf is 1e-6 short of 1 one float below its end, where (0.6 − 0.5)/0.1 rounds to."""


@steady
@given(st.lists(st.tuples(simple_laws, st.floats(0.1, 5)), min_size=1, max_size=4), points)
def test_a_mixture_is_the_weighted_sum(parts: list[tuple[Any, float]], x: float) -> None:
    mixture = wz.Mixture([v for v, _ in parts], [w for _, w in parts])
    whole = math.fsum(w for _, w in parts)
    for name in ("cdf", "sf", "atom", "excess_below", "excess_above"):
        sum_of_parts = (
            math.fsum(w * float(getattr(wz.affine(v), name)(x)) for v, w in parts) / whole
        )
        assert float(getattr(mixture, name)(x)) == pytest.approx(sum_of_parts, rel=1e-12, abs=1e-14)
    mean = math.fsum(w * float(wz.affine(v).mean()) for v, w in parts) / whole
    assert float(mixture.mean()) == pytest.approx(mean, rel=1e-12, abs=1e-12)


@steady
@given(exact_boxes(), exact_boxes(), dyadics())
def test_a_mixture_of_discrete_values_is_discrete(a: ExactBox, b: ExactBox, s: Fraction) -> None:
    half = Fraction(1, 2)
    both = ExactBox(a.cost, tuple((v, p * half) for v, p in (*a.outcomes, *b.outcomes)))
    mixture = wz.Mixture([law_of(a), law_of(b)])
    exact = float(brute.excess(both, s))
    assert wz.expected_excess(mixture, float(s)) == pytest.approx(exact, rel=1e-13, abs=1e-13)
    sigma = wz.reservation_value(mixture, float(a.cost))
    assert sigma == pytest.approx(float(brute.reservation_value(both)), rel=1e-12, abs=1e-12)


@steady
@given(closed_laws)
def test_a_mixture_of_one_is_itself(value: Any) -> None:
    x = np.linspace(-6, 6, 13)
    assert wz.Mixture([value]).cdf(x).tolist() == wz.affine(value).cdf(x).tolist()
    assert wz.Mixture([value, value]).excess_below(x) == pytest.approx(
        wz.affine(value).excess_below(x), rel=1e-13
    )


@steady
@given(exact_boxes(), dyadics(-6, 6, 2), dyadics(0, 6, 2), dyadics())
def test_a_truncated_discrete_value_is_the_conditional_one(
    box: ExactBox, lower: Fraction, width: Fraction, s: Fraction
) -> None:
    """Ends that are outcomes belong to the interval."""
    kept = [(v, p) for v, p in box.outcomes if lower <= v <= lower + width]
    mass = sum((p for _, p in kept), Fraction(0))
    if not kept:
        with pytest.raises(wz.InvalidInputError, match="must hold some of the value's probability"):
            wz.Truncated(law_of(box), float(lower), float(lower + width))
        return
    law = wz.Truncated(law_of(box), float(lower), float(lower + width))
    exact = ExactBox(box.cost, tuple((v, p / mass) for v, p in kept))
    mean = float(sum((v * p for v, p in exact.outcomes), Fraction(0)))
    assert float(law.mean()) == pytest.approx(mean, rel=1e-12, abs=1e-12)
    below, above = brute.excess(exact, s), brute.excess(exact, s, "max")
    assert float(law.excess_below(float(s))) == pytest.approx(float(below), abs=1e-12)
    assert float(law.excess_above(float(s))) == pytest.approx(float(above), abs=1e-12)
    cdf = float(sum((p for v, p in exact.outcomes if v <= s), Fraction(0)))
    atom = float(sum((p for v, p in exact.outcomes if v == s), Fraction(0)))
    assert float(law.cdf(float(s))) == pytest.approx(cdf, abs=1e-12)
    assert float(law.sf(float(s))) == pytest.approx(1.0 - cdf, abs=1e-12)
    assert float(law.atom(float(s))) == pytest.approx(atom, abs=1e-12)
    if box.cost > 0:
        sigma = wz.reservation_value(law, float(box.cost))
        assert sigma == pytest.approx(float(brute.reservation_value(exact)), rel=1e-9, abs=1e-9)


INTERVALS = [
    (-1.0, 2.0),
    (0.5, 9.0),
    (3.0, 4.0),
    (-4.0, -3.0),
    (6.0, 7.0),
    (-9.0, -8.0),
    (8.0, 9.0),
]


@pytest.mark.parametrize(("lower", "upper"), INTERVALS)
def test_a_truncated_normal_is_the_conditional_one(lower: float, upper: float) -> None:
    """Deep in either tail too, where all of the mass is below 1e-15."""
    law = wz.Truncated(scipy.stats.norm(), lower, upper)
    anchor = lower if lower > 0 else upper if upper < 0 else 0.0

    def density(x: float) -> float:
        return math.exp(-0.5 * (x * x - anchor * anchor))

    def moment(f: Any, a: float, b: float) -> float:
        middle = sorted({a, *(x for x in (a + 0.3, b - 0.3) if a < x < b), b})
        pieces = pairwise(middle)
        return math.fsum(integrate.quad(f, x, y, epsabs=0, epsrel=1e-12)[0] for x, y in pieces)

    mass = moment(density, lower, upper)
    assert float(law.mean()) == pytest.approx(
        moment(lambda x: x * density(x), lower, upper) / mass, rel=1e-9
    )
    for s in np.linspace(lower, upper, 7)[1:-1]:
        below = moment(lambda x, s=s: (s - x) * density(x), lower, s) / mass
        above = moment(lambda x, s=s: (x - s) * density(x), s, upper) / mass
        assert float(law.excess_below(s)) == pytest.approx(below, rel=1e-8, abs=1e-13)
        assert float(law.excess_above(s)) == pytest.approx(above, rel=1e-8, abs=1e-13)
        assert float(law.cdf(s)) == pytest.approx(moment(density, lower, s) / mass, rel=1e-9)


@steady
@given(closed_laws, points)
@example(STEEP, 0.0)
def test_a_truncation_that_cuts_nothing_changes_nothing(value: Any, s: float) -> None:
    law = wz.affine(value)
    low, high = (float(e) for e in law.support())
    whole = wz.Truncated(value, low, high)
    for name in ("cdf", "sf", "excess_below", "excess_above"):
        found, same = float(getattr(whole, name)(s)), float(getattr(law, name)(s))
        assert found == pytest.approx(same, rel=1e-9, abs=1e-12)
    assert float(whole.mean()) == pytest.approx(float(law.mean()), rel=1e-10, abs=1e-12)


@steady
@given(closed_laws, st.floats(0.1, 0.9), points)
@example(STEEP, 0.5, 0.0)
def test_both_halves_of_a_value_mix_to_the_whole(value: Any, p: float, s: float) -> None:
    """D = F(m)·(D | v ≤ m) + (1 − F(m))·(D | v > m), for a law without atoms."""
    law = wz.affine(value)
    if law.is_step:
        return
    middle = float(law.quantile(p))
    below, above = wz.Truncated(value, upper=middle), wz.Truncated(value, lower=middle)
    share = float(law.cdf(middle))
    both = wz.Mixture([below, above], [share, 1.0 - share])
    for name in ("cdf", "excess_below", "excess_above"):
        assert float(getattr(both, name)(s)) == pytest.approx(
            float(getattr(law, name)(s)), rel=1e-9, abs=1e-10
        )


def test_a_narrow_interval_is_right_to_1e_9() -> None:
    """On [1, 1 + 1e-6] the normal law is uniform to 1e-6: the mean is the middle."""
    law = wz.Truncated(scipy.stats.norm(), 1.0, 1.0 + 1e-6)
    assert float(law.mean()) - 1.0 == pytest.approx(5e-7, abs=1e-9)
    assert float(law.excess_below(1.0 + 5e-7)) == pytest.approx(1.25e-7, abs=1e-9)


def test_a_truncated_heavy_tail_has_a_mean() -> None:
    """pareto(1) given v ≤ 10: density x⁻²/0.9, mean log(10)/0.9."""
    law = wz.Truncated(scipy.stats.pareto(1.0), upper=10.0)
    assert float(law.mean()) == pytest.approx(math.log(10.0) / 0.9, rel=1e-12)
    assert math.isfinite(wz.reservation_value(law, 1.0, sense="max"))
    cauchy = wz.Truncated(scipy.stats.cauchy(), -1.0, 1.0)
    assert float(cauchy.mean()) == pytest.approx(0.0, abs=1e-9)
    assert wz.reservation_value(cauchy, 0.25) == pytest.approx(
        -wz.reservation_value(cauchy, 0.25, sense="max"), abs=1e-9
    )


def test_quantiles_of_compounds_end_where_the_value_ends() -> None:
    assert float(wz.Mixture([scipy.stats.uniform(), 3.0]).quantile(1.0)) == 3.0
    assert float(wz.Mixture([scipy.stats.uniform(), 3.0]).quantile(0.0)) == 0.0
    assert float(wz.Mixture([scipy.stats.norm(), 3.0]).quantile(0.0)) == -math.inf
    assert float(wz.Truncated(scipy.stats.norm(), 3.0, 4.0).quantile(0.0)) == 3.0
    assert float(wz.Truncated(scipy.stats.norm(), 3.0, 4.0).quantile(1.0)) == 4.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: wz.Mixture([]), r"The values of Mixture must be at least one\. Got \[\]\."),
        (lambda: wz.Mixture([1.0], [0.0]), r"The weights of Mixture must be finite and > 0"),
        (lambda: wz.Mixture([1.0], [math.nan]), r"The weights of Mixture must be finite and > 0"),
        (
            lambda: wz.Mixture([1.0], [1, 2]),
            r"The weights of Mixture must be as many as its values",
        ),
        (lambda: wz.Mixture([NONSENSE]), r"A value of Mixture must be a number, a scipy"),
        (
            lambda: wz.Truncated(1.0, 3.0, 2.0),
            r"The lower end of Truncated must be <= 2\.0\. Got 3",
        ),
        (lambda: wz.Truncated(1.0, math.nan), r"The lower end of Truncated must"),
        (lambda: wz.Truncated(scipy.stats.uniform(), 2, 3), r"The interval of Truncated must hold"),
        (lambda: wz.Truncated(scipy.stats.norm(), 1, 1), r"The interval of Truncated must hold"),
        (lambda: wz.Truncated(NONSENSE), r"The value of Truncated must be a number, a scipy"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make: Any, message: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=message):
        make()
