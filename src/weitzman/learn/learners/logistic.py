"""Logistic regression for values of two levels: a look succeeds or it does not.

The value of a box is its good level g or its bad level b > g, P(v = g | x) = p = 1/(1 + e^{−w·x}). With
E(σ − v)⁺ = p (σ − g)⁺ + (1 − p)(σ − b)⁺ = c,

    σ = g + c/p                     if c ≤ p (b − g): the cost of a look over its chance of success,
    σ = p g + (1 − p) b + c         otherwise: a look does not pay even against b.

The weights of a box are, after a = 1, 2, 3, … observations and then at a ← ⌈1.25 a⌉, the minimiser of

    F(w) = Σ_s [log(1 + e^{w·x_s}) − y_s w·x_s] + ‖w‖²/(2η),    y_s = (b − v_s)/(b − g),

found by Newton's method with halved steps. In between every observation makes one step of the quadratic
at hand: B ← B + p(1 − p) x xᵀ, w ← w + B⁻¹ x (y − p). So a round costs O(d²) and five more passes over the
points in the long run. ``eta="auto"`` holds 1/η at a quarter of the mean of ‖x‖² over the points of the last
exact fit.

**Levels.** g and b are the smallest and the largest value that the box has shown; while it has shown one
only, those of all boxes. When they change, the box is fitted again. Before there are two levels, σ = v + c
with the one value v seen, or c.

**A third level** in between counts as a share y of a success. Then p is the probability that gives the
two-point law on {g, b} the mean of the value; of all laws on [g, b] with this mean it is the most spread one,
so σ is at most the reservation value of the value's own law: boxes look better to search than they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.parts.logistic_steps import (
    HIGH,
    LOW,
    SEEN,
    LogisticState,
    learn_logistic,
    predict_logistic,
    width_logistic,
)
from weitzman.learn.learners.parts.regulariser import Eta, eta_code
from weitzman.learn.learners.parts.state_arrays import copy_corner, named_arrays
from weitzman.learn.learners.plain_bank import PlainBank


@dataclass(frozen=True, kw_only=True)
class Logistic:
    """Logistic regression for values of two levels.

    Parameters
    ----------
    eta
        A number or ``"auto"``.
    intercept
        Whether a constant is learned too; it is held to 0 as the other weights.
    shared
        Whether all boxes share one w and one pair of levels.

    Examples
    --------
    >>> bank = Logistic().start(boxes=1, dimension=1)
    >>> for value in (0.0, 20.0, 0.0, 0.0):
    ...     bank.update([0], [[1.0]], [value], 1.0)
    >>> bank.predict([[1.0]], 1.0).round(2)
    array([1.43])
    """

    eta: Eta = "auto"
    intercept: bool | None = None
    shared: bool = False

    def start(self, *, boxes: int, dimension: int) -> PlainBank:
        """Return a bank that has seen nothing."""
        if self.eta == "theorem":
            raise InvalidInputError("eta", "be a finite number > 0 or 'auto'", self.eta)
        eta = eta_code(self.eta, None, None)
        model = _Model(1 if self.shared else boxes, dimension + bool(self.intercept), eta)
        return PlainBank(model=model, boxes=boxes, dimension=dimension, shared=self.shared)


class _Model:
    def __init__(self, rows: int, size: int, eta: float) -> None:
        self._eta = eta
        self._size = size
        self._arrays = self._blank(rows, 64)

    def _blank(self, rows: int, capacity: int) -> LogisticState:
        size = self._size
        reals = np.zeros((rows, 5))
        reals[:, LOW], reals[:, HIGH] = np.inf, -np.inf
        return LogisticState(
            weights=np.zeros((rows, size)),
            inverse=np.zeros((rows, size, size)),
            points=np.zeros((rows, capacity, size + 1)),
            reals=reals,
            counts=np.zeros((rows, 2), dtype=np.int64),
            levels=np.array([np.inf, -np.inf]),
            eta=np.array([self._eta]),
            work=np.zeros((5, size)),
            square=np.zeros((size, size)),
        )

    def predict(self, rows: Ints, contexts: Floats, costs: Floats) -> Floats:
        state, sigma = self._arrays, np.empty(len(rows))
        predict_logistic(
            state.weights, state.reals, state.levels, rows, contexts, costs, state.work[0], sigma
        )
        return sigma

    def widths(self, rows: Ints, contexts: Floats) -> Floats:
        out = np.empty(len(rows))
        width_logistic(self._arrays, rows, contexts, out)
        return out

    def learn(self, rows: Ints, contexts: Floats, values: Floats, costs: Floats) -> None:
        counts, capacity = self._arrays.counts, self._arrays.points.shape[1]
        needed = int(counts[:, SEEN].max()) + len(rows)
        if needed > capacity:
            self._grow(len(counts), max(needed, 2 * capacity))
        learn_logistic(self._arrays, rows, contexts, values)

    def resize(self, rows: int) -> None:
        self._grow(rows, self._arrays.points.shape[1])

    def _grow(self, rows: int, capacity: int) -> None:
        arrays = self._blank(rows, capacity)
        for old, new in zip(self._arrays, arrays, strict=True):
            copy_corner(old, new)
        self._arrays = arrays

    def state(self) -> Arrays:
        held = int(self._arrays.counts[:, SEEN].max())
        copies = {name: array.copy() for name, array in named_arrays(self._arrays)}
        return copies | {"points": self._arrays.points[:, :held].copy()}

    def restore(self, rows: int, state: Mapping[str, NDArray[np.generic]]) -> None:
        held = state["points"].shape[1] if state.get("points", np.empty(0)).ndim > 1 else 0
        arrays = self._blank(rows, max(64, held))
        targets = dict(named_arrays(arrays))
        shapes = {name: array.shape for name, array in targets.items()}
        shapes |= {"points": (rows, held, self._size + 1)}
        got = {name: array.shape for name, array in state.items()}
        if got != shapes or float(np.real(state["eta"][0])) != self._eta:
            raise InvalidInputError("The state", f"be that of the same learner, {shapes}", got)
        for name, target in targets.items():
            copy_corner(state[name], target)
        self._arrays = arrays
