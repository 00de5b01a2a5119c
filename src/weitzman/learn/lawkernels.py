"""Compiled steps on a weighted sample of joint values: S has one row per vector, w its weights.

**Worth a look.** With b in hand, opening i gains (b − v_i)⁺ and costs c_i. From the sample,

    gain_i = Σ_s w_s (b − S_si)⁺ / Σ w,      se_i = sd_w((b − S_si)⁺) · √(Σ w²) / Σ w,

and i is *worth a look* at caution z if gain_i − z se_i > c_i. With nothing in hand every box is. For
z = 0 that is Weitzman's test b > σ_i, where σ_i solves Σ w (σ − S_si)⁺ = c_i Σ w.

**Choice** among the closed boxes that are worth a look: ``INDEX`` takes the least σ_i, ``GREEDY`` the
least expected total E min(b, v_i) + c_i; of equal ones the first. If there is none, stop.

σ_i < s exactly if the excess at s is above c_i. So one pass decides whether i beats the least σ so far;
only then Newton's method goes down from s. The excess is convex and piecewise linear, so it never passes
the root and ends on it after finitely many steps.

**Reweighting.** After the value v of box j, with k = (Σ w)²/Σ w² effective vectors and the bandwidth
h = sd_w(S_j) k^{−1/5} [Silverman 1986],

    w'_s ∝ w_s exp(−((S_sj − v)/h)²/2),      w ← g w' + (1 − g) w,      g = k'/(k' + 1)

with k' the effective number under w' and both w' and w of sum 1: the law before the look counts as
one observation. If the sample does not vary in box j, or v did not come, nothing changes.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from weitzman.search.weitzman import STOP

__all__ = [
    "GREEDY",
    "INDEX",
    "choose",
    "judge",
    "lowest",
    "mean_rows",
    "reweigh",
    "value_rows",
    "walk_rules",
]

GREEDY, INDEX = 1, 0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_ROUNDING = 1e-11


@njit(cache=True, error_model="numpy")
def _excess(column: Floats, w: Floats, s: float) -> tuple[float, float]:
    """Return Σ w (s − v)⁺ and its slope in s."""
    area, slope = 0.0, 0.0
    for k in range(column.shape[0]):
        apart = s - column[k]
        weight = w[k] if apart > 0.0 else 0.0
        area += weight * apart
        slope += weight
    return area, slope


@njit(cache=True, error_model="numpy")
def _gain(column: Floats, w: Floats, best: float) -> tuple[float, float]:
    """Return Σ w (b − v)⁺ and Σ w ((b − v)⁺)²."""
    a0, a1, b0, b1 = 0.0, 0.0, 0.0, 0.0
    size = column.shape[0]
    for k in range(0, size - 1, 2):
        x0, x1 = max(0.0, best - column[k]), max(0.0, best - column[k + 1])
        y0, y1 = w[k] * x0, w[k + 1] * x1
        a0, a1 = a0 + y0, a1 + y1
        b0, b1 = b0 + y0 * x0, b1 + y1 * x1
    if size % 2:
        x0 = max(0.0, best - column[size - 1])
        a0, b0 = a0 + w[size - 1] * x0, b0 + w[size - 1] * x0 * x0
    return a0 + a1, b0 + b1


@njit(cache=True, error_model="numpy")
def lowest(column: Floats, w: Floats, whole: float, cost: float, s: float) -> float:
    """Return min(s, σ), where Σ w (σ − v)⁺ = cost · whole; s may be +∞, weights are ≥ 0."""
    if s == math.inf:
        mean = 0.0
        for k in range(column.shape[0]):
            mean += w[k] * column[k]
        # The excess at s is at least s − mean
        s = mean / whole + cost
    while True:
        area, slope = _excess(column, w, s)
        if slope <= 0.0:
            return s
        after = s - (area - whole * cost) / slope
        if after >= s - _ROUNDING * abs(s):
            return min(s, after)
        s = after


@njit(cache=True, error_model="numpy")
def judge(
    sample: Floats, w: Floats, opened: Flags, best: float, gains: Floats, errors: Floats
) -> None:
    """Set gain and se of every closed box; the mean value and 0 if nothing is in hand.

    ``sample`` has one row per box.
    """
    whole, squares = 0.0, 0.0
    for k in range(w.shape[0]):
        whole += w[k]
        squares += w[k] * w[k]
    for box in range(sample.shape[0]):
        if opened[box]:
            continue
        column = sample[box]
        if best == math.inf:
            mean = 0.0
            for k in range(w.shape[0]):
                mean += w[k] * column[k]
            gains[box], errors[box] = mean / whole, 0.0
            continue
        first, second = _gain(column, w, best)
        first /= whole
        gains[box] = first
        errors[box] = math.sqrt(max(0.0, second / whole - first * first) * squares) / whole


@njit(cache=True, error_model="numpy")
def choose(
    sample: Floats,
    w: Floats,
    costs: Floats,
    opened: Flags,
    best: float,
    rule: int,
    caution: float,
    gains: Floats,
    errors: Floats,
) -> int:
    """Return the box to open next, or STOP, after :func:`judge`."""
    whole = 0.0
    for k in range(w.shape[0]):
        whole += w[k]
    first, least = STOP, math.inf
    for box in range(costs.shape[0]):
        if opened[box]:
            continue
        if best < math.inf and not gains[box] - caution * errors[box] > costs[box]:
            continue
        if rule == GREEDY:
            score = costs[box] + (gains[box] if best == math.inf else best - gains[box])
        elif first == STOP:
            score = lowest(sample[box], w, whole, costs[box], math.inf)
        else:
            area, _ = _excess(sample[box], w, least)
            if area <= whole * costs[box]:
                continue
            score = lowest(sample[box], w, whole, costs[box], least)
        if first == STOP or score < least:
            first, least = box, score
    return first


@njit(cache=True, error_model="numpy")
def reweigh(column: Floats, value: float, w: Floats, out: Floats) -> None:
    """Set out to the weights after a value of the box with these sampled values was seen."""
    whole, squares, mean = 0.0, 0.0, 0.0
    for k in range(w.shape[0]):
        whole += w[k]
        squares += w[k] * w[k]
        mean += w[k] * column[k]
    mean /= whole
    variance = 0.0
    for k in range(w.shape[0]):
        variance += w[k] * (column[k] - mean) ** 2
    variance /= whole
    if math.isnan(value) or not variance > 0.0:
        for k in range(w.shape[0]):
            out[k] = w[k]
        return
    h = math.sqrt(variance) * (whole * whole / squares) ** -0.2
    near = math.inf
    for k in range(w.shape[0]):
        if w[k] > 0.0:
            near = min(near, ((column[k] - value) / h) ** 2)
    after, after_squares = 0.0, 0.0
    for k in range(w.shape[0]):
        out[k] = 0.0
        if w[k] > 0.0:
            # The nearest vector keeps its weight, so that not all vanish
            out[k] = w[k] * math.exp(-0.5 * (((column[k] - value) / h) ** 2 - near))
        after += out[k]
        after_squares += out[k] * out[k]
    effective = after * after / after_squares
    g = effective / (effective + 1.0)
    for k in range(w.shape[0]):
        out[k] = g * out[k] / after + (1.0 - g) * w[k] / whole


@njit(cache=True, error_model="numpy")
def value_rows(sample: Floats, w: Floats, costs: Floats, out: Floats) -> None:
    """Set out to the σ of each box."""
    whole = 0.0
    for k in range(w.shape[0]):
        whole += w[k]
    for box in range(sample.shape[0]):
        out[box] = lowest(sample[box], w, whole, costs[box], math.inf)


@njit(cache=True, error_model="numpy")
def mean_rows(sample: Floats, w: Floats, out: Floats) -> None:
    """Set out to the mean value of each box."""
    whole = 0.0
    for k in range(w.shape[0]):
        whole += w[k]
    for box in range(sample.shape[0]):
        mean = 0.0
        for k in range(w.shape[0]):
            mean += w[k] * sample[box, k]
        out[box] = mean / whole


@njit(cache=True, error_model="numpy")
def walk_rules(
    sample: Floats,
    w: Floats,
    costs: Floats,
    values: Floats,
    outside: float,
    rules: Ints,
    cautions: Floats,
    totals: Floats,
    counts: Ints,
) -> None:
    """Follow several rules on one law; set what each comes to, NaN if a value it meets is.

    Rules that opened the same boxes in the same order are at one *node*: its weights, gains and errors
    are computed once. So is its choice: more caution leaves fewer boxes worth a look, and if the choice
    of less caution is still among them, it is still the choice.
    """
    boxes, size = sample.shape
    most = rules.shape[0] * boxes + 1
    weights, child = np.empty((most, size)), np.full((most, boxes), -1)
    gains, errors = np.empty((most, boxes)), np.empty((most, boxes))
    judged, nodes = np.zeros(most, dtype=np.bool_), 1
    weights[0] = w
    opened = np.empty(boxes, dtype=np.bool_)
    chosen, chosen_at = np.full((most, 2), STOP), np.full((most, 2), math.inf)
    for rule in range(rules.shape[0]):
        node, best, paid, count, known = 0, outside, 0.0, 0, True
        opened[:] = False
        while True:
            if not judged[node]:
                judge(sample, weights[node], opened, best, gains[node], errors[node])
                judged[node] = True
            kind, caution = rules[rule], cautions[rule]
            box = chosen[node, kind]
            keeps = box == STOP or best == math.inf
            keeps = keeps or gains[node, box] - caution * errors[node, box] > costs[box]
            if chosen_at[node, kind] > caution or not keeps:
                box = choose(
                    sample, weights[node], costs, opened, best,
                    kind, caution, gains[node], errors[node],
                )  # fmt: skip
                chosen[node, kind], chosen_at[node, kind] = box, caution
            if box == STOP:
                break
            opened[box] = True
            paid += costs[box]
            count += 1
            if math.isnan(values[box]):
                known = False
            else:
                best = min(best, values[box])
            if count == boxes:
                break
            if child[node, box] < 0:
                reweigh(sample[box], values[box], weights[node], weights[nodes])
                child[node, box] = nodes
                nodes += 1
            node = child[node, box]
        totals[rule] = best + paid if known else math.nan
        counts[rule] = count
