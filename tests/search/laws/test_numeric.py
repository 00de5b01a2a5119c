"""Values known by cdf and mean only."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats
from scipy import special

import weitzman as wz
from tests.search.precise import normal_excess


class Normal:
    """A normal law that offers only what it is told to, and counts what it is asked."""

    def __init__(self, loc: float = 0.0, scale: float = 1.0) -> None:
        self.loc, self.scale = loc, scale
        self.asked = 0

    def cdf(self, x: Any) -> Any:
        self.asked += np.size(x)
        return special.ndtr((np.asarray(x) - self.loc) / self.scale)

    def mean(self) -> float:
        return self.loc


class NormalWithTail(Normal):
    def sf(self, x: Any) -> Any:
        return special.ndtr((self.loc - np.asarray(x)) / self.scale)


class Noisy(Normal):
    """A cdf with relative errors of 1e-13, as many special functions have."""

    def cdf(self, x: Any) -> Any:
        x = np.asarray(x)
        return np.minimum(super().cdf(x) * (1.0 + 1e-13 * np.sin(1e9 * x)), 1.0)


@pytest.mark.parametrize("kind", [Normal, NormalWithTail])
@pytest.mark.parametrize(("loc", "scale"), [(0.0, 1.0), (1e6, 1.0), (-50.0, 1e-3), (3.0, 1e7)])
def test_the_excess_is_the_normal_one(kind: Any, loc: float, scale: float) -> None:
    value = kind(loc, scale)
    for depth in (-6.0, -3.0, -0.5, 0.0, 1.0, 4.0, 30.0):
        s = loc + depth * scale
        # Far from 0 the cdf itself is asked at rounded points.
        error = 1e-13 * scale * max(1.0, abs(depth)) + 0.5 * math.ulp(loc)
        for sense in ("min", "max"):
            exact = float(normal_excess(s, loc, scale, sense))
            found = wz.expected_excess(value, s, sense=sense)
            assert found == pytest.approx(exact, abs=error)


def test_a_survival_function_keeps_the_digits_of_a_small_tail() -> None:
    exact = float(normal_excess(7.0, sense="max"))
    assert wz.expected_excess(NormalWithTail(), 7.0, sense="max") == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("place", [2.5, 0.0, -1e6])
def test_a_point_mass_by_its_cdf(place: float) -> None:
    class Point:
        def cdf(self, x: Any) -> Any:
            return np.where(np.asarray(x) >= place, 1.0, 0.0)

        def mean(self) -> float:
            return place

    error = 1e-9 * max(1.0, abs(place))
    assert wz.expected_excess(Point(), place + 1.5) == pytest.approx(1.5, abs=error)
    assert wz.reservation_value(Point(), 1.0) == pytest.approx(place + 1.0, abs=error)
    assert wz.reservation_value(Point(), 1.0, sense="max") == pytest.approx(place - 1.0, abs=error)


class Mixed:
    """0 with chance 1/4, 2 with chance 1/4, else uniform on [0, 4]."""

    def cdf(self, x: Any) -> Any:
        x = np.asarray(x)
        return 0.25 * (x >= 0.0) + 0.25 * (x >= 2.0) + np.clip(x, 0.0, 4.0) / 8.0

    def mean(self) -> float:
        return 1.5

    def support(self) -> tuple[float, float]:
        return 0.0, 4.0


class Bare:
    """A law that offers its cdf, its mean and, unless it is left out, its survival function."""

    def __init__(self, law: Any, *, tail: bool) -> None:
        self.cdf, self.mean = law.cdf, law.mean
        if tail:
            self.sf = law.sf


@pytest.mark.parametrize("tail", [False, True])
@pytest.mark.parametrize("cost", [1e-2, 1e-4, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize(
    "law",
    [
        scipy.stats.uniform(),
        scipy.stats.expon(),
        scipy.stats.gamma(3.0),
        scipy.stats.beta(0.2, 0.2),
        scipy.stats.beta(0.1, 0.9),
        scipy.stats.uniform(-7.0, 1e-3),
    ],
    ids=lambda law: f"{law.dist.name}{law.args}",
)
def test_an_end_that_nobody_tells_is_found(law: Any, cost: float, *, tail: bool) -> None:
    """Below, the cdf ends: σ is that of the closed form, which knows the end."""
    value, exact = Bare(law, tail=tail), wz.reservation_value(law, cost)
    low = law.support()[0]
    # Far from 0 the cdf itself is asked at rounded points
    error = 1e-9 * (exact - low) + 4.0 * math.ulp(low)
    assert wz.reservation_value(value, cost) == pytest.approx(exact, abs=error)
    assert wz.expected_excess(value, exact) == pytest.approx(cost, rel=1e-9, abs=2.0 * error)


@pytest.mark.parametrize("cost", [1e-2, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("law", [scipy.stats.uniform(), scipy.stats.beta(0.2, 0.2)])
def test_an_upper_end_that_nobody_tells_is_found(law: Any, cost: float) -> None:
    exact = wz.reservation_value(law, cost, sense="max")
    found = wz.reservation_value(Bare(law, tail=True), cost, sense="max")
    # A gap of 1e-9 below 1 has seven digits
    assert found == pytest.approx(exact, abs=1e-9 * (1.0 - exact) + 4.0 * math.ulp(1.0))


def test_a_mean_that_does_not_fit_the_cdf_is_refused_for_that() -> None:
    class Wrong(Normal):
        def mean(self) -> float:
            return -3.0

    with pytest.raises(wz.InvalidInputError, match="a mean that fits its cdf"):
        wz.reservation_value(Wrong(), 0.01)


def test_atoms_are_the_jumps_of_the_cdf() -> None:
    law = wz.affine(Mixed())
    x = np.array([[-1.0, 0.0, 1.0], [2.0, 3.0, 4.0]])
    atoms = [[0.0, 0.25, 0.0], [0.25, 0.0, 0.0]]
    assert law.atom(x) == pytest.approx(np.array(atoms), abs=1e-15)
    assert float(law.atom(2.0)) == pytest.approx(0.25, abs=1e-15)


def test_atoms_go_with_a_law_that_is_turned_round() -> None:
    """P(−v ≤ −2) = P(v ≥ 2) has the atom at 2 in it, and P(−v > −2) = P(v < 2) has not."""
    law = wz.affine(Mixed(), shift=1.0, scale=-2.0)
    x = np.array([1.0, 0.0, -3.0, -7.0])
    assert law.atom(x) == pytest.approx([0.25, 0.0, 0.25, 0.0], abs=1e-15)
    assert law.cdf(x) == pytest.approx([1.0, 0.6875, 0.5, 0.0], abs=1e-15)
    assert law.sf(x) == pytest.approx([0.0, 0.3125, 0.5, 1.0], abs=1e-15)


def test_atoms_of_a_noisy_cdf_are_not_negative() -> None:
    x = np.linspace(-3.0, 3.0, 1000)
    atoms = wz.affine(Noisy()).atom(x)
    assert atoms.min() >= 0.0
    assert atoms.max() < 1e-12


def test_a_noisy_cdf_costs_a_bounded_number_of_questions() -> None:
    value = Noisy()
    sigma = wz.reservation_value(value, 1e-3)
    assert float(normal_excess(sigma)) == pytest.approx(1e-3, rel=1e-9)
    assert value.asked < 200_000


def test_tails_of_nearly_infinite_mean_are_right_or_refused() -> None:
    """E v⁺ of t(ν) is √ν Γ((ν + 1)/2) / (√π Γ(ν/2) (ν − 1))."""
    for nu in (1.5, 1.1, 1.01):
        exact = math.sqrt(nu / math.pi) * math.gamma((nu + 1) / 2) / math.gamma(nu / 2) / (nu - 1)
        assert wz.expected_excess(scipy.stats.t(nu), 0.0) == pytest.approx(exact, rel=1e-9)


def test_an_infinite_mean_is_taken_as_said() -> None:
    heavy = scipy.stats.levy()
    assert float(wz.affine(heavy).mean()) == math.inf
    assert math.isfinite(wz.expected_excess(heavy, 5.0))
    assert wz.expected_excess(heavy, 5.0, sense="max") == math.inf


def test_quantiles_without_an_inverse_are_found() -> None:
    law = wz.affine(Normal(1e5, 10.0))
    p = np.array([1e-6, 0.1, 0.5, 0.999])
    assert law.quantile(p) == pytest.approx(scipy.stats.norm(1e5, 10.0).ppf(p), rel=1e-12)


def test_the_protocol_is_a_cdf_and_a_mean() -> None:
    assert isinstance(Normal(), wz.CdfAndMean)
    assert isinstance(scipy.stats.t(3), wz.CdfAndMean)
    assert not isinstance(3.0, wz.CdfAndMean)
