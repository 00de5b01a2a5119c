"""Student's t: what a normal value looks like whose mean and spread are unknown.

With ν degrees of freedom, F its cdf and f its density,

    E(y − T)⁺ = y F(y) + (ν + y²)/(ν − 1) f(y),      ν > 1,

since (ν + t²) f(t) has the derivative −(ν − 1) t f(t).
"""

import numpy as np
import scipy  # scipy.special takes 0.3 s to load: scipy loads it when it is first named

from weitzman.arrays import Floats


def student_excess(y: Floats, freedom: float) -> Floats:
    """Return E(y − T)⁺ of Student's t with so many degrees of freedom, more than 1.

    >>> student_excess(np.array([0.0]), 3.0).round(6).tolist()
    [0.551329]
    """
    # From the side on which nothing cancels: E(y − T)⁺ = y + E(−y − T)⁺
    x = -np.abs(y)
    top = np.sqrt(freedom) / ((freedom - 1.0) * scipy.special.beta(0.5 * freedom, 0.5))
    tail = top * (1.0 + x * x / freedom) ** (0.5 - 0.5 * freedom)
    below = np.maximum(x * scipy.special.stdtr(freedom, x) + tail, 0.0)
    return np.asarray(np.where(y > 0.0, y + below, below))
