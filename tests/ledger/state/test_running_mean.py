"""Means and ratios with standard errors, beside direct computations."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weitzman.ledger.state.running_mean import Ratio, Spread


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=50), st.sampled_from([0.0, 1e6]))
def test_a_spread_is_that_of_its_numbers(numbers: list[float], far: float) -> None:
    numbers = [number + far for number in numbers]
    spread = Spread()
    for number in numbers:
        spread.add(number)
    scale = max(1.0, far)
    assert spread.mean == pytest.approx(statistics.fmean(numbers), abs=1e-12 * scale)
    error = statistics.stdev(numbers) / math.sqrt(len(numbers))
    assert spread.error() == pytest.approx(error, rel=1e-6, abs=1e-9 * scale)


def test_one_number_has_no_error() -> None:
    spread = Spread()
    assert spread.error() is None
    spread.add(3.0)
    assert (spread.mean, spread.error()) == (3.0, None)


def test_the_error_of_a_ratio_is_that_of_its_draws() -> None:
    rng = np.random.default_rng(0)
    found, told = [], []
    for _ in range(400):
        c = rng.uniform(0.5, 1.5, 100)
        e = c * rng.exponential(0.8, 100)
        ratio = Ratio()
        for pair in zip(e.tolist(), c.tolist(), strict=True):
            ratio.add(*pair)
        found.append(e.sum() / c.sum())
        told.append(ratio.error(float(e.sum()), float(c.sum())) or 0.0)
    assert np.mean(told) == pytest.approx(np.std(found), rel=0.1)
    assert Ratio().error(0.0, 0.0) is None
