"""Optimism: lower the reservation values of boxes that have been seen little.

A box whose σ is over-estimated is not opened, so under feedback ``opened`` the error is never
mended. So σ is lowered by

    κ · s · √L · ‖x‖ in the norm of A⁻¹,      L = log(1 + N / (n (1 + m))),                       (1)

where m is the number of looks at the box, N the number of looks at all n boxes, and A the learner's
regularised Gram matrix (for FTRL that of the active points, which its solver keeps). L is large
for a box with less than its fair share of looks and fades for the others. s is the
spread between boxes: the standard deviation of the predictions made at all looks so far, the k-th
of them with weight 4/(k + 3), so that early ones fade; it starts at the cost of the first look, and
counts as at least a quarter of the box's cost: where all predictions settle it would vanish, and
with it the way back of a box with one bad look. What a look at a starved box can win is the
difference between boxes, not the noise inside one: with s the spread of the residuals the rule
explores too little where looks are cheap and too much where one box is wide.

**A box's own error.** The difference between boxes says nothing of how wrong the prediction of one
may be. σ solves E(σ − v)⁺ = c, and is estimated by the root of a sum of slopes ψ = (σ − v)⁺ − c, of
which each of the a active points moves the sum by 1. By Bernstein's inequality the error is, but
for constants,

    S √L w + R L w²,      w = ‖x‖ in the norm of A⁻¹,      S² = Σ ψ² / (a + 1/r²),

where R is the range of the slopes and r the largest width that x could have. The second term counts
where little is known: values that were all too bad to be active say nothing of how rare better
ones are. So with ``explore="own"`` σ is lowered by the larger of

    κ (s √L w + R L w²/24)  and  3κ (S √L₁ w + R L₁ w²/4),   L₁ = log(1 + (N / (30 n (1 + m)))²).   (2)

R is the root mean square of v − σ. S and R are those of the box, from predictions made before its
looks, where early ones fade, with those of the mean box as two looks more: one look says nothing of
a spread. L₁ is next to nothing as long as a box has its fair share of looks. For a box with a
thirtieth of it the second of (2) is a bound with room to spare, and it grows with log N for ever: no
error keeps a box closed.

A box that was never looked at takes the smallest of its prior prediction, the mean prediction and
o − c as σ, where o is the outside option: there is no evidence that o is better, and a prior prediction
of 0 beyond o would keep it closed for ever. It has the width 1/√λ₀ = 2 that its first context would
have, and is lowered by (1). Before the first look of all no spread is known, and nothing else is lowered.
Nothing depends on the unit of values or contexts.

κ = 3/4 is chosen on the laboratory's worlds: see docs/explanation/defaults.md, and for (2)
docs/evidence/starvation.md. What can be proved is in docs/explanation/learned-boxes.md.
"""

import math
from typing import Final

import numpy as np

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled
from weitzman.compiled.linalg import fixed_log

KAPPA: Final = 0.75
# Entries of a bank's ``pool``; S and R of the mean box where boxes go by their own error
LOOKS, MEAN, VARIANCE, ERROR, RANGE = range(5)
# Columns of ``spread``: of residuals; where the pool has these two, mean ψ² and active share
BIAS, SQUARE, COUNT, SLOPES, ACTIVE = range(5)
# Written as a number: computed from a context it would differ in the last bit between unseen boxes, and
# rounding would say which of them is opened first.
_UNSEEN_WIDTH = 2.0
# The least spread between boxes, as a part of the cost of a look
_LEAST = 0.25
# How many looks the mean box counts as, in what is known of the spread of one
_PRIOR = 2.0
# The part of its fair share of looks below which a box goes by its own error
_PART = 1.0 / 30.0


