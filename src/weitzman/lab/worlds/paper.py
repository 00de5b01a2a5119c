"""The experiment of the paper, completed in three honest ways.

The paper [Atsidakou 2024] draws weights w_i uniformly in the ball of radius M and contexts x
uniformly in the unit ball, and wants values that are uniform on [0, B] with reservation value
σ* = w·x. For σ* < c no such B ≥ 0 exists, and that is so for 77 % of the pairs at n = 10, d = 5,
c = 1 and M = 4. The three worlds differ in what they do about it.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from weitzman.arrays import Floats
from weitzman.lab.worlds.drawing import (
    BLOCK,
    ball,
    check,
    dot,
    draw_blocks,
    draw_linear,
    independent,
    placed,
    weights_rng,
)
from weitzman.lab.worlds.instance import Instance
from weitzman.lab.worlds.world import BallWorld


def signed_end(sigma: Floats, cost: float) -> Floats:
    """Return B such that a value uniform between 0 and B has the reservation value σ."""
    above = np.maximum(sigma, 0.0)
    below = np.minimum(sigma, 0.0)
    wide = above**2 / (2.0 * cost)
    narrow = 2.0 * (above - cost)
    negative = -(((np.sqrt(2.0 * cost) + np.sqrt(2.0 * cost - 4.0 * below)) / 2.0) ** 2)
    return np.where(sigma >= 2.0 * cost, wide, np.where(sigma >= 0.0, narrow, negative))


@dataclass(frozen=True, kw_only=True)
class Signed(BallWorld):
    """Values uniform between 0 and B, where B may be negative.

    x is uniform in the unit ball, w_i uniform in the ball of radius M, σ* = w·x. With
    B = σ²/(2c) for σ ≥ 2c, B = 2(σ − c) for 0 ≤ σ < 2c and B = −((√(2c) + √(2c − 4σ))/2)² for σ < 0,
    σ* is the reservation value at every σ.

    Notes
    -----
    Realizable: Theorems 3.1, 4.2 and 4.4 apply, with the Lipschitz constant max{c, M + V − c} for
    values ≥ −V, here V = ((√(2c) + √(2c + 4M))/2)². The experiment of [Atsidakou 2024].
    """

    name: ClassVar[str] = "signed"

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self)

        def law(generator: np.random.Generator, contexts: Floats, sigma: Floats) -> Instance:
            end = signed_end(sigma, self.cost)
            lower, upper = np.minimum(end, 0.0), np.maximum(end, 0.0)
            return independent(
                generator, self.cost, contexts=contexts, sigma=sigma, lower=lower, upper=upper
            )

        return draw_linear(self, law, rounds, rng, start)


@dataclass(frozen=True, kw_only=True)
class Orthant(BallWorld):
    """Values uniform on [0, B], with weights and contexts in the positive orthant.

    As :class:`Signed`, with the absolute values of all coordinates. σ* = max(w·x, c), and B is as in
    that world, so that B ≥ 0. The clairvoyant hardly ever opens a second box.

    Notes
    -----
    Nearly realizable: where w·x < c (about 8 % of the pairs) σ* is not linear, so that no theorem applies
    to the letter. The Lipschitz constant is max{c, M − c}. The experiment of [Atsidakou 2024].
    """

    name: ClassVar[str] = "orthant"

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self)
        weights = self.radius * np.abs(ball(weights_rng(rng), self.boxes, self.dimension))

        def block(_: int, generator: np.random.Generator) -> Instance:
            contexts = np.abs(ball(generator, BLOCK, self.boxes, self.dimension))
            sigma = np.maximum(dot(contexts, weights), self.cost)
            end = signed_end(sigma, self.cost)
            lower = np.zeros_like(end)
            return independent(
                generator, self.cost, contexts=contexts, sigma=sigma, lower=lower, upper=end
            )

        return draw_blocks(block, rounds, rng, start)


@dataclass(frozen=True, kw_only=True)
class Shifted(BallWorld):
    """Values uniform on [σ* − 2c, σ*].

    x is uniform in the unit ball, w_i uniform in the ball of radius M, σ* = w·x. Exact for every real
    σ*. A value is never above the reservation value, so the clairvoyant opens one box in every round.

    Notes
    -----
    Realizable: Theorems 3.1, 4.2 and 4.4 apply, with the Lipschitz constant max{c, M + V − c} for
    values ≥ −V, here V = M + 2c. The experiment of [Atsidakou 2024].
    """

    name: ClassVar[str] = "shifted"

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self)

        def law(generator: np.random.Generator, contexts: Floats, sigma: Floats) -> Instance:
            width = 2.0 * self.cost
            return placed(generator, self.cost, contexts=contexts, sigma=sigma, widths=width)

        return draw_linear(self, law, rounds, rng, start)
