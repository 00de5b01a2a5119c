"""Compiled loops of the lab: Weitzman's rule in every round, its exact expected total, its certificate.

Imported where it is used, not with the room: numba takes long to load. All are plain functions of
arrays, with strict floating point, so that numbers do not depend on the number of workers. The
theory is in :mod:`weitzman.lab.exact.expected`.
"""

import math

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import checked, whole
from weitzman.search.kernels import play_round


@checked
def _sort_boxes(sigma: Floats, order: Ints) -> None:
    """Set the boxes in increasing order of σ; equal σ by position. Few boxes: insertion is quickest."""
    for i in range(sigma.shape[0]):
        place = i
        while place > 0 and sigma[order[place - 1]] > sigma[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i


@checked
def survival(low: float, high: float, x: float) -> float:
    """P(v > x)."""
    if x < low:
        return 1.0
    return (high - x) / (high - low) if x < high else 0.0


@checked
def _excess(low: float, high: float, s: float) -> float:
    """E(s − v)⁺."""
    if s <= low:
        return 0.0
    if s >= high:
        return s - 0.5 * (low + high)
    return (s - low) * ((s - low) / (high - low)) * 0.5


@checked
def _open_probabilities(s: Floats, order: Ints, low: Floats, high: Floats, q: Floats) -> None:
    """Set the probability that each box is opened."""
    boxes = s.shape[0]
    for place in range(boxes):
        box = order[place]
        q[box] = 1.0
        for earlier in range(place):
            other = order[earlier]
            q[box] *= survival(low[other], high[other], s[box])
            if q[box] == 0.0:
                break


@checked
def _edges(s: Floats, low: Floats, high: Floats, start: float, end: float, edges: Floats) -> int:
    """Set all points of [start, end] where the survival function may jump or bend; return their number."""
    edges[0] = start
    count = 1
    for box in range(s.shape[0]):
        for point in (s[box], low[box], high[box]):
            if start < point < end:
                place = count
                while edges[place - 1] > point:
                    edges[place] = edges[place - 1]
                    place -= 1
                edges[place] = point
                count += 1
    edges[count] = end
    return count + 1


@checked
def _expected_capped(
    s: Floats,
    order: Ints,
    low: Floats,
    high: Floats,
    nodes: Floats,
    weights: Floats,
    edges: Floats,
    active: Ints,
) -> float:
    """E[min_i max(v_i, s_i)], for finite s: s_min + ∫ Π_{i: s_i ≤ t} P(v_i > t) dt."""
    boxes = s.shape[0]
    start: float = s[order[0]]
    end = math.inf
    for box in range(boxes):
        end = min(end, max(s[box], high[box]))
    if end <= start:
        return start
    count = _edges(s, low, high, start, end, edges)
    total: float = start
    for piece in range(count - 1):
        left, right = edges[piece], edges[piece + 1]
        if right <= left:
            continue
        bending = 0
        for box in range(boxes):
            if s[box] <= left and low[box] <= left:
                active[bending] = box
                bending += 1
        # A polynomial of degree `bending`: so many nodes integrate it exactly
        size = bending // 2 + 1
        half, middle = 0.5 * (right - left), 0.5 * (right + left)
        area = 0.0
        for k in range(size):
            x = middle + half * nodes[size, k]
            product = weights[size, k]
            for b in range(bending):
                box = active[b]
                product *= (high[box] - x) / (high[box] - low[box])
            area += product
        total += half * area
    return total


@checked
def _lowered(s: Floats, order: Ints, low: Floats, out: Floats) -> None:
    """Set reservation values under which the rule does the same, without large numbers that cancel.

    The first box is opened whatever its reservation value is, so that may stand below its values;
    but it need not stand further down than a little below all values.
    """
    bottom = low.min()
    bottom -= 1.0 + 1e-9 * abs(bottom)
    out[:] = s
    first = order[0]
    out[first] = max(min(s[first], low[first]), bottom)


@whole
@checked
def expect_rounds(
    sigma: Floats,
    costs: Floats,
    lower: Floats,
    upper: Floats,
    nodes: Floats,
    weights: Floats,
) -> Floats:
    """Return the exact expected total of the rule at σ in every round."""
    rounds, boxes = sigma.shape
    totals = np.empty(rounds)
    order, active = np.empty(boxes, dtype=np.int64), np.empty(boxes, dtype=np.int64)
    s, q, edges = np.empty(boxes), np.empty(boxes), np.empty(3 * boxes + 2)
    for t in range(rounds):
        low, high = lower[t], upper[t]
        _sort_boxes(sigma[t], order)
        _lowered(sigma[t], order, low, s)
        _open_probabilities(s, order, low, high, q)
        total = _expected_capped(s, order, low, high, nodes, weights, edges, active)
        for box in range(boxes):
            if q[box] > 0.0:
                total += q[box] * (costs[box] - _excess(low[box], high[box], s[box]))
        totals[t] = total
    return totals


@whole
@checked
def certify_rounds(
    truth: Floats, sigma: Floats, costs: Floats, lower: Floats, upper: Floats
) -> Floats:
    """Return Σ_i (q_i(σ*) − q_i(σ)) (E(σ_i − v_i)⁺ − c_i) of every round."""
    rounds, boxes = sigma.shape
    bounds = np.zeros(rounds)
    order = np.empty(boxes, dtype=np.int64)
    right, given = np.empty(boxes), np.empty(boxes)
    for t in range(rounds):
        low, high = lower[t], upper[t]
        _sort_boxes(truth[t], order)
        _open_probabilities(truth[t], order, low, high, right)
        _sort_boxes(sigma[t], order)
        _open_probabilities(sigma[t], order, low, high, given)
        for box in range(boxes):
            gap = _excess(low[box], high[box], sigma[t, box]) - costs[box]
            bounds[t] += (right[box] - given[box]) * gap
    return bounds


@whole
@checked
def play_rounds(sigma: Floats, costs: Floats, values: Floats) -> tuple[Floats, Ints]:
    """Play the rule at the reservation values of every round; return totals and numbers of boxes."""
    rounds, boxes = sigma.shape
    totals, opened = np.empty(rounds), np.empty(rounds, dtype=np.int64)
    order = np.empty(boxes, dtype=np.int64)
    for t in range(rounds):
        _sort_boxes(sigma[t], order)
        best, paid, _, opened[t] = play_round(order, sigma[t], costs, values[t], math.inf)
        totals[t] = best + paid
    return totals, opened


@whole
@checked
def play_states(
    first: Ints,
    sigma: Floats,
    costs: Floats,
    values: Floats,
    lower: Floats,
    upper: Floats,
) -> tuple[Floats, Ints]:
    """Open the first box, read the state from its value, and go on by the rule at the state's σ."""
    states, rounds, boxes = sigma.shape
    totals, opened = np.empty(rounds), np.empty(rounds, dtype=np.int64)
    order, s = np.empty(boxes, dtype=np.int64), np.empty(boxes)
    for t in range(rounds):
        box = first[t]
        value = values[t, box]
        state = 0
        while state < states - 1 and not lower[state, t, box] <= value <= upper[state, t, box]:
            state += 1
        s[:] = sigma[state, t]
        # Opened already: it goes to the end, where the value in hand always stops the search
        s[box] = math.inf
        _sort_boxes(s, order)
        best, paid, _, count = play_round(order, s, costs, values[t], value)
        totals[t], opened[t] = costs[box] + (best + paid), 1 + count
    return totals, opened
