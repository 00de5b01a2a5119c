"""Looks bought to learn: one random round in each block of k rounds, box by box.

The paper's costly feedback. Time is cut into blocks of k rounds, and in each block every box is
looked at once, at a round drawn uniformly, whatever the search does; only these looks are learned
from. With regret r(T) under full information the regression's regret is at most k r(T/k) + cT/k;
with r(T) = L M √(2T) the two terms are equal at

    k = (T c² / (2 M² L²))^{1/3},

clipped to an integer ≥ 1 [Atsidakou 2024]; k = 1 looks into every box every round.

The round of block b for box i is a hash of (seed, i, b): a replay needs no generator's state, boxes
may join later, and any round can be asked for by its number alone.
"""

import math

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.search.numbers import finite_number

__all__ = ["block_length", "probes"]

_MIX_1, _MIX_2, _STEP = (
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
    np.uint64(0x9E3779B97F4A7C15),
)


def block_length(
    *, horizon: int, cost: float, radius: float, lipschitz: float | None = None
) -> int:
    """Return the paper's k, with corrected constants.

    ``lipschitz`` is that of the loss on the ball; max{cost, radius − cost}, for values ≥ 0, if
    None.

    Examples
    --------
    >>> block_length(horizon=300, cost=1.0, radius=4.0)
    1
    >>> block_length(horizon=1_000_000, cost=1.0, radius=4.0)
    15
    """
    slope = max(cost, radius - cost) if lipschitz is None else lipschitz
    arguments = {"horizon": horizon, "cost": cost, "radius": radius, "lipschitz": slope}
    for name, number in arguments.items():
        if finite_number(number, f"The {name}", "be a finite number > 0") <= 0.0:
            raise InvalidInputError(f"The {name}", "be a finite number > 0", number)
    k = float(horizon * cost**2 / (2.0 * radius**2 * slope**2)) ** (1.0 / 3.0)
    return int(max(1, math.floor(k + 0.5)))


def probes(*, seed: int, block: int, first: int, rounds: int, boxes: int) -> NDArray[np.bool_]:
    """Return which boxes are bought in which rounds, from round ``first`` on.

    Examples
    --------
    >>> probes(seed=0, block=3, first=0, rounds=6, boxes=4).sum(axis=0)
    array([2, 2, 2, 2])
    """
    number = np.arange(first, first + rounds, dtype=np.uint64)[:, None]
    place, offset = np.divmod(number, np.uint64(block))
    box = np.arange(boxes, dtype=np.uint64)[None, :]
    with np.errstate(over="ignore"):
        drawn = _mix(_mix(_mix(np.uint64(seed)) + box) + place) % np.uint64(block)
    return np.asarray(drawn == offset)


def _mix(x: NDArray[np.uint64] | np.uint64) -> NDArray[np.uint64]:
    """Return splitmix64's output for the state x: a bijection that spreads every bit."""
    with np.errstate(over="ignore"):
        z = np.asarray(x, dtype=np.uint64) + _STEP
        z = (z ^ (z >> np.uint64(30))) * _MIX_1
        z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))
