"""Lanes: sums in a vector of the processor have the bits of sums one by one."""

import numpy as np
import pytest

from tests.compiled.test_by_rows import SIZES, numbers, same
from weitzman.arrays import Floats
from weitzman.compiled.decorators import kernel
from weitzman.compiled.linalg import dot, dot_in_lanes


@kernel
def _in_lanes(x: Floats, y: Floats, size: int) -> float:
    return dot_in_lanes(x, y, size)


@kernel
def _one_by_one(x: Floats, y: Floats, size: int) -> float:
    return dot(x, y, size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(5))
def test_a_product_in_lanes_is_the_product(size: int, seed: int) -> None:
    rng = np.random.default_rng([seed, size])
    x, y = numbers(rng, size + 2), numbers(rng, size + 2)
    same(_in_lanes, x, y, size)
    wide = numbers(rng, size + 2, 3)
    for first in (x, wide[:, 1]):
        found, wanted = _in_lanes(first, y, size), _one_by_one(first, y, size)
        assert np.float64(found).tobytes() == np.float64(wanted).tobytes()
