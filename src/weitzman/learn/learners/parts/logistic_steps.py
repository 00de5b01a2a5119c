"""The compiled steps of logistic regression; :mod:`weitzman.learn.learners.logistic` is the mathematics.

Exponentials are computed by operations that are the same on every machine; libm's last bit differs.
"""

import math
from typing import NamedTuple

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled, entry, rare
from weitzman.compiled.linalg import dot, fixed_log, invert, load_row, rank_one, symmetric_product
from weitzman.learn.learners.parts.regulariser import AUTO, automatic_ridge

GROWTH = 1.25
# Columns of ``reals``: levels seen, levels at the last fit, 1/η of it
LOW, HIGH, GOOD, BAD, RIDGE = range(5)
# Columns of ``counts``
SEEN, FITTED = 0, 1
_LOG_2 = math.log(2.0)


class LogisticState(NamedTuple):
    """Arrays with one row per box, the levels of all, η, then scratch."""

    weights: Floats
    inverse: Floats
    points: Floats
    reals: Floats
    counts: Ints
    levels: Floats
    eta: Floats
    work: Floats
    square: Floats


@compiled
def _levels_of(reals: Floats, row: int, levels: Floats) -> tuple[float, float]:
    """Return (g, b) of a row: its own, those of all while it has one only; equal if there is one."""
    if reals[row, LOW] < reals[row, HIGH] or levels[0] > levels[1]:
        low, high = reals[row, LOW], reals[row, HIGH]
    else:
        low, high = levels[0], levels[1]
    return (low, high) if low <= high else (0.0, 0.0)


@compiled
def _exp(x: float) -> float:
    """Return e^x for x ≤ 0: e^r by its series, |r| ≤ log(2)/2, times a power of two."""
    if x < -700.0:
        return 0.0
    power = math.floor(x / _LOG_2 + 0.5)
    r = x - power * _LOG_2
    total = 1.0
    for k in range(14, 0, -1):
        total = 1.0 + total * r / k
    return math.ldexp(total, int(power))


@compiled
def _chance(z: float) -> float:
    """Return 1/(1 + e^{−z})."""
    e = _exp(-abs(z))
    return (1.0 if z >= 0.0 else e) / (1.0 + e)


@entry
def predict_logistic(
    weights: Floats,
    reals: Floats,
    levels: Floats,
    rows: Ints,
    contexts: Floats,
    costs: Floats,
    x: Floats,
    sigma: Floats,
) -> None:
    """Set sigma to the reservation values of the rows; few arrays, as each takes time in a call."""
    for k in range(rows.shape[0]):
        load_row(contexts[k], x)
        good, bad = _levels_of(reals, rows[k], levels)
        p = _chance(dot(weights[rows[k]], x, x.shape[0]))
        if costs[k] <= p * (bad - good):
            # c = 0 and p = 0 are within the rule: any look for free is worth g
            sigma[k] = good + (costs[k] / p if costs[k] > 0.0 else 0.0)
        else:
            sigma[k] = p * good + (1.0 - p) * bad + costs[k]


@entry
def width_logistic(state: LogisticState, rows: Ints, contexts: Floats, out: Floats) -> None:
    """Set out to √(xᵀ(4B)⁻¹x): at p = ½ this is the width of linear regression."""
    x, product = state.work[0], state.work[1]
    for k in range(rows.shape[0]):
        load_row(contexts[k], x)
        symmetric_product(state.inverse[rows[k]], x, product)
        known = state.counts[rows[k], SEEN] > 0
        square = 0.25 * dot(x, product, x.shape[0])
        out[k] = math.sqrt(max(square, 0.0)) if known else math.inf


@compiled
def _share(value: float, good: float, bad: float) -> float:
    """Return how much of a success a value is; one half while there is one level only."""
    return (bad - value) / (bad - good) if good < bad else 0.5


@compiled
def _objective(
    points: Floats, seen: int, w: Floats, good: float, bad: float, ridge: float
) -> float:
    size = w.shape[0]
    total = 0.5 * ridge * dot(w, w, size)
    for k in range(seen):
        z = dot(w, points[k], size)
        y = _share(points[k, size], good, bad)
        # log(1 + e^z) − y z, without overflow
        total += fixed_log(1.0 + _exp(-abs(z))) + max(z, 0.0) - y * z
    return total


