"""How strongly the weights are held to the prior: the factor 1/η of ‖w − w₀‖²/2.

- A number η > 0: 1/η.
- ``"auto"``: a quarter of the mean of ‖x‖² over the contexts seen, looked at again whenever the
  number of observations passes a power of two.
- ``"theorem"``: η = M / (L √(2T)) for the horizon T and the ball of radius M, with L = max{c, M + V
  − c} over the costs seen and V = max{0, −v} over the values seen, the Lipschitz constant of the
  loss on the ball for ‖x‖ ≤ 1. It is the η that minimises M²/(2η) + T L² η.
- ``"noise"``, for FTRL: the automatic one, times S²/√(A H) of the box where that is above 1. A and H are
  the arithmetic and the harmonic mean of S² over the boxes that were looked at, three at least. S² is the
  noise of the box: mean ψ² for each active point (:mod:`weitzman.learn.learners.parts.optimism`), with the
  mean box as two looks more. As the error of σ is about S‖x‖ in the norm of A⁻¹, weights of a box with more
  noise are held more strongly, as by a posterior.

**What they are held to.** w₀ is 0, or given. With ``prior="boxes"`` each box is held to the others: w₀ is
the mean m of the weights of the k other boxes that were looked at, each coordinate as far as they agree
[James 1961]:

    w₀ = (1 − s²/m²)⁺ m,      s² the variance of m, Σ (w − m)²/(k (k − 1)),

and m/2 for k = 1. It is taken again whenever the looks of the box pass a power of two. A box that was never
looked at is predicted by w₀ alone. ``prior="agreed"`` asks for clearer agreement, so that boxes whose weights
have nothing in common lose nothing: 2s in the place of s, and w₀ = 0 for k < 3.
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled
from weitzman.compiled.linalg import dot
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.parts.optimism import ACTIVE, COUNT, SLOPES
from weitzman.search.numbers import finite_number, float_array, whole_number

Eta = float | Literal["auto", "theorem"]
NoiseEta = Eta | Literal["noise"]
Prior = ArrayLike | Literal["boxes", "agreed"] | None
_SHARED = {"boxes": 1.0, "agreed": 2.0}
AUTO = 0.0
THEOREM = -1.0
NOISE = -2.0
# How many looks the mean box counts as in the noise of one, and the slope of a box without an active point
_PRIOR = 2.0
_LEAST = 0.25
# For how many boxes it is known what noise is usual
_FEW = 3


@compiled
def automatic_ridge(count: float, squares: float, dimension: int) -> float:
    """Return 1/η from the number of contexts seen and the sum of their squared lengths."""
    mean = squares / count
    # Contexts that are all zero say nothing about the scale
    return 0.25 * mean if mean > 1e-100 else 0.25


@compiled
def noise_share(spread: Floats, row: int) -> float:
    """Return S² of a row over √(A H), at least 1; 1 for a few rows that were looked at."""
    boxes, squares, active = 0, 0.0, 0.0
    for k in range(spread.shape[0]):
        if spread[k, COUNT] > 0.0:
            boxes += 1
            squares += spread[k, SLOPES]
            active += spread[k, ACTIVE]
    if boxes < _FEW:
        return 1.0
    own, total, inverse = 0.0, 0.0, 0.0
    for k in range(spread.shape[0]):
        looks = spread[k, COUNT]
        if looks > 0.0:
            noise = looks * spread[k, SLOPES] + _PRIOR * squares / boxes
            noise /= looks * spread[k, ACTIVE] + _PRIOR * active / boxes + _LEAST
            if noise == 0.0:
                # Free looks that found nothing
                return 1.0
            total += noise
            inverse += 1.0 / noise
            if k == row:
                own = noise
    share: float = own / math.sqrt(total) * math.sqrt(inverse)
    return share if 1.0 < share < math.inf else 1.0


@compiled
def theorem_ridge(lipschitz: float, radius: float, horizon: float) -> float:
    """Return 1/η = L √(2T) / M."""
    return lipschitz * math.sqrt(2.0 * horizon) / radius


@compiled
def follow_ridge(reals: Floats, eta: float, x: Floats) -> None:
    """Follow (number of contexts, sum of squared lengths, 1/η) for an η that is a number or automatic."""
    reals[0] += 1.0
    reals[1] += dot(x, x, x.shape[0])
    count = int(reals[0])
    if eta > 0.0:
        reals[2] = 1.0 / eta
    elif (count & (count - 1)) == 0:
        reals[2] = automatic_ridge(count, reals[1], x.shape[0])


@compiled
def into_ball(weights: Floats, radius: float) -> None:
    """Scale the weights back to the ball if they are outside."""
    size = weights.shape[0]
    length = math.sqrt(dot(weights, weights, size))
    if length > radius:
        for j in range(size):
            weights[j] *= radius / length


def starting_weights(prior: Floats, radius: float) -> Floats:
    """Return the weights of rows that have seen nothing: w₀, brought back to the ball."""
    weights = prior.copy()
    for row in range(len(weights)):
        length = math.hypot(*weights[row].tolist())
        if length > radius:
            weights[row] *= radius / length
    return weights


def ball_radius(radius: float | None) -> float:
    """Return M, +∞ if there is no ball."""
    if radius is None:
        return math.inf
    rule = "be a finite number > 0, or None"
    length = finite_number(radius, "radius", rule)
    if not length > 0.0:
        raise InvalidInputError("radius", rule, radius)
    return length


def check_forget(forget: float) -> None:
    """Refuse a discount that is none."""
    rule = "be a number > 0 and <= 1"
    if not 0.0 < finite_number(forget, "forget", rule) <= 1.0:
        raise InvalidInputError("forget", rule, forget)


def shared_prior(prior: Prior) -> float:
    """Return how many times s boxes must agree on a weight, if each is held to the others; else 0."""
    return _SHARED.get(prior, 0.0) if isinstance(prior, str) else 0.0


def own_prior(prior: Prior) -> None:
    """Refuse ``"boxes"`` and ``"agreed"`` for a learner that does not know them."""
    if shared_prior(prior) > 0.0:
        raise InvalidInputError("prior", "be numbers or None for this learner", prior)


@compiled
def _shrinkage(mean: float, squares: float, count: int, sure: float) -> float:
    """Return (1 − (sure · s)²/m²)⁺, with s² the variance of the mean m of so many numbers.

    It is ½ for a single number; where sure > 1 it is 0 for one or two.
    """
    if sure > 1.0 and count < 3:
        return 0.0
    if count == 1 or mean == 0.0:
        return 0.5
    variance = max(squares / count - mean * mean, 0.0) / (count - 1)
    return max(1.0 - sure * sure * variance / (mean * mean), 0.0)


@compiled
def hold_to_others(weights: Floats, prior: Floats, looks: Floats, row: int, sure: float) -> bool:
    """Set w₀ of a row that is about to learn to the mean weights of the others, if any was looked at.

    Rows that were never looked at are moved there at every look of another one, a row that was looked at
    when its looks pass a power of two. Returns whether w₀ of the row has changed.
    """
    rows, size = weights.shape
    count = int(looks[row]) + 1
    settled = (count & (count - 1)) != 0
    others, new = 0, 0
    for k in range(rows):
        if k != row and looks[k] > 0.0:
            others += 1
        elif k != row:
            new += 1
    if others == 0 or (settled and new == 0):
        return False
    for j in range(size):
        mean, squares = 0.0, 0.0
        for k in range(rows):
            if k != row and looks[k] > 0.0:
                mean += weights[k, j]
                squares += weights[k, j] * weights[k, j]
        mean /= others
        mean *= _shrinkage(mean, squares, others, sure)
        for k in range(rows):
            if looks[k] == 0.0:
                prior[k, j], weights[k, j] = mean, mean
        if not settled:
            prior[row, j] = mean
    return not settled


def prior_rows(prior: Prior, rows: int, size: int) -> Floats:
    """Return w₀ for each row: the given vector, the given rows and 0 for later ones, or 0."""
    start = np.zeros((rows, size))
    if prior is None or shared_prior(prior) > 0.0:
        return start
    known = float_array(prior, "prior")
    if known.shape[-1:] != (size,) or known.ndim > 2 or not np.isfinite(known).all():
        raise InvalidInputError("prior", f"be rows of {size} finite numbers", prior)
    if known.ndim == 1:
        start[:] = known
    else:
        start[: len(known)] = known[:rows]
    return start


def eta_code(
    eta: NoiseEta, radius: float | None, horizon: int | None, *, noise: bool = False
) -> float:
    """Return η as one number for compiled code: positive as given, or :data:`AUTO` or :data:`THEOREM`.

    ``noise``: whether the learner knows ``"noise"`` too, which is :data:`NOISE`.
    """
    if isinstance(eta, str) and eta == "auto":
        return AUTO
    if isinstance(eta, str) and eta == "theorem":
        if radius is None or horizon is None:
            rule = "come with a radius and a horizon"
            raise InvalidInputError("eta='theorem'", rule, (radius, horizon))
        return THEOREM
    if noise and isinstance(eta, str) and eta == "noise":
        return NOISE
    rule = "be a finite number > 0, 'auto' or 'theorem'"
    if noise:
        rule = "be a finite number > 0, 'auto', 'noise' or 'theorem'"
    number = finite_number(eta, "eta", rule)
    if not number > 0.0:
        raise InvalidInputError("eta", rule, eta)
    return number


def checked_horizon(horizon: int | None) -> int:
    """Return T, 0 if there is none."""
    return 0 if horizon is None else whole_number(horizon, "The horizon", least=1)
