"""Far points: those whose sign cannot change soon, which need not be in memory.

All that a point does to the objective of :mod:`weitzman.learn.learners.exact.points` is in the sums, as long
as its sign is what it was. So around a centre a there is a *ball* of radius R in the norm ‖u ·‖, and a
point with |a·x − v| / ‖x/u‖ > R may leave the memory: no weights in the ball give it another sign.

**It is exact.** Let F̃ be the objective in which every point that is away keeps its sign for ever. It is
convex, and equal to F in the ball. So if the minimiser of F̃ is inside the ball, it is the minimiser of F
too, whatever way led there. If it is outside, the points that are up to R' from a are brought back, with
R' at least twice as far as the minimiser is, and it is sought again. The minimiser of F is somewhere, and R'
doubles, so this ends.

**The ball moves.** As the signs are the same in all of it, any weights in the ball may be the next centre:
with R less the way there nothing has to be brought back. R is chosen so that a quarter of the points that
may be held are in it. Weights move by about 1/√t while t doubles, and in a ball of that radius there are
about √t of t points: with a memory of that order points are seldom brought back.

What is looked at here is noted in ``work``, in rows of which each box has FOLD: the centre, the units u of
the ball, its radius, how many points may be held, and whether a round has ended outside the ball or with
more than that.
"""

import math

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled, entry
from weitzman.compiled.linalg import dot
from weitzman.learn.learners.exact.points import (
    ENTRIES,
    GRADIENT,
    NOW,
    REACH,
    VALUE,
    WEIGHT,
    FTRLState,
    count_in,
    rekey,
)
from weitzman.learn.learners.parts.kernels import settle_row

# Rows of ``work`` that every learner has, and those of each box after them
PLAIN, FOLD = 10, 5
CENTRE, UNIT, RADIUS, LIMIT, MARK = range(FOLD)
# What a box asks for after a round
NOTHING, FULL, OUTSIDE = range(3)

_UP = 1.0 + 2.0**-50
_ROUNDING = 2.0**-50


def rows_of(row: int) -> slice:
    """Return which rows of ``work`` are those of a box."""
    return slice(PLAIN + FOLD * row, PLAIN + FOLD * (row + 1))


def fold_rows(rows: int, size: int, limit: int) -> Floats:
    """Return the rows of boxes of which no point is away."""
    out = np.zeros((rows, FOLD, size))
    out[:, RADIUS], out[:, LIMIT] = math.inf, limit
    return out.reshape(rows * FOLD, size)


@compiled
def way(weights: Floats, centre: Floats, unit: Floats) -> float:
    """Return ‖u (w − a)‖, rounded up."""
    squares = 0.0
    for j in range(weights.shape[0]):
        # A unit is 0 where all that was seen is 0; there the weight does not matter
        part = unit[j] * (weights[j] - centre[j])
        squares += part * part
    return math.sqrt(squares) * _UP


@compiled
def wanted(state: FTRLState, row: int) -> int:
    """Return what a box asks for."""
    place = PLAIN + FOLD * row
    work = state.work
    apart = way(state.weights[row], work[place + CENTRE], work[place + UNIT])
    if not apart < work[place + RADIUS, 0]:
        return OUTSIDE
    return FULL if state.counts[row, ENTRIES] >= work[place + LIMIT, 0] else NOTHING


@compiled
def note(state: FTRLState, row: int) -> None:
    """Mark the box if it asks for something; called before it learns, so of an earlier round."""
    if wanted(state, row) != NOTHING:
        state.work[PLAIN + FOLD * row + MARK, 0] = 1.0


@entry
def wants(state: FTRLState, out: Ints) -> bool:
    """Set out to what each box asks for; return whether any does, or is marked."""
    found = False
    for row in range(out.shape[0]):
        out[row] = wanted(state, row)
        found = found or out[row] != NOTHING or state.work[PLAIN + FOLD * row + MARK, 0] != 0.0
    return found


@entry
def apart_from(weights: Floats, centre: Floats, unit: Floats) -> float:
    """Return how far weights are from a centre."""
    return way(weights, centre, unit)


@entry
def distances(points: Floats, centre: Floats, unit: Floats, out: Floats) -> None:
    """Set out to how far from the centre weights can go before each point (x, v, …) flips, rounded down."""
    size = centre.shape[0]
    length = 0.0
    for j in range(size):
        length += (unit[j] * centre[j]) * (unit[j] * centre[j])
    length = math.sqrt(length)
    rounding = _ROUNDING * (size + 4.0)
    for i in range(out.shape[0]):
        squares, apart, anywhere = 0.0, False, True
        for j in range(size):
            x = points[i, j]
            if x != 0.0:
                anywhere = False
                apart = apart or unit[j] == 0.0
                squares += (x / unit[j]) * (x / unit[j])
        if anywhere:
            out[i] = math.inf
        elif apart or not squares > 0.0:
            # The ball says nothing in this direction
            out[i] = 0.0
        else:
            value, reach = points[i, size + VALUE], 1.0 / math.sqrt(squares)
            residual = dot(centre, points[i], size) - value
            error = rounding * (length + abs(value) * reach)
            out[i] = max(abs(residual) * reach * (1.0 - rounding) - error, 0.0)


@entry
def bring(state: FTRLState, row: int, records: Floats, centre: Floats) -> None:
    """Hold points (x, v, c) again that were away, with the sign that they have at the centre."""
    size = centre.shape[0]
    for i in range(records.shape[0]):
        slot = state.counts[row, ENTRIES]
        point = state.points[row, slot]
        for j in range(size + 2):
            point[j] = records[i, j]
        # Its reach, and its key, are found with those of all
        point[size + REACH] = 0.0
        is_active = dot(centre, point, size) > point[size + VALUE]
        weight = state.reals[row, NOW]
        point[size + WEIGHT] = weight if is_active else -weight
        state.counts[row, ENTRIES] = slot + 1


@entry
def arrange(state: FTRLState, row: int, first: int) -> None:
    """Let points from a slot on have the sign that they have now, and compute all keys anew."""
    size = state.weights.shape[1]
    entries = state.counts[row, ENTRIES]
    for slot in range(first, entries):
        point = state.points[row, slot]
        is_active = dot(state.weights[row], point, size) - point[size + VALUE] > 0.0
        if is_active != (point[size + WEIGHT] > 0.0):
            point[size + WEIGHT] = -point[size + WEIGHT]
            count_in(state, row, point, 1.0 if is_active else -1.0)
    rekey(state, row, 0, entries)


@entry
def settle(state: FTRLState, row: int) -> None:
    """Move the weights to the minimiser, from wherever they are."""
    state.work[GRADIENT, 0] = math.inf
    settle_row(state, row)
