"""Quadrature against integrals known in closed form."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.strategies import steady
from weitzman.search.laws.quadrature import areas, integrate, integrate_tail, tail_panels

Array = NDArray[np.float64]


@steady
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=12), st.floats(-4, 4), st.floats(0.01, 5))
def test_polynomials_are_exact(coefficients: list[float], start: float, width: float) -> None:
    p = np.polynomial.Polynomial(coefficients)
    whole = p.integ()(start + width) - p.integ()(start)
    size = sum(abs(c) * (abs(start) + width) ** k for k, c in enumerate(coefficients)) * width
    found = integrate(p, np.array([start, start + width]))
    assert found == pytest.approx(whole, abs=1e-13 * size + 1e-300)


@pytest.mark.parametrize("jump", [0.5, 1 / 3, 0.01, 0.99, math.pi / 4])
def test_a_jump_off_the_edges_is_found(jump: float) -> None:
    found = integrate(lambda x: np.where(x < jump, 2.0, -1.0), np.array([0.0, 1.0]))
    assert found == pytest.approx(2.0 * jump - (1.0 - jump), abs=1e-13)


def test_a_singular_slope_is_found() -> None:
    assert integrate(np.sqrt, np.array([0.0, 1.0])) == pytest.approx(2 / 3, rel=1e-13)


def test_each_panel_is_measured_for_itself() -> None:
    left, right = np.array([0.0, 1e-9, 5.0]), np.array([1e-9, 1.0, 5.0])
    found = areas(lambda x: x, left, right)
    assert found.tolist() == pytest.approx([5e-19, 0.5 - 5e-19, 0.0], rel=1e-13)


def test_no_panels_have_no_area() -> None:
    assert integrate(np.exp, np.array([1.0])) == 0.0
    assert areas(np.exp, np.array([]), np.array([])).tolist() == []


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("width", [1e-4, 1e-2, 1.0])
def test_light_tails(scale: float, width: float) -> None:
    """e^(−x/scale) and the half of a Gaussian, whatever the guess at their width."""
    guess = width * scale
    exponential = integrate_tail(lambda x: np.exp(-x / scale), 0.0, guess)
    assert exponential == pytest.approx(scale, rel=1e-12)
    gaussian = integrate_tail(lambda x: np.exp(-((x / scale) ** 2)), 0.0, guess)
    assert gaussian == pytest.approx(scale * math.sqrt(math.pi) / 2, rel=1e-12)


@pytest.mark.parametrize("power", [1.01, 1.1, 1.5, 2.0, 5.0])
def test_power_tails(power: float) -> None:
    found = integrate_tail(lambda x: (1.0 + x) ** -power, 0.0, 1.0)
    assert found == pytest.approx(1.0 / (power - 1.0), rel=1e-9)


@pytest.mark.parametrize("power", [1.0, 0.9, 0.5, 0.0])
def test_divergent_tails_are_infinite(power: float) -> None:
    assert integrate_tail(lambda x: (1.0 + x) ** -power, 0.0, 1.0) == math.inf


def test_a_divergent_tail_that_underflows_is_infinite() -> None:
    """Many a survival function squares its argument, and is 0 from 1e154 on."""

    def early(x: Array) -> Array:
        return np.where(x < 1e150, 1.0 / (1.0 + x), 0.0)

    assert integrate_tail(early, 0.0, 1.0) == math.inf


def test_a_tail_that_ends_is_cut_there() -> None:
    found = integrate_tail(lambda x: np.maximum(1.0 - x / 3.0, 0.0), 0.0, 1.0)
    assert found == pytest.approx(1.5, rel=1e-12)


def test_tail_panels_double() -> None:
    edges, rest = tail_panels(lambda x: np.exp(-x), 2.0, 0.5)
    steps = np.diff(edges)
    assert edges[0] == 2.0
    assert steps[1:] == pytest.approx(2.0 * steps[:-1], rel=1e-9)
    assert rest == 0.0
