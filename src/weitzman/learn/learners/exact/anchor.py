"""Which points to look at where the weights are restless: those near an anchor, side by side.

Where no weights fit, few points are active, every new one moves the weights far, and the moves undo each
other: K of them lead √K moves away, and are K moves long. Keys that count the travelled distance
(:mod:`weitzman.learn.learners.exact.near`) then fall due much too early.

So the weights of one moment are the *anchor* a. A point is |z(a)| / ‖x/u‖ away from its kink there. The
points up to the radius R away are *held*: copied side by side, so that all of them are tried at once
at every step. No other point has changed its sign as long as ‖u (w − a)‖ < R. When that ends, w is the
next anchor. The key of a point is its distance plus the way from anchor to anchor up to the last look
at it, so that renewing looks only at points that may be near.

R is multiplied by √(2 · work of renewing / work of trying), between ½ and 2, at every anchor: trying
costs a R per step and renewing n / R², for weights that wander.

**No bit depends on the anchor.** Whatever is held, the points that flip are the same, and are taken in the
order in which they came. A point is held or kept away with room for the rounding errors of its
residual, and those held that come out within them are looked at. So what is held is not saved: it is
found again.

All of it is one array per row, since every array of a state makes every call longer: the anchor, the
columns below, the slots of the points held, and their s x, −s v and s z, where s is the sign of z at the
last look, each coordinate of all points side by side.
"""

import math

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled, rare

# After the d coordinates of the anchor: R, 0 where what is held does not suffice; the R that is aimed at, 0
# before the first anchor; the way from anchor to anchor; ‖u a‖; how many points are held; how many were
# tried, and looked at to renew, since the last anchor
SAFE, SOUGHT, PASSED, LENGTH, HELD, TRIED, RENEWED = range(7)
_COLUMNS = 7
FEWEST = 256  # points of a row that may have an anchor

_UP = 1.0 + 2.0**-50
_ROUNDING = 2.0**-50
_BLOCK = 32


def length_of(size: int, capacity: int) -> int:
    """Return the length of the array of a row with this capacity."""
    # Not a power of two, or the same places of all coordinates would share a line of the cache
    room = min(capacity // 4, 1024) + 8 if capacity >= FEWEST else 0
    return size + _COLUMNS + (size + 3) * room


@compiled
def _room(around: Floats, size: int) -> int:
    return int((around.shape[0] - size - _COLUMNS) // (size + 3))


@compiled
def _way(around: Floats, weights: Floats, unit: Floats) -> float:
    squares = 0.0
    for j in range(weights.shape[0]):
        way = unit[j] * (weights[j] - around[j])
        squares += way * way
    return math.sqrt(squares) * _UP


@compiled
def is_inside(around: Floats, weights: Floats, unit: Floats) -> bool:
    """Return whether only points that are held can have another sign than when they were looked at."""
    safe: float = around[weights.shape[0] + SAFE]
    return _way(around, weights, unit) < safe


@rare
def next_anchor(around: Floats, weights: Floats, unit: Floats, entries: int, gap: float) -> float:
    """Let the weights be the anchor, with nothing held; return the key up to which points are looked at."""
    size = weights.shape[0]
    reals = around[size : size + _COLUMNS]
    edge = math.inf
    if reals[SOUGHT] > 0.0:
        if reals[SAFE] > 0.0:
            renewing = entries + (4.0 * size + 40.0) * reals[RENEWED]
            ratio = math.sqrt(2.0 * renewing / (1.0 + (size + 2.0) * reals[TRIED]))
            reals[SOUGHT] *= min(max(ratio, 0.5), 2.0)
        reals[PASSED] = (reals[PASSED] + _way(around, weights, unit)) * _UP
        edge = (reals[PASSED] + reals[SOUGHT]) * _UP
    else:
        reals[SOUGHT], reals[PASSED] = gap, 0.0
    squares = 0.0
    for j in range(size):
        around[j] = weights[j]
        squares += (unit[j] * weights[j]) * (unit[j] * weights[j])
    reals[LENGTH], reals[SAFE] = math.sqrt(squares), reals[SOUGHT]
    reals[HELD] = reals[TRIED] = reals[RENEWED] = 0.0
    return edge


@compiled
def distance_at(around: Floats, residual: float, value: float, reach: float, size: int) -> float:
    """Return how far from the anchor the weights can go before a point with this residual there flips."""
    if reach == math.inf:
        return math.inf
    rounding = _ROUNDING * (size + 4.0)
    error = rounding * (around[size + LENGTH] + abs(value) * reach)
    distance = abs(residual) * reach * (1.0 - rounding) - error
    # Also where it is no number
    return distance if distance > 0.0 else 0.0


@compiled
def hold(around: Floats, x: Floats, value: float, reach: float, is_active: bool, slot: int) -> None:
    """Hold a point; where there is no room for it, what is held does not suffice."""
    size = x.shape[0]
    held = int(around[size + HELD])
    if held == _room(around, size):
        if around[size + SAFE] > 0.0:
            around[size + SAFE] = 0.0
            around[size + SOUGHT] *= 0.5
        return
    around[size + _COLUMNS + held] = slot
    around[size + HELD] = held + 1.0
    write(around, held, x, value, reach, is_active)


@compiled
def slot_at(around: Floats, place: int, size: int) -> int:
    """Return the slot of a point that is held."""
    return int(around[size + _COLUMNS + place])


@compiled
def write(
    around: Floats, place: int, x: Floats, value: float, reach: float, is_active: bool
) -> None:
    """Set what is held of a point, with its present sign."""
    size = x.shape[0]
    room = _room(around, size)
    points = around[size + _COLUMNS + room :]
    sign = 1.0 if is_active else -1.0
    for j in range(size):
        points[j * room + place] = sign * x[j]
    longest = (around[size + LENGTH] + around[size + SAFE]) / reach
    error = _ROUNDING * (size + 4.0) * (longest + abs(value))
    points[size * room + place] = -sign * value - error


@compiled
def find_turned(around: Floats, weights: Floats, places: Ints) -> int:
    """Set places to those held whose sign may have changed, in order; return how many there are."""
    size = weights.shape[0]
    room, held = _room(around, size), int(around[size + HELD])
    around[size + TRIED] += held
    points = around[size + _COLUMNS + room :]
    first, out = points[size * room :], points[(size + 1) * room :]
    for i in range(held):
        out[i] = first[i]
    whole = size - size % 4
    for j in range(0, whole, 4):
        # Four at once: out is read and written a quarter as often
        f0, f1, f2, f3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        a0, a1 = points[j * room :], points[(j + 1) * room :]
        a2, a3 = points[(j + 2) * room :], points[(j + 3) * room :]
        for i in range(held):
            out[i] = (((out[i] + f0 * a0[i]) + f1 * a1[i]) + f2 * a2[i]) + f3 * a3[i]
    for j in range(whole, size):
        factor, row = weights[j], points[j * room :]
        for i in range(held):
            out[i] += factor * row[i]
    found = 0
    for start in range(0, held, _BLOCK):
        block = out[start : min(start + _BLOCK, held)]
        some = 0
        for i in range(block.shape[0]):
            some += block[i] <= 0.0
        if some > 0:
            for i in range(block.shape[0]):
                # A branch would be mispredicted
                places[found] = start + i
                found += block[i] <= 0.0
    return found
