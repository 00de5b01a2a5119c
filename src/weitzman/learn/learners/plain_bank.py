"""The plain bank: a learner of any kind, written in Python, with all that a bank promises around it.

A :class:`Model` is the mathematics of a learner: what it predicts, how wide it is there, how it learns
a round. It is given rows that are checked: box numbers in increasing order (0 for all if the boxes
share one model), finite contexts, known values. The bank adds what is the same for all: checks,
missing values, the order of rows, the spread of residuals, optimism
(:mod:`weitzman.learn.learners.parts.optimism`), and the hash of a state.
"""

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.compiled.decorators import entry
from weitzman.errors import InvalidInputError
from weitzman.learn.bank_input import refusal
from weitzman.learn.learner import Bank
from weitzman.learn.learners.parts.kernels import note_residual
from weitzman.learn.learners.parts.optimism import lowered, note_look
from weitzman.learn.policy import joined, parted
from weitzman.search.numbers import LIMIT


class Model(Protocol):
    """The mathematics of a learner, for a number of rows: boxes, or one for all of them."""

    def predict(self, rows: Ints, contexts: Floats, costs: Floats) -> Floats:
        """Return a finite reservation value for each row; nothing changes."""

    def widths(self, rows: Ints, contexts: Floats) -> Floats:
        """Return how little is known of each context, as :meth:`weitzman.Bank.widths` does."""

    def learn(self, rows: Ints, contexts: Floats, values: Floats, costs: Floats) -> None:
        """Learn what was seen in one round; it does not raise."""

    def resize(self, rows: int) -> None:
        """Let rows join at the end that have seen nothing."""

    def state(self) -> Arrays:
        """Return a copy of everything that later answers depend on."""

    def restore(self, rows: int, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on with this number of rows from what ``state`` returned, or raise and change nothing."""


class PlainBank(Bank):
    """The running learner of all boxes, over a model.

    Parameters
    ----------
    model
        What predicts and learns; it has one row per box, or one if they share it.
    boxes, dimension, shared
        The number of boxes, the length of a context, and whether all boxes are one row.
    """

    def __init__(self, *, model: Model, boxes: int, dimension: int, shared: bool = False) -> None:
        super().__init__(boxes=boxes, dimension=dimension, shared=shared)
        self._model = model
        self._spread = np.zeros((self._rows(boxes), 3))
        self._pool = np.zeros(3)

    def predict_arrays(
        self,
        *,
        contexts: Floats,
        costs: Floats,
        boxes: Ints,
        optimism: float,
        outside: float = math.inf,
    ) -> Floats:
        self._refuse(boxes, contexts, None, costs)
        rows = self._places(boxes)
        sigma = self._model.predict(rows, contexts, costs)
        if optimism > 0.0:
            widths = self._model.widths(rows, contexts)
            sigma = np.array(sigma)
            looks = self._spread[rows, 2]
            _lower(optimism, self._pool, self.boxes, looks, widths, costs, outside, sigma)
        return sigma

    def _widths(self, boxes: Ints, contexts: Floats) -> Floats:
        self._refuse(boxes, contexts, None, np.zeros(len(boxes)))
        return self._model.widths(self._places(boxes), contexts)

    def _residuals(self) -> Floats:
        return self._spread

    def update_arrays(
        self, *, boxes: Ints, contexts: Floats, values: Floats, costs: Floats
    ) -> None:
        self._update(boxes, contexts, values, costs)

    def _update(
        self,
        boxes: Ints,
        contexts: Floats,
        values: Floats,
        costs: Floats,
        exact: NDArray[np.bool_] | None = None,
    ) -> None:
        """Learn a round; ``exact`` for a model that learns from bounds too."""
        known = np.flatnonzero(~np.isnan(values))
        self._refuse(boxes, contexts, values, costs)
        if not len(known):
            return
        order = known[np.argsort(boxes[known], kind="stable")]
        rows, contexts = self._places(boxes[order]), contexts[order]
        values, costs = values[order], costs[order]
        sigma = self._model.predict(rows, contexts, costs)
        _note(self._spread, self._pool, rows, sigma, values, costs)
        if exact is None:
            self._model.learn(rows, contexts, values, costs)
        else:
            learner: Any = self._model
            learner.learn_bounded(rows, values, exact[order])

    def _refuse(self, boxes: Ints, contexts: Floats, values: Floats | None, costs: Floats) -> None:
        """Raise for the first row that breaks a rule; a row without its value may break most."""
        matters = np.ones(len(boxes), dtype=np.bool_) if values is None else ~np.isnan(values)
        broken = np.zeros((5, len(boxes)), dtype=np.bool_)
        broken[0] = (boxes < 0) | (boxes >= self.boxes)
        if values is not None:
            if not self.shared:
                broken[1, 1:] = [box in boxes[:k] for k, box in enumerate(boxes[1:], 1)]
            broken[3] = matters & ~(np.abs(values) <= LIMIT)
        # A comparison with NaN is False
        broken[2] = matters & ~(np.abs(contexts) <= LIMIT).all(axis=1)
        broken[4] = matters & ~((costs >= 0.0) & (costs <= LIMIT))
        if broken.any():
            row = int(np.argmax(broken.any(axis=0)))
            rule = int(np.argmax(broken[:, row])) + 1
            raise refusal(row, rule, (boxes, contexts, values, costs))

    def _resize(self, boxes: int) -> None:
        rows = self._rows(boxes)
        self._model.resize(rows)
        self._spread = np.concatenate([self._spread, np.zeros((rows - len(self._spread), 3))])

    def _state(self) -> Arrays:
        mine: Arrays = {"spread": self._spread.copy(), "pool": self._pool.copy()}
        return mine | joined({"model": self._model.state()})

    def _restore(self, boxes: int, state: Arrays) -> None:
        own = {name: array for name, array in state.items() if not name.startswith("model.")}
        rows = self._rows(boxes)
        shapes = {"boxes": (1,), "spread": (rows, 3), "pool": (3,)}
        if {name: array.shape for name, array in own.items()} != shapes:
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        self._model.restore(rows, parted(state, "model"))
        self._spread = np.array(own["spread"], dtype=np.float64)
        self._pool = np.array(own["pool"], dtype=np.float64)


@entry
def _note(
    spread: Floats, pool: Floats, rows: Ints, sigma: Floats, values: Floats, costs: Floats
) -> None:
    """Take looks into the spread of their box and of all."""
    for k in range(rows.shape[0]):
        note_look(pool, sigma[k], costs[k])
        note_residual(spread[rows[k]], values[k] - sigma[k])


@entry
def _lower(
    kappa: float,
    pool: Floats,
    boxes: int,
    looks: Floats,
    widths: Floats,
    costs: Floats,
    outside: float,
    sigma: Floats,
) -> None:
    for k in range(sigma.shape[0]):
        sigma[k] = lowered(kappa, pool, boxes, looks[k], sigma[k], widths[k], costs[k], outside)
