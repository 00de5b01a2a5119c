"""Looks that are paid for only to learn: one random round in each block of k rounds, box by box.

The paper's costly feedback. Time is cut into blocks of k rounds, and in each block every box is
looked at once, at a round drawn uniformly, whatever the search does; only these looks are learned
from. With regret r(T) = L M √(2T) of each box's regression under full information, the searcher's
regret is at most

    n √(2T k r(T/k)) + n c T/k = n (a T^{3/4} k^{1/4} + c T/k),      a = 2^{3/4} √(L M),

the price of the looks outside the root, where the paper has it inside. It is least at
k = (4 c T^{1/4} / a)^{4/5}, taken to the better integer ≥ 1: k = 1 looks into every box every round.
The regret then grows like T^{4/5}, not T^{5/6} [Atsidakou 2024].

The round of block b for box i is a hash of (seed, i, b): a replay needs no generator's state, boxes
may join later, and any round can be asked for by its number alone.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays
from weitzman.compiled.decorators import checked, compiled
from weitzman.errors import InvalidInputError
from weitzman.search.numbers import finite_number
from weitzman.search.rule import STOP, Action, Open, Rule
from weitzman.search.state import RoundState

_MIX_1, _MIX_2, _STEP = (
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
    np.uint64(0x9E3779B97F4A7C15),
)
_ALL = 2**64 - 1
_ONE_STEP, _ONE_MIX_1, _ONE_MIX_2 = int(_STEP), int(_MIX_1), int(_MIX_2)


def block_length(
    *, horizon: int, cost: float, radius: float, lipschitz: float | None = None
) -> int:
    """Return the k for which the corrected bound is least.

    ``lipschitz`` is that of the loss on the ball; max{cost, radius − cost}, for values ≥ 0, if
    None.

    Examples
    --------
    >>> block_length(horizon=300, cost=1.0, radius=4.0)
    2
    >>> block_length(horizon=1_000_000, cost=1.0, radius=4.0)
    12
    """
    slope = max(cost, radius - cost) if lipschitz is None else lipschitz
    arguments = {"horizon": horizon, "cost": cost, "radius": radius, "lipschitz": slope}
    for name, number in arguments.items():
        if finite_number(number, f"The {name}", "be a finite number > 0") <= 0.0:
            raise InvalidInputError(f"The {name}", "be a finite number > 0", number)
    learning: float = (8.0 * (slope * radius) ** 2) ** 0.25 * horizon**0.75
    looking = cost * horizon
    low: int = max(1, math.floor((4.0 * looking / learning) ** 0.8))
    return min((low, low + 1), key=lambda k: float(learning * k**0.25 + looking / k))


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
        drawn = mix(mix(mix(np.uint64(seed)) + box) + place) % np.uint64(block)
    return np.asarray(drawn == offset)


def _mixed(x: Any) -> Any:
    z = x + _STEP
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


mixed: Callable[[np.uint64], np.uint64] = checked(_mixed)
""":func:`mix` of one number, for compiled code."""
mix_uint: Callable[[np.uint64], np.uint64] = compiled(_mixed)
"""The same, inside the loops of a learner."""


def mix(x: NDArray[np.uint64] | np.uint64) -> NDArray[np.uint64]:
    """Return splitmix64's output for the state x: a bijection that spreads every bit.

    Examples
    --------
    >>> hex(mix(np.uint64(0)))
    '0xe220a8397b1dcdaf'
    """
    with np.errstate(over="ignore"):
        return cast("NDArray[np.uint64]", _mixed(np.asarray(x, dtype=np.uint64)))


def mix_one(x: int) -> int:
    """Return :func:`mix` of one number, modulo 2⁶⁴.

    Examples
    --------
    >>> mix_one(7) == int(mix(np.uint64(7))), mix_one(2**64 + 7) == mix_one(7)
    (True, True)
    """
    # In numbers of Python: a call of compiled code by itself takes ten times as long
    z = (x + _ONE_STEP) & _ALL
    z = ((z ^ (z >> 30)) * _ONE_MIX_1) & _ALL
    z = ((z ^ (z >> 27)) * _ONE_MIX_2) & _ALL
    return z ^ (z >> 31)


class Bought:
    """A rule, and after it looks that are bought to learn.

    Parameters
    ----------
    rule
        What decides first.
    rows
        What is opened afterwards, unless it is open already.
    """

    def __init__(self, rule: Rule, rows: Sequence[int]) -> None:
        self.inner = rule
        self.rows = rows

    def next(self, state: RoundState) -> Action:
        """Return what the rule says; when it stops, the next look that is bought."""
        action = self.inner.next(state)
        if action is not STOP:
            return action
        left = (row for row in self.rows if row not in state.opened)
        return next((Open(row) for row in left), STOP)

    def state(self) -> Arrays:
        """Return the state of the rule; the bought rows are kept by the search."""
        return self.inner.state()
