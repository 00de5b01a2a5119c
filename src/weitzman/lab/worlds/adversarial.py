"""Contexts and laws chosen against the learner, within what the theory allows.

The adversary is oblivious: all is chosen before the first round. Weights are fixed and σ* = w·x
holds in every round, so learning is possible, but the rounds are no sample of anything:

- *Withheld directions.* In the first 32 rounds contexts have one coordinate that is not 0, in the
  next 64 two, in the next 128 three, and so on: what is learned says nothing of the direction that
  comes next.
- *Alternation.* Each context is followed by its opposite, −x, with −σ*.
- *Sorted order.* In stretches of 32 rounds the newest coordinate rises in every box.
- *Laws that mislead.* In even rounds the width of a value is A = 2c·50^{(1 − σ*/M)/2}: 100c at
  σ* = −M and 2c at σ* = M. A mean, σ* − √(2cA) + A/2, then tends to fall where σ* rises. In odd
  rounds A = 2c, and the mean is σ* − c. Whoever goes by means is led astray.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from weitzman.arrays import Floats
from weitzman.lab.worlds.drawing import BLOCK, ball, check, dot, draw_blocks, placed, weights_rng
from weitzman.lab.worlds.instance import Instance
from weitzman.lab.worlds.world import BallWorld

STRETCH = 32
"""The rounds in sorted order, and those with a single direction at the beginning."""


@dataclass(frozen=True, kw_only=True)
class Adversarial(BallWorld):
    """Directions withheld, orders and laws that mislead; still realizable.

    w_i is uniform in the ball of radius M and contexts lie in the unit ball.

    Notes
    -----
    Realizable: Theorems 3.1, 4.2 and 4.4 of [Atsidakou 2024] apply, as they allow contexts and laws
    chosen by an adversary. Values are ≥ −V, where V = M + √200 c.
    """

    name: ClassVar[str] = "adversarial"

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self)
        weights = self.radius * ball(weights_rng(rng), self.boxes, self.dimension)

        def block(first: int, generator: np.random.Generator) -> Instance:
            starts = range(first, first + BLOCK, STRETCH)
            contexts = np.concatenate([self._stretch(start, generator) for start in starts])
            sigma = dot(contexts, weights)
            misled = 50.0 ** (0.5 * (1.0 - sigma / self.radius))
            misled[1::2] = 1.0
            widths = 2.0 * self.cost * misled
            return placed(generator, self.cost, contexts=contexts, sigma=sigma, widths=widths)

        return draw_blocks(block, rounds, rng, start)

    def _stretch(self, start: int, generator: np.random.Generator) -> Floats:
        """Return the contexts of a stretch: pairs of opposites, the newest coordinate rising."""
        shown = min(self.dimension, directions(start))
        points = np.zeros((STRETCH // 2, self.boxes, self.dimension))
        points[..., :shown] = ball(generator, STRETCH // 2, self.boxes, shown)
        rising = np.argsort(points[..., shown - 1], axis=0)
        points = np.take_along_axis(points, rising[..., None], axis=0)
        pairs = np.stack([points, -points], axis=1)
        return pairs.reshape(STRETCH, self.boxes, self.dimension)


def directions(t: int) -> int:
    """Return how many directions contexts may have in round t, if there are as many.

    >>> [directions(t) for t in (0, 31, 32, 95, 96, 223, 224)]
    [1, 1, 2, 2, 3, 3, 4]
    """
    return (t // STRETCH + 1).bit_length()
