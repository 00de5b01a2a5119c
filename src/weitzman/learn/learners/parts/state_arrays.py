"""The arrays of a learner's state by name, and how they grow."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SCRATCH = frozenset({"work", "square", "lists", "kinks", "around"})


def named_arrays(state: Any, prefix: str = "") -> Iterator[tuple[str, NDArray[np.generic]]]:
    """Yield the arrays of a NamedTuple by name, those of inner ones with a prefix; scratch is left out."""
    for name, array in zip(state._fields, state, strict=True):
        if isinstance(array, tuple):
            yield from named_arrays(array, f"{prefix}{name}_")
        elif name not in _SCRATCH:
            yield f"{prefix}{name}", array


def copy_corner(source: NDArray[np.generic], target: NDArray[np.generic]) -> None:
    """Copy an array into the corner of one that is as large or larger."""
    target[tuple(slice(0, length) for length in source.shape)] = source
