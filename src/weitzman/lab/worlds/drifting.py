"""Weights that move: what was learned long ago is wrong today."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from weitzman.lab.worlds.drawing import BLOCK, ball, check, dot, draw_blocks, placed, weights_rng
from weitzman.lab.worlds.instance import Instance
from weitzman.lab.worlds.world import BallWorld


@dataclass(frozen=True, kw_only=True)
class Drifting(BallWorld):
    """Each box's weights go round a circle of their own, once in ``period`` rounds.

    w_{t,i} = cos(2πt/period) a_i + sin(2πt/period) b_i, where a_i is uniform in the ball of radius M
    and b_i is as long as a_i, at right angles to it, and of random direction. x is uniform in the
    unit ball and σ* = w_t·x; values are as in
    :class:`~weitzman.lab.worlds.paper.Shifted`, uniform on [σ* − 2c, σ*].

    Notes
    -----
    Realizable in each round, but by no weights that hold for all: the comparison with fixed weights,
    on which Theorem 3.1 of [Atsidakou 2024] rests, breaks down, and no theorem applies. The regret
    grows linearly in the rounds; ``window`` and ``forget`` of the learners slow it.
    """

    name: ClassVar[str] = "drifting"
    period: float = 2000.0

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self, dimension=2)
        fixed = weights_rng(rng)
        begin = self.radius * ball(fixed, self.boxes, self.dimension)
        length = np.sqrt(dot(begin, begin))[:, None]
        other = fixed.standard_normal((self.boxes, self.dimension))
        other -= begin * (dot(other, begin) / dot(begin, begin))[:, None]
        other *= length / np.sqrt(dot(other, other))[:, None]

        def block(first: int, generator: np.random.Generator) -> Instance:
            # Whole turns are taken off first, so that the angle is as exact late as early
            turn = np.mod(first + np.arange(BLOCK), self.period) / self.period
            angle = 2.0 * np.pi * turn[:, None, None]
            weights = np.cos(angle) * begin + np.sin(angle) * other
            contexts = ball(generator, BLOCK, self.boxes, self.dimension)
            sigma = dot(contexts, weights)
            width = 2.0 * self.cost
            return placed(generator, self.cost, contexts=contexts, sigma=sigma, widths=width)

        return draw_blocks(block, rounds, rng, start)