@compiled
def _derivatives(
    points: Floats,
    seen: int,
    w: Floats,
    good: float,
    bad: float,
    ridge: float,
    gradient: Floats,
    hessian: Floats,
) -> None:
    size = w.shape[0]
    for i in range(size):
        gradient[i] = ridge * w[i]
        for j in range(size):
            hessian[i, j] = ridge if i == j else 0.0
    for k in range(seen):
        x = points[k]
        p = _chance(dot(w, x, size))
        slope, bend = p - _share(x[size], good, bad), p * (1.0 - p)
        for i in range(size):
            gradient[i] += slope * x[i]
            factor = bend * x[i]
            for j in range(size):
                hessian[i, j] += factor * x[j]


@rare
def _fit(state: LogisticState, row: int, good: float, bad: float) -> None:
    """Move w to the minimiser, by Newton steps that are halved until they lower the objective."""
    w, inverse = state.weights[row], state.inverse[row]
    points, reals = state.points[row], state.reals[row]
    seen, eta, size = state.counts[row, SEEN], state.eta[0], w.shape[0]
    gradient, step, trial = state.work[2], state.work[3], state.work[4]
    squares = 0.0
    for k in range(seen):
        squares += dot(points[k], points[k], size)
    ridge = 1.0 / eta if eta != AUTO else automatic_ridge(seen, squares, size)
    reals[GOOD], reals[BAD], reals[RIDGE] = good, bad, ridge
    now = _objective(points, seen, w, good, bad, ridge)
    for _ in range(100):
        _derivatives(points, seen, w, good, bad, ridge, gradient, state.square)
        invert(state.square, inverse)
        symmetric_product(inverse, gradient, step)
        fall = dot(gradient, step, size)
        part = 1.0
        while part > 1e-10:
            for j in range(size):
                trial[j] = w[j] - part * step[j]
            then = _objective(points, seen, trial, good, bad, ridge)
            if then < now:
                break
            part *= 0.5
        # Below the rounding of the objective a whole step is still the better point
        small = fall <= 1e-13 * (1.0 + abs(now))
        if not (small or then < now):
            break
        for j in range(size):
            w[j] -= (1.0 if small else part) * step[j]
        now = then
        if small:
            break


@compiled
def _step(state: LogisticState, row: int, point: Floats, good: float, bad: float) -> bool:
    """Make one step for a new point; False, and no change, where it is not safe."""
    w, inverse, work = state.weights[row], state.inverse[row], state.work
    size = w.shape[0]
    p = _chance(dot(w, point, size))
    if not rank_one(inverse, point[:size], p * (1.0 - p), work[2]):
        return False
    symmetric_product(inverse, point[:size], work[3])
    gap = _share(float(point[size]), good, bad) - p
    for j in range(size):
        w[j] += gap * work[3, j]
    return True


@entry
def learn_logistic(state: LogisticState, rows: Ints, contexts: Floats, values: Floats) -> None:
    """Learn from the observations of one round, in the order of their rows."""
    weights, points, reals = state.weights, state.points, state.reals
    counts, levels, size = state.counts, state.levels, weights.shape[1]
    for k in range(rows.shape[0]):
        row, value = rows[k], values[k]
        point = points[row, counts[row, SEEN]]
        load_row(contexts[k], point[:size])
        point[size] = value
        counts[row, SEEN] += 1
        reals[row, LOW], reals[row, HIGH] = (
            min(reals[row, LOW], value),
            max(reals[row, HIGH], value),
        )
        levels[0], levels[1] = min(levels[0], value), max(levels[1], value)
    k = 0
    for row in range(weights.shape[0]):
        first, seen = k, counts[row, SEEN]
        while k < rows.shape[0] and rows[k] == row:
            k += 1
        if seen == 0:
            continue
        good, bad = _levels_of(reals, row, levels)
        fitted = counts[row, FITTED]
        due = seen >= max(fitted + 1, math.ceil(GROWTH * fitted)) and k > first
        changed = good != reals[row, GOOD] or bad != reals[row, BAD]
        safe = not (due or changed)
        new = seen - (k - first)
        while safe and new < seen:
            safe = _step(state, row, points[row, new], good, bad)
            new += 1
        if not safe:
            _fit(state, row, good, bad)
            counts[row, FITTED] = seen
