"""The expected excess of the standard normal law, y Φ(y) + φ(y), and its root, to the last digit."""

from typing import Any

import numpy as np
import scipy  # scipy.special takes 0.3 s to load: scipy loads it when it is first named

from weitzman.arrays import Floats


def normal_excess(y: Floats) -> Any:
    """Return y Φ(y) + φ(y)."""
    # φ(y)(1 − |y| R(|y|)) for y < 0, R Mills' ratio: the plain sum loses what a deep tail has.
    a = np.abs(y)
    with np.errstate(over="ignore", invalid="ignore"):
        density = np.exp(-0.5 * a * a) / np.sqrt(2.0 * np.pi)
        rest = a * np.sqrt(np.pi / 2.0) * scipy.special.erfcx(a / np.sqrt(2.0))
        tail = density * (1.0 - rest)
    tail = np.where(np.isfinite(tail), tail, 0.0)
    return np.where(y > 0.0, y + tail, tail)


def normal_root(k: Floats) -> Any:
    """Return y with y Φ(y) + φ(y) = k.

    Below k = φ(0) the start solves φ(y)/(1 + b|y| + y²) = k, b = ½/φ(0), which has the right value
    and slope at 0 and the right tail; Newton steps on the logarithm follow. Above, plain steps from
    k.
    """
    b = np.sqrt(np.pi / 2.0)
    with np.errstate(all="ignore"):
        depth = np.maximum(-np.log(k * np.sqrt(2.0 * np.pi)), 0.0)
        a = np.minimum(np.sqrt(2.0 * depth), depth / b)
        for _ in range(4):
            q = 1.0 + a * (b + a)
            a = a - (0.5 * a * a + np.log(q) - depth) / (a + (b + 2.0 * a) / q)
        low = k < 1.0 / np.sqrt(2.0 * np.pi)
        y = np.where(low, -a, k)
        for _ in range(4):
            e, slope = normal_excess(y), scipy.special.ndtr(y)
            y = y - np.where(low, e * np.log(e / k), e - k) / slope
    return y
