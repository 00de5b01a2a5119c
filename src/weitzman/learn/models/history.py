"""The past: the rounds that are closed, as arrays.

Contexts are kept as :mod:`weitzman.learn.preparation` prepared them for their round. Contexts that come
prepared already are taken as they are.

*Memory*. Where rounds come prepared, models are fitted to the last M rounds at most, and the last 2 M are
kept: what a model was fitted to is there as long as the model is in force
(:mod:`weitzman.learn.models.refits`), and no state grows for ever. How many values a box has shown and what
they add up to are of all rounds. Elsewhere all rounds are kept.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags
from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.models.kept import Kept, add_up, put_round
from weitzman.learn.models.refits import Refits
from weitzman.learn.models.window import Window
from weitzman.learn.policy import Floats, Ints, Round, State
from weitzman.learn.preparation import Preparation, Prepare, checked_prepare
from weitzman.learn.prepared_rounds import PreparedRounds
from weitzman.search.numbers import whole_number

MEMORY = 2048
"""M, the most rounds that a model of prepared rounds is fitted to."""


class Forgetful(Protocol):
    """A model of a past."""

    def forget(self) -> None:
        """Let what was fitted go: the past is another one."""


Model = TypeVar("Model", bound=Forgetful)


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
    memory
        M, where all is prepared.

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
        memory: int = MEMORY,
    ) -> None:
        if feedback not in ("full", "opened"):
            raise InvalidInputError("The feedback", "be 'full' or 'opened'", feedback)
        self.feedback = feedback
        self.boxes = whole_number(boxes, "The number of boxes", least=1)
        self.dimension = whole_number(dimension, "The dimension", least=1)
        self.shared = shared
        self._standardise = checked_prepare(prepare) == "contexts"
        self.unit_free = prepare == "all"
        self.memory = whole_number(memory, "The memory", least=1) if self.unit_free else None
        self.count = 0
        # How many of the closed rounds are not kept any more
        self._gone = 0
        self._preparation = Preparation(dimension)
        self._sums = np.zeros((2, boxes))
        self._kept = Kept(boxes, dimension) if self.unit_free else None
        self._contexts = np.empty((0, 0 if self.unit_free else boxes, dimension))
        self._costs = np.empty((0, boxes))
        self._values = np.empty((0, boxes))
        self._outside = np.empty(0)
        self._models: dict[Any, Forgetful] = {}
        self._resize(0, 64)

    def window(self, end: int) -> Window:
        """Return what a model of the first ``end`` rounds is fitted to."""
        return self._between(0 if self.memory is None else max(0, end - self.memory), end)

    def _between(self, first: int, end: int) -> Window:
        low, high = first - self._gone, end - self._gone
        contexts = self._contexts[low:high] if self._kept is None else self._kept.between(low, high)
        parts = self._costs[low:high], self._values[low:high], self._outside[low:high]
        return Window(first, *parts, contexts)

    def refits(self, growth: float) -> Refits:
        """Return when a model is fitted again."""
        return Refits(growth, self.memory)

    @property
    def first(self) -> int:
        """The number of the first round that :meth:`state` keeps."""
        return 0 if self.memory is None else max(0, self.count - 2 * self.memory)

    @property
    def contexts(self) -> Floats:
        """The standardised contexts of the rounds that are kept, (T, n, d); NaN where a box was absent."""
        return self._every().whole()

    @property
    def costs(self) -> Floats:
        """The costs, (T, n); NaN where a box was absent."""
        return self._every().costs

    @property
    def values(self) -> Floats:
        """The values, (T, n); NaN where none was revealed."""
        return self._every().values

    @property
    def outside(self) -> Floats:
        """The outside options, (T,); +∞ where there was none."""
        return self._every().outside

    def _every(self) -> Window:
        return self._between(self.first, self.count)

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
        at, rows = self.count - self._gone, shown.filled
        if at == len(self._outside):
            kept = self.count - self.first
            self._resize(self.first - self._gone, 2 * max(kept, 32))
            at = kept
        if self._standardise:
            rows = self._preparation.add(shown)
        if self._kept is not None:
            self._kept.put(at, shown.places, rows)
        contexts = self._contexts[at] if self._kept is None else self._contexts[0]
        put_round(
            shown.places, rows, shown.costs, values,
            contexts, self._costs[at], self._values[at], self._sums,
        )  # fmt: skip
        self._outside[at] = shown.outside
        self.count += 1

    def sums_ahead(self, values: Floats) -> Floats:
        """Return the numbers of values of each box and their sums before each round, (T + 1, 2, n)."""
        sums = np.empty((len(values) + 1, *self._sums.shape))
        add_up(values, self._sums, sums)
        return sums

    def add_rounds(self, rounds: PreparedRounds) -> None:
        """Close rounds in a row that come prepared."""
        assert self._kept is not None
        at, count = self.count - self._gone, len(rounds.outside)
        if at + count > len(self._outside):
            kept = self.count - self.first
            self._resize(self.first - self._gone, max(2 * kept, kept + count))
            at = kept
        self._kept.put_rounds(at, rounds.contexts, ~np.isnan(rounds.costs))
        new = slice(at, at + count)
        self._costs[new], self._values[new] = rounds.costs, rounds.values
        self._outside[new] = rounds.outside
        self._sums = self.sums_ahead(rounds.values)[-1]
        self.count += count

    def _resize(self, low: int, capacity: int) -> None:
        """Let go what is before a place, and make room behind; what was handed out stays as it is."""
        high = self.count - self._gone

        def moved(array: Floats) -> Floats:
            # What is not written yet takes no memory
            new = np.empty((capacity, *array.shape[1:]))
            new[: high - low] = array[low:high]
            return new

        self._costs, self._values = moved(self._costs), moved(self._values)
        self._outside = moved(self._outside)
        if self._kept is None:
            self._contexts = moved(self._contexts)
        else:
            self._contexts = np.empty((1, 0, self.dimension))
            self._kept.resize(low, high, capacity)
        self._gone += low

    def state(self) -> State:
        """Return everything as arrays."""
        every, low = self._every(), self.first - self._gone
        contexts: State
        if self._kept is None:
            contexts = {**self._preparation.state(), "contexts": every.whole().copy()}
        else:
            contexts = self._kept.state(low, self.count - self._gone)
            contexts["count"] = np.array([self.count])
        return contexts | {
            "sums": self._sums.copy(),
            "costs": every.costs.copy(),
            "values": every.values.copy(),
            "outside": every.outside.copy(),
        }

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        count = state["outside"].size if "outside" in state else 0
        shapes: dict[str, object] = {
            "sums": (2, self.boxes),
            "costs": (count, self.boxes),
            "values": (count, self.boxes),
            "outside": (count,),
        }
        if self._kept is None:
            shapes |= {"scale": (3, self.dimension)}
            shapes |= {"contexts": (count, self.boxes, self.dimension)}
        else:
            shapes |= {"count": (1,), **self._kept.shapes(state, count)}
        got = {name: array.shape for name, array in state.items()}
        if got != shapes:
            raise InvalidInputError("The state of a history", f"have the shapes {shapes}", got)
        numbers = ("sums", "costs", "values", "outside")
        sums, costs, values, outside = (np.array(state[n], dtype=np.float64) for n in numbers)
        self._sums, self._costs, self._values, self._outside = sums, costs, values, outside
        self.count = count
        if self._kept is None:
            self._preparation.restore({"scale": state["scale"]})
            self._contexts = np.array(state["contexts"], dtype=np.float64)
        else:
            self.count = int(np.array(state["count"], dtype=np.int64)[0])
            self._kept.restore(state, ~np.isnan(costs))
        if self.count - self.first != count:
            rule = f"keep {self.count - self.first} of {self.count} rounds"
            raise InvalidInputError("The state of a history", rule, count)
        self._gone = self.count - count
        for model in self._models.values():
            model.forget()
        self._resize(0, max(64, 1 << count.bit_length()))
