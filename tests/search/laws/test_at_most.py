"""The law of min(v, b) against the discrete law of the same values, and against quadrature."""

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz
from weitzman.search.laws.at_most import AtMost
from weitzman.search.laws.conversion import as_distribution


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=5, unique=True),
    st.integers(-12, 12).map(lambda k: k / 2),
)
def test_of_finitely_many_values_it_is_their_law(values: list[int], b: float) -> None:
    law = AtMost(wz.Discrete(np.array(values, dtype=float)), b)
    plain = wz.Empirical(np.minimum(values, b))
    x = np.arange(-16, 17) / 2.0
    for question in ("cdf", "sf", "atom", "excess_below", "excess_above"):
        np.testing.assert_allclose(
            getattr(law, question)(x), getattr(plain, question)(x), atol=1e-14
        )
    assert float(law.mean()) == pytest.approx(float(plain.mean()), abs=1e-14)
    np.testing.assert_array_equal(law.support(), plain.support())
    levels = np.array([0.01, 0.37, 0.99])
    np.testing.assert_array_equal(law.quantile(levels), plain.quantile(levels))
    assert set(plain.values) <= set(law.kinks())
    moved = law.affine(shift=1.0, scale=2.0)
    np.testing.assert_allclose(moved.cdf(1.0 + 2.0 * x), law.cdf(x))


@pytest.mark.parametrize("b", [-0.5, 0.3, 4.0])
def test_of_continuous_values_by_quadrature(b: float) -> None:
    law, normal = AtMost(as_distribution(scipy.stats.norm()), b), scipy.stats.norm()
    for s in (-1.0, 0.0, 0.3, 2.0):
        below = scipy.integrate.quad(lambda x: 1.0 if x >= b else normal.cdf(x), -40, s, points=[b])
        assert float(law.excess_below(s)) == pytest.approx(below[0], abs=1e-10)
    assert law.is_step is False


def test_it_cannot_be_turned_round() -> None:
    with pytest.raises(
        wz.InvalidInputError, match="The scale of an affine map of AtMost must be > 0"
    ):
        AtMost(wz.Discrete([1.0]), 2.0).affine(scale=-1.0)
