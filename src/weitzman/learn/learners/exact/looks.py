"""Looks at points after a step of the weights: which of them changed their sign.

A row looks at the points that are due by the travelled distance
(:mod:`weitzman.learn.learners.exact.near`). If too many of them come near in a step, it looks at those
around an anchor instead (:mod:`weitzman.learn.learners.exact.anchor`), until all keys are computed again.

**Too many.** If a points come near in a step, K steps after a parting there are a K near ones, and a K² of
them were gone through: near² / work is a, whatever K is. It is 3 to 6 where some weights fit, and
50 or more where none do. A row with a window has no anchor: its points would have to leave it again.
"""

from weitzman.compiled.decorators import compiled, rare
from weitzman.compiled.linalg import dot, dot_in_lanes
from weitzman.compiled.prefetch import prefetch
from weitzman.learn.learners.exact.anchor import (
    FEWEST,
    PASSED,
    RENEWED,
    SAFE,
    SOUGHT,
    distance_at,
    find_turned,
    hold,
    is_inside,
    next_anchor,
    slot_at,
    write,
)
from weitzman.learn.learners.exact.near import exchange, find_due, next_gap, part, remove
from weitzman.learn.learners.exact.points import (
    ANCHORED,
    EDGE,
    ENTRIES,
    FLIPPED,
    GAP,
    NEAR,
    ORDER,
    REACH,
    SEEN,
    TRAVELLED,
    VALUE,
    WEIGHT,
    WINDOW,
    WORK,
    FTRLState,
    count_flipped,
    next_look,
)

_AHEAD = 16  # how many looks ahead points are asked for
_BLOCK = 32
_CROWD = 16  # points that come near in a step


@compiled
def _turns(state: FTRLState, row: int, slot: int, residual: float, flips: int) -> bool:
    """Return whether a point has another sign than before; if so, it is noted."""
    size = state.weights.shape[1]
    point = state.points[row, slot]
    is_active = residual > 0.0
    if is_active == (point[size + WEIGHT] > 0.0):
        return False
    point[size + WEIGHT] = -point[size + WEIGHT]
    state.lists[FLIPPED, flips] = slot
    return True


@compiled
def _is_crowded(state: FTRLState, row: int) -> bool:
    """Return whether many points come near in a step; if so, the row has an anchor from now on."""
    reals, counts = state.reals[row], state.counts[row]
    near, entries = counts[NEAR], counts[ENTRIES]
    if state.rules[WINDOW] > 0.0 or entries < FEWEST or near * near <= _CROWD * (counts[WORK] + 1):
        return False
    reals[EDGE] = ANCHORED
    counts[NEAR] = counts[WORK] = 0
    size = state.weights.shape[1]
    state.around[row, size + SOUGHT] = state.around[row, size + SAFE] = 0.0
    return True


@compiled
def _look_around(state: FTRLState, row: int) -> int:
    """Look at what is held, or, from the next anchor, at all that may be near."""
    weights, size, around = state.weights[row], state.weights.shape[1], state.around[row]
    if not is_inside(around, weights, state.unit[row]):
        return _renew(state, row)
    flips, order = 0, state.lists[ORDER]
    for i in range(find_turned(around, weights, order)):
        place = order[i]
        slot = slot_at(around, place, size)
        point = state.points[row, slot]
        residual = dot(weights, point, size) - point[size + VALUE]
        if _turns(state, row, slot, residual, flips):
            flips += 1
            value, reach = point[size + VALUE], point[size + REACH]
            write(around, place, point[:size], value, reach, residual > 0.0)
    return flips


@rare
def _renew(state: FTRLState, row: int) -> int:
    """Take the weights as the anchor, look at the points that may be near, and hold those that are."""
    weights, size, around = state.weights[row], state.weights.shape[1], state.around[row]
    entries, order = state.counts[row, ENTRIES], state.lists[ORDER]
    gap = 0.25 * state.reals[row, GAP]
    edge = next_anchor(around, weights, state.unit[row], entries, gap)
    passed = around[size + PASSED]
    flips = 0
    for start in range(0, entries, _BLOCK):
        block = state.keys[row, start : min(start + _BLOCK, entries)]
        some = 0
        for j in range(block.shape[0]):
            some += block[j] <= edge
        if some == 0:
            continue
        found = find_due(block, block.shape[0], edge, order)
        around[size + RENEWED] += found
        for i in range(found):
            prefetch(state.points, row, start + order[i])
        for i in range(found):
            slot = start + order[i]
            point = state.points[row, slot]
            value, reach = point[size + VALUE], point[size + REACH]
            residual = dot(weights, point, size) - value
            flips += _turns(state, row, slot, residual, flips)
            distance = distance_at(around, residual, value, reach, size)
            state.keys[row, slot] = passed + distance
            if distance <= around[size + SAFE]:
                hold(around, point[:size], value, reach, residual > 0.0, slot)
    return flips


@rare
def _part_anew(state: FTRLState, row: int) -> int:
    """Part near and far at a new edge beyond the travelled distance; return 0.

    Around an anchor, where none are near and all is done here, return how many points flipped.
    """
    reals, counts = state.reals[row], state.counts[row]
    if reals[EDGE] == ANCHORED or _is_crowded(state, row):
        return _look_around(state, row)
    # After a start the first step is the only measure
    gap = reals[GAP] if reals[GAP] > 0.0 else reals[TRAVELLED]
    reals[GAP] = next_gap(gap, counts[ENTRIES], counts[WORK])
    reals[EDGE] = reals[TRAVELLED] + reals[GAP]
    keys, ids, order = state.keys[row], state.ids[row], state.lists[ORDER]
    counts[NEAR] = part(keys, ids, counts[ENTRIES], reals[EDGE], order)
    counts[WORK] = 0
    return 0


@compiled
def look(state: FTRLState, row: int) -> int:
    """Look at all points whose sign may have changed; return how many did, kept in ``lists[FLIPPED]``."""
    size = state.weights.shape[1]
    window = int(state.rules[WINDOW])
    weights, keys, ids = state.weights[row], state.keys[row], state.ids[row]
    order = state.lists[ORDER]
    reals, counts = state.reals[row], state.counts[row]
    travelled = reals[TRAVELLED]
    oldest = counts[SEEN] - window if window > 0 else 0
    flips = 0
    if travelled > reals[EDGE] or counts[WORK] > 2 * counts[ENTRIES]:
        flips = _part_anew(state, row)
    entries, near, edge = counts[ENTRIES], counts[NEAR], reals[EDGE]
    counts[WORK] += near
    # From the last to the first: what takes the place of one that goes was dealt with
    for i in range(find_due(keys, near, travelled, order) - 1, -1, -1):
        place = order[i]
        ident = ids[place]
        if i >= _AHEAD:
            ahead = ids[order[i - _AHEAD]]
            prefetch(state.points, row, ahead % window if window > 0 else ahead)
        if ident < oldest:
            remove(keys, ids, near, entries, place)
            near -= 1
            entries -= 1
            continue
        slot = ident % window if window > 0 else ident
        point = state.points[row, slot]
        residual = dot_in_lanes(weights, point, size) - point[size + VALUE]
        flips += _turns(state, row, slot, residual, flips)
        keys[place] = next_look(travelled, residual, point[size + REACH])
        if keys[place] > edge:
            near -= 1
            exchange(keys, ids, place, near)
    counts[ENTRIES], counts[NEAR] = entries, near
    count_flipped(state, row, flips)
    return flips
