"""Boosted reservation values: trees on top of exact FTRL.

    σ(x) = w·x + f(x),

with w from exact FTRL (:mod:`weitzman.learn.learners.ftrl`), which goes on learning every round, and f a
sum of boosted trees that lead from w·x towards the least linear-quadratic loss
(:mod:`weitzman.learn.learners.parts.ensemble`).

**When.** A box is linear until it has shown 64 values. Its trees are grown on all values so far, and again
whenever their number has doubled since, so all growing together costs at most twice the last.

**How many trees.** The first three quarters of the values are fitted, w and trees alike, and the loss on
the last quarter is looked at after 10, 20, …, 100 trees. The number with the least loss is then grown on
all values, if trees are clearly better than no trees: with D the loss without trees less that with them, if
Σ D > √(Σ D²). Nothing is looked at before it is past, and where trees do not help the box stays linear.

**State.** The values that the trees were grown on, and w at that time; the trees are grown again from
these. So a resumed learner goes on bit for bit with the same version of the library that grew them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.exact.points import COST, SEEN, VALUE
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.parts.ensemble import Engine, Ensemble, boost, checked_engine, evaluate
from weitzman.learn.learners.parts.regulariser import Eta
from weitzman.learn.learners.plain_bank import PlainBank
from weitzman.learn.loss import loss
from weitzman.learn.policy import joined, parted

FIRST = 64
"""How many values a box must have shown before trees are grown."""
MOST = 100
EVERY = 10
_CODES = {"lightgbm": 1, "sklearn": 2}


@dataclass(frozen=True, kw_only=True)
class Boosted:
    """Gradient-boosted trees on top of exact FTRL.

    Parameters
    ----------
    eta, intercept
        As for :class:`weitzman.FTRL`.
    shared
        Whether all boxes share w and the trees.
    engine
        What grows the trees: ``"lightgbm"``, ``"sklearn"``, or ``"auto"`` for the first that is installed.
    """

    eta: Eta = "auto"
    intercept: bool | None = None
    shared: bool = False
    engine: Engine = "auto"

    def start(self, *, boxes: int, dimension: int) -> PlainBank:
        """Return a bank that has seen nothing."""
        engine = checked_engine(self.engine)
        linear = FTRL(eta=self.eta, intercept=self.intercept, shared=self.shared)
        model = _Model(linear, 1 if self.shared else boxes, dimension, engine)
        return PlainBank(model=model, boxes=boxes, dimension=dimension, shared=self.shared)


class _Model:
    def __init__(
        self, linear: FTRL, rows: int, dimension: int, engine: Literal["lightgbm", "sklearn"]
    ) -> None:
        self._linear = linear
        self._dimension = dimension
        self._engine = engine
        self._bank = linear.start(boxes=rows, dimension=dimension)
        self._fitted = np.zeros(rows, dtype=np.int64)
        self._weights = np.zeros((rows, dimension + bool(linear.intercept)))
        self._trees: list[Ensemble | None] = [None] * rows

    def predict(self, rows: Ints, contexts: Floats, costs: Floats) -> Floats:
        sigma = self._bank.predict_arrays(contexts=contexts, costs=costs, boxes=rows, optimism=0.0)
        for row in np.unique(rows):
            trees = self._trees[row]
            if trees is not None:
                mine = rows == row
                sigma[mine] += evaluate(trees, contexts[mine], len(trees.roots))[:, 0]
        return sigma

    def widths(self, rows: Ints, contexts: Floats) -> Floats:
        return self._bank.widths(contexts, rows)

    def learn(self, rows: Ints, contexts: Floats, values: Floats, costs: Floats) -> None:
        self._bank.update_arrays(boxes=rows, contexts=contexts, values=values, costs=costs)
        for row in np.unique(rows):
            seen = int(self._bank.arrays.counts[row, SEEN])
            if seen >= max(FIRST, 2 * self._fitted[row]):
                self._fitted[row] = seen
                self._weights[row] = self._bank.arrays.weights[row]
                self._trees[row] = self._grow(row)

    def _grow(self, row: int) -> Ensemble | None:
        """Return the trees of a row for its first values, None for no trees."""
        count, size = self._fitted[row], self._weights.shape[1]
        points = self._bank.arrays.points[row, :count]
        x, v, c = points[:, :size], points[:, size + VALUE], points[:, size + COST]
        x = np.ascontiguousarray(x[:, : self._dimension])
        part = count - count // 4
        early, late = slice(0, part), slice(part, count)
        trial = FTRL(eta=self._linear.eta, intercept=self._linear.intercept, shared=True)
        bank = trial.start(boxes=1, dimension=self._dimension)
        zeros = np.zeros(count, dtype=np.int64)
        values, costs = v[early].copy(), c[early].copy()
        bank.update_arrays(boxes=zeros[early], contexts=x[early], values=values, costs=costs)
        start = bank.predict_arrays(contexts=x, costs=c.copy(), boxes=zeros, optimism=0.0)
        trees = boost(x[early], v[early] - start[early], c[early], MOST, self._engine)
        sums = evaluate(trees, x[late], EVERY)
        steps = np.column_stack([np.zeros(count - part), sums]) + start[late, np.newaxis]
        losses = loss(steps - v[late, np.newaxis], c[late, np.newaxis])
        best = int(np.argmin(losses.sum(axis=0)))
        gain = losses[:, 0] - losses[:, best]
        if not gain.sum() > np.sqrt((gain * gain).sum()):
            return None
        straight = np.full(count, self._weights[row, -1] if self._linear.intercept else 0.0)
        for column, weight in zip(x.T, self._weights[row], strict=False):
            straight += weight * column
        return boost(x, v - straight, c.copy(), EVERY * best, self._engine)

    def resize(self, rows: int) -> None:
        more = rows - len(self._fitted)
        if more:
            self._bank.add_boxes(more)
            self._fitted = np.append(self._fitted, np.zeros(more, dtype=np.int64))
            self._weights = np.pad(self._weights, ((0, more), (0, 0)))
            self._trees += [None] * more

    def state(self) -> Arrays:
        own: Arrays = {
            "fitted": self._fitted.copy(),
            "weights": self._weights.copy(),
            "engine": np.array([_CODES[self._engine]]),
        }
        return own | joined({"linear": self._bank.state()})

    def restore(self, rows: int, state: Mapping[str, NDArray[np.generic]]) -> None:
        shapes = {"fitted": (rows,), "weights": (rows, self._weights.shape[1]), "engine": (1,)}
        got = {n: a.shape for n, a in state.items() if not n.startswith("linear.")}
        if got != shapes:
            raise InvalidInputError("The state", f"be that of the same learner, {shapes}", got)
        if int(cast("Ints", state["engine"])[0]) != _CODES[self._engine]:
            rule = f"be that of trees grown by {self._engine}"
            raise InvalidInputError("The state", rule, int(cast("Ints", state["engine"])[0]))
        bank = self._linear.start(boxes=rows, dimension=self._dimension)
        bank.restore(parted(state, "linear"))
        self._bank = bank
        self._fitted = np.array(state["fitted"], dtype=np.int64)
        self._weights = np.array(state["weights"], dtype=np.float64)
        self._trees = [self._grow(row) if self._fitted[row] else None for row in range(rows)]
