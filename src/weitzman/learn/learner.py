"""Learners: what they are given, what they answer.

A *learner* is a frozen description, such as ``FTRL(eta=1.0)``. ``start`` makes it run: a *bank*
holds the learned reservation values of all n boxes of a problem, and is the only thing with a
state.

A bank answers two questions about contexts and costs, in one array call for all boxes of a round:

- ``predict``: the reservation values σ;
- ``widths``: how little the box has seen of contexts like these, ‖x‖ in the norm of the inverse of
  the regularised Gram matrix of its contexts;

and is given the values that were seen, once a round, with ``update``. Rows are boxes; a box that is
missing in a round has no row, and a value that is NaN is not learned. Smaller values are better; a
problem with ``sense="max"`` is given with its signs turned.

``state`` gives everything as arrays: after ``restore`` of them a bank goes on as if it had never
stopped, bit for bit. A call that raises changes nothing.

:class:`Bank` is the public face, with its checks, over the few methods in which kinds of banks differ.
There are two kinds: :class:`weitzman.learn.learners.compiled_bank.CompiledBank` for a learner whose state
is arrays and whose steps are compiled, and :class:`weitzman.PlainBank` for any other, which is given as a
:class:`~weitzman.learn.learners.plain_bank.Model`. :func:`weitzman.check_learner` checks every promise of a
bank.
"""

import inspect
import math
from abc import ABC, abstractmethod
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.learn.bank_input import asked, box_numbers, column, hash_of
from weitzman.search.numbers import whole_number


class Bank(ABC):
    """A learner that is running, for all boxes of a problem.

    Parameters
    ----------
    boxes, dimension, shared
        The number of boxes, the length of a context, and whether all boxes are one row.

    Attributes
    ----------
    every
        The numbers of all boxes.
    """

    def __init__(self, *, boxes: int, dimension: int, shared: bool) -> None:
        self.boxes = whole_number(boxes, "The number of boxes", least=1)
        self.dimension = whole_number(dimension, "The dimension", least=1)
        self.every = np.arange(boxes)
        self.shared = shared

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
        rows, chosen = asked(contexts, boxes, self.every, self.dimension)
        return self.predict_arrays(
            contexts=rows,
            costs=column("The costs", costs, len(chosen)),
            boxes=chosen,
            optimism=optimism,
            outside=float(outside),
        )

    @abstractmethod
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

    def widths(self, contexts: ArrayLike, boxes: ArrayLike | None = None) -> Floats:
        """Return one width per row."""
        rows, chosen = asked(contexts, boxes, self.every, self.dimension)
        return self._widths(chosen, rows)

    @abstractmethod
    def _widths(self, boxes: Ints, contexts: Floats) -> Floats:
        """Return one width per row, or raise for boxes and contexts that are none."""

    def scale(self, boxes: ArrayLike | None = None) -> Floats:
        """Return the root mean square of v − σ of each box."""
        spread = self._residuals()[self._places(boxes)]
        return cast("Floats", np.where(spread[:, 2] > 0.0, np.sqrt(spread[:, 1]), np.nan))

    def looks(self, boxes: ArrayLike | None = None) -> Ints:
        """Return how many values of each box were learned; of all boxes, if they are one row."""
        return cast("Ints", self._residuals()[self._places(boxes), 2].astype(np.int64))

    @abstractmethod
    def _residuals(self) -> Floats:
        """Return mean, mean square and number of v − σ, by row."""

    def weights(self, boxes: ArrayLike | None = None) -> Floats | None:
        """Return w of each box, the intercept last; None if the prediction is not w·x."""
        return None

    def update(
        self, boxes: ArrayLike, contexts: ArrayLike, values: ArrayLike, costs: ArrayLike
    ) -> None:
        """Learn what was seen in one round."""
        rows, chosen = asked(contexts, boxes, self.every, self.dimension)
        found = column("The values", values, len(chosen))
        paid = column("The costs", costs, len(chosen))
        self.update_arrays(boxes=chosen, contexts=rows, values=found, costs=paid)

    @abstractmethod
    def update_arrays(
        self, *, boxes: Ints, contexts: Floats, values: Floats, costs: Floats
    ) -> None:
        """Learn from arrays that are known to have the right types and shapes."""

    def add_boxes(self, count: int) -> None:
        """Let boxes join that have seen nothing."""
        if count < 0:
            raise InvalidInputError("count", "be an integer >= 0", count)
        self._resize(self.boxes + count)
        self._count(self.boxes + count)

    @abstractmethod
    def _resize(self, boxes: int) -> None:
        """Make room for so many boxes; those that join have seen nothing."""

    def state(self) -> Arrays:
        """Return a copy of everything that later answers depend on."""
        return {"boxes": np.array([self.boxes]), **self._state()}

    @abstractmethod
    def _state(self) -> Arrays:
        """Return a copy of everything but the number of boxes."""

    def restore(self, state: Arrays) -> None:
        """Go on from what ``state`` returned."""
        given = state.get("boxes", np.zeros(1))
        boxes = int(cast("Ints", given)[0]) if given.shape == (1,) else 0
        if boxes < 1:
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        self._restore(boxes, state)
        self._count(boxes)

    @abstractmethod
    def _restore(self, boxes: int, state: Arrays) -> None:
        """Go on with so many boxes from what ``state`` returned, or raise and change nothing."""

    def digest(self) -> str:
        """Return a hash of the state."""
        return hash_of(self.state())

    def _count(self, boxes: int) -> None:
        self.boxes, self.every = boxes, np.arange(boxes)

    def _rows(self, boxes: int) -> int:
        return 1 if self.shared else boxes

    def _places(self, boxes: ArrayLike | None) -> Ints:
        """Return the rows of boxes, of all if None."""
        chosen = self.every if boxes is None else box_numbers(boxes)
        return np.zeros_like(chosen) if self.shared else chosen


class Learner(Protocol):
    """The description of a learner."""

    def start(self, *, boxes: int, dimension: int) -> Bank:
        """Return a bank that has seen nothing."""


def bank_of(learner: Any, *, boxes: int, dimension: int) -> Bank:
    """Return a bank of what is a learner."""
    bank: Bank = as_learner(learner).start(boxes=boxes, dimension=dimension)
    return bank


def as_learner(learner: Any) -> Any:
    """Return what is a learner; a policy or a name is none."""
    start = getattr(learner, "start", None)
    known = set() if start is None else set(inspect.signature(start).parameters)
    if isinstance(learner, type) or not known >= {"boxes", "dimension"} or "feedback" in known:
        raise InvalidInputError("The learner", "be a learner, such as FTRL()", learner)
    return learner
