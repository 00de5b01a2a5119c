"""The minimiser of exact FTRL: a semismooth Newton iteration that ends.

With the notation of :mod:`weitzman.learn.points`, from the weights w and the active set at w:

1. p = −B⁻¹ ∇F(w), the step to the minimiser of the present quadratic; with a ball ‖w‖ ≤ M, the step
to its
   minimiser over the ball, where (B + λ I) w = ρ w₀ + m with λ ≥ 0 from ‖w‖ = M if the free one is
   outside;
2. go to w + p and look at the points whose sign may have changed;
3. if F still falls at w + p along p, stay; otherwise go back to the exact minimiser of F on the
   segment, a piecewise quadratic whose kinks are those of the points that flipped;
4. end when the gradient is zero to rounding, otherwise go on with 1.

**It ends.** F falls in every iteration, and is strictly convex, so w tends to the minimiser w*.
Near w* only points with z = 0 at w* can have another sign than at w*, and these do not matter for B
w* = ρ w₀ + m: the step leads to w* itself. One or two iterations are usual.

**It is exact.** B⁻¹ is followed by rank-one changes and is only used to make the step; the gradient
is computed from B itself, so an inverse that is slightly wrong costs a further step, not accuracy.
If a step without a flip does not reduce the gradient four times, the inverse is computed from
scratch; if that does not help either, rounding is reached. The size of a gradient g is Σ P_jj g_j²,
the squared error of the predictions up to the dimension; it is zero to rounding below 1e-24 of that
of the terms it is the difference of.
"""

import math

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.compiled import compiled, rare
from weitzman.learn.heap import heapify, replace_top
from weitzman.learn.linalg import dot, invert, symmetric_product
from weitzman.learn.points import (
    CHANGES,
    GRADIENT,
    INVERSE_RIDGE,
    NOW,
    PENALTY,
    RADIUS,
    RIDGE,
    VALUE,
    WEIGHT,
    FTRLState,
    look,
    move,
)

__all__ = ["minimise"]

Array = NDArray[np.float64]

_ENOUGH = 1e-24
_ITERATIONS = 200


@compiled
def _gradient(
    weights: Array,
    prior: Array,
    gram: Array,
    gram_low: Array,
    moment: Array,
    moment_low: Array,
    ridge: float,
    penalty: float,
    out: Array,
) -> None:
    size = out.shape[0]
    for j in range(size):
        held = ridge * (weights[j] - prior[j]) + penalty * weights[j]
        out[j] = held - (moment[j] + moment_low[j])
    whole = size - size % 4
    for k in range(0, whole, 4):
        # Four rows at once, in the same order: out is read and written a quarter as often
        f0, f1, f2, f3 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        a0, a1, a2, a3 = gram[k], gram[k + 1], gram[k + 2], gram[k + 3]
        b0, b1, b2, b3 = gram_low[k], gram_low[k + 1], gram_low[k + 2], gram_low[k + 3]
        for j in range(size):
            first = (out[j] + f0 * (a0[j] + b0[j])) + f1 * (a1[j] + b1[j])
            out[j] = (first + f2 * (a2[j] + b2[j])) + f3 * (a3[j] + b3[j])
    for k in range(whole, size):
        factor = weights[k]
        for j in range(size):
            out[j] += factor * (gram[k, j] + gram_low[k, j])


@compiled
def _hessian(state: FTRLState, row: int, penalty: float, out: Array) -> None:
    ridge = state.reals[row, RIDGE] * state.reals[row, NOW]
    size = out.shape[0]
    for k in range(size):
        for j in range(size):
            out[k, j] = state.gram[row, k, j] + state.gram_low[row, k, j]
        out[k, k] += ridge + penalty


@rare
def _refresh(state: FTRLState, row: int) -> None:
    _hessian(state, row, 0.0, state.square[0])
    invert(state.square[0], state.inverse[row])
    state.reals[row, INVERSE_RIDGE] = state.reals[row, RIDGE] * state.reals[row, NOW]
    state.counts[row, CHANGES] = 0


@compiled
def _sizes(
    inverse: Array, gram: Array, weights: Array, moment: Array, ridge: float, gradient: Array
) -> tuple[float, float]:
    """Return the size of the gradient, and roughly what it would be if nothing in it cancelled."""
    size, uncancelled = 0.0, 0.0
    for j in range(gradient.shape[0]):
        size += inverse[j, j] * (gradient[j] * gradient[j])
        term = abs((gram[j, j] + ridge) * weights[j]) + abs(moment[j])
        uncancelled += inverse[j, j] * (term * term)
    return size, uncancelled


@rare
def _rounding(state: FTRLState, row: int) -> float:
    """Return the size of the rounding errors of a gradient."""
    size = state.weights.shape[1]
    ridge = state.reals[row, RIDGE] * state.reals[row, NOW] + state.reals[row, PENALTY]
    total = 0.0
    for j in range(size):
        terms = abs(state.moment[row, j]) + ridge * abs(state.weights[row, j])
        for k in range(size):
            terms += abs(state.gram[row, j, k] * state.weights[row, k])
        total += state.inverse[row, j, j] * (terms * terms)
    return total * 2.0**-104


