"""The paper's regret bounds as printed, and as they should read.

n boxes, T rounds, σ* = w·x with ‖w‖ ≤ M and ‖x‖ ≤ X (the paper: X = 1), costs at most c, values at
least −V (the paper: V = 0). With r(T) the regret of the regression oracle of one box and L the
Lipschitz constant of its loss:

=============================  ============================  =====================================
place                          printed                       right
=============================  ============================  =====================================
Lemma A.2                      L = max{M, c}                 L = X max{c, MX + V − c}
Lemma 4.1, FTRL                r(T) = L √(2MT)               r(T) = L M √(2T)
Theorem 3.1                    2n √(T r(T))                  n √(2T r(T)) + n c · (forced looks)
Theorem 4.2, full information  3n √L M^{1/4} T^{3/4}         2^{3/4} n √(LM) T^{3/4}
Theorem 4.4, costly feedback   2n (2cML²)^{1/6} T^{5/6}      n √(2T k r(T/k)) + n c T/k
=============================  ============================  =====================================

Forced looks are counted per box. The right form of Theorem 4.4 keeps what the looks cost outside
the root. Its best k, :func:`weitzman.block_length`, grows like T^{1/5} and gives the exponent 4/5; the
printed k gives 5/6. With a last block that is not whole, T/k is rounded up.

**Vacuous.** On T drawn rounds no policy that opens at least one box and keeps the best value it has
found can lose more than Σ_t (worst_t − clairvoyant_t), where the worst total of a round is

    max_j ( v_j + Σ_{i: v_i ≥ v_j} c_i ):

a policy whose best value is v_j has opened no box with a smaller one. A bound above that sum says
nothing.

No bound is known for feedback ``"opened"``. Reference: [Atsidakou 2024].
"""

import math
from typing import Final

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.lab.exact.clairvoyant import clairvoyant
from weitzman.lab.worlds.instance import Instance

_FULL: Final = math.pow(2.0, 0.75)


def printed_lipschitz(*, cost: float, radius: float) -> float:
    """Return max{M, c}. Lemma A.2 (``lem:convexity``), as printed."""
    return max(radius, cost)


def lipschitz(*, cost: float, radius: float, lowest: float = 0.0, length: float = 1.0) -> float:
    """Return X max{c, MX + V − c}. Lemma A.2 (``lem:convexity``), corrected.

    The slope of H_c at z is z⁺ − c, and z = w·x − v lies below MX + V.

    ``lowest`` is −V, the smallest value that occurs; a positive one counts as 0. ``length`` is X.

    Examples
    --------
    >>> lipschitz(cost=1.0, radius=4.0)
    3.0
    """
    return length * max(cost, radius * length + max(0.0, -lowest) - cost)


def printed_oracle_regret(*, rounds: int, radius: float, slope: float) -> float:
    """Return L √(2MT). Lemma 4.1 (``thm:ftrl_full_info``), as printed."""
    return slope * math.sqrt(2.0 * radius * rounds)


def oracle_regret(*, rounds: int, radius: float, slope: float) -> float:
    """Return r(T) = L M √(2T). Lemma 4.1 (``thm:ftrl_full_info``), corrected: U_max = M²/(2η)."""
    return slope * radius * math.sqrt(2.0 * rounds)


def printed_main_bound(*, boxes: int, rounds: int, oracle: float) -> float:
    """Return 2n √(T r). Theorem 3.1 (``thm:main``), as printed; r is the oracle's regret."""
    return 2.0 * boxes * math.sqrt(rounds * oracle)


def main_bound(
    *, boxes: int, rounds: int, oracle: float, cost: float = 0.0, forced: int = 0
) -> float:
    """Return n √(2T r) + n c f. Theorem 3.1 (``thm:main``), corrected.

    r is the regret of each box's oracle in the sum of its losses, and each box is opened f times
    only to learn.
    """
    return boxes * math.sqrt(2.0 * rounds * oracle) + boxes * cost * forced


def printed_full_bound(*, boxes: int, rounds: int, radius: float, slope: float) -> float:
    """Return 3n √L M^{1/4} T^{3/4}. Theorem 4.2 (``cor:FTRL_full``), as printed.

    Printed with L = max{M, c_max}, :func:`printed_lipschitz`.
    """
    return 3.0 * boxes * math.sqrt(slope) * math.pow(radius, 0.25) * math.pow(rounds, 0.75)


