"""Several changes of a matrix in one pass have the bits of the same changes one by one."""

import numpy as np
import pytest

from tests.compiled.test_by_rows import SIZES, numbers, positive, same
from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import kernel
from weitzman.compiled.linalg import add_outer, rank_one
from weitzman.compiled.plain import plain
from weitzman.compiled.several import add_outers, rank_ones


@kernel
def _outers(high: Floats, low: Floats, rows: Floats, picked: Ints) -> None:
    add_outers(high, low, rows, picked, high.shape[0])


@kernel
def _outers_in_turn(high: Floats, low: Floats, rows: Floats, picked: Ints) -> None:
    for k in picked:
        add_outer(high, low, rows[k], rows[k, high.shape[0]])


@kernel
def _changes(inverse: Floats, rows: Floats, picked: Ints, work: Floats) -> int:
    return int(rank_ones(inverse, rows, picked, inverse.shape[0], work))


@kernel
def _changes_in_turn(inverse: Floats, rows: Floats, picked: Ints, work: Floats) -> int:
    refused = 0
    for k in picked:
        refused += not rank_one(inverse, rows[k], rows[k, inverse.shape[0]], work[0])
    return refused


@pytest.mark.parametrize("count", [0, 1, 2, 7])
@pytest.mark.parametrize("size", SIZES[1:])
def test_several_changes_are_those_in_turn(size: int, count: int) -> None:
    rng = np.random.default_rng([size, count])
    picked, work = rng.permutation(9)[:count], np.zeros((2, size))
    rows, square = numbers(rng, 9, size + 2), numbers(rng, size, size)
    same(_outers, square, 1e-17 * square, rows, picked)
    one, other = square.copy(), square.copy()
    low, other_low = 1e-17 * square, 1e-17 * square
    _outers(one, low, rows, picked)
    _outers_in_turn(other, other_low, rows, picked)
    assert one.tobytes() == other.tobytes()
    assert low.tobytes() == other_low.tobytes()
    inverse = positive(rng, size)
    rows[:, :size] = rng.normal(size=(9, size))
    # Some of them are not safe
    rows[:, size] = rng.choice([0.5, -50.0], size=9)
    wanted = inverse.copy()
    refused = _changes_in_turn(wanted, rows, picked, work)
    for changes in (_changes, plain(_changes)):
        found = inverse.copy()
        assert changes(found, rows, picked, work) == refused
        assert found.tobytes() == wanted.tobytes()
