"""Preparation: from contexts as they are given to the numbers that a model sees.

This is the one place. Columns are brought to mean 0 and deviation 1, with the mean and deviation of
all contexts up to and including those of the round at hand, and cut off at ±4. Contexts are known
before anything is opened, so nothing is looked up in the future, and values never enter. A column
without deviation becomes 0, and so does a feature that is missing.

The figures are Welford's (number, mean, sum of squares), box after box and round after round: live
rounds, recorded ones and those of the service give the same bits.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from weitzman.compiled.decorators import checked
from weitzman.errors import InvalidInputError
from weitzman.learn.policy import Floats, Round, State

__all__ = ["CLIP", "Preparation", "prepared", "with_constant"]

CLIP = 4.0
"""How many deviations a prepared number is at most away from the mean."""

_ROUNDING = 1e-12  # a deviation below this share of the mean is what rounding leaves


@checked
def _prepare(scale: Floats, rows: Floats, clip: float, out: Floats) -> None:
    """Take rows into (number, mean, squares) of each column, and set out to them prepared."""
    for row in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            if not np.isnan(rows[row, k]):
                scale[0, k] += 1.0
                apart = rows[row, k] - scale[1, k]
                scale[1, k] += apart / scale[0, k]
                scale[2, k] += apart * (rows[row, k] - scale[1, k])
    for k in range(rows.shape[1]):
        deviation = math.sqrt(scale[2, k] / max(scale[0, k], 1.0))
        flat = deviation <= _ROUNDING * abs(scale[1, k])
        for row in range(rows.shape[0]):
            known = not flat and not np.isnan(rows[row, k])
            z = (rows[row, k] - scale[1, k]) / deviation if known else 0.0
            out[row, k] = min(max(z, -clip), clip)


class Preparation:
    """Running figures of the columns of contexts.

    Parameters
    ----------
    dimension
        The length d of a context.

    Examples
    --------
    >>> preparation, places = Preparation(1), np.arange(2)
    >>> one = Round(contexts=np.array([[1.0], [5.0]]), costs=np.ones(2), outside=9.0, places=places)
    >>> preparation.add(one).ravel().tolist()
    [-1.0, 1.0]
    """

    def __init__(self, dimension: int) -> None:
        self._scale = np.zeros((3, dimension))
        self._last: tuple[Round | None, Floats] = (None, np.empty((0, 0)))

    def rows(self, shown: Round) -> Floats:
        """Return the contexts of a round as they are prepared now, (m, d); nothing changes."""
        last, rows = self._last
        if last is not shown:
            rows = np.empty(shown.contexts.shape)
            _prepare(self._scale.copy(), shown.contexts, CLIP, rows)
            self._last = (shown, rows)
        return rows

    def add(self, shown: Round) -> Floats:
        """Take in a round that is over; return its contexts as they were prepared for it."""
        rows = np.empty(shown.contexts.shape)
        _prepare(self._scale, shown.contexts, CLIP, rows)
        self._last = (None, rows)
        return rows

    def state(self) -> State:
        """Return everything as arrays."""
        return {"scale": self._scale.copy()}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned, bit for bit."""
        shape = state["scale"].shape if "scale" in state else None
        if shape != self._scale.shape:
            rule = f"hold an array 'scale' of shape {self._scale.shape}"
            raise InvalidInputError("The state of a preparation", rule, shape)
        self._scale = np.array(state["scale"], dtype=np.float64)
        self._last = (None, np.empty((0, 0)))


def prepared(contexts: Floats, present: NDArray[np.bool_]) -> Floats:
    """Return recorded contexts, (T, n, d), each round prepared in its turn.

    ``present`` says which boxes are there, (T, n); the others are NaN.
    """
    preparation = np.zeros((3, contexts.shape[2]))
    out = np.full(contexts.shape, np.nan)
    for t in range(len(contexts)):
        there = np.flatnonzero(present[t])
        rows = np.empty((len(there), contexts.shape[2]))
        _prepare(preparation, contexts[t, there], CLIP, rows)
        out[t, there] = rows
    return out


def with_constant(rows: Floats) -> Floats:
    """Return [1, z] for prepared rows z: what a linear learner without an intercept is given.

    >>> with_constant(np.array([[0.5, -4.0]]))
    array([[ 1. ,  0.5, -4. ]])
    """
    ready = np.ones((*rows.shape[:-1], rows.shape[-1] + 1))
    ready[..., 1:] = rows
    return ready