def full_bound(*, boxes: int, rounds: int, radius: float, slope: float) -> float:
    """Return 2^{3/4} n √(LM) T^{3/4}. Theorem 4.2 (``cor:FTRL_full``), corrected.

    Examples
    --------
    >>> round(full_bound(boxes=10, rounds=300, radius=4.0, slope=4.0))
    4849
    """
    return _FULL * boxes * math.sqrt(slope * radius) * math.pow(rounds, 0.75)


def printed_probe_bound(
    *, boxes: int, rounds: int, radius: float, cost: float, slope: float
) -> float:
    """Return 2n (2cML²)^{1/6} T^{5/6}. Theorem 4.4 (``cor:main_bandit``), as printed.

    Printed with L = max{M, c_max}, :func:`printed_lipschitz`. It cannot be right where k < 1: it then
    counts less than one look per box and round, and k = 1 buys that many.
    """
    root = math.pow(2.0 * cost * radius * slope**2, 1.0 / 6.0)
    return 2.0 * boxes * root * math.pow(rounds, 5.0 / 6.0)


def probe_bound(
    *, boxes: int, rounds: int, radius: float, cost: float, slope: float, block: int
) -> float:
    """Return n √(2T k r(⌈T/k⌉)) + n c ⌈T/k⌉. Theorem 4.4 (``cor:main_bandit``), corrected.

    Lemma 4.3 (``lem:full_to_bandit_oracle``) makes the oracle's regret k r(T/k); ``block`` is k.
    """
    looks = -(-rounds // block)
    oracle = block * oracle_regret(rounds=looks, radius=radius, slope=slope)
    return main_bound(boxes=boxes, rounds=rounds, oracle=oracle, cost=cost, forced=looks)


def printed_block(*, rounds: int, radius: float, cost: float, slope: float) -> int:
    """Return k = (T c² / (2 M L²))^{1/3}, which can be below 1, as the nearest integer ≥ 1.

    Theorem 4.4 (``cor:main_bandit``), as printed; the corrected one is :func:`weitzman.block_length`.

    Examples
    --------
    >>> printed_block(rounds=300, radius=4.0, cost=1.0, slope=4.0)
    1
    """
    k = math.cbrt(rounds * cost**2 / (2.0 * radius * slope**2))
    return max(1, math.floor(k + 0.5))


def bound(
    feedback: Feedback,
    *,
    boxes: int,
    rounds: int,
    radius: float,
    cost: float,
    slope: float,
    block: int | None = None,
) -> float | None:
    """Return the corrected bound that applies to a feedback; None where no theorem does."""
    if feedback == "full":
        return full_bound(boxes=boxes, rounds=rounds, radius=radius, slope=slope)
    if feedback == "probe":
        if block is None:
            raise InvalidInputError("The block", "be given for the feedback 'probe'", block)
        return probe_bound(
            boxes=boxes, rounds=rounds, radius=radius, cost=cost, slope=slope, block=block
        )
    return None


def most_to_lose(instance: Instance) -> Floats:
    """Return the largest regret that any policy can have, round by round, (T,)."""
    order = np.argsort(-instance.values, axis=1, kind="stable")
    falling = np.take_along_axis(instance.values, order, axis=1)
    paid = np.cumsum(instance.costs[order], axis=1)
    return np.asarray((falling + paid).max(axis=1) - clairvoyant(instance).totals)


def vacuous(regret: float, instance: Instance) -> bool:
    """Return whether a bound on the regret over an instance exceeds what any policy can lose."""
    return bool(regret >= most_to_lose(instance).sum())


def verdict(regret: float, instance: Instance) -> str:
    """Return a plain word on a bound: ``"bound 4,849: vacuous, nobody can lose more than 3,210"``."""
    most = float(most_to_lose(instance).sum())
    if regret >= most:
        return f"bound {regret:,.0f}: vacuous, nobody can lose more than {most:,.0f}"
    return f"bound {regret:,.0f}, where {most:,.0f} can be lost"
