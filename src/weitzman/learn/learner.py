"""Learners: what they are told, what they answer.

A *learner* is a frozen description, such as ``FTRL(eta=1.0)``. ``start`` makes it run: a *bank*
holds the learned reservation values of all n boxes of a problem, and is the only thing with a
state.

A bank answers two questions about contexts and costs, in one array call for all boxes of a round:

- ``predict``: the reservation values σ;
- ``widths``: how little the box has seen of contexts like these, ‖x‖ in the norm of the inverse of
  the regularised Gram matrix of its contexts;

and is told the values that were seen, once a round, with ``update``. Rows are boxes; a box that is
missing in a round has no row, and a value that is NaN is not learned. Smaller values are better; a
problem with ``sense="max"`` is handed over with its signs turned.

``state`` gives everything as arrays: after ``restore`` of them a bank goes on as if it had never
stopped, bit for bit. A call that raises changes nothing.

Two banks are there: :class:`weitzman.learn.learners.compiled_bank.CompiledBank` for a learner whose state
is arrays and whose steps are compiled, and :class:`weitzman.PlainBank` for any other, which is handed over
as a :class:`~weitzman.learn.learners.plain_bank.Model`. :func:`weitzman.check_learner` checks every promise
of a bank.
"""

import math
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Bank", "Learner"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
State = dict[str, NDArray[np.generic]]


@runtime_checkable
class Bank(Protocol):
    """A learner that is running, for all boxes of a problem."""

    @property
    def boxes(self) -> int:
        """The number of boxes."""

    @property
    def dimension(self) -> int:
        """The length of a context."""

    @property
    def every(self) -> Ints:
        """The numbers of all boxes."""

    def check_shape(self, contexts: Floats, count: int) -> None:
        """Refuse contexts that are not ``count`` rows of the dimension."""

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

    def scale(self, boxes: ArrayLike | None = None) -> Floats:
        """Return the root mean square of v − σ of each box."""

    def looks(self, boxes: ArrayLike | None = None) -> Ints:
        """Return how many values of each box were learned; of all boxes, if they share weights."""

    def weights(self, boxes: ArrayLike | None = None) -> Floats | None:
        """Return w of each box, the intercept last; None if the prediction is not w·x."""

    def update(
        self, boxes: ArrayLike, contexts: ArrayLike, values: ArrayLike, costs: ArrayLike
    ) -> None:
        """Learn what was seen in one round."""

    def update_arrays(
        self, *, boxes: Ints, contexts: Floats, values: Floats, costs: Floats
    ) -> None:
        """Learn from arrays that are known to have the right types and shapes."""

    def add_boxes(self, count: int) -> None:
        """Let boxes join that have seen nothing."""

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""

    def restore(self, state: State) -> None:
        """Go on from what ``state`` returned."""

    def digest(self) -> str:
        """Return a hash of the state."""


class Learner(Protocol):
    """The description of a learner."""

    def start(self, *, boxes: int, dimension: int) -> Bank:
        """Return a bank that has seen nothing."""
