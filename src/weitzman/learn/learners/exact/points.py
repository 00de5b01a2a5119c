"""The points of exact FTRL: which of them are active, found by looking at few of them.

A point (x, v, c) with weight q has the residual z = w·x − v and is *active* if z > 0. The objective

    F(w) = Σ q (½ (z⁺)² − c z) + ρ/2 ‖w − w₀‖²

is, for a fixed active set, the quadratic with Hessian B = G + ρ I, G = Σ_active q x xᵀ, and the
gradient B w − ρ w₀ − m, m = Σ_active q v x + Σ q c x.

**When to look.** For positive units u, |Δw·x| ≤ ‖u Δw‖ ‖x/u‖ (products by coordinate). So the sign
of z cannot change before the weights have travelled |z| / ‖x/u‖ in the norm ‖u ·‖ since the point
was last looked at. A list holds, for every point, the travelled distance at which it must be looked
at again (:mod:`weitzman.learn.learners.exact.near`); where the weights wander, it is the distance from an
anchor (:mod:`weitzman.learn.learners.exact.anchor`). u_j is a power of two above all |x_j| seen, so that
features of very different sizes do not make every point seem near; when it grows, all keys are computed
anew. Rounding errors are on the safe side: distances are rounded up, keys down.

**Forgetting** by γ < 1 gives new points the weight γ^{−k} and multiplies ρ by the same, instead of
shrinking all that is there; everything is divided by 2⁶⁴ when that becomes large, which is exact
(:mod:`weitzman.learn.learners.exact.room`).
**Window**: the k-th last point of a row is taken out of the sums, which are compensated
(:mod:`weitzman.compiled.linalg`), so nothing of it stays. Its key stays in the list until it is met,
or until the list is full and swept. A discount implies a window: weights below 2⁻⁶⁰ are dropped.
"""

import math
from typing import NamedTuple

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled, rare
from weitzman.compiled.linalg import add_outer, add_scaled, dot, rank_one
from weitzman.compiled.several import add_outers, rank_ones
from weitzman.learn.learners.exact.anchor import PASSED, SAFE, distance_at, hold
from weitzman.learn.learners.exact.near import exchange

# Columns of a point after its d coordinates; the weight is −q while the point is not active
VALUE, COST, REACH, WEIGHT = 0, 1, 2, 3
# Columns of ``reals``
TRAVELLED, RIDGE, PENALTY, NOW, SQUARES, LIPSCHITZ, LOWEST, INVERSE_RIDGE, EDGE, GAP = range(10)
# Columns of ``counts``
SEEN, ENTRIES, CHANGES, NEAR, WORK = range(5)
# Entries of ``rules``
ETA, RADIUS, FORGET, WINDOW, HORIZON, SHARED, OWN = range(7)
# The EDGE of a row that has an anchor: the key of a point is at its slot, and none are near
ANCHORED = -1.0
# Rows of ``lists``: the slots of the points that flipped; places to look at, or kinks in their order
FLIPPED, ORDER = 0, 1
# Rows of ``work``: the part of the gradient that new points bring; the weights before they are settled
GRADIENT, START = 2, 9

_UP = 1.0 + 2.0**-50
_DOWN = 1.0 - 2.0**-50
# In CHANGES: the inverse does not hold all that is active
LOST = 1 << 40


class FTRLState(NamedTuple):
    """Arrays with one row per box, then the rules, then scratch."""

    weights: Floats
    prior: Floats
    gram: Floats
    gram_low: Floats
    moment: Floats
    moment_low: Floats
    inverse: Floats
    unit: Floats
    points: Floats
    keys: Floats
    ids: Ints
    reals: Floats
    counts: Ints
    spread: Floats
    pool: Floats
    rules: Floats
    work: Floats
    square: Floats
    lists: Ints
    kinks: Floats
    around: Floats


@compiled
def move(weights: Floats, unit: Floats, reals: Floats, step: Floats, factor: float) -> None:
    """Add factor · step to the weights and the way to the travelled distance."""
    squares = 0.0
    for j in range(step.shape[0]):
        way = factor * step[j]
        weights[j] += way
        squares += (unit[j] * way) * (unit[j] * way)
    reals[TRAVELLED] = (reals[TRAVELLED] + math.sqrt(squares)) * _UP


@rare
def _count(
    gram: Floats,
    gram_low: Floats,
    moment: Floats,
    moment_low: Floats,
    inverse: Floats,
    x: Floats,
    factor: float,
    value: float,
    work: Floats,
) -> bool:
    """Add a point to the sums, factor times, and follow it in the inverse; return whether that was safe."""
    add_outer(gram, gram_low, x, factor)
    add_scaled(moment, moment_low, x, factor * value)
    return rank_one(inverse, x, factor, work)


@compiled
def count_in(state: FTRLState, row: int, point: Floats, sign: float) -> None:
    """Let a point join (+1) or leave (-1) the active set."""
    size = state.weights.shape[1]
    # A call with few arguments: all of it in every place that counts would fill the cache of instructions
    safe = _count(
        state.gram[row],
        state.gram_low[row],
        state.moment[row],
        state.moment_low[row],
        state.inverse[row],
        point[:size],
        sign * abs(point[size + WEIGHT]),
        point[size + VALUE],
        state.work[1],
    )
    state.counts[row, CHANGES] += 1 if safe else LOST


