"""The sum that is rounded once has the bits of Python's, and of sums of fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weitzman.compiled.exact_sum import exact_sum


@settings(deadline=None)
@given(st.lists(st.floats(-1e300, 1e300), max_size=30))
def test_it_is_that_of_python(numbers: list[float]) -> None:
    # 30 numbers of 10³⁰⁰ do not overflow
    assert exact_sum(np.array(numbers, dtype=np.float64)) == math.fsum(numbers)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_rounded_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=40) * 2.0 ** rng.integers(-60, 60, size=40)
    # Halves of a last digit, where the rest decides
    numbers[20:] = np.round(numbers[20:] * 2.0**-50) * 2.0**52 + numbers[:20]
    exact = sum(map(Fraction, numbers.tolist()), Fraction(0))
    assert exact_sum(numbers) == float(exact)


@pytest.mark.parametrize("rest", [1.0, -1.0, 0.0])
def test_half_a_digit_goes_the_way_of_the_rest(rest: float) -> None:
    numbers = np.array([2.0**53, 1.0, rest * 2.0**-60])
    assert exact_sum(numbers) == math.fsum(numbers) == (2.0**53 + 2.0 if rest > 0.0 else 2.0**53)
