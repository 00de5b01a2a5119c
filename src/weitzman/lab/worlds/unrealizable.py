"""The impossibility example: without realizability nobody can learn, though there is a rule.

Two boxes hold the values 0 and 1 (the paper prints "costs"). The context, the same for both, is a
number x, and a threshold θ says which box holds the 0: the first if x < θ, the second otherwise. The
adversary gives x in the middle of the interval in which θ may still lie, and lets a fair coin say
where the 0 is, which halves the interval. What was seen before says nothing about the next coin:
every policy opens the wrong box first with probability ½, and then pays for a second look or keeps
the 1. Its expected regret per round is ½ min(c, 1) at least, against the policy that knows θ and pays c in
every round. The paper: [Atsidakou 2024], "Impossibility beyond Realizability".

Halving runs out of binary digits. So the world goes on in days of :data:`DAY` rounds, each with a
threshold of its own, and the context is (the number of the day, x): θ is a function of the day. The
number j of the day is written as a fraction in [0, 1) by turning its binary digits round
(0, 1/2, 1/4, 3/4, 1/8, …), so that contexts stay in the unit square and no two days share one. All
numbers are exact.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.lab.worlds.drawing import BLOCK, check, draw_blocks
from weitzman.lab.worlds.instance import Instance
from weitzman.search.numbers import whole_number

DAY = 32
"""The rounds for which one threshold is searched by halving."""


@dataclass(frozen=True, kw_only=True)
class Unrealizable:
    """Thresholds chosen in the region of uncertainty: linear regret for everyone.

    Two boxes, dimension 2; values are 0 or 1, a point mass given the context, and σ* = v + c.

    Notes
    -----
    σ* is a function of the context, but no linear one, nor of any class that can be learned: no
    theorem applies, and none can. The expected regret per round is at least ½ min(c, 1).
    """

    name: ClassVar[str] = "unrealizable"
    boxes: int = 2
    dimension: int = 2
    cost: float = 1.0

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self, dimension=2, most_dimension=2)
        whole_number(self.boxes, "The boxes of world 'unrealizable'", least=2, most=2)

        def block(first: int, generator: np.random.Generator) -> Instance:
            second = generator.integers(2, size=(BLOCK // DAY, DAY))
            days = _fractions(first // DAY, BLOCK // DAY)
            context = np.stack([np.repeat(days, DAY), _midpoints(second).ravel()], axis=-1)
            wrong = second.ravel().astype(np.float64)
            values = np.stack([wrong, 1.0 - wrong], axis=-1)
            return Instance(
                contexts=np.repeat(context[:, None], 2, axis=1),
                costs=np.full(2, float(self.cost)),
                values=values,
                reservation_values=values + self.cost,
                lower=values[None],
                upper=values[None],
                shares=np.ones(1),
            )

        return draw_blocks(block, rounds, rng, start)


def _midpoints(second: Ints) -> Floats:
    """Return the middles of the intervals; each coin halves that of its day.

    A coin of 1 puts the 0 into the second box: θ ≤ x, and the lower half is left.
    """
    low, high = np.zeros(len(second)), np.ones(len(second))
    middles = np.empty(second.shape)
    for k in range(second.shape[1]):
        middle = 0.5 * (low + high)
        middles[:, k] = middle
        below = second[:, k] == 1
        low, high = np.where(below, low, middle), np.where(below, middle, high)
    return middles


def _fractions(first: int, count: int) -> Floats:
    """Return the numbers ``first`` … with their binary digits turned round, as fractions in [0, 1)."""
    numbers = [format(first + k, "b")[::-1] for k in range(count)]
    return np.array([int(digits, 2) / 2 ** len(digits) for digits in numbers])
