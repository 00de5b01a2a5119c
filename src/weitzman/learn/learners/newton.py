"""A Newton step per observation: O(d²) time, constant memory.

The curvature of the expected loss at the reservation value is P(v < σ) x xᵀ. With the fraction κ of
past residuals that were positive (starting from one positive of two) and V = I/η + Σ x xᵀ over the
contexts before this one, the step is the implicit one,

    w ← w − (1/κ) V⁻¹ H_c′(z′) x,   z′ = w·x − v after the step,

that is, with q = xᵀ V⁻¹ x / κ and z = w·x − v before: z′ = (z + q c)/(1 + q) if that is positive,
and z + q c otherwise. It never leaps beyond the minimum of its own loss, so it is stable at any
scale. With a ball, w is then scaled back to it.

Unlike exact FTRL it does not look at a point again, so its weights are near the leader's but not
equal to them.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.compiled.decorators import implements
from weitzman.compiled.linalg import dot, load_row, symmetric_product
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.parts.gram import (
    Cover,
    blank_cover,
    cover_add,
    cover_reach,
    cover_settle,
    cover_width,
)
from weitzman.learn.learners.parts.kernels import (
    learn_row,
    note_residual,
    predict_linear,
    predict_row,
    reach_row,
    settle_row,
    width_row,
)
from weitzman.learn.learners.parts.regulariser import (
    Eta,
    ball_radius,
    eta_code,
    follow_ridge,
    into_ball,
    own_prior,
    starting_weights,
)


class NewtonState(NamedTuple):
    """``reals`` holds (contexts, squared lengths, 1/η, positive residuals), ``rules`` (η, M)."""

    weights: Floats
    prior: Floats
    reals: Floats
    spread: Floats
    pool: Floats
    cover: Cover
    rules: Floats
    work: Floats
    square: Floats


@dataclass(frozen=True, kw_only=True)
class NewtonStep:
    """One implicit Newton step per observation.

    Parameters
    ----------
    eta, radius, intercept, prior, shared
        As for :class:`weitzman.FTRL`; ``eta`` is a number or ``"auto"``.

    Examples
    --------
    >>> bank = NewtonStep(eta=1.0).start(boxes=1, dimension=1)
    >>> bank.update([0], [[1.0]], [3.0], 1.0)
    >>> bank.predict([[1.0]], 1.0).round(3)
    array([2.])
    """

    bounded: ClassVar[bool] = True

    eta: Eta = "auto"
    radius: float | None = None
    intercept: bool | None = None
    prior: ArrayLike | None = None
    shared: bool = False

    def start(self, *, boxes: int, dimension: int) -> CompiledBank:
        """Return a bank that has seen nothing."""
        if self.eta == "theorem":
            raise InvalidInputError("eta", "be a number or 'auto' for a Newton step", self.eta)
        own_prior(self.prior)
        radius = ball_radius(self.radius)
        eta = eta_code(self.eta, self.radius, None)

        def blank(start: Floats, capacity: int) -> NewtonState:
            rows, size = start.shape
            return NewtonState(
                weights=starting_weights(start, radius),
                prior=start,
                reals=np.zeros((rows, 4)),
                spread=np.zeros((rows, 3)),
                pool=np.zeros(3),
                cover=blank_cover(rows, size),
                rules=np.array([eta, radius]),
                work=np.zeros((2, size)),
                square=np.zeros((size, size)),
            )

        return CompiledBank(self, boxes=boxes, dimension=dimension, blank=blank)


implements(predict_row, NewtonState)(predict_linear)


@implements(width_row, NewtonState)
def _width(state: NewtonState, row: int, context: Floats) -> float:
    load_row(context, state.work[0])
    return cover_width(state.cover, row, state.work[0], state.work[1])


@implements(reach_row, NewtonState)
def _reach(state: NewtonState, row: int, context: Floats) -> float:
    return cover_reach(state.cover, row, context)


@implements(learn_row, NewtonState)
def _learn(state: NewtonState, row: int, context: Floats, value: float, cost: float) -> None:
    x, direction = state.work[0], state.work[1]
    weights, reals = state.weights[row], state.reals[row]
    load_row(context, x)
    size = x.shape[0]
    residual = dot(weights, x, size) - value
    note_residual(state.spread[row], -residual)
    curvature = (1.0 + reals[3]) / (2.0 + reals[0])
    reals[3] += 1.0 if residual > 0.0 else 0.0
    follow_ridge(reals, state.rules[0], x)
    cover_settle(state.cover, row, reals[2], state.square)
    symmetric_product(state.cover.inverse[row], x, direction)
    reach = dot(x, direction, size) / curvature
    after = (residual + reach * cost) / (1.0 + reach)
    slope = max(after, 0.0) - cost
    for j in range(size):
        weights[j] -= slope * direction[j] / curvature
    into_ball(weights, state.rules[1])
    cover_add(state.cover, row, x, 1.0, direction)


@implements(settle_row, NewtonState)
def _settle(state: NewtonState, row: int) -> None:
    cover_settle(state.cover, row, state.reals[row, 2], state.square)
