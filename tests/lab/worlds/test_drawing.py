"""What worlds share: points of a ball, sums in a fixed order, laws with a given σ."""

import numpy as np
import pytest

import weitzman as wz
from tests.lab.instances import law
from weitzman.lab.worlds.drawing import ball, dot, lowest


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_points_are_uniform_in_the_ball(dimension: int) -> None:
    # |x|^d is uniform on [0, 1], and each coordinate has mean 0. False alarms: 1e-6 per assertion
    count = 40_000
    points = ball(np.random.default_rng(1), count, dimension)
    radius = np.sort(np.linalg.norm(points, axis=1) ** dimension)
    steps = np.arange(count + 1) / count
    distance = max((steps[1:] - radius).max(), (radius - steps[:-1]).max())
    assert distance < np.sqrt(np.log(2e6) / (2 * count))
    allowed = 2.0 * np.sqrt(np.log(2e6 * dimension) / (2 * count))
    assert np.abs(points.mean(axis=0)).max() < allowed


def test_dot_is_the_dot_product() -> None:
    rng = np.random.default_rng(2)
    left, right = rng.normal(size=(7, 3, 4)), rng.normal(size=(3, 4))
    assert np.abs(dot(left, right) - np.einsum("tnd,nd->tn", left, right)).max() < 1e-14


@pytest.mark.parametrize("width", [0.0, 0.5, 2.0, 3.0, 50.0])
@pytest.mark.parametrize("sigma", [-3.0, 0.0, 1.25])
def test_laws_have_the_reservation_value_that_was_asked_for(width: float, sigma: float) -> None:
    low = float(lowest(np.array(sigma), width, 0.8))
    found = wz.reservation_value(law(low, low + width), 0.8)
    assert found == pytest.approx(sigma, abs=1e-12)
