"""The steps of exact FTRL: from the weights to the minimiser of the present quadratic.

- :func:`free_step` by the inverse B⁻¹, which is followed by rank-one changes;
- :func:`careful_step` by conjugate gradients [Hestenes 1952], scaled by the diagonal, where the
  inverse is lost in rounding;
- :func:`step_to_ball` to the minimiser over ‖w‖ ≤ M, where the free one is outside.
"""

import math

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled, rare
from weitzman.compiled.linalg import dot, invert, symmetric_product
from weitzman.learn.learners.exact.points import (
    CHANGES,
    INVERSE_RIDGE,
    LOST,
    NOW,
    PENALTY,
    RIDGE,
    FTRLState,
)

ENOUGH = 1e-24
"""The part of its terms' size below which a gradient is zero to rounding."""


@compiled
def hessian(gram: Floats, gram_low: Floats, ridge: float, out: Floats) -> None:
    """Set out to the Gram matrix of one row + ridge · I."""
    size = out.shape[0]
    for k in range(size):
        for j in range(size):
            out[k, j] = gram[k, j] + gram_low[k, j]
        out[k, k] += ridge


@rare
def refresh(state: FTRLState, row: int) -> None:
    """Compute the inverse from scratch."""
    ridge = state.reals[row, RIDGE] * state.reals[row, NOW]
    hessian(state.gram[row], state.gram_low[row], ridge, state.square[0])
    invert(state.square[0], state.inverse[row])
    state.reals[row, INVERSE_RIDGE] = ridge
    state.counts[row, CHANGES] = 0


@compiled
def solve(state: FTRLState, row: int, x: Floats, out: Floats) -> None:
    """Set out to B⁻¹ x, by an inverse from scratch where it could not be followed; the row stays as it is."""
    if state.counts[row, CHANGES] < LOST:
        symmetric_product(state.inverse[row], x, out)
    else:
        ridge = state.reals[row, RIDGE] * state.reals[row, NOW]
        _solve_anew(state.gram[row], state.gram_low[row], ridge, state.square, x, out)


@rare
def _solve_anew(
    gram: Floats, gram_low: Floats, ridge: float, square: Floats, x: Floats, out: Floats
) -> None:
    hessian(gram, gram_low, ridge, square[0])
    invert(square[0], square[1])
    symmetric_product(square[1], x, out)


@compiled
def free_step(inverse: Floats, gradient: Floats, weights: Floats, step: Floats) -> float:
    """Set step to the way to the minimiser of the quadratic; return the latter's squared length."""
    symmetric_product(inverse, gradient, step)
    squares = 0.0
    for j in range(step.shape[0]):
        step[j] = -step[j]
        squares += (weights[j] + step[j]) * (weights[j] + step[j])
    return squares


@rare
def careful_step(state: FTRLState, row: int, gradient: Floats, step: Floats) -> float:
    """Set step by conjugate gradients, for a matrix whose inverse is lost in rounding; see ``free_step``."""
    size = step.shape[0]
    rest, way, bent, matrix = state.work[4], state.work[5], state.work[6], state.square[0]
    weights = state.weights[row]
    ridge = state.reals[row, RIDGE] * state.reals[row, NOW]
    hessian(state.gram[row], state.gram_low[row], ridge, matrix)
    now = 0.0
    for j in range(size):
        step[j], rest[j], way[j] = 0.0, -gradient[j], -gradient[j] / matrix[j, j]
        now += rest[j] * way[j]
    enough = ENOUGH * now
    for _ in range(2 * size):
        symmetric_product(matrix, way, bent)
        curvature = dot(way, bent, size)
        if not (now > enough and curvature > 0.0):
            break
        length, before = now / curvature, now
        now = 0.0
        for j in range(size):
            step[j] += length * way[j]
            rest[j] -= length * bent[j]
            now += rest[j] * (rest[j] / matrix[j, j])
        for j in range(size):
            way[j] = rest[j] / matrix[j, j] + (now / before) * way[j]
    squares = 0.0
    for j in range(size):
        squares += (weights[j] + step[j]) * (weights[j] + step[j])
    return squares


@rare
def step_to_ball(state: FTRLState, row: int, radius: float, step: Floats) -> None:
    """Newton's iteration for λ on 1/‖w(λ)‖ = 1/M [Moré 1983]."""
    size = step.shape[0]
    target, found, inside = state.work[4], state.work[5], state.work[6]
    ridge = state.reals[row, RIDGE] * state.reals[row, NOW]
    for j in range(size):
        held = ridge * state.prior[row, j]
        target[j] = state.moment[row, j] + state.moment_low[row, j] + held
    penalty = 0.0
    for _ in range(100):
        hessian(state.gram[row], state.gram_low[row], ridge + penalty, state.square[0])
        invert(state.square[0], state.square[1])
        symmetric_product(state.square[1], target, found)
        hessian(state.gram[row], state.gram_low[row], ridge + penalty, state.square[0])
        symmetric_product(state.square[0], found, inside)
        for j in range(size):
            inside[j] = target[j] - inside[j]
        symmetric_product(state.square[1], inside, state.work[7])
        for j in range(size):
            found[j] += state.work[7][j]
        length = math.sqrt(dot(found, found, size))
        if length <= radius * (1.0 + 1e-15):
            break
        symmetric_product(state.square[1], found, inside)
        change = (length * length / dot(found, inside, size)) * ((length - radius) / radius)
        if penalty + change == penalty:
            break
        penalty += change
    shrink = min(1.0, radius / length)
    state.reals[row, PENALTY] = penalty
    for j in range(size):
        step[j] = found[j] * shrink - state.weights[row, j]
