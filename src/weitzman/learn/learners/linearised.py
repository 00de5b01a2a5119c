"""Linearised follow-the-regularised-leader: O(d) time, constant memory, the same bound.

Each loss is replaced by its tangent at the weights of its round, g_s = H_{c_s}′(w_s·x_s − v_s) x_s.
For a given η the weights are the minimiser of

    Σ_s g_s·w + ‖w − w₀‖² / (2η)   over   ‖w‖ ≤ M,

which is w₀ − η Σ g, scaled back to the ball if it is outside. Since H is convex its regret is at
most that of the tangents, M²/(2η) + T L² η.

``eta="auto"`` needs no horizon and no scale: each coordinate has its own η [Duchi, Hazan and Singer
2011],

    w_j = w₀_j − a_j Σ g_j / √(Σ g_j²),   a_j = √(mean of v² + c²) / (max |x_j| √d),

so that a change of units of a feature or of the values changes the weights accordingly and nothing
else. With weights shared by all boxes, tangents of one round are taken one after the other.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled, implements
from weitzman.compiled.linalg import dot, load_row
from weitzman.learn.learners.compiled_bank import CompiledBank
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
    THEOREM,
    Eta,
    ball_radius,
    checked_horizon,
    eta_code,
    follow_ridge,
    into_ball,
    own_prior,
    starting_weights,
    theorem_ridge,
)

# Columns of ``reals``, after those of ``follow_ridge``
ENERGY, LIPSCHITZ, LOWEST = 3, 4, 5
# Rows of ``sums``
SLOPES, SQUARES, LARGEST, GRAM = 0, 1, 2, 3


class LinearisedState(NamedTuple):
    """Per row Σ g, Σ g², max |x| and Σ x² in ``sums``; ``rules`` holds η, M and T."""

    weights: Floats
    prior: Floats
    sums: Floats
    reals: Floats
    spread: Floats
    pool: Floats
    rules: Floats
    work: Floats


@dataclass(frozen=True, kw_only=True)
class LinearisedFTRL:
    """Follow-the-regularised-leader on tangents.

    Parameters
    ----------
    eta, radius, intercept, prior, shared, horizon
        As for :class:`weitzman.FTRL`.

    Examples
    --------
    >>> bank = LinearisedFTRL(eta=0.5).start(boxes=1, dimension=1)
    >>> bank.update([0], [[1.0]], [3.0], 1.0)
    >>> bank.predict([[1.0]], 1.0)
    array([0.5])
    """

    bounded: ClassVar[bool] = True

    eta: Eta = "auto"
    radius: float | None = None
    intercept: bool | None = None
    prior: ArrayLike | None = None
    shared: bool = False
    horizon: int | None = None

    def start(self, *, boxes: int, dimension: int) -> CompiledBank:
        """Return a bank that has seen nothing."""
        own_prior(self.prior)
        radius = ball_radius(self.radius)
        horizon = checked_horizon(self.horizon)
        eta = eta_code(self.eta, self.radius, self.horizon)

        def blank(start: Floats, capacity: int) -> LinearisedState:
            rows, size = start.shape
            return LinearisedState(
                weights=starting_weights(start, radius),
                prior=start,
                sums=np.zeros((rows, 4, size)),
                reals=np.zeros((rows, 6)),
                spread=np.zeros((rows, 3)),
                pool=np.zeros(3),
                rules=np.array([eta, radius, horizon], dtype=np.float64),
                work=np.zeros((1, size)),
            )

        return CompiledBank(self, boxes=boxes, dimension=dimension, blank=blank)


implements(predict_row, LinearisedState)(predict_linear)


@implements(width_row, LinearisedState)
def _width(state: LinearisedState, row: int, context: Floats) -> float:
    """Return the width by the diagonal of the Gram matrix: a full one would take O(d²)."""
    reals, gram, size = state.reals[row], state.sums[row, GRAM], context.shape[0]
    if reals[0] == 0.0:
        return math.inf
    total = 0.0
    for j in range(size):
        total += context[j] * context[j] / (reals[2] + gram[j])
    if gram.shape[0] > size:
        total += 1.0 / (reals[2] + gram[size])
    return math.sqrt(total)


implements(reach_row, LinearisedState)(_width)


@implements(learn_row, LinearisedState)
def _learn(state: LinearisedState, row: int, context: Floats, value: float, cost: float) -> None:
    x, weights, sums, reals = state.work[0], state.weights[row], state.sums[row], state.reals[row]
    load_row(context, x)
    size = x.shape[0]
    residual = dot(weights, x, size) - value
    note_residual(state.spread[row], -residual)
    slope = max(residual, 0.0) - cost
    for j in range(size):
        tangent = slope * x[j]
        sums[SLOPES, j] += tangent
        sums[SQUARES, j] += tangent * tangent
        sums[LARGEST, j] = max(sums[LARGEST, j], abs(x[j]))
        sums[GRAM, j] += x[j] * x[j]
    reals[ENERGY] += value * value + cost * cost
    follow_ridge(reals, max(state.rules[0], 0.0), x)
    if state.rules[0] == THEOREM:
        reals[LOWEST] = min(reals[LOWEST], value)
        lipschitz = max(cost, state.rules[1] - reals[LOWEST] - cost)
        reals[LIPSCHITZ] = max(reals[LIPSCHITZ], lipschitz)
        reals[2] = theorem_ridge(reals[LIPSCHITZ], state.rules[1], state.rules[2])
    _set_weights(weights, state.prior[row], sums, reals, state.rules)


@compiled
def _set_weights(
    weights: Floats, prior: Floats, sums: Floats, reals: Floats, rules: Floats
) -> None:
    size = weights.shape[0]
    if rules[0] == 0.0:
        common = math.sqrt(reals[ENERGY] / (reals[0] * size))
        for j in range(size):
            # A feature that was always zero, or too small to square, has not moved
            known = sums[SQUARES, j] > 0.0
            length = sums[LARGEST, j] * math.sqrt(sums[SQUARES, j])
            weights[j] = prior[j] - common * sums[SLOPES, j] / (length if known else math.inf)
    else:
        for j in range(size):
            weights[j] = prior[j] - sums[SLOPES, j] / reals[2]
    into_ball(weights, rules[1])


@implements(settle_row, LinearisedState)
def _settle(state: LinearisedState, row: int) -> None:
    """Do nothing: the weights are final already."""
