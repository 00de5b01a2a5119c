"""A regression with a confidence bound for its mean.

With V = I/η + Σ x xᵀ and the ridge estimate θ = V⁻¹ Σ v x + …, the mean lies for all rounds at once within

    w(x) = β ‖x‖ in the norm of V⁻¹,   β = R (1 + ¼ √(2 ln(2n/δ) + ln det(ηV)))

of θ·x with chance 1 − δ, for noise within ±R/4, ‖x‖ ≤ 1, η = 1 and means whose weights have length ≤ R
[Abbasi-Yadkori 2011]. R is the range of the values that were seen, from the best value on; δ = 1/T. This β is
reconstructed: [Liu 2025] has an unnamed constant there. ``scale`` multiplies β².
"""

import math

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled
from weitzman.compiled.linalg import dot, fixed_log
from weitzman.learn.learners.parts.gram import Cover
from weitzman.learn.learners.rivals.constants import BOXES, HIGH, SCALE, best_value, horizon_now


@compiled
def log_volume(cover: Cover, row: int, ridge: float, square: Floats) -> float:
    """Return ln det(V/ρ) for V = ρ I + Σ x xᵀ."""
    size, total = square.shape[0], 0.0
    for j in range(size):
        for k in range(j + 1):
            square[j, k] = cover.gram[row, j, k] / ridge
        square[j, j] += 1.0
    for j in range(size):
        pivot = square[j, j] - dot(square[j], square[j], j)
        # V/ρ is at least the identity: less is rounding
        root = math.sqrt(max(pivot, 1.0))
        square[j, j] = root
        total += 2.0 * fixed_log(root)
        for i in range(j + 1, size):
            square[i, j] = (square[i, j] - dot(square[i], square[j], j)) / root
    return total


@compiled
def confidence(rules: Floats, ends: Floats, looks: float, volume: float) -> float:
    """Return β."""
    horizon = horizon_now(rules, looks)
    inside = 2.0 * fixed_log(2.0 * ends[BOXES] * horizon) + volume
    reach = ends[HIGH] - best_value(rules, ends)
    return float(math.sqrt(rules[SCALE]) * reach * (1.0 + 0.25 * math.sqrt(inside)))
