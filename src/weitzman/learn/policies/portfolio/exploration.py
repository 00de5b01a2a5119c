"""Exploration: rounds in which everything is opened, to learn what estimates are worth.

Portfolios of rounds that are not prepared explore so; others have trials, which share the draw and the score
(:mod:`weitzman.learn.policies.portfolio.opened`).

**Who pays.** A declared share β of what looks cost goes into exploration: with p the mean cost of the looks
in rounds that had any, and C_t what it costs to open everything in round t, round t is explored with the
chance

    φ_t = min(½, β p / C_t),

so in expectation exploration costs at most β times what a round with looks costs. Rounds without looks do not
count, or exploration would end with whoever never looks. φ_t is known before the round, and the draw is a
hash of (seed, t): it depends on nothing that the round holds.

**What it buys.** Let m be an estimate of the total L of a candidate, made from what would have been revealed
without exploration, and e whether the round is explored. The score

    s = m + e · (L − m)/φ,      E s = m + φ · (L − m)/φ = L,                                   (1)

is *doubly robust* [Robins 1994]: unbiased however wrong m is, and of the variance (L − m)² (1 − φ)/φ, nothing
where m is right. A rare exploration would outweigh all other rounds, so weights are truncated [Ionides 2008]:

    s = m + e · min(1/φ, √t) · (L − m).                                                        (2)

(2) is (1) where φ ≥ 1/√t; below, it is biased towards m, and its variance is at most √t (L − m)².
"""

import math

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.probing import mix_one
from weitzman.search.numbers import finite_number

Floats = NDArray[np.float64]

SHARE = 0.01
"""β: the share of what looks cost that goes into exploration."""

_MOST = 0.5


def checked_share(share: float) -> float:
    """Return β, or refuse it."""
    if not 0.0 <= finite_number(share, "The exploration", "be a number from 0 to 1") <= 1.0:
        raise InvalidInputError("The exploration", "be a number from 0 to 1", share)
    return float(share)


def chance(share: float, paid: float, costs: Floats) -> float:
    """Return φ for a round with these costs, after so much was paid per round with looks.

    Examples
    --------
    >>> chance(0.03, 2.0, np.ones(12))
    0.005
    """
    whole = float(costs.sum())
    return min(_MOST, share * paid / whole) if whole > 0.0 else 0.0


def is_drawn(chance: float, *, seed: int, number: int) -> bool:
    """Return whether the round of this number is explored."""
    if chance == 0.0:
        return False
    # Not the draws of candidates and donors
    return mix_one(mix_one(mix_one(seed)) + number) / 2.0**64 < chance


def corrected(estimates: Floats, totals: Floats, *, chance: float, number: int) -> Floats:
    """Return the scores (2) of candidates in an explored round, whose number counts from 1.

    Examples
    --------
    >>> corrected(np.array([2.0, 3.0]), np.array([2.0, 2.0]), chance=0.25, number=100)
    array([ 2., -1.])
    """
    return estimates + min(1.0 / chance, math.sqrt(number)) * (totals - estimates)
