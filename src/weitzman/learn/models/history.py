"""The past: the rounds that are closed, as arrays, and when models of them are fitted again.

Contexts are kept as :mod:`weitzman.learn.preparation` prepared them for their round. Contexts that come
prepared already are taken as they are.

*Refits*. A model is a function of the first a closed rounds, and a grows by a factor: a model is
fitted after a = 1, 2, 3, … rounds, then at ⌈g a⌉, and stays as it is in between. So a model is never
part of a state: it comes back from the rounds that it was fitted to.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags
from weitzman.compiled.decorators import checked
from weitzman.errors import InvalidInputError
from weitzman.learn.policy import Feedback, Floats, Ints, Round, State
from weitzman.learn.preparation import Preparation, Prepare
from weitzman.search.numbers import whole_number

__all__ = ["History", "Refits"]


class Forgetful(Protocol):
    """A model of a past."""

    def forget(self) -> None:
        """Let what was fitted go: the past is another one."""


Model = TypeVar("Model", bound=Forgetful)


class Refits:
    """When a model is fitted again, as the past grows by a factor.

    Examples
    --------
    >>> refits = Refits(1.5)
    >>> [refits.last(count) for count in range(10)]
    [0, 1, 2, 3, 3, 5, 5, 5, 8, 8]
    """

    def __init__(self, growth: float) -> None:
        self._growth = growth
        self._last = 0

    def last(self, count: int) -> int:
        """Return the number of rounds a model is fitted to when this many are closed."""
        if count < self._last:
            self._last = 0
        while (after := max(self._last + 1, math.ceil(self._growth * self._last))) <= count:
            self._last = after
        return self._last


@checked
def _put(
    places: Ints, rows: Floats, paid: Floats, found: Floats,
    contexts: Floats, costs: Floats, values: Floats, sums: Floats,
) -> None:  # fmt: skip
    """Write one round, NaN for boxes that are not there, and count what was found."""
    if places.shape[0] < costs.shape[0]:
        contexts[:], costs[:], values[:] = np.nan, np.nan, np.nan
    for row in range(places.shape[0]):
        box = places[row]
        contexts[box] = rows[row]
        # One NaN for all: turning signs gives others, which would be other bits in a state
        costs[box], values[box] = paid[row], np.nan
        if not np.isnan(found[row]):
            values[box] = found[row]
            sums[0, box] += 1.0
            sums[1, box] += found[row]


class History:
    """The closed rounds of n boxes.

    Parameters
    ----------
    boxes, dimension
        The number n of boxes and the length d of a context.
    shared
        Whether the boxes carry no history, and one model serves all of them.
    prepare
        What is prepared here: ``"contexts"``; or, of rounds that come prepared, ``"all"`` or ``"nothing"``.
    feedback
        Whether rounds reveal all values when they close, or only those of the boxes that were opened.

    Attributes
    ----------
    count
        The number T of closed rounds.
    """

    def __init__(
        self,
        *,
        boxes: int,
        dimension: int,
        shared: bool = False,
        prepare: Prepare = "contexts",
        feedback: Feedback = "full",
    ) -> None:
        if feedback not in ("full", "opened"):
            raise InvalidInputError("The feedback", "be 'full' or 'opened'", feedback)
        self.feedback = feedback
        self.boxes = whole_number(boxes, "The number of boxes", least=1)
        self.dimension = whole_number(dimension, "The dimension", least=1)
        self.shared = shared
        self._standardise = prepare == "contexts"
        self.unit_free = prepare == "all"
        self.count = 0
        self._preparation = Preparation(dimension)
        self._sums = np.zeros((2, boxes))
        self._contexts = np.empty((64, boxes, dimension))
        self._costs = np.empty((64, boxes))
        self._values = np.empty((64, boxes))
        self._outside = np.empty(64)
        self._models: dict[Any, Forgetful] = {}

    @property
    def contexts(self) -> Floats:
        """The standardised contexts, (T, n, d); NaN where a box was absent."""
        return self._contexts[: self.count]

    @property
    def costs(self) -> Floats:
        """The costs, (T, n); NaN where a box was absent."""
        return self._costs[: self.count]

    @property
    def values(self) -> Floats:
        """The values, (T, n); NaN where none was revealed."""
        return self._values[: self.count]

    @property
    def outside(self) -> Floats:
        """The outside options, (T,); +∞ where there was none."""
        return self._outside[: self.count]

    @property
    def seen(self) -> Floats:
        """How many values of each box were revealed, (n,)."""
        return np.asarray(self._sums[0])

    @property
    def totals(self) -> Floats:
        """The sums of the values of each box, (n,)."""
        return np.asarray(self._sums[1])

    @property
    def is_cold(self) -> bool:
        """Whether there is nothing to go by, not even the size of a value."""
        return self.unit_free and not self._sums[0].any()

    def never_seen(self, places: Ints) -> Flags:
        """Return which of these boxes have never shown a value; none if boxes carry no history."""
        if self.shared:
            return np.zeros(len(places), dtype=np.bool_)
        return np.asarray(self._sums[0, places] == 0.0)

    def model(self, kind: Callable[["History"], Model]) -> Model:
        """Return the one model of this kind that all who share the past ask."""
        if kind not in self._models:
            self._models[kind] = kind(self)
        return cast("Model", self._models[kind])

    def prepared(self, shown: Round) -> Floats:
        """Return the contexts of a round as they are prepared now, (m, d)."""
        return self._preparation.rows(shown) if self._standardise else shown.filled

    def add(self, shown: Round, values: Floats) -> None:
        """Close a round."""
        if self.count == len(self._outside):
            self._grow(2 * self.count)
        at, rows = self.count, shown.filled
        if self._standardise:
            rows = self._preparation.add(shown)
        _put(
            shown.places, rows, shown.costs, values,
            self._contexts[at], self._costs[at], self._values[at], self._sums,
        )  # fmt: skip
        self._outside[at] = shown.outside
        self.count += 1

    def _grow(self, capacity: int) -> None:
        def longer(array: Floats) -> Floats:
            # What is not written yet takes no memory
            grown = np.empty((capacity, *array.shape[1:]))
            grown[: self.count] = array[: self.count]
            return grown

        self._contexts, self._costs = longer(self._contexts), longer(self._costs)
        self._values, self._outside = longer(self._values), longer(self._outside)

    def state(self) -> State:
        """Return everything as arrays."""
        return {
            **self._preparation.state(),
            "sums": self._sums.copy(),
            "contexts": self.contexts.copy(),
            "costs": self.costs.copy(),
            "values": self.values.copy(),
            "outside": self.outside.copy(),
        }

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        count = state["outside"].size if "outside" in state else 0
        shapes = {
            "scale": (3, self.dimension),
            "sums": (2, self.boxes),
            "contexts": (count, self.boxes, self.dimension),
            "costs": (count, self.boxes),
            "values": (count, self.boxes),
            "outside": (count,),
        }
        got = {name: array.shape for name, array in state.items()}
        if got != shapes:
            raise InvalidInputError("The state of a history", f"have the shapes {shapes}", got)
        given = {name: np.array(state[name], dtype=np.float64) for name in shapes}
        self._preparation.restore({"scale": given["scale"]})
        self._sums = given["sums"]
        self._contexts, self._costs = given["contexts"], given["costs"]
        self._values, self._outside = given["values"], given["outside"]
        self.count = count
        for model in self._models.values():
            model.forget()
        self._grow(max(64, 1 << count.bit_length()))
