"""A family of values in standard form: location 0, scale 1."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from weitzman.arrays import Floats

Function = Callable[..., Any]
"""Of arrays to an array; the stubs of scipy.special do not agree among themselves on which."""


def _no_atom(y: Floats, *shapes: Floats) -> Floats:
    return np.zeros(np.broadcast_shapes(np.shape(y), *(np.shape(a) for a in shapes)))


@dataclass(frozen=True, kw_only=True)
class Standard:
    """The functions of a family; each takes its argument first, then the shape parameters."""

    cdf: Function
    sf: Function
    below: Function
    above: Function
    mean: Callable[..., Any]
    quantile: Function
    support: Callable[..., tuple[Any, Any]]
    atom: Function = _no_atom
    kinks: tuple[float, ...] = ()
    is_step: bool = False
    solve_below: Function | None = None
    solve_above: Function | None = None
    sample: Function | None = None
    proven: bool = True
    """Whether the functions are known to fit each other; a stranger's cdf may not."""
