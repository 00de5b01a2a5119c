"""A sum that is rounded once: in compiled code the bits of :func:`math.fsum`.

The numbers so far are kept as *partials*, in increasing size, whose digits do not overlap and whose exact sum
is theirs [Shewchuk 1997]. A sum of x and y with |x| ≥ |y| is hi + lo exactly, with hi = x + y rounded and
lo = y − (hi − x).
"""

import numpy as np

from weitzman.arrays import Floats
from weitzman.compiled.decorators import kernel

_MOST = 64  # doubles without common digits, from 2¹⁰²³ to 2⁻¹⁰⁷⁴


@kernel
def exact_sum(numbers: Floats) -> float:
    """Return the sum of finite numbers, rounded once; 0 if there are none.

    >>> exact_sum(np.array([1e100, 1.0, -1e100]))
    1.0
    """
    partials, held = np.empty(_MOST), 0
    for k in range(numbers.shape[0]):
        x, kept = numbers[k], 0
        for j in range(held):
            y = partials[j]
            if abs(x) < abs(y):
                x, y = y, x
            hi = x + y
            lo = y - (hi - x)
            if lo != 0.0:
                partials[kept] = lo
                kept += 1
            x = hi
        partials[kept] = x
        held = kept + 1
    return _rounded(partials, held)


@kernel
def _rounded(partials: Floats, held: int) -> float:
    """Return the sum of partials, from the largest on."""
    if held == 0:
        return 0.0
    held -= 1
    hi, lo = partials[held], 0.0
    while held > 0 and lo == 0.0:
        held -= 1
        x, y = hi, partials[held]
        hi = x + y
        lo = y - (hi - x)
    # Half of a last digit is left: the next partial says which way it is rounded
    if held > 0 and (
        (lo < 0.0 and partials[held - 1] < 0.0) or (lo > 0.0 and partials[held - 1] > 0.0)
    ):
        twice = 2.0 * lo
        x = hi + twice
        if twice == x - hi:
            hi = x
    total: float = hi
    return total
