"""The order in which the rule looks at boxes, in compiled code.

A merge sort over runs of eight that are sorted by insertion: stable, so boxes with equal σ keep
their positions, as in :func:`weitzman.search.weitzman.opening_order`.
"""

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.compiled import compiled

__all__ = ["sort_boxes"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def sort_boxes(order: Ints, count: int, sigma: Array) -> None:
    """Sort the first boxes of order by (σ, position); the second half of order is scratch."""
    for start in range(0, count, 8):
        for i in range(start + 1, min(start + 8, count)):
            box = order[i]
            j = i
            while j > start and sigma[order[j - 1]] > sigma[box]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = box
    length = 8
    while length < count:
        for start in range(0, count, 2 * length):
            _merge(order, start, min(start + length, count), min(start + 2 * length, count), sigma)
        length *= 2


@compiled
def _merge(order: Ints, start: int, middle: int, end: int, sigma: Array) -> None:
    spare = order[order.shape[0] // 2 :]
    for i in range(start, middle):
        spare[i] = order[i]
    left, right, place = start, middle, start
    while left < middle and right < end:
        if sigma[order[right]] < sigma[spare[left]]:
            order[place] = order[right]
            right += 1
        else:
            order[place] = spare[left]
            left += 1
        place += 1
    while left < middle:
        order[place] = spare[left]
        left += 1
        place += 1