@rare
def _count_all(
    gram: Floats,
    gram_low: Floats,
    moment: Floats,
    moment_low: Floats,
    inverse: Floats,
    points: Floats,
    slots: Ints,
    work: Floats,
) -> int:
    size = moment.shape[0]
    add_outers(gram, gram_low, points, slots, size + WEIGHT)
    for slot in slots:
        point = points[slot]
        add_scaled(moment, moment_low, point[:size], point[size + WEIGHT] * point[size + VALUE])
    return int(rank_ones(inverse, points, slots, size + WEIGHT, work))


@compiled
def count_flipped(state: FTRLState, row: int, flips: int) -> None:
    """Let points that have a new sign join or leave the active set: those in ``lists[FLIPPED]``, in order."""
    if flips > 0:
        refused = _count_all(
            state.gram[row],
            state.gram_low[row],
            state.moment[row],
            state.moment_low[row],
            state.inverse[row],
            state.points[row],
            state.lists[FLIPPED, :flips],
            state.work[4:6],
        )
        state.counts[row, CHANGES] += flips - refused + refused * LOST


@compiled
def next_look(travelled: float, residual: float, reach: float) -> float:
    """Return the key of a point with this residual."""
    if reach == math.inf:
        return math.inf
    key = (travelled + abs(residual) * reach) * _DOWN
    return key if key > travelled else travelled * _UP + 1e-300


@rare
def rekey(state: FTRLState, row: int, first: int, end: int) -> None:
    """Start the travelled distance at 0 again, with keys of these points in the present units."""
    size = state.weights.shape[1]
    window = int(state.rules[WINDOW])
    state.reals[row, TRAVELLED] = 0.0
    entries = 0
    for ident in range(first, end):
        point = state.points[row, ident % window if window > 0 else ident]
        squares = 0.0
        for j in range(size):
            if point[j] != 0.0:
                squares += (point[j] / state.unit[row, j]) * (point[j] / state.unit[row, j])
        # The square of a nonzero ratio may be lost below 1e-308
        point[size + REACH] = 1.0 / math.sqrt(squares) if squares > 0.0 else math.inf
        residual = dot(state.weights[row], point, size) - point[size + VALUE]
        state.keys[row, entries] = next_look(0.0, residual, point[size + REACH])
        state.ids[row, entries] = ident
        entries += 1
    state.counts[row, ENTRIES] = entries
    # All are far, and the edge is passed with the next step
    state.counts[row, NEAR] = 0
    state.reals[row, EDGE] = 0.0


@rare
def enter(state: FTRLState, row: int, x: Floats, value: float, cost: float) -> None:
    """Take a new point into the sums and the list."""
    size = x.shape[0]
    window, seen = int(state.rules[WINDOW]), state.counts[row, SEEN]
    # Without a window every point that is held has one entry
    ident = seen if window > 0 else state.counts[row, ENTRIES]
    slot = ident % window if window > 0 else ident
    now = state.reals[row, NOW]
    point = state.points[row, slot]
    grown = False
    unit, ratios = state.unit[row], state.work[1]
    for j in range(size):
        point[j] = x[j]
        if abs(x[j]) > unit[j]:
            unit[j] = math.ldexp(1.0, math.frexp(abs(x[j]))[1] + 1)
            grown = True
    for j in range(size):
        # A unit is 0 where all that was seen is 0
        ratios[j] = x[j] / (unit[j] if unit[j] > 0.0 else 1.0)
    squares = dot(ratios, ratios, size)
    point[size + VALUE] = value
    point[size + COST] = cost
    point[size + REACH] = 1.0 / math.sqrt(squares) if squares > 0.0 else math.inf
    residual = dot(state.weights[row], x, size) - value
    point[size + WEIGHT] = now if residual > 0.0 else -now
    slope = now * (max(residual, 0.0) - cost)
    for j in range(size):
        state.work[GRADIENT, j] += slope * x[j]
    if residual > 0.0:
        count_in(state, row, point, 1.0)
    add_scaled(state.moment[row], state.moment_low[row], x, now * cost)
    state.counts[row, SEEN] = seen + 1
    # Sweeping now and then keeps the travelled distance, and with it its rounding, small
    full = window > 0 and state.counts[row, ENTRIES] == 2 * window
    if grown or full or (seen & (seen + 1)) == 0:
        rekey(state, row, max(0, seen + 1 - window) if window > 0 else 0, ident + 1)
    elif state.reals[row, EDGE] == ANCHORED:
        _enter_around(state, row)
    else:
        key = next_look(state.reals[row, TRAVELLED], residual, point[size + REACH])
        entries, near = state.counts[row, ENTRIES], state.counts[row, NEAR]
        state.keys[row, entries], state.ids[row, entries] = key, ident
        if key <= state.reals[row, EDGE]:
            exchange(state.keys[row], state.ids[row], near, entries)
            state.counts[row, NEAR] = near + 1
        state.counts[row, ENTRIES] = entries + 1


@rare
def _enter_around(state: FTRLState, row: int) -> None:
    """Take the newest point into what is around the anchor."""
    slot = state.counts[row, ENTRIES]
    around, size, point = state.around[row], state.weights.shape[1], state.points[row, slot]
    value, reach = point[size + VALUE], point[size + REACH]
    residual = dot(around, point, size) - value
    distance = distance_at(around, residual, value, reach, size)
    state.keys[row, slot] = around[size + PASSED] + distance
    if distance <= around[size + SAFE]:
        hold(around, point[:size], value, reach, point[size + WEIGHT] > 0.0, slot)
    state.counts[row, ENTRIES] = slot + 1