@compiled
def _free_step(inverse: Array, gradient: Array, weights: Array, step: Array) -> float:
    """Set step to the way to the minimiser of the quadratic; return the latter's squared length."""
    symmetric_product(inverse, gradient, step)
    squares = 0.0
    for j in range(step.shape[0]):
        step[j] = -step[j]
        squares += (weights[j] + step[j]) * (weights[j] + step[j])
    return squares


@rare
def _step_to_ball(state: FTRLState, row: int, radius: float, step: Array) -> None:
    """Newton's iteration for λ on 1/‖w(λ)‖ = 1/M [Moré and Sorensen 1983]."""
    size = step.shape[0]
    target, found, inside = state.work[4], state.work[5], state.work[6]
    ridge = state.reals[row, RIDGE] * state.reals[row, NOW]
    for j in range(size):
        held = ridge * state.prior[row, j]
        target[j] = state.moment[row, j] + state.moment_low[row, j] + held
    penalty = 0.0
    for _ in range(100):
        _hessian(state, row, penalty, state.square[0])
        invert(state.square[0], state.square[1])
        symmetric_product(state.square[1], target, found)
        _hessian(state, row, penalty, state.square[0])
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


@rare
def _way_back(state: FTRLState, row: int, step: Array, slope: float, flips: int) -> float:
    """Return how much of the step to take back: F is least there on the segment that ends at the weights."""
    size = step.shape[0]
    _hessian(state, row, 0.0, state.square[0])
    symmetric_product(state.square[0], step, state.work[4])
    curvature = dot(step, state.work[4], size)
    kinks, bends, order = state.kinks[0], state.kinks[1], state.order
    for i in range(flips):
        point = state.points[row, state.flipped[i]]
        residual = dot(state.weights[row], point, size) - point[size + VALUE]
        change = dot(step, point, size)
        kinks[i] = residual / change if change != 0.0 else 1.0
        # Back beyond its kink, a point that is active now is not
        bends[i] = -point[size + WEIGHT] * change * change
        order[i] = i
    heapify(kinks, order, flips)
    back = 0.0
    while flips > 0:
        kink = min(max(kinks[0], 0.0), 1.0)
        fallen = slope - curvature * (kink - back)
        if fallen <= 0.0:
            break
        slope = fallen
        back = kink
        curvature += bends[order[0]]
        flips -= 1
        replace_top(kinks, order, flips, kinks[flips], order[flips])
    return min(1.0, back + slope / curvature) if curvature > 0.0 else back


@compiled
def minimise(state: FTRLState, row: int) -> None:
    """Move the weights of a row to the minimiser.

    ``work[GRADIENT]`` holds the gradient that new points brought to weights where it was zero.
    """
    weights, prior, unit, reals = (
        state.weights[row],
        state.prior[row],
        state.unit[row],
        state.reals[row],
    )
    gram, low, inverse = state.gram[row], state.gram_low[row], state.inverse[row]
    moment, moment_low = state.moment[row], state.moment_low[row]
    gradient, step = state.work[GRADIENT], state.work[3]
    size, radius = step.shape[0], state.rules[RADIUS]
    ridge = reals[RIDGE] * reals[NOW]
    before, refreshed = math.inf, False
    for iteration in range(_ITERATIONS):
        stale = state.counts[row, CHANGES] > 16 * size
        if stale or not abs(ridge - reals[INVERSE_RIDGE]) <= 0.05 * ridge:
            _refresh(state, row)
        if reals[PENALTY] > 0.0 or not abs(gradient[0]) < math.inf:
            reals[PENALTY] = 0.0
            _gradient(weights, prior, gram, low, moment, moment_low, ridge, 0.0, gradient)
        if _free_step(inverse, gradient, weights, step) > radius * radius * (1.0 + 1e-14):
            _step_to_ball(state, row, radius, step)
        move(weights, unit, reals, step, 1.0)
        flips = look(state, row)
        penalty = reals[PENALTY]
        _gradient(weights, prior, gram, low, moment, moment_low, ridge, penalty, gradient)
        if flips > 0:
            slope = dot(step, gradient, size) - penalty * dot(step, weights, size)
            if slope > 0.0:
                back = _way_back(state, row, step, slope, flips)
                move(weights, unit, reals, step, -back)
                look(state, row)
                _gradient(weights, prior, gram, low, moment, moment_low, ridge, penalty, gradient)
        now, uncancelled = _sizes(inverse, gram, weights, moment, ridge, gradient)
        if now <= _ENOUGH * uncancelled:
            return
        if flips > 0:
            if iteration > 3 and now <= 4.0 * _rounding(state, row):
                return
        elif not now <= before / 16.0:
            if refreshed or now <= 4.0 * _rounding(state, row):
                return
            _refresh(state, row)
            refreshed = True
        if flips == 0:
            before = now
