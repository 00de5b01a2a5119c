"""Moving a sample: after a look its vectors go along the regression on what was seen.

Reweighting (:mod:`weitzman.learn.models.sample_steps`) leaves few vectors after some looks, and is slow to
believe a value that no vector has. If values are jointly normal, that of a closed box i given the value v of
box j is as that of a vector S moved by what box j deviates from it:

    S_si ← S_si + β_i (v − S_sj),      β_i = Σ_s w_s (S_si − S̄_i)(S_sj − S̄_j) / Σ_s w_s (S_sj − S̄_j)²,

with means and sums over the vectors. All vectors keep their weights: the update of an ensemble Kalman
filter without noise in what is observed [Evensen 1994]. It is exact for normal values with these moments;
whatever the residuals are like, it keeps the shape of what the regression leaves. If the sample does not
vary in box j, or v did not come, nothing changes.

The rule ``MOVING`` chooses as ``GREEDY`` does, on moved vectors.
"""

import math

import numpy as np

from weitzman.arrays import Flags
from weitzman.compiled.decorators import kernel
from weitzman.learn.policy import Floats, Ints
from weitzman.search.rule import NO_BOX

MOVING = 2


@kernel
def laid_out(ranked: Floats, order: Ints, rows: Ints, shift: Floats) -> Floats:
    """Return the vectors of a sample, one row per box, each column one vector."""
    out = np.empty((rows.shape[0], order.shape[1]))
    for box in range(rows.shape[0]):
        row = rows[box]
        for k in range(order.shape[1]):
            out[box, order[row, k]] = ranked[row, k] + shift[box]
    return out


@kernel
def _judge(
    vectors: Floats, w: Floats, costs: Floats, opened: Flags, best: float, least: float,
    gains: Floats, errors: Floats,
) -> None:  # fmt: skip
    """Set gain and se of every closed box; the mean value and 0 if nothing is in hand."""
    whole, squares = 0.0, 0.0
    for s in range(w.shape[0]):
        whole += w[s]
        squares += w[s] * w[s]
    for box in range(vectors.shape[0]):
        if opened[box]:
            continue
        first, second, column = 0.0, 0.0, vectors[box]
        if best == math.inf:
            for s in range(w.shape[0]):
                first += w[s] * column[s]
            gains[box], errors[box] = first / whole, 0.0
            continue
        for s in range(w.shape[0]):
            apart = max(0.0, best - max(column[s], least))
            first += w[s] * apart
            second += w[s] * apart * apart
        first /= whole
        gains[box] = first
        errors[box] = math.sqrt(max(0.0, second / whole - first * first) * squares) / whole


@kernel
def _chosen(
    costs: Floats, opened: Flags, best: float, caution: float, gains: Floats, errors: Floats
) -> int:
    """Return the box worth a look with the least expected total, or NO_BOX."""
    first, least = NO_BOX, math.inf
    for box in range(costs.shape[0]):
        if opened[box]:
            continue
        if best < math.inf and not gains[box] - caution * errors[box] > costs[box]:
            continue
        score = costs[box] + (gains[box] if best == math.inf else best - gains[box])
        if first == NO_BOX or score < least:
            first, least = box, score
    return first


@kernel
def next_look(
    vectors: Floats, w: Floats, costs: Floats, opened: Flags, best: float, least: float,
    caution: float,
) -> int:  # fmt: skip
    """Return the box to open next, or NO_BOX."""
    gains, errors = np.empty(costs.shape[0]), np.empty(costs.shape[0])
    _judge(vectors, w, costs, opened, best, least, gains, errors)
    return _chosen(costs, opened, best, caution, gains, errors)


@kernel
def move(vectors: Floats, w: Floats, opened: Flags, box: int, value: float) -> None:
    """Move the vectors in the closed boxes after the value of a box was seen."""
    if math.isnan(value):
        return
    whole, mean, variance = 0.0, 0.0, 0.0
    seen, size = vectors[box], w.shape[0]
    for s in range(size):
        whole += w[s]
        mean += w[s] * seen[s]
    mean /= whole
    for s in range(size):
        variance += w[s] * (seen[s] - mean) ** 2
    if not variance > 0.0:
        return
    for other in range(vectors.shape[0]):
        if opened[other] or other == box:
            continue
        column, slope = vectors[other], 0.0
        for s in range(size):
            slope += w[s] * (seen[s] - mean) * column[s]
        slope /= variance
        for s in range(size):
            column[s] += slope * (value - seen[s])


@kernel
def walk_moving(
    vectors: Floats, w: Floats, costs: Floats, values: Floats, outside: float, least: float,
    prices: Floats, found: Floats, hand: float, cautions: Floats, totals: Floats, counts: Ints,
) -> None:  # fmt: skip
    """Follow the rule at several cautions; set the total of each, NaN if a value it meets is.

    As :func:`weitzman.learn.policies.joint_walk.walk_rules`. As long as a rule opens what the one before
    did, it goes by the gains and errors of that.
    """
    boxes = costs.shape[0]
    gains, errors = np.empty((boxes, boxes)), np.empty((boxes, boxes))
    path, length = np.empty(boxes, dtype=np.int64), 0
    moved = vectors.copy()
    opened = np.empty(boxes, dtype=np.bool_)
    for rule in range(cautions.shape[0]):
        best, kept, paid, count, known = outside, hand, 0.0, 0, True
        opened[:] = False
        # Whether it has opened what the rule before it did
        beside = rule > 0
        while count < boxes:
            if not beside:
                _judge(moved, w, costs, opened, best, least, gains[count], errors[count])
            box = _chosen(costs, opened, best, cautions[rule], gains[count], errors[count])
            if box == NO_BOX:
                break
            if beside and (count >= length or path[count] != box):
                beside, moved[:] = False, vectors
                opened[:] = False
                for k in range(count):
                    opened[path[k]] = True
                    move(moved, w, opened, path[k], values[path[k]])
            opened[box] = True
            paid += prices[box]
            if math.isnan(values[box]):
                known = False
            else:
                best, kept = min(best, values[box]), min(kept, found[box])
            path[count] = box
            count += 1
            if not beside:
                length = count
                if count < boxes:
                    move(moved, w, opened, box, values[box])
        totals[rule] = kept + paid if known else math.nan
        counts[rule] = count
