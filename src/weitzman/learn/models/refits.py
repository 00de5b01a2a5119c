"""When models of the past are fitted again, and how a fit is spread over rounds.

*Refits*. A model is a function of the first a closed rounds, and a grows by a factor: a model is
fitted after a = 1, 2, 3, … rounds, then at ⌈g a⌉, and stays as it is in between. So a model is never
part of a state: it comes back from the rounds that it was fitted to. Where the last M rounds alone are kept,
a model is fitted to the last M of the first a, and a grows by (g − 1) M at most.

*Slices*. A fit that takes longer than a round may wait is cut into K ≤ a' − a tasks, with a' the next of the
numbers above. One task is done in each of the rounds a, a + 1, …, a + K − 1, and the model comes into force
with the last; until then the one before stays. K depends on the rounds that the model is fitted to and on
nothing else, no clock and no thread: live, replayed and restored rounds have the same models.
"""

import math
from collections.abc import Callable, Generator
from typing import Generic, NamedTuple, TypeVar

SLICE = 8.0
"""How long a task should take, in ms of the machine on which the estimates of models were made."""

Model = TypeVar("Model")


class Refits:
    """When a model is fitted again, as the past grows by a factor.

    Parameters
    ----------
    growth
        The factor g.
    memory
        The number M of rounds that a model is fitted to at most; None for all.

    Examples
    --------
    >>> refits = Refits(1.5)
    >>> [refits.last(count) for count in range(10)]
    [0, 1, 2, 3, 3, 5, 5, 5, 8, 8]
    """

    def __init__(self, growth: float, memory: int | None = None) -> None:
        self._growth = growth
        self._longest = math.inf if memory is None else math.ceil((growth - 1.0) * memory)
        self._begin()

    def _begin(self) -> None:
        self._last = self._before = 0
        self._next = self.after(0)

    def last(self, count: int) -> int:
        """Return the number of rounds a model is fitted to when this many are closed."""
        if count < self._last:
            self._begin()
        while self._next <= count:
            self._before, self._last = self._last, self._next
            self._next = self.after(self._last)
        return self._last

    def before(self, count: int) -> int:
        """Return the number of rounds that the model before was fitted to."""
        self.last(count)
        return self._before

    def after(self, end: int) -> int:
        """Return the number of rounds that the model after one of so many is fitted to."""
        after = max(end + 1, math.ceil(self._growth * end))
        return after if after - end <= self._longest else end + max(1, int(self._longest))


class Fitting(NamedTuple, Generic[Model]):
    """A fit to be done: how many tasks it has, and what does one with every ``next``."""

    tasks: int
    work: Generator[None, None, Model]


class Refitted(Generic[Model]):
    """The model in force, fitted again as the past grows.

    Parameters
    ----------
    refits
        When.
    begin
        What makes a fitting to the first a rounds.
    sliced
        Whether fits are spread over rounds.
    """

    def __init__(
        self, refits: Refits, begin: Callable[[int], Fitting[Model]], *, sliced: bool
    ) -> None:
        self._refits = refits
        self._begin = begin
        self._sliced = sliced
        self.forget()

    def forget(self) -> None:
        """Let everything that was fitted go."""
        self.end = 0
        """How many rounds the model in force was fitted to."""
        self._model: Model | None = None
        self._due = 0
        self._fitting: Fitting[Model] | None = None
        self._done = 0

    def current(self, count: int) -> Model | None:
        """Return the model in force when so many rounds are closed; None if there were none."""
        due = self._refits.last(count)
        if due != self._due:
            if self._due == self._refits.before(count):
                self._do(self._due, None)
            self._due, self._fitting, self._done = due, self._begin(due), 0
        if self._fitting is not None:
            tasks = self._fitting.tasks
            slices = min(tasks, self._refits.after(due) - due) if self._sliced else 1
            passed = min(count - due + 1, slices)
            if passed < slices and self.end != (before := self._refits.before(count)):
                self._model, self.end = (whole(self._begin(before)) if before else None), before
            self._do(due, None if passed == slices else -(-tasks * passed // slices))
        return self._model

    def until(self, count: int) -> int:
        """Return how many rounds may be closed, when so many are, before the model in force may change."""
        return count + 1 if self._fitting is not None else self._refits.after(self._due)

    def _do(self, due: int, tasks: int | None) -> None:
        """Do the tasks of the fit at hand up to a number; all of them if None."""
        if self._fitting is None:
            return
        if tasks is None:
            self._model, self.end = whole(self._fitting), due
            self._fitting = None
            return
        while self._done < tasks:
            next(self._fitting.work)
            self._done += 1


def whole(fitting: Fitting[Model]) -> Model:
    """Return the model, after all that is left to do."""
    while True:
        try:
            next(fitting.work)
        except StopIteration as end:
            model: Model = end.value
            return model


def nothing(model: Model) -> Fitting[Model]:
    """Return a fitting with nothing to do."""

    def work() -> Generator[None, None, Model]:
        yield from ()
        return model

    return Fitting(1, work())
