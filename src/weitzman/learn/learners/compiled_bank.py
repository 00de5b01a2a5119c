"""The compiled bank: arrays of a learner, and its compiled calls.

A learner gives ``blank(start, capacity)``, which makes its arrays for the starting weights of each row
(a box, or all boxes if they share their weights) and a number of observations per row. Growing, joining
boxes and restoring are then the same for all: make blank arrays of the new size and copy the old ones
into their corner.
"""

import math
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.compiled.decorators import Native
from weitzman.errors import InvalidInputError
from weitzman.learn.bank_input import refusal
from weitzman.learn.learner import Bank
from weitzman.learn.learners.parts.kernels import UNSORTED, learn_rows, predict_rows, width_rows
from weitzman.learn.learners.parts.loop import Results, Rounds, Scratch, play_rounds
from weitzman.learn.learners.parts.regulariser import prior_rows
from weitzman.learn.learners.parts.state_arrays import copy_corner, named_arrays
from weitzman.search.numbers import LIMIT

UNBOUNDED = 2**62
"""More observations than any row ever has."""


class _Linear(Protocol):
    @property
    def intercept(self) -> bool | None: ...
    @property
    def prior(self) -> ArrayLike | None: ...
    @property
    def shared(self) -> bool: ...


class CompiledBank(Bank):
    """The running learner of all boxes, over the arrays of one learner.

    ``blank`` makes the arrays from w₀ of each row and the capacity, and ``weights`` finds the weights among
    them; None if the prediction is not w·x. For a learner that keeps observations ``seen`` is the largest
    number that a row holds: the capacity then grows by doubling. ``tidy`` clears what a copied state holds
    but does not use. ``most`` is what a row remembers at most: more room than that is never needed.
    """

    def __init__(
        self,
        learner: _Linear,
        *,
        boxes: int,
        dimension: int,
        blank: Callable[[Floats, int], Any],
        weights: Callable[[Any], Floats] | None = attrgetter("weights"),
        seen: Callable[[Any], int] | None = None,
        most: int = UNBOUNDED,
        tidy: Callable[[Arrays], Arrays] = lambda state: state,
    ) -> None:
        super().__init__(boxes=boxes, dimension=dimension, shared=learner.shared)
        self._learner = learner
        self._blank = blank
        self._weights = weights
        self._seen = seen
        self._most = most
        self._tidy = tidy
        self._predict_rows = Native(predict_rows)
        self._learn_rows = Native(learn_rows)
        capacity = min(64, most)
        self._take(boxes, capacity, self._unseen(boxes, capacity))

    def _unseen(self, boxes: int, capacity: int) -> Any:
        """Return the arrays of boxes that have seen nothing."""
        size = self.dimension + bool(self._learner.intercept)
        return self._blank(prior_rows(self._learner.prior, self._rows(boxes), size), capacity)

    def _take(self, boxes: int, capacity: int, arrays: Any) -> None:
        self.arrays, self._capacity = arrays, capacity
        # Observations that surely fit; what is really left is looked up when these are used up
        self._left = 0
        self._marks = np.zeros(0 if self.shared else boxes, dtype=np.int64)

    def predict_arrays(
        self,
        *,
        contexts: Floats,
        costs: Floats,
        boxes: Ints,
        optimism: float,
        outside: float = math.inf,
    ) -> Floats:
        out = np.empty(costs.shape[0])
        row, rule = self._predict_rows.call(
            self.arrays, boxes, contexts, costs, self.shared, optimism, self.boxes, outside, out
        )
        if row >= 0:
            raise refusal(row, rule, (boxes, contexts, None, costs))
        return out

    def _widths(self, boxes: Ints, contexts: Floats) -> Floats:
        if boxes.size and not 0 <= boxes.min() <= boxes.max() < self.boxes:
            rule = f"be integers from 0 to {self.boxes - 1}"
            raise InvalidInputError("boxes", rule, boxes.tolist())
        # A comparison with NaN is False
        if not (np.abs(contexts) <= LIMIT).all():
            rule = f"be finite numbers, at most {LIMIT:g} in size"
            raise InvalidInputError("The contexts", rule, contexts)
        out = np.empty(boxes.shape[0])
        width_rows(self.arrays, boxes, contexts, self.shared, out)
        return out

    def _residuals(self) -> Floats:
        return cast("Floats", self.arrays.spread)

    def weights(self, boxes: ArrayLike | None = None) -> Floats | None:
        if self._weights is None:
            return None
        return self._weights(self.arrays)[self._places(boxes)].copy()

    def update_arrays(
        self, *, boxes: Ints, contexts: Floats, values: Floats, costs: Floats
    ) -> None:
        self.reserve(values.shape[0] if self.shared else 1)
        row, rule = self._learn_rows.call(
            self.arrays, boxes, contexts, values, costs, self.shared, self.boxes, self._marks
        )
        if rule == UNSORTED:
            rows = np.argsort(boxes, kind="stable")
            given = (boxes[rows], contexts[rows], values[rows], costs[rows])
            self._learn_rows.call(self.arrays, *given, self.shared, self.boxes, self._marks)
        elif row >= 0:
            raise refusal(row, rule, (boxes, contexts, values, costs))

    def play(self, rounds: Rounds, results: Results, work: Scratch) -> int:
        """Play recorded rounds, for which there is room; return how many of the first ones are done."""
        play_rounds(self.arrays, rounds, results, work)
        return len(rounds.contexts)

    def reserve(self, observations: int) -> None:
        """Make room for further observations of every row."""
        if self._left >= observations:
            self._left -= observations
            return
        self._left = self.room() - observations
        if self._left < 0:
            needed = self._capacity - self._left
            self._grow(self.boxes, min(self._most, max(needed, 2 * self._capacity)))
            self._left = self.room() - observations

    def room(self) -> int:
        """Return how many observations every row can still take."""
        self._left = 0
        if self._seen is None or self._capacity == self._most:
            return UNBOUNDED
        return self._capacity - self._seen(self.arrays)

    def _resize(self, boxes: int) -> None:
        self._grow(boxes, self._capacity)

    def _grow(self, boxes: int, capacity: int) -> None:
        arrays = self._unseen(boxes, capacity)
        for (_, old), (_, new) in zip(named_arrays(self.arrays), named_arrays(arrays), strict=True):
            copy_corner(old, new)
        self._take(boxes, capacity, arrays)

    def _state(self) -> Arrays:
        return self._tidy({name: array.copy() for name, array in named_arrays(self.arrays)})

    def _restore(self, boxes: int, state: Arrays) -> None:
        lengths = [array.shape[1] for array in state.values() if array.ndim > 1]
        capacity = min(self._most, int(max([self._capacity, *lengths])))
        arrays = self._unseen(boxes, capacity)
        targets = dict(named_arrays(arrays))
        if targets.keys() != state.keys() - {"boxes"}:
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        for name, target in targets.items():
            source = state[name]
            fits = source.dtype == target.dtype and source.ndim == target.ndim
            if not fits or any(a > b for a, b in zip(source.shape, target.shape, strict=True)):
                rule = f"fit an array of {target.dtype} of shape {target.shape}"
                raise InvalidInputError(f"The array {name!r} of the state", rule, source.shape)
            if name.endswith("rules") and source.tobytes() != target.tobytes():
                raise InvalidInputError("The state", "be that of the same learner", source)
            copy_corner(source, target)
        self._take(boxes, capacity, arrays)
