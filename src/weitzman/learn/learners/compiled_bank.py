"""The compiled bank: arrays of a learner, and the checks around its compiled calls.

A learner hands over ``blank(rows, capacity)``, which makes its arrays for a number of rows (boxes,
or one if they share their weights) and observations per row. Growing, joining boxes and restoring
are then the same for all: make blank arrays of the new size and copy the old ones into their
corner.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.compiled.decorators import Native
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.parts.kernels import UNSORTED, learn_rows, predict_rows, width_rows
from weitzman.learn.learners.parts.rows import (
    asked,
    box_numbers,
    check_contexts,
    column,
    hash_of,
    refusal,
)
from weitzman.search.numbers import whole_number

__all__ = ["CompiledBank"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
State = dict[str, NDArray[np.generic]]

_SCRATCH = frozenset({"work", "square", "flipped", "order", "kinks"})


def _arrays(state: Any, prefix: str = "") -> Iterator[tuple[str, NDArray[np.generic]]]:
    for name, array in zip(state._fields, state, strict=True):
        if isinstance(array, tuple):
            yield from _arrays(array, f"{prefix}{name}_")
        elif name not in _SCRATCH:
            yield f"{prefix}{name}", array


def _copy_corner(source: NDArray[np.generic], target: NDArray[np.generic]) -> None:
    target[tuple(slice(0, length) for length in source.shape)] = source


class CompiledBank:
    """The running learner of all boxes, over the arrays of one learner.

    Parameters
    ----------
    blank
        Makes the arrays for (rows, capacity).
    boxes, dimension, shared
        The number of boxes, the length of a context, and whether all boxes are one row.
    weights
        Finds the weights among the arrays, for a learner whose prediction is w·x.
    seen
        The largest number of observations that a row holds, for a learner that keeps them; it then
        grows by doubling.
    tidy
        Clears what a copied state holds but does not use.
    """

    def __init__(
        self,
        *,
        blank: Callable[[int, int], Any],
        boxes: int,
        dimension: int,
        shared: bool,
        weights: Callable[[Any], Floats] | None = None,
        seen: Callable[[Any], int] | None = None,
        tidy: Callable[[State], State] = lambda state: state,
    ) -> None:
        self._blank = blank
        self._boxes = whole_number(boxes, "The number of boxes", least=1)
        self._dimension = whole_number(dimension, "The dimension", least=1)
        self.shared = shared
        self._weights = weights
        self._seen = seen
        self._tidy = tidy
        self._capacity = 64
        # Observations that surely fit; what is really left is looked up when these are used up
        self._left = 0
        self._every = np.arange(boxes)
        self._marks = np.zeros(0 if shared else boxes, dtype=np.int64)
        self._predict_rows = Native(predict_rows)
        self._learn_rows = Native(learn_rows)
        self.arrays = blank(self._rows(boxes), self._capacity)

    @property
    def boxes(self) -> int:
        """The number of boxes."""
        return self._boxes

    @property
    def dimension(self) -> int:
        """The length of a context."""
        return self._dimension

    @property
    def every(self) -> Ints:
        """The numbers of all boxes."""
        return self._every

    def _rows(self, boxes: int) -> int:
        return 1 if self.shared else boxes

    def _ask(self, contexts: ArrayLike, boxes: ArrayLike | None) -> tuple[Floats, Ints]:
        return asked(contexts, boxes, self._every, self._dimension)

    def check_shape(self, contexts: Floats, count: int) -> None:
        """Refuse contexts that are not ``count`` rows of the dimension."""
        check_contexts(contexts, count, self._dimension)

    def predict(
        self,
        contexts: ArrayLike,
        costs: ArrayLike,
        boxes: ArrayLike | None = None,
        *,
        optimism: float = 0.0,
        outside: float = math.inf,
    ) -> Floats:
        """Return one reservation value per row, lowered by optimism if it is > 0.

        ``outside`` is the outside option of the round, which optimism looks at.
        """
        rows, chosen = self._ask(contexts, boxes)
        prices = column("The costs", costs, chosen.shape[0])
        return self.predict_arrays(
            contexts=rows,
            costs=prices,
            boxes=chosen,
            optimism=optimism,
            outside=float(outside),
        )

    def predict_arrays(
        self,
        *,
        contexts: Floats,
        costs: Floats,
        boxes: Ints,
        optimism: float,
        outside: float = math.inf,
    ) -> Floats:
        """Predict from arrays that are known to have the right types and shapes."""
        out = np.empty(costs.shape[0])
        row, rule = self._predict_rows.call(
            self.arrays, boxes, contexts, costs, self.shared, optimism, self._boxes, outside, out
        )
        if row >= 0:
            raise refusal(row, rule, (boxes, contexts, None, costs))
        return out

    def widths(self, contexts: ArrayLike, boxes: ArrayLike | None = None) -> Floats:
        """Return one width per row."""
        rows, chosen = self._ask(contexts, boxes)
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < self._boxes:
            raise InvalidInputError("boxes", f"be integers from 0 to {self._boxes - 1}", boxes)
        out = np.empty(chosen.shape[0])
        width_rows(self.arrays, chosen, rows, self.shared, out)
        if np.isnan(out).any():
            rule = "be asked of finite contexts"
            raise InvalidInputError("widths", rule, contexts)
        return out

    def scale(self, boxes: ArrayLike | None = None) -> Floats:
        """Return the root mean square of v − σ of each box."""
        chosen = self._every if boxes is None else box_numbers(boxes)
        spread = self.arrays.spread[np.zeros_like(chosen) if self.shared else chosen]
        return cast("Floats", np.where(spread[:, 2] > 0.0, np.sqrt(spread[:, 1]), np.nan))

    def looks(self, boxes: ArrayLike | None = None) -> Ints:
        """Return how many values of each box were learned; of all boxes, if they share weights."""
        chosen = self._every if boxes is None else box_numbers(boxes)
        counts = self.arrays.spread[np.zeros_like(chosen) if self.shared else chosen, 2]
        return cast("Ints", counts.astype(np.int64))

    def weights(self, boxes: ArrayLike | None = None) -> Floats | None:
        """Return w of each box, the intercept last; None if the prediction is not w·x."""
        if self._weights is None:
            return None
        chosen = self._every if boxes is None else box_numbers(boxes)
        rows = np.zeros_like(chosen) if self.shared else chosen
        return self._weights(self.arrays)[rows].copy()

    def update(
        self, boxes: ArrayLike, contexts: ArrayLike, values: ArrayLike, costs: ArrayLike
    ) -> None:
        """Learn what was seen in one round."""
        rows, chosen = self._ask(contexts, boxes)
        found = column("The values", values, chosen.shape[0])
        paid = column("The costs", costs, chosen.shape[0])
        self.update_arrays(boxes=chosen, contexts=rows, values=found, costs=paid)

    def update_arrays(
        self, *, boxes: Ints, contexts: Floats, values: Floats, costs: Floats
    ) -> None:
        """Learn from arrays that are known to have the right types and shapes."""
        self.reserve(values.shape[0] if self.shared else 1)
        row, rule = self._learn(boxes, contexts, values, costs)
        if rule == UNSORTED:
            order = np.argsort(boxes, kind="stable")
            self._learn(boxes[order], contexts[order], values[order], costs[order])
        elif row >= 0:
            raise refusal(row, rule, (boxes, contexts, values, costs))

    def _learn(self, boxes: Ints, rows: Floats, found: Floats, paid: Floats) -> tuple[int, int]:
        return cast(
            "tuple[int, int]",
            self._learn_rows.call(
                self.arrays, boxes, rows, found, paid, self.shared, self._boxes, self._marks
            ),
        )

    def reserve(self, observations: int) -> None:
        """Make room for further observations of every row."""
        if self._seen is None or self._left >= observations:
            self._left -= observations
            return
        needed = self._seen(self.arrays) + observations
        if needed > self._capacity:
            self._resize(self._boxes, max(needed, 2 * self._capacity))
        self._left = self._capacity - needed

    def room(self) -> int:
        """Return how many observations every row can still take."""
        self._left = 0
        return 2**62 if self._seen is None else self._capacity - self._seen(self.arrays)

    def _resize(self, boxes: int, capacity: int) -> None:
        arrays = self._blank(self._rows(boxes), capacity)
        for (_, old), (_, new) in zip(_arrays(self.arrays), _arrays(arrays), strict=True):
            _copy_corner(old, new)
        self._take(boxes, capacity, arrays)

    def _take(self, boxes: int, capacity: int, arrays: Any) -> None:
        self.arrays, self._boxes, self._capacity = arrays, boxes, capacity
        self._left = 0
        self._every = np.arange(boxes)
        self._marks = np.zeros(0 if self.shared else boxes, dtype=np.int64)

    def add_boxes(self, count: int) -> None:
        """Let boxes join that have seen nothing."""
        if count < 0:
            raise InvalidInputError("count", "be an integer >= 0", count)
        self._resize(self._boxes + count, self._capacity)

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""
        copies = {name: array.copy() for name, array in _arrays(self.arrays)}
        return {"boxes": np.array([self._boxes]), **self._tidy(copies)}

    def restore(self, state: State) -> None:
        """Go on from what ``state`` returned."""
        boxes = int(cast("Any", state.get("boxes", np.zeros(1)))[0])
        arrays = self._blank(self._rows(max(boxes, 1)), capacity := self._room_for(state))
        targets = dict(_arrays(arrays))
        if boxes < 1 or targets.keys() != state.keys() - {"boxes"}:
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        for name, target in targets.items():
            source = state[name]
            fits = source.dtype == target.dtype and source.ndim == target.ndim
            if not fits or any(a > b for a, b in zip(source.shape, target.shape, strict=True)):
                rule = f"fit an array of {target.dtype} of shape {target.shape}"
                raise InvalidInputError(f"The array {name!r} of the state", rule, source.shape)
            if name.endswith("rules") and source.tobytes() != target.tobytes():
                raise InvalidInputError("The state", "be that of the same learner", source)
            _copy_corner(source, target)
        self._take(boxes, capacity, arrays)

    def _room_for(self, state: State) -> int:
        lengths = [array.shape[1] for array in state.values() if array.ndim > 1]
        return int(max([self._capacity, *lengths]))

    def digest(self) -> str:
        """Return a hash of the state."""
        return hash_of(self.state())
