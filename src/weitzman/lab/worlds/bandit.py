"""Looks so expensive that one box is opened: the contextual bandit."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from weitzman.lab.worlds.drawing import ball, check, draw_with_one, weights_rng
from weitzman.lab.worlds.instance import Instance


@dataclass(frozen=True, kw_only=True)
class Bandit:
    """A look costs far more than the values differ.

    The context is (u, 1) with u uniform in the unit ball of d − 1 dimensions. The mean value of box i
    is a_i·u − A − ½, with a_i uniform in the ball of radius A (``slope``), and values are uniform within ½ of
    it, so that all are ≤ 0. As the cost is larger than the width, σ* is the mean plus the cost, linear
    in the context. With all values within 2A + 1 of each other and c > 2A + 1, no second look can
    pay: the problem is to choose one box, a contextual bandit with linear means. As all values are ≤ 0,
    a learner that knows nothing yet (σ = 0) does not open a second box either.

    Notes
    -----
    Realizable: Theorems 3.1, 4.2 and 4.4 of [Atsidakou 2024] apply, with weights (a, c − A − ½) as
    long as M = ‖(A, c − A − ½)‖ and contexts as long as √2. Linear regression as index does not know
    the cost, and opens a second box where a mean seems to invite it.
    """

    name: ClassVar[str] = "bandit"
    boxes: int = 10
    dimension: int = 5
    cost: float = 10.0
    slope: float = 4.0

    @property
    def radius(self) -> float:
        """M, the largest length of a box's weights."""
        return math.hypot(self.slope, self._level)

    @property
    def _level(self) -> float:
        return self.cost - self.slope - 0.5

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self, dimension=2)
        slopes = self.slope * ball(weights_rng(rng), self.boxes, self.dimension - 1)
        level = np.full((self.boxes, 1), self._level)
        weights = np.concatenate([slopes, level], axis=1)
        return draw_with_one(self, rounds, rng, start, weights=weights, widths=1.0)
