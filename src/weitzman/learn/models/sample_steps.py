"""Compiled steps on a weighted sample of joint values: vectors s = 1 … K with weights w.

**Layout.** A law keeps the values of each box in increasing order: row i of ``ranked`` is S_i1 ≤ … ≤ S_iK up
to ``shift`` i, which is added, and row i of ``order`` says which vector each is from. With equal weights and
ridge means only the shift changes from round to round, so sorting is for refits; and sums over the values
below some bound are walks that end there.

**Worth a look.** With b in hand, opening i gains (b − v_i)⁺ and costs c_i. From the sample,

    gain_i = Σ_s w_s (b − S_si)⁺ / Σ w,      se_i = sd_w((b − S_si)⁺) · √(Σ w²) / Σ w,

and i is *worth a look* at caution z if gain_i − z se_i > c_i. With nothing in hand every box is. For
z = 0 that is Weitzman's test b > σ_i, where σ_i solves Σ w (σ − S_si)⁺ = c_i Σ w.

**Choice** among the closed boxes that are worth a look: ``INDEX`` takes the least σ_i, ``GREEDY`` the
least expected total E min(b, v_i) + c_i; of equal ones the first. If there is none, stop.

With W and P the sums of w and w S over the values passed so far, the excess at the next value v is W v − P;
as soon as it is above c_i Σ w, σ_i = (c_i Σ w + P)/W. If v passes the least σ so far before, i is no better.

**Reweighting.** After the value v of box j, with k = (Σ w)²/Σ w² effective vectors and the bandwidth
h = sd_w(S_j) k^{−1/5} [Silverman 1986],

    w'_s ∝ w_s exp(−((S_sj − v)/h)²/2),      w ← g w' + (1 − g) w,      g = k'/(k' + 1)

with k' the effective number under w' and both w' and w of sum 1: the law before the look counts as
one observation. If the sample does not vary in box j, or v did not come, nothing changes.
"""

import math

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.compiled.decorators import kernel
from weitzman.compiled.exponential import exponentials
from weitzman.search.rule import NO_BOX

GREEDY, INDEX = 1, 0


@kernel
def _sums(w: Floats) -> tuple[float, float]:
    """Return Σ w and Σ w²."""
    # Two sums each, here and below, so that the additions do not wait for each other
    a0, a1, b0, b1 = 0.0, 0.0, 0.0, 0.0
    size = w.shape[0]
    for k in range(0, size - 1, 2):
        a0, a1 = a0 + w[k], a1 + w[k + 1]
        b0, b1 = b0 + w[k] * w[k], b1 + w[k + 1] * w[k + 1]
    if size % 2:
        a0, b0 = a0 + w[size - 1], b0 + w[size - 1] * w[size - 1]
    return a0 + a1, b0 + b1


@kernel
def _mean(ranked: Floats, order: Ints, w: Floats) -> float:
    """Return Σ w v."""
    first, second = 0.0, 0.0
    size = ranked.shape[0]
    for k in range(0, size - 1, 2):
        first += w[order[k]] * ranked[k]
        second += w[order[k + 1]] * ranked[k + 1]
    if size % 2:
        first += w[order[size - 1]] * ranked[size - 1]
    return first + second


@kernel
def _gain(ranked: Floats, order: Ints, w: Floats, best: float, least: float) -> tuple[float, float]:
    """Return Σ w (b − v)⁺ and Σ w ((b − v)⁺)², where no v is below the least."""
    first, second = 0.0, 0.0
    for k in range(ranked.shape[0]):
        apart = best - max(ranked[k], least)
        if apart <= 0.0:
            break
        weighted = w[order[k]] * apart
        first += weighted
        second += weighted * apart
    return first, second


@kernel
def lowest(ranked: Floats, order: Ints, w: Floats, price: float, s: float) -> float:
    """Return min(s, σ), where Σ w (σ − v)⁺ = price; s may be +∞, weights are ≥ 0 and not all 0."""
    # From the least value on, so that values far from 0 do not cancel
    base, weight, sum_ = ranked[0], 0.0, 0.0
    limit = s - base
    for k in range(ranked.shape[0]):
        apart = ranked[k] - base
        if weight * apart - sum_ > price:
            break
        if apart >= limit:
            return s
        weight += w[order[k]]
        sum_ += w[order[k]] * apart
    sigma: float = base + (price + sum_) / weight
    return min(s, sigma)


