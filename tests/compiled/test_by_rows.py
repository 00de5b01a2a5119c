"""Bodies of array operations, which run in plain Python, have the bits of the loops that are compiled."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from weitzman.arrays import Floats
from weitzman.compiled.decorators import kernel
from weitzman.compiled.linalg import (
    add_outer,
    dot,
    invert,
    rank_one,
    symmetric_product,
)
from weitzman.compiled.plain import plain
from weitzman.learn.models.ridge import eigen, ridge_path_rows

SIZES = (0, 1, 2, 3, 4, 5, 8, 17, 33)


@kernel
def _dot(x: Floats, y: Floats, size: int) -> float:
    return dot(x, y, size)


@kernel
def _product(matrix: Floats, x: Floats, out: Floats) -> None:
    symmetric_product(matrix, x, out)


@kernel
def _outer(high: Floats, low: Floats, x: Floats, factor: float) -> None:
    add_outer(high, low, x, factor)


@kernel
def _change(inverse: Floats, x: Floats, factor: float, work: Floats) -> bool:
    return rank_one(inverse, x, factor, work)


@kernel
def _inverse(matrix: Floats, inverse: Floats) -> None:
    invert(matrix, inverse)


def numbers(rng: np.random.Generator, *shape: int) -> Floats:
    """Return numbers of all sizes, zeros of both signs among them."""
    found = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 7, size=shape)
    found[rng.random(shape) < 0.1] = 0.0
    found[rng.random(shape) < 0.1] = -0.0
    return found


def positive(rng: np.random.Generator, size: int) -> Floats:
    root = rng.normal(size=(size, int(rng.integers(1, size + 2))))
    return np.asarray(root @ root.T + 1e-3 * np.eye(size))


def same(function: Callable[..., Any], *given: Any) -> None:
    one = [x.copy() if isinstance(x, np.ndarray) else x for x in given]
    other = [x.copy() if isinstance(x, np.ndarray) else x for x in given]
    found, wanted = plain(function)(*one), function(*other)
    assert np.array(found, dtype=float).tobytes() == np.array(wanted, dtype=float).tobytes()
    for a, b in zip(one, other, strict=True):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(5))
def test_linear_algebra(size: int, seed: int) -> None:
    rng = np.random.default_rng([seed, size])
    x, y, square = numbers(rng, size + 2), numbers(rng, size + 2), numbers(rng, size, size)
    same(_dot, x, y, size)
    same(_product, square + square.T, x[:size].copy(), np.empty(size))
    same(_outer, square, 1e-17 * square, x[:size].copy(), 0.3)
    same(_change, positive(rng, size), rng.normal(size=size), 0.5, np.empty(size))
    same(_change, positive(rng, size), rng.normal(size=size), -50.0, np.empty(size))
    same(_inverse, positive(rng, size), np.full((size, size), 7.0))


@pytest.mark.parametrize("size", [1, 2, 5, 12])
@pytest.mark.parametrize("seed", range(5))
def test_ridge_regression(size: int, seed: int) -> None:
    rng = np.random.default_rng([seed, size])
    same(eigen, positive(rng, size), np.full((size, size), 7.0))
    for count in (1, 3, 20):
        x, y = rng.normal(size=(count, size)), rng.normal(size=count)
        strengths = np.array([1e-3, 0.1, 10.0])
        out = np.empty((3, size)), np.empty(3), np.empty((3, count))
        same(ridge_path_rows, x, y, strengths, 1e-2, *out)
