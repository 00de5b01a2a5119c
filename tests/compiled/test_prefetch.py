"""Prefetching: it is asked for, and it changes nothing."""

import numpy as np
from numba import njit

from weitzman.compiled.prefetch import prefetch


@njit
def read_ahead(array: np.ndarray, row: int, place: int) -> float:
    prefetch(array, row, place)
    return float(array[row, place, 0])


def test_a_row_is_asked_for_and_stays_as_it_is() -> None:
    array = np.arange(2 * 3 * 25, dtype=np.float64).reshape(2, 3, 25)
    before = array.copy()
    assert read_ahead(array, 1, 2) == 125.0
    np.testing.assert_array_equal(array, before)
    (code,) = read_ahead.inspect_llvm().values()
    assert "llvm.prefetch" in code
