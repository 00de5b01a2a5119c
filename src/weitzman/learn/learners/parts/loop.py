"""The loop over recorded rounds, in compiled code: predict, search, learn.

Widths take O(d²), so a round begins with lower bounds of the reservation values; the value itself
is found for boxes that come first by their bound. Where the least value is known, neither is below
least + cost.
"""

import math
from typing import Any, NamedTuple

from weitzman.arrays import Flags, Floats, Ints
from weitzman.compiled.decorators import compiled, entry, merged
from weitzman.learn.learners.parts.kernels import (
    end_round,
    learn_value,
    search_bound,
    search_value,
    settle_row,
)
from weitzman.search.rule import NO_BOX, next_box

# What is learned from, as bits
FULL, OPENED, PROBED = 4, 1, 2
_next_box = compiled(next_box)


class Rounds(NamedTuple):
    """Recorded rounds, and how they are played.

    Costs, outside options and probes have one row if they are the same in all rounds.
    """

    contexts: Floats
    costs: Floats
    values: Floats
    outside: Floats
    probes: Flags
    least: float
    feedback: int
    kappa: float
    shared: bool


class Given(NamedTuple):
    """One of the rounds."""

    contexts: Floats
    costs: Floats
    values: Floats
    outside: float
    least: float
    kappa: float
    shared: bool


class Results(NamedTuple):
    """What comes out of each round; its reservation values too, if there is room for them."""

    totals: Floats
    paid: Floats
    chosen: Ints
    opened_count: Ints
    predictions: Floats


class Scratch(NamedTuple):
    """Of each box a lower bound of σ, whether it is σ itself, and whether it is shown; one place more."""

    sigma: Floats
    known: Flags
    shown: Flags
    one: Ints


@compiled
def _no_less(number: float, bound: float) -> float:
    """Return the larger one; what is NaN stays."""
    return bound if number < bound else number


@compiled
def _prepare(state: Any, given: Given, work: Scratch) -> None:
    """Set lower bounds of the reservation values, NaN if absent, and whether they are exact."""
    boxes = given.contexts.shape[0]
    for box in range(boxes):
        row, cost = 0 if given.shared else box, given.costs[box]
        sigma, work.known[box] = search_bound(
            state, row, given.contexts[box], cost, given.kappa, boxes, given.outside
        )
        work.sigma[box] = _no_less(sigma, given.least + cost)


@compiled
def _find(state: Any, given: Given, box: int, work: Scratch) -> None:
    """Set the reservation value itself of a box that is present."""
    row, cost, boxes = 0 if given.shared else box, given.costs[box], given.contexts.shape[0]
    sigma = search_value(state, row, given.contexts[box], cost, given.kappa, boxes, given.outside)
    work.sigma[box], work.known[box] = _no_less(sigma, given.least + cost), True


@compiled
def _complete(state: Any, given: Given, work: Scratch, out: Floats) -> None:
    """Set out to the reservation values themselves, of all boxes that are present."""
    # In one loop with the bounds, rounds take an eighth longer
    for box in range(out.shape[0]):
        if not work.known[box]:
            _find(state, given, box, work)
        out[box] = work.sigma[box]


@compiled
def _first(sigma: Floats, opened: Flags) -> int:
    """Return the closed box with the smallest number, of equal ones the first; NO_BOX if there is none."""
    first, smallest = NO_BOX, math.inf
    for box in range(sigma.shape[0]):
        if not opened[box] and sigma[box] < smallest:
            first, smallest = box, sigma[box]
    return first


@compiled
def _search(state: Any, given: Given, work: Scratch) -> tuple[float, float, int, int]:
    """Open boxes by the rule; return the best value, what was paid, the chosen box and the number opened.

    A round opens few boxes, so the next one is looked for instead of all being sorted; and widths,
    which take O(d²), are found only for boxes that come first by their lower bound.
    """
    sigma, opened = work.sigma, work.shown
    best, paid, chosen, count = given.outside, 0.0, -1, 0
    for box in range(opened.shape[0]):
        opened[box] = False
    while True:
        box = _first(sigma, opened)
        if box == NO_BOX:
            return best, paid, chosen, count
        work.one[0] = box
        # No other box is below this bound: if the rule stops here it stops at all of them
        if _next_box(work.one, sigma, 0, best) == NO_BOX:
            return best, paid, chosen, count
        if not work.known[box]:
            _find(state, given, box, work)
            continue
        opened[box] = True
        paid += given.costs[box]
        count += 1
        if given.values[box] < best:
            best, chosen = given.values[box], box


@merged
def _learn(state: Any, given: Given, work: Scratch) -> None:
    """Learn from the boxes that are shown, in the order of their positions."""
    values, shown, last = given.values, work.shown, -1
    for box in range(values.shape[0]):
        shown[box] = shown[box] and not math.isnan(work.sigma[box]) and not math.isnan(values[box])
        if shown[box]:
            last = box
    for box in range(last + 1):
        if shown[box]:
            row = 0 if given.shared else box
            learn_value(state, row, given.contexts[box], values[box], given.costs[box])
            if box == last or not given.shared:
                settle_row(state, row)
    if last >= 0:
        end_round(state)


@entry
def play_rounds(state: Any, rounds: Rounds, results: Results, work: Scratch) -> None:
    """Play the rounds, and set what came out."""
    feedback, boxes = rounds.feedback, rounds.contexts.shape[1]
    for t in range(rounds.contexts.shape[0]):
        price, found = rounds.costs[t % rounds.costs.shape[0]], rounds.values[t]
        outside = rounds.outside[t % rounds.outside.shape[0]]
        given = Given(
            rounds.contexts[t], price, found, outside, rounds.least, rounds.kappa, rounds.shared
        )
        _prepare(state, given, work)
        if results.predictions.shape[0] > 0:
            _complete(state, given, work, results.predictions[t])
        best, spent, pick, looks = _search(state, given, work)
        for box in range(boxes):
            shown = work.shown[box]
            bought = (feedback & PROBED) > 0 and rounds.probes[t, box]
            bought = bought and not math.isnan(work.sigma[box])
            if bought and not shown:
                spent += price[box]
                looks += 1
                if found[box] < best:
                    best, pick = found[box], box
            free = (feedback & FULL) > 0 or ((feedback & OPENED) > 0 and shown)
            work.shown[box] = free or bought
        _learn(state, given, work)
        results.totals[t], results.paid[t] = best + spent, spent
        results.chosen[t], results.opened_count[t] = pick, looks
