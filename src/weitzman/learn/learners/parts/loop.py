"""The loop over recorded rounds, in compiled code: predict, search, learn.

Widths take O(d²), so a round begins with lower bounds of the reservation values; the value itself
is found for boxes that come first by their bound. Where the least value is known, neither is below
least + cost.
"""

import math
from typing import Any

from weitzman.arrays import Flags, Floats, Ints
from weitzman.compiled.decorators import compiled, entry, merged
from weitzman.learn.learners.parts.kernels import (
    learn_value,
    search_bound,
    search_value,
    settle_row,
)
from weitzman.search.rule import NO_BOX, next_box

# What is learned from, as bits
FULL, OPENED, PROBED = 4, 1, 2
_next_box = compiled(next_box)


@compiled
def _no_less(number: float, bound: float) -> float:
    """Return the larger one; what is NaN stays."""
    return bound if number < bound else number


@compiled
def _prepare(
    state: Any,
    contexts: Floats,
    costs: Floats,
    outside: float,
    least: float,
    kappa: float,
    shared: bool,
    sigma: Floats,
    known: Flags,
) -> None:
    """Set lower bounds of the reservation values, NaN if absent, and whether they are exact."""
    boxes = contexts.shape[0]
    for box in range(boxes):
        row = 0 if shared else box
        sigma[box], known[box] = search_bound(
            state, row, contexts[box], costs[box], kappa, boxes, outside
        )
        sigma[box] = _no_less(sigma[box], least + costs[box])


@compiled
def _value(
    state: Any,
    box: int,
    contexts: Floats,
    costs: Floats,
    outside: float,
    least: float,
    kappa: float,
    shared: bool,
) -> float:
    """Return the reservation value of a box that is present."""
    row = 0 if shared else box
    sigma: float = search_value(
        state, row, contexts[box], costs[box], kappa, contexts.shape[0], outside
    )
    return _no_less(sigma, least + costs[box])


@compiled
def _complete(
    state: Any,
    contexts: Floats,
    costs: Floats,
    outside: float,
    least: float,
    kappa: float,
    shared: bool,
    sigma: Floats,
    known: Flags,
    out: Floats,
) -> None:
    """Set out to the reservation values themselves, of all boxes that are present."""
    # In one loop with the bounds, rounds take an eighth longer
    for box in range(sigma.shape[0]):
        if not known[box]:
            sigma[box] = _value(state, box, contexts, costs, outside, least, kappa, shared)
            known[box] = True
        out[box] = sigma[box]


@compiled
def _first(sigma: Floats, opened: Flags) -> int:
    """Return the closed box with the smallest number, of equal ones the first; NO_BOX if there is none."""
    first, smallest = NO_BOX, math.inf
    for box in range(sigma.shape[0]):
        if not opened[box] and sigma[box] < smallest:
            first, smallest = box, sigma[box]
    return first


@compiled
def _search(
    state: Any,
    contexts: Floats,
    costs: Floats,
    values: Floats,
    outside: float,
    least: float,
    kappa: float,
    shared: bool,
    sigma: Floats,
    known: Flags,
    opened: Flags,
    one: Ints,
) -> tuple[float, float, int, int]:
    """Open boxes by the rule; return the best value, what was paid, the chosen box and the number opened.

    A round opens few boxes, so the next one is looked for instead of all being sorted; and widths,
    which take O(d²), are found only for boxes that come first by their lower bound.
    """
    best, paid, chosen, count = outside, 0.0, -1, 0
    for box in range(opened.shape[0]):
        opened[box] = False
    while True:
        box = _first(sigma, opened)
        if box == NO_BOX:
            return best, paid, chosen, count
        one[0] = box
        # No other box is below this bound: if the rule stops here it stops at all of them
        if _next_box(one, sigma, 0, best) == NO_BOX:
            return best, paid, chosen, count
        if not known[box]:
            sigma[box] = _value(state, box, contexts, costs, outside, least, kappa, shared)
            known[box] = True
            continue
        opened[box] = True
        paid += costs[box]
        count += 1
        if values[box] < best:
            best, chosen = values[box], box


@merged
def _learn(
    state: Any,
    contexts: Floats,
    costs: Floats,
    values: Floats,
    sigma: Floats,
    shown: Flags,
    shared: bool,
) -> None:
    """Learn from the boxes that are shown, in the order of their positions."""
    last = -1
    for box in range(values.shape[0]):
        shown[box] = shown[box] and not math.isnan(sigma[box]) and not math.isnan(values[box])
        if shown[box]:
            last = box
    for box in range(last + 1):
        if shown[box]:
            row = 0 if shared else box
            learn_value(state, row, contexts[box], values[box], costs[box])
            if box == last or not shared:
                settle_row(state, row)


@entry
def play_rounds(
    state: Any,
    contexts: Floats,
    costs: Floats,
    values: Floats,
    outside: Floats,
    least: float,
    probes: Flags,
    feedback: int,
    kappa: float,
    shared: bool,
    totals: Floats,
    paid: Floats,
    chosen: Ints,
    opened_count: Ints,
    predictions: Floats,
    sigma: Floats,
    known: Flags,
    shown: Flags,
    one: Ints,
) -> None:
    """Play the rounds, and set what came out; the last four are scratch."""
    boxes = contexts.shape[1]
    for t in range(contexts.shape[0]):
        price, found = costs[t % costs.shape[0]], values[t]
        start = outside[t % outside.shape[0]]
        _prepare(state, contexts[t], price, start, least, kappa, shared, sigma, known)
        if predictions.shape[0] > 0:
            out = predictions[t]
            _complete(state, contexts[t], price, start, least, kappa, shared, sigma, known, out)
        best, spent, pick, looks = _search(
            state, contexts[t], price, found, start, least, kappa, shared, sigma, known, shown, one
        )
        for box in range(boxes):
            bought = (feedback & PROBED) > 0 and probes[t, box] and not math.isnan(sigma[box])
            if bought and not shown[box]:
                spent += price[box]
                looks += 1
                if found[box] < best:
                    best, pick = found[box], box
            free = (feedback & FULL) > 0 or ((feedback & OPENED) > 0 and shown[box])
            shown[box] = free or bought
        _learn(state, contexts[t], price, found, sigma, shown, shared)
        totals[t], paid[t], chosen[t], opened_count[t] = best + spent, spent, pick, looks
