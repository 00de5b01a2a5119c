"""e^x for many x ≤ 0 at once, in plain arithmetic: several at a time, and the same bits on every machine.

With n the whole number nearest to x/ln 2 and r = x − n ln 2, |r| ≤ 0.35, e^x = 2ⁿ e^r. The series of e^r
up to r¹² leaves less than 10⁻¹⁵; ln 2 is taken off in two parts, so that r loses nothing. Adding 1.5 · 2⁵²
to a number rounds it, and leaves n in its last bits: shifted to the place of the exponent they are 2ⁿ.
Below x = −700 the answer is e⁻⁷⁰⁰.
"""

import numpy as np

from weitzman.arrays import Floats
from weitzman.compiled.decorators import kernel

_LEAST = -700.0
_PER_DOUBLING = 1.4426950408889634  # 1/ln 2
_COARSE, _FINE = 0.693147180369123816490, 1.90821492927058770002e-10  # of sum ln 2
_ROUNDER = 6755399441055744.0  # 1.5 · 2⁵²
_BIAS, _FRACTION = 1023, 52


@kernel
def exponentials(x: Floats, room: Floats) -> None:
    """Replace numbers ≤ 0 by e to their power; ``room`` has their length.

    >>> x = np.array([0.0, -1.0])
    >>> exponentials(x, np.empty(2))
    >>> x
    array([1.        , 0.36787944])
    """
    bits = room.view(np.int64)
    for k in range(x.shape[0]):
        room[k] = max(x[k], _LEAST) * _PER_DOUBLING + _ROUNDER
    for k in range(x.shape[0]):
        n = room[k] - _ROUNDER
        r = (max(x[k], _LEAST) - n * _COARSE) - n * _FINE
        tail = 1 / 40320 + r * (1 / 362880 + r * (1 / 3628800 + r * (1 / 39916800 + r / 479001600)))
        tail = 1 / 24 + r * (1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * tail)))
        x[k] = 1.0 + r * (1.0 + r * (0.5 + r * (1 / 6 + r * tail)))
    for k in range(x.shape[0]):
        bits[k] = (bits[k] + _BIAS) << _FRACTION
    for k in range(x.shape[0]):
        x[k] *= room[k]
