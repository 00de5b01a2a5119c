"""Boxes that differ, but not from round to round: there is nothing to see before looking."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from weitzman.lab.worlds.drawing import BLOCK, check, draw_blocks, placed, weights_rng
from weitzman.lab.worlds.instance import Instance


@dataclass(frozen=True, kw_only=True)
class NonContextual:
    """The context is (1) for all boxes; each box has one law for ever.

    σ*_i is uniform on [−M, M]; a value is uniform with a width A_i, A_i/c log-uniform between 1 and
    ``widest``, placed such that σ*_i is its reservation value. The dimension is 1.

    Notes
    -----
    Realizable by w_i = σ*_i: Theorems 3.1, 4.2 and 4.4 of [Atsidakou 2024] apply, with values ≥ −V,
    V = M + c·√(2·widest).
    """

    name: ClassVar[str] = "non-contextual"
    boxes: int = 10
    dimension: int = 1
    cost: float = 1.0
    radius: float = 4.0
    widest: float = 100.0

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self, dimension=1, most_dimension=1)
        fixed = weights_rng(rng)
        fixed_sigma = self.radius * (2.0 * fixed.random(self.boxes) - 1.0)
        widths = self.cost * self.widest ** fixed.random(self.boxes)
        contexts = np.ones((BLOCK, self.boxes, 1))

        def block(_: int, generator: np.random.Generator) -> Instance:
            sigma = np.broadcast_to(fixed_sigma, (BLOCK, self.boxes)).copy()
            return placed(generator, self.cost, contexts=contexts, sigma=sigma, widths=widths)

        return draw_blocks(block, rounds, rng, start)
