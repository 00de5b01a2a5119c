"""What a learner's compiled part must offer, and the calls into it from Python.

A learner's state is a NamedTuple of arrays whose first axis is the box (one row if the boxes share
their weights). Each state class gives these five a body with
:func:`~weitzman.compiled.decorators.implements`:

- ``predict_row(state, row, context, cost)`` → reservation value;
- ``width_row(state, row, context)`` → ‖x‖ in the norm of the inverse regularised Gram matrix; NaN
  if it is not kept;
- ``reach_row(state, row, context)`` → an upper bound of the width, in O(d);
- ``learn_row(state, row, context, value, cost)`` takes one observation in;
- ``settle_row(state, row)`` makes the weights final after all observations of a round are in.

Only :func:`learn_rows` and the loop of :mod:`weitzman.learn.learners.parts.loop` call the last two, in this
order, so a round gives the same bits whichever of the two it went through.
"""

from typing import Any

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled, entry, generic
from weitzman.compiled.linalg import linear
from weitzman.learn.learners.parts.optimism import (
    ERROR,
    lowered,
    lowered_by_error,
    note_look,
    note_mean_box,
    note_slope,
)
from weitzman.search.numbers import LIMIT

UNSORTED = 6
"""What :func:`learn_rows` answers to rows that are not in the order of their boxes."""


@generic
def predict_row(state: Any, row: int, context: Floats, cost: float) -> float:
    """Return the reservation value of one box."""
    raise NotImplementedError


def predict_linear(state: Any, row: int, context: Floats, cost: float) -> float:
    """Return w·x: the body for states with weights."""
    return linear(state.weights[row], context)


@generic
def width_row(state: Any, row: int, context: Floats) -> float:
    """Return the width of one context."""
    raise NotImplementedError


@generic
def reach_row(state: Any, row: int, context: Floats) -> float:
    """Return an upper bound of the width of one context, in O(d)."""
    raise NotImplementedError


@generic
def learn_row(state: Any, row: int, context: Floats, value: float, cost: float) -> None:
    """Take one observation in."""
    raise NotImplementedError


@generic
def settle_row(state: Any, row: int) -> None:
    """Make the weights of one row final."""
    raise NotImplementedError


@compiled
def note_residual(spread: Floats, residual: float) -> None:
    """Follow mean, mean square and count of residuals; the k-th has weight 2/(k + 1), so early ones fade."""
    spread[2] += 1.0
    share = 2.0 / (spread[2] + 1.0)
    spread[0] += share * (residual - spread[0])
    spread[1] += share * (residual * residual - spread[1])


@compiled
def _lowered(
    state: Any,
    row: int,
    sigma: float,
    widths: tuple[float, float],
    cost: float,
    kappa: float,
    boxes: int,
    outside: float,
) -> float:
    """Return σ after optimism, from the width of its context and the largest that it could have."""
    width, reach = widths
    pool, looks = state.pool, state.spread[row, 2]
    if looks > 0.0 and pool.shape[0] > ERROR:
        return lowered_by_error(kappa, pool, state.spread[row], boxes, sigma, width, reach, cost)
    return lowered(kappa, pool, boxes, looks, sigma, width, cost, outside)


@compiled
def search_value(
    state: Any, row: int, context: Floats, cost: float, kappa: float, boxes: int, outside: float
) -> float:
    """Return what the search goes by: the reservation value, lowered by optimism if κ > 0."""
    sigma = predict_row(state, row, context, cost)
    if kappa > 0.0 and not np.isnan(sigma):
        width, reach = 0.0, 0.0
        if state.spread[row, 2] > 0.0:
            reach = reach_row(state, row, context)
            # Equal but for rounding where the first is larger: the bound must hold to the last bit
            width = min(width_row(state, row, context), reach)
        sigma = _lowered(state, row, sigma, (width, reach), cost, kappa, boxes, outside)
    return sigma


@compiled
def search_bound(
    state: Any, row: int, context: Floats, cost: float, kappa: float, boxes: int, outside: float
) -> tuple[float, bool]:
    """Return a lower bound of :func:`search_value` in O(d), and whether it is the value itself."""
    sigma = predict_row(state, row, context, cost)
    if kappa == 0.0 or np.isnan(sigma):
        return sigma, True
    looks = state.spread[row, 2]
    reach = reach_row(state, row, context) if looks > 0.0 else 0.0
    sigma = _lowered(state, row, sigma, (reach, reach), cost, kappa, boxes, outside)
    return sigma, looks == 0.0


