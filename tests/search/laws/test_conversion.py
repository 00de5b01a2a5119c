"""What may be given as a value."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from weitzman.search.laws.conversion import as_distribution


@pytest.mark.parametrize("number", [3, 3.0, np.float64(3), np.float32(3), np.int64(3)])
def test_a_number_is_a_point_mass(number: Any) -> None:
    law = as_distribution(number)
    assert isinstance(law, wz.Discrete)
    assert law.values.tolist() == [3.0]


@pytest.mark.parametrize("value", [True, np.True_, "3", b"3", None, object(), {}, 1j])
def test_anything_else_is_refused_by_name(value: Any) -> None:
    with pytest.raises(
        wz.InvalidInputError, match=r"^The value of box 'a' must be a number, a scipy"
    ):
        wz.Box("a", 1.0, value)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused(number: float) -> None:
    with pytest.raises(wz.InvalidInputError, match="finite"):
        wz.Box("a", 1.0, number)


@pytest.mark.parametrize(
    "value",
    [
        scipy.stats.norm(np.array([1.0, 2.0])),
        scipy.stats.gamma(np.array([1.0, 2.0])),
        scipy.stats.t(np.array([3.0, 4.0])),
        scipy.stats.t(3.0, loc=np.array([3.0, 4.0])),
        scipy.stats.poisson(np.array([3.0, 4.0])),
    ],
)
def test_one_box_is_one_law(value: Any) -> None:
    with pytest.raises(wz.InvalidInputError, match=r"must be one distribution, not an array of"):
        wz.Box("a", 1.0, value)


def test_many_laws_at_once_are_for_closed_families() -> None:
    many: Any = scipy.stats.t(np.array([3.0, 4.0]))
    with pytest.raises(wz.InvalidInputError, match=r"must be one distribution, not an array of"):
        wz.reservation_value(many, 1.0)


@pytest.mark.parametrize(
    "frozen",
    [
        scipy.stats.poisson(4.5),
        scipy.stats.poisson(4.5, loc=0.5),
        scipy.stats.binom(12, 0.3, loc=-2),
        scipy.stats.geom(0.3),
        scipy.stats.nbinom(3, 0.4),
        scipy.stats.randint(-3, 9),
        scipy.stats.hypergeom(20, 7, 12),
        scipy.stats.dlaplace(0.8),
    ],
    ids=lambda f: f.dist.name,
)
def test_discrete_scipy_laws_are_their_outcomes(frozen: Any) -> None:
    law = as_distribution(frozen)
    assert isinstance(law, wz.Discrete)
    assert law.probabilities == pytest.approx(frozen.pmf(law.values), rel=1e-12)
    assert float(law.probabilities.sum()) == pytest.approx(1.0, abs=1e-14)
    assert float(law.mean()) == pytest.approx(float(frozen.mean()), rel=1e-12, abs=1e-12)
    ends = [float(e) for e in frozen.support()]
    assert ends[0] <= law.values[0]
    assert float(frozen.cdf(law.values[0])) - float(frozen.pmf(law.values[0])) < 1e-15
    assert float(frozen.sf(law.values[-1])) < 1e-15


@pytest.mark.parametrize("cost", [1e-3, 1e-8, 1e-15, 1e-30])
@pytest.mark.parametrize(
    "frozen",
    [
        scipy.stats.geom(0.02),
        scipy.stats.poisson(3.0),
        scipy.stats.nbinom(0.5, 0.01),
        scipy.stats.planck(0.1),
        scipy.stats.dlaplace(0.8),
    ],
    ids=lambda f: f.dist.name,
)
def test_a_discrete_tail_is_there_at_the_smallest_costs(frozen: Any, cost: float) -> None:
    """E(v − σ)⁺ at the σ found, by a sum of the pmf over 40,000 outcomes, is the cost."""
    sigma = wz.reservation_value(frozen, cost, sense="max")
    beyond = np.arange(math.floor(sigma) + 1, math.floor(sigma) + 40_001)
    excess = math.fsum(frozen.pmf(beyond) * (beyond - sigma))
    assert excess == pytest.approx(cost, rel=1e-11)


@pytest.mark.parametrize("cost", [1e-3, 1e-8, 1e-15, 1e-30])
def test_a_geometric_tail_is_that_of_its_formula(cost: float) -> None:
    """E(v − n)⁺ = (1 − p)ⁿ/p at whole n, and linear between."""
    p = 0.02
    n = math.floor(math.log(cost * p) / math.log1p(-p))
    low, high = ((1.0 - p) ** k / p for k in (n, n + 1))
    exact = n + (low - cost) / (low - high)
    found = wz.reservation_value(scipy.stats.geom(p), cost, sense="max")
    assert found == pytest.approx(exact, rel=1e-11)


def of_a_million(sigma: float) -> float:
    """How exact σ has to be: outcomes beyond a million stand apart."""
    return 1e-10 if sigma <= 2**20 else 4e-6


def zeta_sum(a: float, s: float) -> float:
    """Σ_{j > s} (j − s) j^−a: a thousand terms, and the rest by Euler and Maclaurin."""
    n = math.floor(s) + 1
    terms = [(j - s) * float(j) ** -a for j in range(n, n + 1000)]
    m = float(n + 1000)
    terms += [m ** (2.0 - a) / (a - 2.0), -s * m ** (1.0 - a) / (a - 1.0)]
    terms += [0.5 * (m - s) * m**-a, -((1.0 - a) * m**-a + a * s * m ** (-a - 1.0)) / 12.0]
    return math.fsum(terms)


@pytest.mark.parametrize("cost", [1.0, 1e-3, 1e-8, 1e-15, 1e-25, 1e-40])
@pytest.mark.parametrize("a", [2.1, 2.5, 3.0, 4.5, 6.8, 8.0, 12.0, 20.0])
def test_a_power_tail_is_there_at_small_costs(a: float, cost: float) -> None:
    sigma = wz.reservation_value(scipy.stats.zipf(a), cost, sense="max")
    if 1.0 <= sigma < 1e12:
        excess = zeta_sum(a, sigma) / zeta_sum(a + 1.0, 0.0)
        assert excess == pytest.approx(cost, rel=of_a_million(sigma))
    elif sigma >= 1e12:
        # Far out the sum is an integral
        excess = sigma ** (2.0 - a) / (a - 1.0) / (a - 2.0) / zeta_sum(a + 1.0, 0.0)
        assert excess == pytest.approx(cost, rel=1e-6)


@pytest.mark.parametrize("cost", [0.1, 1e-3, 1e-8, 1e-15, 1e-25, 1e-40])
@pytest.mark.parametrize("a", [2, 3, 5, 8, 11])
def test_a_tail_of_yule_and_simon_is_that_of_its_formula(a: int, cost: float) -> None:
    """E(v − n)⁺ is a product at whole n, and linear between; P(v > n) = n B(n, a + 1) is its step."""
    sigma = wz.reservation_value(scipy.stats.yulesimon(a), cost, sense="max")
    n = math.floor(sigma)

    def beyond(k: int) -> Fraction:
        ends = math.prod(range(k, k + a + 1))
        return Fraction(k * (k + a) * math.factorial(a), ends * (a - 1))

    low, high = beyond(n), beyond(n + 1)
    assert low - high == Fraction(n * math.factorial(a), math.prod(range(n, n + a + 1)))
    excess = float(low + (Fraction(sigma) - n) * (high - low))
    assert excess == pytest.approx(cost, rel=of_a_million(sigma))


@pytest.mark.parametrize(
    ("frozen", "mean"),
    [
        *(
            (scipy.stats.zipf(a, loc=-3.0), zeta_sum(a, 0.0) / zeta_sum(a + 1.0, 0.0) - 3.0)
            for a in (2.05, 3.0, 6.0, 12.0, 90.0)
        ),
        *(
            (scipy.stats.yulesimon(a, loc=2.0), a / (a - 1.0) + 2.0)
            for a in (1.05, 3.5, 9.0, 200.0)
        ),
    ],
    ids=lambda f: f"{f.dist.name}{f.args}" if hasattr(f, "dist") else "",
)
def test_a_power_tail_keeps_chances_and_mean(frozen: Any, mean: float) -> None:
    law = as_distribution(frozen)
    assert float(law.mean()) == pytest.approx(mean, rel=1e-10)
    low = float(frozen.support()[0])
    x = low + np.array([-1.0, 0.0, 1.0, 7.0, 400.0])
    assert law.cdf(x) == pytest.approx(frozen.cdf(x), abs=1e-12)
    assert law.atom(x) == pytest.approx(frozen.pmf(x), rel=1e-11)
    found = wz.reservation_value(frozen, 1e-2)
    assert found - low == pytest.approx(1e-2 / frozen.pmf(low), rel=1e-12)


def test_a_box_with_a_power_tail_is_planned() -> None:
    """E max(o, κ) − … of one box is o + (E(v − o)⁺ − c)⁺."""
    boxes = [wz.Box("a", 0.01, scipy.stats.zipf(3.0))]
    made = wz.plan(boxes, sense="max", outside=5.0)
    excess = zeta_sum(3.0, 5.0) / zeta_sum(4.0, 0.0)
    assert made.expected_total == pytest.approx(5.0 + excess - 0.01, rel=1e-12)


@pytest.mark.parametrize("frozen", [scipy.stats.zipf(2.0), scipy.stats.yulesimon(1.0)])
def test_a_power_tail_without_a_mean_is_refused(frozen: Any) -> None:
    with pytest.raises(
        wz.InvalidInputError, match=r"box 'a' must have a finite mean. Got '(zipf|yule)"
    ):
        wz.Box("a", 1.0, frozen)


def test_a_tail_that_needs_too_many_outcomes_is_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match=r"Got 'betanbinom from 0\.0 to inf'"):
        wz.Box("a", 1.0, scipy.stats.betanbinom(3, 2.5, 1.0))


def test_parameters_outside_their_domain_are_refused() -> None:
    message = r"The parameters of poisson must be in its domain\. Got 'mu=-1'"
    with pytest.raises(wz.InvalidInputError, match=message):
        wz.Box("a", 1.0, scipy.stats.poisson(-1))


@pytest.mark.parametrize("cost", [1e-3, 1e-15, 1e-25])
def test_a_long_geometric_tail_is_there_at_small_costs(cost: float) -> None:
    p = 1e-4
    n = math.floor(math.log(cost * p) / math.log1p(-p))
    low, high = (math.exp(k * math.log1p(-p)) / p for k in (n, n + 1))
    found = wz.reservation_value(scipy.stats.geom(p), cost, sense="max")
    assert found == pytest.approx(n + (low - cost) / (low - high), rel=1e-10)


def test_a_discrete_law_with_a_long_tail_has_not_too_many_outcomes() -> None:
    law = as_distribution(scipy.stats.geom(1e-4))
    assert isinstance(law, wz.Discrete)
    assert law.values.size < 1_000_000


def test_a_discrete_scipy_law_off_the_integers_keeps_all_its_outcomes() -> None:
    values, mass = [0.5, 1.75, 10.25], [0.25, 0.5, 0.25]
    frozen = scipy.stats.rv_discrete(values=(values, mass))()
    assert wz.reservation_value(frozen, 1.0) == pytest.approx(
        wz.reservation_value(wz.Discrete(values, mass), 1.0), rel=1e-9
    )


def test_a_discrete_law_with_few_outcomes_far_apart_is_read() -> None:
    frozen = scipy.stats.rv_discrete(values=([0, 10**8], [0.5, 0.5]))()
    assert wz.reservation_value(frozen, 1.0) == pytest.approx(2.0)


def test_a_discrete_law_with_too_many_outcomes_is_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match="must have fewer than 2,000,000 outcomes"):
        wz.reservation_value(scipy.stats.randint(0, 10**8), 1.0)


def test_a_law_of_the_library_is_taken_as_it_is() -> None:
    law = wz.Discrete([1, 2])
    assert as_distribution(law) is law


@pytest.mark.parametrize("bad", [{"scale": 0.0}, {"scale": math.nan}, {"shift": math.inf}])
def test_an_affine_map_is_finite_and_not_flat(bad: dict[str, float]) -> None:
    with pytest.raises(wz.InvalidInputError, match=r"^The (shift|scale) of an affine map must "):
        wz.affine(3.0, **bad)


def test_affine_maps_compose() -> None:
    for value in (scipy.stats.gamma(2.0), wz.Discrete([1, 4]), scipy.stats.t(4), 2.5):
        twice = wz.affine(wz.affine(value, shift=1.0, scale=-2.0), shift=-3.0, scale=0.5)
        once = wz.affine(value, shift=-2.5, scale=-1.0)
        x = np.linspace(-6, 2, 17)
        assert twice.cdf(x) == pytest.approx(once.cdf(x), abs=1e-14)
        assert twice.excess_below(x) == pytest.approx(once.excess_below(x), rel=1e-12, abs=1e-14)
