"""The closed expected excesses, to forty digits, near and far from the middle."""

from decimal import Decimal

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from tests.search.brute import Sense
from tests.search.precise import FAMILIES, family_excess
from weitzman.search.laws.closed_forms import CLOSED

SHAPES: dict[str, list[tuple[float, ...]]] = {
    "uniform": [()],
    "norm": [()],
    "expon": [()],
    "logistic": [()],
    "bernoulli": [(0.0,), (0.3,), (1.0,)],
    "gamma": [(0.1,), (1.0,), (2.5,), (400.0,)],
    "beta": [(2.0, 3.5), (0.25, 0.4), (60.0, 3.0), (1.0, 1.0)],
    "lognorm": [(0.05,), (0.7,), (2.0,)],
    "pareto": [(1.5,), (2.0,), (6.0,)],
    "weibull_min": [(0.5,), (1.0,), (1.7,), (20.0,)],
}
CASES = [(name, shapes) for name in FAMILIES for shapes in SHAPES[name]]


def test_every_closed_family_is_tested() -> None:
    assert set(FAMILIES) == set(CLOSED) == set(SHAPES)


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize(("name", "shapes"), CASES, ids=lambda c: str(c))
def test_expected_excess_is_accurate_in_both_tails(
    name: str, shapes: tuple[float, ...], sense: Sense
) -> None:
    """To 1e-10 of itself down to 1e-12 of the scale, and to 1e-13 of the scale everywhere."""
    value = getattr(scipy.stats, name)(*shapes)
    tails = [1e-10, 1e-6, 1e-3, 0.1, 0.5]
    points = {*value.ppf(tails), *value.isf(tails), -3.0, 0.0, 0.5, 1.0, 1e3, 1e9}
    for s in sorted(float(x) for x in points if np.isfinite(x)):
        exact = family_excess(name, shapes, 0.0, 1.0, s, sense)
        found = wz.expected_excess(value, s, sense=sense)
        size = max(1.0, abs(float(value.mean())), abs(s))
        error = abs(Decimal(found) - exact)
        assert error <= 4e-15 * size, (s, found, float(exact))
        slope = float(value.cdf(s) if sense == "min" else value.sf(s))
        if exact > 1e-12:
            # A rounding of s alone is worth slope·ulp(s).
            assert error <= Decimal("1e-9") * exact + Decimal(slope * np.spacing(size)), (s, found)


@pytest.mark.parametrize(("name", "shapes"), CASES, ids=lambda c: str(c))
def test_cdf_survival_quantile_mean_and_support_are_scipys(
    name: str, shapes: tuple[float, ...]
) -> None:
    value = getattr(scipy.stats, name)(*shapes, loc=2)
    law = wz.affine(value)
    x = np.unique(np.concatenate([np.linspace(-2, 12, 57), value.ppf([0.01, 0.3, 0.7, 0.99])]))
    assert law.cdf(x) == pytest.approx(value.cdf(x), rel=1e-12, abs=1e-15)
    assert law.sf(x) == pytest.approx(value.sf(x), rel=1e-12, abs=1e-15)
    p = np.linspace(0.05, 0.95, 19)
    assert law.quantile(p) == pytest.approx(value.ppf(p), rel=1e-12)
    assert float(law.mean()) == pytest.approx(float(value.mean()), rel=1e-13)
    if name != "bernoulli":
        assert [float(e) for e in law.support()] == [float(e) for e in value.support()]
