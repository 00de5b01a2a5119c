"""Optimism: lower the reservation values of boxes that have been seen little.

A box whose σ is over-estimated is not opened, so under feedback ``opened`` the error is never
mended. So σ is lowered by

    κ · s · √log(1 + N / (n (1 + m))) · ‖x‖ in the norm of A⁻¹,

where m is the number of looks at the box, N the number of looks at all n boxes, and A the learner's
regularised Gram matrix (for FTRL that of the active points, which its solver keeps). The square
root is large for a box with less than its fair share of looks and fades for the others. s is the
spread between boxes: the standard deviation of the predictions made at all looks so far, the k-th
of them with weight 4/(k + 3), so that early ones fade; it starts at the cost of the first look, and
counts as at least a quarter of the box's cost: where all predictions settle it would vanish, and
with it the way back of a box with one bad look. What a look at a starved box can win is the
difference between boxes, not the noise inside one: with s the spread of the residuals the rule
explores too little where looks are cheap and too much where one box is wide.

A box that was never looked at takes the smallest of its prior prediction, the mean prediction and
o − c as σ, where o is the outside option: nothing speaks for o against it, and a prior prediction
of 0 beyond o would keep it closed for ever. It has the width 1/√λ₀ = 2 that its first context would
have. Before the first look of all no spread is known, and nothing else is lowered. Nothing depends
on the unit of values or contexts.

κ = 3/4 is chosen on the laboratory's worlds: see docs/explanation/defaults.md. No theorem covers
feedback ``opened``.
"""

import math
from typing import Final

import numpy as np

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled
from weitzman.compiled.linalg import fixed_log

KAPPA: Final = 0.75
# Entries of a bank's ``pool``
LOOKS, MEAN, VARIANCE = 0, 1, 2
# Written as a number: computed from a context it would differ in the last bit between unseen boxes, and
# rounding would say which of them is opened first.
_UNSEEN_WIDTH = 2.0
# The least spread between boxes, as a part of the cost of a look
_LEAST = 0.25


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