@compiled
def note_look(pool: Floats, prediction: float, cost: float) -> None:
    """Take the prediction of a box that is looked at into the spread between boxes."""
    pool[LOOKS] += 1.0
    if pool[LOOKS] == 1.0:
        pool[MEAN], pool[VARIANCE] = prediction, cost * cost
        return
    share = 4.0 / (pool[LOOKS] + 3.0)
    gap = prediction - pool[MEAN]
    pool[MEAN] += share * gap
    pool[VARIANCE] = (1.0 - share) * (pool[VARIANCE] + share * gap * gap)


@compiled
def lowered(
    kappa: float,
    pool: Floats,
    boxes: int,
    looks: float,
    sigma: float,
    width: float,
    cost: float,
    outside: float,
) -> float:
    """Return σ after optimism, for a box with so many looks; its width is not used if there were none."""
    if looks == 0.0:
        # Below o − c by a rounding error: the rule opens what is below, and a look may be free
        sigma = min(sigma, np.nextafter(outside - cost, -np.inf))
    if pool[LOOKS] == 0.0:
        return sigma
    if looks == 0.0:
        sigma, width = min(sigma, pool[MEAN]), _UNSEEN_WIDTH
    share = math.sqrt(fixed_log(1.0 + pool[LOOKS] / (boxes * (1.0 + looks))))
    spread = max(math.sqrt(pool[VARIANCE]), _LEAST * cost)
    return sigma - kappa * spread * share * width


@compiled
def note_slope(spread: Floats, sigma: float, value: float, cost: float) -> None:
    """Follow mean square of ψ and share of active points, as residuals are followed; before the latter."""
    share = 2.0 / (spread[COUNT] + 2.0)
    slope = max(sigma - value, 0.0) - cost
    spread[SLOPES] += share * (slope * slope - spread[SLOPES])
    spread[ACTIVE] += share * ((1.0 if sigma > value else 0.0) - spread[ACTIVE])


@compiled
def _own_error(spread: Floats, reach: float) -> float:
    """Return S of a box."""
    looks = spread[COUNT]
    return math.sqrt(looks * spread[SLOPES] / (looks * spread[ACTIVE] + 1.0 / (reach * reach)))


@compiled
def note_mean_box(pool: Floats, spread: Floats) -> None:
    """Take S and R of the boxes that were looked at into those of the mean box."""
    errors, ranges, boxes = 0.0, 0.0, 0.0
    for row in range(spread.shape[0]):
        # A box without looks adds zeros; a branch would be mispredicted
        errors += _own_error(spread[row], _UNSEEN_WIDTH)
        ranges += math.sqrt(spread[row, SQUARE])
        boxes += 1.0 if spread[row, COUNT] > 0.0 else 0.0
    pool[ERROR], pool[RANGE] = errors / boxes, ranges / boxes


@compiled
def lowered_by_error(
    kappa: float,
    pool: Floats,
    spread: Floats,
    boxes: int,
    sigma: float,
    width: float,
    reach: float,
    cost: float,
) -> float:
    """Return σ of a box with looks, after optimism that goes by its own error too; see (2)."""
    looks = spread[COUNT]
    fair = pool[LOOKS] / (boxes * (1.0 + looks))
    often, part = fixed_log(1.0 + fair), _PART * fair
    total = looks + _PRIOR
    error = (looks * _own_error(spread, reach) + _PRIOR * pool[ERROR]) / total
    reaching = (looks * math.sqrt(spread[SQUARE]) + _PRIOR * pool[RANGE]) / total * width
    between = max(math.sqrt(pool[VARIANCE]), _LEAST * cost)
    usual = between * math.sqrt(often) + often * reaching / 24.0
    # log(1 + p²) ≤ p², but for rounding: where a box has its fair share this says that the second is smaller
    above, own = part * (1.0 + 1e-6) + 2e-8, 0.0
    if 3.0 * above * (error + 0.25 * above * reaching) >= usual:
        seldom = fixed_log(1.0 + part * part)
        own = error * math.sqrt(seldom) + 0.25 * seldom * reaching
    lowering: float = kappa * width * max(usual, 3.0 * own)
    return sigma - lowering
