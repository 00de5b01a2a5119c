"""Simulated rounds of one plan, and what they gave."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats, Ints
from weitzman.search.exact_total import Evaluation
from weitzman.search.numbers import whole_number

_ROUNDS_AT_ONCE = 65536


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """Simulated rounds, one entry each: the value kept, the costs paid, the boxes opened.

    ``totals`` are ``values + paid``, or ``values - paid`` for ``sense="max"``; ``chosen`` is the
    position of the chosen box in ``boxes``, −1 for the outside option.
    """

    boxes: tuple[str, ...]
    values: Floats
    paid: Floats
    totals: Floats
    chosen: Ints
    opened_count: Ints

    @property
    def mean(self) -> float:
        """The mean total."""
        return float(self.totals.mean())

    @property
    def standard_error(self) -> float:
        """The standard error of the mean total; infinite after a single round."""
        n = self.totals.size
        return float(self.totals.std(ddof=1) / np.sqrt(n)) if n > 1 else float("inf")

    def quantile(self, p: ArrayLike) -> Floats:
        """Return quantiles of the total: how sure one can be of it."""
        return np.asarray(np.quantile(self.totals, np.asarray(p, dtype=np.float64)))

    def chosen_share(self) -> dict[str | None, float]:
        """Return how often each box was chosen; the key None is the outside option."""
        counts = np.bincount(self.chosen + 1, minlength=len(self.boxes) + 1) / self.totals.size
        return dict(zip((None, *self.boxes), counts.tolist(), strict=True))

    def __repr__(self) -> str:
        low, high = self.quantile([0.05, 0.95])
        return (
            f"Simulation of {self.totals.size} rounds: total {self.mean:.6g} "
            f"± {self.standard_error:.2g} (mean ± s.e.), 90 % of rounds in [{low:.6g}, {high:.6g}], "
            f"{self.opened_count.mean():.3g} boxes opened"
        )


def simulated(
    boxes: tuple[str, ...],
    used: Evaluation,
    rounds: int,
    rng: np.random.Generator | int,
    *,
    sign: float,
) -> Simulation:
    """Return rounds of Weitzman's rule on values drawn from the laws; ``sign`` is −1 for ``"max"``."""
    from weitzman.search.kernels import play_fixed

    count = whole_number(rounds, "The number of rounds", least=1)
    given = isinstance(rng, np.random.Generator)
    seed = rng if given else whole_number(rng, "The seed rng", least=0, most=2**128)
    generator = np.random.default_rng(seed)
    blocks = []
    for begin in range(0, count, _ROUNDS_AT_ONCE):
        size = min(_ROUNDS_AT_ONCE, count - begin)
        values = np.stack([law.sample(generator, size) for law in used.laws.laws], axis=1)
        sigma, costs = used.reservation_values, used.costs
        blocks.append(play_fixed(used.order, sigma, costs, used.outside, values))
    best, paid, chosen, opened = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return Simulation(boxes, sign * best, paid, sign * best + sign * paid, chosen, opened)
