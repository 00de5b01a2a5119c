"""The minimiser of exact FTRL: a semismooth Newton iteration that ends.

With the notation of :mod:`weitzman.learn.learners.exact.points`, from the weights w and the active set at w:

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
scratch; if that does not help either, the iteration begins again, with steps by conjugate gradients,
which need no inverse; if those do not help, rounding is reached. The size of a gradient g is Σ P_jj g_j²,
the squared error of the predictions up to the dimension; it is zero to rounding below 1e-24 of that
of the terms it is the difference of.
"""

import math

import numpy as np

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled, merged, rare
from weitzman.compiled.linalg import dot, symmetric_product
from weitzman.compiled.plain import added, instead
from weitzman.learn.learners.exact.heap import heapify, replace_top
from weitzman.learn.learners.exact.looks import look
from weitzman.learn.learners.exact.points import (
    CHANGES,
    FLIPPED,
    GRADIENT,
    INVERSE_RIDGE,
    NOW,
    ORDER,
    PENALTY,
    RADIUS,
    RIDGE,
    START,
    VALUE,
    WEIGHT,
    FTRLState,
    move,
)
from weitzman.learn.learners.exact.steps import (
    ENOUGH,
    careful_step,
    free_step,
    hessian,
    refresh,
    step_to_ball,
)

_ITERATIONS = 200
# How a step is made: by the inverse, by one computed from scratch, and, when that is lost, without one
_PLAIN, _REFRESHED, _LOST, _CAREFUL = 0, 1, 2, 3


@compiled
def _gradient(state: FTRLState, row: int, out: Floats) -> None:
    """Set out to the gradient of F, plus penalty · w where the ball holds the weights."""
    weights, prior = state.weights[row], state.prior[row]
    gram, gram_low = state.gram[row], state.gram_low[row]
    moment, moment_low = state.moment[row], state.moment_low[row]
    ridge, penalty = state.reals[row, RIDGE] * state.reals[row, NOW], state.reals[row, PENALTY]
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


@instead(_gradient)
def _gradient_by_rows(state: FTRLState, row: int, out: Floats) -> None:
    """Do the same in plain Python, by the same operations in the same order."""
    weights, prior = state.weights[row], state.prior[row]
    ridge, penalty = state.reals[row, RIDGE] * state.reals[row, NOW], state.reals[row, PENALTY]
    held = ridge * (weights - prior) + penalty * weights
    first = held - (state.moment[row] + state.moment_low[row])
    out[:] = added(weights[:, np.newaxis] * (state.gram[row] + state.gram_low[row]), first)


@compiled
def _sizes(
    inverse: Floats, gram: Floats, weights: Floats, moment: Floats, ridge: float, gradient: Floats
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
def _way_back(state: FTRLState, row: int, step: Floats, slope: float, flips: int) -> float:
    """Return how much of the step to take back: F is least there on the segment that ends at the weights."""
    size = step.shape[0]
    ridge = state.reals[row, RIDGE] * state.reals[row, NOW]
    hessian(state.gram[row], state.gram_low[row], ridge, state.square[0])
    symmetric_product(state.square[0], step, state.work[4])
    curvature = dot(step, state.work[4], size)
    kinks, bends, order = state.kinks[0], state.kinks[1], state.lists[ORDER]
    for i in range(flips):
        point = state.points[row, state.lists[FLIPPED, i]]
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


@rare
def _retreat(
    state: FTRLState, row: int, step: Floats, gradient: Floats, slope: float, flips: int
) -> bool:
    """Go back to where F is least on the step; return whether the step was not even downhill."""
    weights, unit, reals = state.weights[row], state.unit[row], state.reals[row]
    back = _way_back(state, row, step, slope, flips)
    move(weights, unit, reals, step, -back)
    flips = look(state, row)
    _gradient(state, row, gradient)
    if back <= 1.0 - 1e-6 or reals[PENALTY] > 0.0:
        return False
    # Back at the start, but for what a fraction of so long a step cannot say: go forth from there
    for j in range(step.shape[0]):
        step[j] = -step[j]
    slope = dot(step, gradient, step.shape[0])
    if not slope > 0.0:
        return True
    move(weights, unit, reals, step, -_way_back(state, row, step, slope, flips))
    look(state, row)
    _gradient(state, row, gradient)
    return False


@rare
def _start_again(state: FTRLState, row: int, gradient: Floats, step: Floats) -> None:
    """Go back to where the iteration began: steps with a lost inverse leave rounding errors behind."""
    for j in range(step.shape[0]):
        step[j] = state.work[START, j] - state.weights[row, j]
    move(state.weights[row], state.unit[row], state.reals[row], step, 1.0)
    look(state, row)
    _gradient(state, row, gradient)


@merged
def _go(state: FTRLState, row: int, gradient: Floats, step: Floats, careful: bool) -> int:
    """Make a step and look; return how many points flipped."""
    weights, reals, radius = state.weights[row], state.reals[row], state.rules[RADIUS]
    ridge = reals[RIDGE] * reals[NOW]
    stale = state.counts[row, CHANGES] > 16 * step.shape[0]
    if stale or not abs(ridge - reals[INVERSE_RIDGE]) <= 0.05 * ridge:
        refresh(state, row)
    if reals[PENALTY] > 0.0 or not abs(gradient[0]) < math.inf:
        reals[PENALTY] = 0.0
        _gradient(state, row, gradient)
    if careful:
        squares = careful_step(state, row, gradient, step)
    else:
        squares = free_step(state.inverse[row], gradient, weights, step)
    if squares > radius * radius * (1.0 + 1e-14):
        step_to_ball(state, row, radius, step)
    move(weights, state.unit[row], reals, step, 1.0)
    flips = look(state, row)
    _gradient(state, row, gradient)
    return flips


def minimise(state: FTRLState, row: int) -> None:
    """Move the weights of a row to the minimiser.

    ``work[GRADIENT]`` holds the gradient that new points brought to weights where it was zero.
    """
    weights, reals = state.weights[row], state.reals[row]
    gradient, step = state.work[8], state.work[3]
    size, ridge = step.shape[0], reals[RIDGE] * reals[NOW]
    for j in range(size):
        gradient[j], state.work[GRADIENT, j] = state.work[GRADIENT, j], 0.0
        state.work[START, j] = weights[j]
    before, effort = math.inf, _PLAIN
    for iteration in range(_ITERATIONS):
        flips = _go(state, row, gradient, step, effort == _CAREFUL)
        if flips > 0:
            held = reals[PENALTY] * dot(step, weights, size)
            slope = dot(step, gradient, size) - held
            if slope > 0.0 and _retreat(state, row, step, gradient, slope, flips):
                effort = max(effort, _LOST)
        now, uncancelled = _sizes(
            state.inverse[row], state.gram[row], weights, state.moment[row], ridge, gradient
        )
        if now <= ENOUGH * uncancelled:
            return
        if flips > 0:
            if iteration > 3 and now <= 4.0 * _rounding(state, row):
                return
        else:
            if not now <= before / 16.0:
                if effort == _CAREFUL or now <= 4.0 * _rounding(state, row):
                    return
                effort += 1
                if effort == _REFRESHED:
                    refresh(state, row)
            before = now
        if effort == _LOST:
            _start_again(state, row, gradient, step)
            before, effort = math.inf, _CAREFUL
