"""Exact FTRL on features of the context: σ = w·φ(x), with a map φ that is settled early and then stays.

A *feature map* takes its scales from the first 64 contexts that are learned, of whichever box, and never
changes afterwards: nothing is looked at before it is past. Until then the features beside x itself are 0,
so the learner is the linear one; when the map is settled, the observations so far are learned anew with
it, as if it had been known from the start.
"""

import math
from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.policy import joined, parted

FIRST = 64
"""How many contexts a map takes its scales from."""


class FeatureMap(Protocol):
    """A description of φ: the context itself, then ``size(d)`` further features."""

    def size(self, dimension: int) -> int:
        """Return the number of further features."""

    def settle(self, contexts: Floats) -> Floats:
        """Return what φ needs to know, one row of numbers per further feature, from the first contexts."""

    def apply(self, settled: Floats, contexts: Floats) -> Floats:
        """Return the further features of contexts, one row each."""


def power_of_two(x: float) -> float:
    """Return the power of two nearest to x > 0 in ratio; 1 for 0.

    >>> power_of_two(3.0), power_of_two(0.3), power_of_two(0.0)
    (4.0, 0.25, 1.0)
    """
    if not x > 0.0:
        return 1.0
    mantissa, exponent = math.frexp(x)
    # ½ ≤ mantissa < 1
    return math.ldexp(1.0, exponent if mantissa * mantissa >= 0.5 else exponent - 1)


class Mapped:
    """The model of a :class:`~weitzman.learn.learners.plain_bank.PlainBank`: a map, then exact FTRL."""

    def __init__(self, feature_map: FeatureMap, linear: FTRL, rows: int, dimension: int) -> None:
        self._map = feature_map
        self._linear = linear
        self._dimension = dimension
        self._size = feature_map.size(dimension)
        self._bank = linear.start(boxes=rows, dimension=dimension + self._size)
        self._settled: Floats | None = None
        # What was learned before: (row, end of round, value, cost, context)
        self._early = np.empty((0, dimension + 4))

    def _features(self, contexts: Floats) -> Floats:
        rows = np.zeros((len(contexts), self._dimension + self._size))
        rows[:, : self._dimension] = contexts
        if self._settled is not None:
            rows[:, self._dimension :] = self._map.apply(self._settled, contexts)
        return rows

    def predict(self, rows: Ints, contexts: Floats, costs: Floats) -> Floats:
        """Return w·φ(x)."""
        return self._bank.predict_arrays(
            contexts=self._features(contexts), costs=costs, boxes=rows, optimism=0.0
        )

    def widths(self, rows: Ints, contexts: Floats) -> Floats:
        """Return ‖φ(x)‖ in the norm of the inverse regularised Gram matrix."""
        return self._bank.widths(self._features(contexts), rows)

    def learn(self, rows: Ints, contexts: Floats, values: Floats, costs: Floats) -> None:
        """Learn a round; settle the map if enough was seen."""
        features = self._features(contexts)
        self._bank.update_arrays(boxes=rows, contexts=features, values=values, costs=costs)
        if self._settled is not None:
            return
        ends = np.zeros(len(rows))
        ends[-1] = 1.0
        new = np.column_stack([rows.astype(np.float64), ends, values, costs, contexts])
        self._early = np.concatenate([self._early, new])
        if len(self._early) >= FIRST:
            early = self._early
            self._settled = self._map.settle(np.ascontiguousarray(early[:, 4:]))
            self._bank = self._linear.start(boxes=self._bank.boxes, dimension=self._bank.dimension)
            begin = 0
            for end in (np.flatnonzero(early[:, 1]) + 1).tolist():
                part = early[begin:end]
                places, found = part[:, 0].astype(np.int64), part[:, 2].copy()
                features = self._features(np.ascontiguousarray(part[:, 4:]))
                self._bank.update_arrays(
                    boxes=places, contexts=features, values=found, costs=part[:, 3].copy()
                )
                begin = end
            self._early = np.empty((0, early.shape[1]))

    def resize(self, rows: int) -> None:
        self._bank.add_boxes(rows - self._bank.boxes)

    def state(self) -> Arrays:
        settled = np.empty((0, 0)) if self._settled is None else self._settled.copy()
        own: Arrays = {"settled": settled, "early": self._early.copy()}
        return own | joined({"linear": self._bank.state()})

    def restore(self, rows: int, state: Mapping[str, NDArray[np.generic]]) -> None:
        own = {n: a for n, a in state.items() if not n.startswith("linear.")}
        fits = own.keys() == {"settled", "early"}
        fits = fits and own["early"].shape[1:] == (self._dimension + 4,)
        if not fits or own["settled"].shape[:1] not in {(0,), (self._size,)}:
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        bank = self._linear.start(boxes=rows, dimension=self._dimension + self._size)
        bank.restore(parted(state, "linear"))
        self._bank = bank
        settled = np.array(own["settled"], dtype=np.float64)
        self._settled = settled if settled.size else None
        self._early = np.array(own["early"], dtype=np.float64)
