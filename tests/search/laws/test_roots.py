"""Roots of convex functions that are known in closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.strategies import steady
from weitzman.search.laws.roots import halve, solve_excess

Array = NDArray[np.float64]
COSTS = np.geomspace(1e-12, 1e12, 49)


def test_an_exponential_tail() -> None:
    """c_D(s) = log(1 + eˢ), whose root is log(e^c − 1), from an upper end far away."""
    root = solve_excess(
        lambda s: np.logaddexp(0.0, s),
        lambda s: 1.0 / (1.0 + np.exp(-s)),
        COSTS,
        COSTS + 50.0,
        np.full(COSTS.shape, -np.inf),
    )
    exact = COSTS + np.log(-np.expm1(-COSTS))
    assert root.tolist() == pytest.approx(exact.tolist(), rel=1e-13)


def test_a_power_at_a_finite_end() -> None:
    """c_D(s) = s⁸ near 0: flat where plain Newton steps crawl."""
    costs = np.geomspace(1e-30, 1.0, 31)
    root = solve_excess(
        lambda s: np.maximum(s, 0.0) ** 8,
        lambda s: 8.0 * np.maximum(s, 0.0) ** 7,
        costs,
        np.full(costs.shape, 5.0),
        np.zeros(costs.shape),
    )
    assert root.tolist() == pytest.approx((costs**0.125).tolist(), rel=1e-13)


def test_a_power_tail_without_an_end() -> None:
    """c_D(s) = 1/(1 − s) for s < 0: the root −(1 − c)/c is far out for small costs."""
    costs = np.geomspace(1e-12, 0.9, 25)
    root = solve_excess(
        lambda s: np.where(s < 0.0, 1.0 / (1.0 - s), 1.0 + s),
        lambda s: np.where(s < 0.0, (1.0 - s) ** -2.0, 1.0),
        costs,
        costs + 1.0,
        np.full(costs.shape, -np.inf),
    )
    assert root.tolist() == pytest.approx((1.0 - 1.0 / costs).tolist(), rel=1e-12)


def test_a_root_at_a_corner() -> None:
    """c_D is linear on both sides of its corner, and the root is the corner."""

    def excess(s: Array) -> Array:
        return 0.25 * np.maximum(s, 0.0) + 0.75 * np.maximum(s - 4.0, 0.0)

    root = solve_excess(
        excess,
        lambda s: np.where(s < 0, 0.0, np.where(s < 4.0, 0.25, 1.0)),
        np.array([1.0]),
        np.array([9.0]),
        np.array([0.0]),
    )
    assert root[0] == pytest.approx(4.0, rel=1e-15)


@steady
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9), st.floats(0.0001, 1.0))
def test_halving_finds_the_smallest_point_that_reaches_p(points: list[int], p: float) -> None:
    ordered = np.sort(np.array(points, dtype=np.float64))

    def cdf(x: Array) -> Array:
        return np.searchsorted(ordered, x, side="right") / ordered.size

    found = halve(cdf, np.array(p), np.array(-25.0), np.array(25.0))
    assert cdf(found) >= p
    assert cdf(np.nextafter(found, -np.inf)) < p
