"""Compiled loops of the search room; the rule itself is :func:`~weitzman.search.weitzman.next_box`.

Imported where it is used, not with the package: numba takes longer to load than all the rest.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from weitzman.search.weitzman import STOP, next_box

__all__ = ["play_fixed"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

compiled_next_box = njit(cache=True)(next_box)


@njit(cache=True)
def play_fixed(
    order: IntArray, sigma: FloatArray, costs: FloatArray, outside: float, values: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Play many rounds at fixed reservation values; ``values`` has a row per round.

    Returns the best values, the costs paid, the chosen boxes (−1: outside) and the boxes opened.
    """
    rounds = values.shape[0]
    best, paid = np.full(rounds, outside), np.zeros(rounds)
    chosen, opened = np.full(rounds, STOP), np.zeros(rounds, dtype=np.int64)
    for t in range(rounds):
        box = compiled_next_box(order, sigma, 0, best[t])
        while box != STOP:
            opened[t] += 1
            paid[t] += costs[box]
            if values[t, box] < best[t]:
                best[t], chosen[t] = values[t, box], box
            box = compiled_next_box(order, sigma, opened[t], best[t])
    return best, paid, chosen, opened