@kernel
def judge(
    ranked: Floats,
    order: Ints,
    rows: Ints,
    shift: Floats,
    w: Floats,
    opened: Flags,
    best: float,
    least: float,
    gains: Floats,
    errors: Floats,
) -> None:
    """Set gain and se of every closed box; the mean value and 0 if nothing is in hand."""
    whole, squares = _sums(w)
    for box in range(rows.shape[0]):
        if opened[box]:
            continue
        row = rows[box]
        if best == math.inf:
            gains[box] = _mean(ranked[row], order[row], w) / whole + shift[box]
            errors[box] = 0.0
            continue
        first, second = _gain(ranked[row], order[row], w, best - shift[box], least - shift[box])
        first /= whole
        gains[box] = first
        errors[box] = math.sqrt(max(0.0, second / whole - first * first) * squares) / whole


@kernel
def choose(
    ranked: Floats,
    order: Ints,
    rows: Ints,
    shift: Floats,
    w: Floats,
    costs: Floats,
    opened: Flags,
    best: float,
    rule: int,
    caution: float,
    gains: Floats,
    errors: Floats,
) -> int:
    """Return the box to open next, or NO_BOX, after :func:`judge`."""
    whole, _ = _sums(w)
    first, least = NO_BOX, math.inf
    for box in range(rows.shape[0]):
        if opened[box]:
            continue
        if best < math.inf and not gains[box] - caution * errors[box] > costs[box]:
            continue
        if rule == GREEDY:
            score = costs[box] + (gains[box] if best == math.inf else best - gains[box])
        else:
            row, below = rows[box], least - shift[box]
            score = lowest(ranked[row], order[row], w, whole * costs[box], below)
            if score >= below:
                continue
            score += shift[box]
        if first == NO_BOX or score < least:
            first, least = box, score
    return first


@kernel
def reweigh(ranked: Floats, order: Ints, value: float, w: Floats, out: Floats) -> None:
    """Set out to the weights after a value, less the shift, of the box with these sampled values was seen."""
    whole, squares = _sums(w)
    mean = _mean(ranked, order, w) / whole
    variance, near = 0.0, math.inf
    for k in range(w.shape[0]):
        weight = w[order[k]]
        variance += weight * (ranked[k] - mean) ** 2
        if weight > 0.0:
            near = min(near, (ranked[k] - value) ** 2)
    variance /= whole
    if math.isnan(value) or not variance > 0.0:
        for k in range(w.shape[0]):
            out[k] = w[k]
        return
    scale = 0.5 / (variance * (whole * whole / squares) ** -0.4)
    kernel = np.empty(w.shape[0])
    for k in range(w.shape[0]):
        # The nearest vector keeps its weight, so that not all vanish; nearer ones have none
        kernel[k] = min(0.0, -scale * ((ranked[k] - value) ** 2 - near))
    exponentials(kernel, np.empty(w.shape[0]))
    after, after_squares = 0.0, 0.0
    for k in range(w.shape[0]):
        seen = w[order[k]] * kernel[k]
        out[order[k]] = seen
        after += seen
        after_squares += seen * seen
    effective = after * after / after_squares
    g = effective / (effective + 1.0)
    new, old = g / after, (1.0 - g) / whole
    for k in range(w.shape[0]):
        out[k] = new * out[k] + old * w[k]


@kernel
def value_rows(
    ranked: Floats, order: Ints, rows: Ints, shift: Floats, w: Floats, costs: Floats, out: Floats
) -> None:
    """Set out to the σ of each box."""
    whole, _ = _sums(w)
    for box in range(rows.shape[0]):
        row = rows[box]
        sigma = lowest(ranked[row], order[row], w, whole * costs[box], math.inf)
        out[box] = sigma + shift[box]


@kernel
def mean_rows(
    ranked: Floats, order: Ints, rows: Ints, shift: Floats, w: Floats, out: Floats
) -> None:
    """Set out to the mean value of each box."""
    whole, _ = _sums(w)
    for box in range(rows.shape[0]):
        out[box] = _mean(ranked[rows[box]], order[rows[box]], w) / whole + shift[box]
