"""Room for the next point of exact FTRL: the oldest one leaves a window, and the others age.

The mathematics is in :mod:`weitzman.learn.learners.exact.points`.
"""

from weitzman.compiled.decorators import compiled, rare
from weitzman.compiled.linalg import add_scaled
from weitzman.learn.learners.exact.points import (
    COST,
    FORGET,
    INVERSE_RIDGE,
    NOW,
    SEEN,
    WEIGHT,
    WINDOW,
    FTRLState,
    count_in,
)

_LARGE = 2.0**64


@compiled
def make_room(state: FTRLState, row: int) -> bool:
    """Let the oldest point go if the window is full, and age the others; False if there is no need."""
    # Apart from what follows, so that the usual case is no call
    if state.rules[WINDOW] > 0.0 or state.rules[FORGET] < 1.0:
        _make_room(state, row)
        return True
    return False


@rare
def _make_room(state: FTRLState, row: int) -> None:
    size = state.weights.shape[1]
    reals = state.reals[row]
    window, seen = int(state.rules[WINDOW]), state.counts[row, SEEN]
    if window > 0 and seen >= window:
        slot = seen % window
        point = state.points[row, slot]
        if point[size + WEIGHT] > 0.0:
            count_in(state, row, point, -1.0)
        leaving = -abs(point[size + WEIGHT])
        add_scaled(
            state.moment[row], state.moment_low[row], point[:size], leaving * point[size + COST]
        )
    reals[NOW] = reals[NOW] / state.rules[FORGET]
    if reals[NOW] > _LARGE:
        _shrink(state, row)


@rare
def _shrink(state: FTRLState, row: int) -> None:
    """Divide all weights of points by 2⁶⁴."""
    size = state.weights.shape[1]
    state.reals[row, NOW] /= _LARGE
    state.reals[row, INVERSE_RIDGE] /= _LARGE
    for k in range(size):
        state.moment[row, k] /= _LARGE
        state.moment_low[row, k] /= _LARGE
        for j in range(size):
            state.gram[row, k, j] /= _LARGE
            state.gram_low[row, k, j] /= _LARGE
            state.inverse[row, k, j] *= _LARGE
    for slot in range(state.points.shape[1]):
        state.points[row, slot, size + WEIGHT] /= _LARGE
