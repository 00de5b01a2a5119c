"""Location-scale families, and how scipy's frozen distributions are read."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from tests.search import brute
from tests.search.brute import ExactBox, Problem, Sense
from tests.strategies import plan_of
from weitzman.search.laws.parametric import LocationScale, from_scipy, is_closed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (scipy.stats.norm(1, 2), scipy.stats.norm(scale=2, loc=1)),
        (scipy.stats.gamma(2, 1, 3), scipy.stats.gamma(scale=3, loc=1, a=2)),
        (scipy.stats.beta(2, 3, 1), scipy.stats.beta(b=3, a=2, loc=1)),
        (scipy.stats.bernoulli(0.3, 4), scipy.stats.bernoulli(p=0.3, loc=4)),
        (scipy.stats.t(3, 1, 2), scipy.stats.t(df=3, loc=1, scale=2)),
    ],
)
def test_parameters_by_position_and_by_name_are_the_same(one: Any, other: Any) -> None:
    x = np.linspace(-3, 9, 25)
    assert wz.affine(one).cdf(x).tolist() == wz.affine(other).cdf(x).tolist()
    assert wz.affine(one).cdf(x) == pytest.approx(one.cdf(x), abs=1e-14)
    assert wz.reservation_value(one, 0.7) == wz.reservation_value(other, 0.7)


@pytest.mark.parametrize(
    "value",
    [scipy.stats.uniform(0, 0), scipy.stats.norm(0, -1), scipy.stats.gamma(-1), scipy.stats.t(-2)],
    ids=lambda v: v.dist.name,
)
def test_parameters_out_of_their_domain_are_refused(value: Any) -> None:
    with pytest.raises(wz.InvalidInputError, match=r"^The parameters of \w+ must be in its domain"):
        wz.reservation_value(value, 1.0)


def test_a_family_of_ones_own_is_not_taken_for_scipys() -> None:
    class Norm(scipy.stats.rv_continuous):
        """Uniform on [0, 1], under a false name."""

        def _cdf(self, x: Any, *shapes: Any) -> Any:
            return x

        def _pdf(self, x: Any, *shapes: Any) -> Any:
            return np.ones_like(x)

    mine = Norm(a=0.0, b=1.0, name="norm")()
    assert not is_closed(mine)
    assert wz.reservation_value(mine, 0.125) == pytest.approx(0.5, rel=1e-9)


def test_parts_of_many_laws_are_the_laws() -> None:
    law = from_scipy(scipy.stats.gamma(np.array([1.0, 2.0, 3.0]), scale=np.array([1.0, 2.0, 0.5])))
    assert law.shape == (3,)
    assert law[1:].mean().tolist() == [4.0, 1.5]
    assert law.excess_below(2.0)[1] == wz.expected_excess(scipy.stats.gamma(2.0, scale=2.0), 2.0)


def test_laws_of_both_directions_may_be_one_family() -> None:
    scales = np.array([2.0, -1.0, 0.5, -3.0])
    shapes = np.array([1.0, 2.0, 3.0, 0.7])
    gamma = from_scipy(scipy.stats.gamma(2.0))
    many = LocationScale(gamma.standard, (shapes,), np.arange(4.0), scales, "gamma")
    for place in range(4):
        alone = wz.affine(
            scipy.stats.gamma(shapes[place]), shift=float(place), scale=float(scales[place])
        )
        for x in (-2.0, 0.5, 3.0):
            for name in ("cdf", "sf", "atom", "excess_below", "excess_above"):
                assert getattr(many, name)(x)[place] == getattr(alone, name)(x), name
        for name in ("quantile", "solve_below", "solve_above"):
            assert getattr(many, name)(0.3)[place] == pytest.approx(
                float(getattr(alone, name)(0.3)), rel=1e-12
            )
        assert many.mean()[place] == alone.mean()
        assert [end[place] for end in many.support()] == [float(end) for end in alone.support()]


def test_turned_atoms_fall_on_the_right_side() -> None:
    law = wz.affine(scipy.stats.bernoulli(0.25), scale=-1.0)
    assert law.cdf([-1.5, -1.0, -0.5, 0.0]).tolist() == [0.0, 0.25, 0.25, 1.0]
    assert law.sf([-1.5, -1.0, -0.5, 0.0]).tolist() == [1.0, 0.75, 0.75, 0.0]


def test_atoms_stay_on_their_points_after_rounding() -> None:
    """bernoulli(p, loc) jumps at the floats loc and loc + 1, and nowhere near them."""
    rng = np.random.default_rng(3)
    for loc in rng.uniform(-3, 3, 200):
        law = wz.affine(scipy.stats.bernoulli(0.25, loc=loc))
        turned = law.affine(scale=-1.0)
        ends = law.kinks()
        assert law.cdf(ends).tolist() == [0.75, 1.0]
        assert law.atom(ends).tolist() == [0.75, 0.25]
        assert turned.cdf(turned.kinks()).tolist() == [0.25, 1.0]
        assert turned.sf(turned.kinks()).tolist() == [0.75, 0.0]


@pytest.mark.parametrize("sense", ["min", "max"])
def test_plans_of_bernoulli_boxes_at_any_location_are_those_of_discrete_boxes(sense: Sense) -> None:
    rng = np.random.default_rng(4)
    for a, b in rng.uniform(-1, 1, (40, 2)):
        boxes = [
            wz.Box("a", 0.05, scipy.stats.bernoulli(0.5, loc=a)),
            wz.Box("b", 0.05, scipy.stats.bernoulli(0.25, loc=b)),
            wz.Box("c", 0.05, wz.Mixture([scipy.stats.bernoulli(0.5, loc=a), 2.5, -2.5])),
        ]
        third = 1.0 / 6.0
        same = [
            wz.Box("a", 0.05, wz.Discrete([a, a + 1])),
            wz.Box("b", 0.05, wz.Discrete([b, b + 1], [0.75, 0.25])),
            wz.Box(
                "c", 0.05, wz.Discrete([a, a + 1, 2.5, -2.5], [third, third, 2 * third, 2 * third])
            ),
        ]
        found, exact = wz.plan(boxes, sense=sense), wz.plan(same, sense=sense)
        assert found.expected_total == pytest.approx(exact.expected_total, abs=1e-12), (a, b)
        low = [-9.0 if sense == "min" else 9.0] * 3
        assert wz.expected_total(boxes, low, sense=sense) == pytest.approx(
            wz.expected_total(same, low, sense=sense), abs=1e-12
        )


def test_a_law_shows_its_family_and_parameters() -> None:
    assert repr(wz.affine(scipy.stats.gamma(2, 1, 3))) == "gamma(2.0, loc=1.0, scale=3.0)"


def test_discrete_and_bernoulli_boxes_share_a_plan_with_brute_force() -> None:
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    problem = Problem(
        (
            ExactBox(quarter, ((Fraction(0), half), (Fraction(1), half))),
            ExactBox(Fraction(1, 8), ((Fraction(-1), quarter), (Fraction(2), 3 * quarter))),
        ),
    )
    boxes = [
        wz.Box("0", 0.25, scipy.stats.bernoulli(0.5)),
        wz.Box("1", 0.125, wz.Discrete([-1, 2], [0.25, 0.75])),
    ]
    found = wz.plan(boxes).expected_total
    assert found == pytest.approx(float(brute.optimal_total(problem)), rel=1e-14)
    assert found == pytest.approx(plan_of(problem).expected_total, rel=1e-14)
    assert math.isfinite(found)
