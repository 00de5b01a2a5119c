"""A common shock per round: the boxes are not independent, and Weitzman's rule is not optimal."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.lab.worlds.drawing import BLOCK, check, draw_linear, uniform
from weitzman.lab.worlds.instance import Instance
from weitzman.lab.worlds.world import BallWorld


@dataclass(frozen=True, kw_only=True)
class Correlated(BallWorld):
    """In every second round, on average, all values are worse by ``shock``.

    x is uniform in the unit ball, w_i uniform in the ball of radius M, σ* = w·x. In a good round
    (probability ½) v_i is uniform on [σ* − 3c, σ* − c], in a bad one on
    [σ* − 3c + shock, σ* − c + shock]. With shock ≥ 3c the value of a bad round is ≥ σ*, and that of a
    good one ≤ σ* with mean σ* − 2c: E(σ* − v)⁺ = ½·2c = c, so σ* is the reservation value of the
    box's own law. One look tells a good round from a bad one, as the two intervals are disjoint.

    Notes
    -----
    Realizable, but not independent: Weitzman's theorem, on which Theorem 3.1 of [Atsidakou 2024]
    rests, does not hold, and no theorem applies. After a bad first value the rule hopes for better from
    the other boxes and pays for look after look, whatever it has learned: its regret against the policy
    that knows the joint law (:mod:`weitzman.lab.exact.clairvoyant`) is linear.
    """

    name: ClassVar[str] = "correlated"
    shock: float = 6.0

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        check(self)
        if self.shock < 3.0 * self.cost:
            rule = f"be at least 3 times the cost, {3.0 * self.cost}"
            raise InvalidInputError("The shock of world 'correlated'", rule, self.shock)
        shocks = np.array([0.0, self.shock])[:, None, None]

        def law(generator: np.random.Generator, contexts: Floats, sigma: Floats) -> Instance:
            lower = sigma - 3.0 * self.cost + shocks
            upper = sigma - self.cost + shocks
            bad = generator.integers(2, size=BLOCK)
            low, high = lower[bad, np.arange(BLOCK)], upper[bad, np.arange(BLOCK)]
            return Instance(
                contexts=contexts,
                costs=np.full(self.boxes, float(self.cost)),
                values=uniform(generator, low, high),
                reservation_values=sigma,
                lower=lower,
                upper=upper,
                shares=np.array([0.5, 0.5]),
            )

        return draw_linear(self, law, rounds, rng, start)
