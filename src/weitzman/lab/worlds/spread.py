"""Boxes that differ in spread, and boxes whose mean is their reservation value.

The context is (u, 1) with u uniform in the unit ball of d − 1 dimensions, w_i is uniform in the ball
of radius M of d dimensions, and σ* = w·x. A value is uniform with a width A_i of its box, placed such
that σ* is its reservation value (:mod:`weitzman.lab.worlds.drawing`). Its mean is

    σ* − √(2cA) + A/2 if A ≥ 2c,    σ* − c if A ≤ 2c:

a wide box has a mean far above its reservation value, and still comes first, as one look may find
something very good in it. An index that goes by means cannot see that.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from weitzman.lab.worlds.drawing import ball, check, draw_with_one, weights_rng
from weitzman.lab.worlds.instance import Instance
from weitzman.lab.worlds.world import BallWorld


@dataclass(frozen=True, kw_only=True)
class Spread(BallWorld):
    """Boxes that differ in spread: A_i/c is log-uniform between 1 and ``widest``.

    The clairvoyant opens about 1.7 boxes a round; how many depends on the widths that were drawn.

    Notes
    -----
    Realizable: Theorems 3.1, 4.2 and 4.4 of [Atsidakou 2024] apply, with contexts as long as √2 and
    values ≥ −V, where V = √2 M + c·√(2·widest). Linear regression as index has linear regret.
    """

    name: ClassVar[str] = "spread"
    widest: float = 100.0

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self, dimension=2)
        fixed = weights_rng(rng)
        weights = self.radius * ball(fixed, self.boxes, self.dimension)
        widths = self.cost * self.widest ** fixed.random(self.boxes)
        return draw_with_one(self, rounds, rng, start, weights=weights, widths=widths)


@dataclass(frozen=True, kw_only=True)
class Agree(BallWorld):
    """Boxes whose mean is their reservation value: all have the width 8c.

    At A = 8c the mean is σ* − 4c + 4c = σ*. Linear regression looks for the mean, with a steadier
    slope than that of the loss of reservation values: it should win.

    Notes
    -----
    Realizable: Theorems 3.1, 4.2 and 4.4 of [Atsidakou 2024] apply, with contexts as long as √2 and
    values ≥ −V, where V = √2 M + 4c.
    """

    name: ClassVar[str] = "agree"

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self, dimension=2)
        weights = self.radius * ball(weights_rng(rng), self.boxes, self.dimension)
        widths = np.full(self.boxes, 8.0 * self.cost)
        return draw_with_one(self, rounds, rng, start, weights=weights, widths=widths)