@compiled
def learn_value(state: Any, row: int, context: Floats, value: float, cost: float) -> None:
    """Take one observation in, the spread between boxes included."""
    sigma = predict_row(state, row, context, cost)
    note_look(state.pool, sigma, cost)
    if state.pool.shape[0] > ERROR:
        note_slope(state.spread[row], sigma, value, cost)
    learn_row(state, row, context, value, cost)


@compiled
def end_round(state: Any) -> None:
    """Take in what all looks of a round have changed together."""
    if state.pool.shape[0] > ERROR:
        note_mean_box(state.pool, state.spread)


@entry
def predict_rows(
    state: Any,
    boxes: Ints,
    contexts: Floats,
    costs: Floats,
    shared: bool,
    kappa: float,
    count: int,
    outside: float,
    out: Floats,
) -> tuple[int, int]:
    """Set out to the reservation values of the given of ``count`` boxes.

    Returns (row, rule broken) of the first bad row as :func:`learn_rows` does, or (-1, 0).
    """
    for i in range(boxes.shape[0]):
        if boxes[i] < 0 or boxes[i] >= count:
            return i, 1
        if not 0.0 <= costs[i] <= LIMIT:
            return i, 5
        for j in range(contexts.shape[1]):
            if not abs(contexts[i, j]) <= LIMIT:
                return i, 3
        row = 0 if shared else boxes[i]
        out[i] = search_value(state, row, contexts[i], costs[i], kappa, count, outside)
        if not abs(out[i]) < np.inf:
            return i, 3
    return -1, 0


@entry
def width_rows(state: Any, boxes: Ints, contexts: Floats, shared: bool, out: Floats) -> None:
    """Set out to the widths of the given boxes' contexts."""
    for i in range(boxes.shape[0]):
        out[i] = width_row(state, 0 if shared else boxes[i], contexts[i])


@compiled
def _rule_broken(context: Floats, value: float, cost: float) -> int:
    for j in range(context.shape[0]):
        if not abs(context[j]) <= LIMIT:
            return 3
    if not abs(value) <= LIMIT:
        return 4
    return 0 if 0.0 <= cost <= LIMIT else 5


@compiled
def _first_bad_row(
    boxes: Ints, contexts: Floats, values: Floats, costs: Floats, count: int, seen: Ints
) -> tuple[int, int]:
    """Return (row, rule broken) of the first bad row, or (-1, 0).

    ``seen`` holds one zero per box, and is zero again afterwards; if it is empty, a box may come
    twice.
    """
    row, rule = -1, 0
    for i in range(boxes.shape[0]):
        box = boxes[i]
        if box < 0 or box >= count:
            row, rule = i, 1
            break
        if seen.shape[0] > 0:
            seen[box] += 1
            if seen[box] > 1:
                row, rule = i, 2
                break
        if np.isnan(values[i]):
            continue
        rule = _rule_broken(contexts[i], values[i], costs[i])
        if rule:
            row = i
            break
    if seen.shape[0] > 0:
        for box in boxes:
            if 0 <= box < count:
                seen[box] = 0
    return row, rule


@compiled
def _sorted(boxes: Ints) -> bool:
    falls = 0
    for i in range(1, boxes.shape[0]):
        falls += boxes[i] < boxes[i - 1]
    return falls == 0


@entry
def learn_rows(
    state: Any,
    boxes: Ints,
    contexts: Floats,
    values: Floats,
    costs: Floats,
    shared: bool,
    count: int,
    seen: Ints,
) -> tuple[int, int]:
    """Learn from the observations of one round, if all are good; a NaN value is not learned.

    Returns (row, rule broken) of the first bad row, or (-1, 0): rule 1 box, 2 box twice, 3 context,
    4 value, 5 cost. Rows that are not in the order of their boxes are not learned either, and give
    (-1, 6): the sums would depend on it.
    """
    row, rule = _first_bad_row(boxes, contexts, values, costs, count, seen)
    if row >= 0:
        return row, rule
    if not _sorted(boxes):
        return -1, UNSORTED
    last = -1
    for i in range(boxes.shape[0]):
        if not np.isnan(values[i]):
            last = i
    for i in range(last + 1):
        if not np.isnan(values[i]):
            place = 0 if shared else boxes[i]
            learn_value(state, place, contexts[i], values[i], costs[i])
            # One call for both kinds of learners: all that settles is compiled in its place
            if i == last or not shared:
                settle_row(state, place)
    if last >= 0:
        end_round(state)
    return -1, 0
