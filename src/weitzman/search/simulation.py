"""What many simulated rounds of one plan gave."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Simulation"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """Simulated rounds, one entry each.

    Attributes
    ----------
    boxes
        The names of the boxes.
    values
        The value kept.
    paid
        The costs paid.
    totals
        The total: ``values + paid``, or ``values - paid`` for ``sense="max"``.
    chosen
        The position of the chosen box in ``boxes``; −1 for the outside option.
    opened_count
        How many boxes were opened.
    """

    boxes: tuple[str, ...]
    values: FloatArray
    paid: FloatArray
    totals: FloatArray
    chosen: IntArray
    opened_count: IntArray

    @property
    def mean(self) -> float:
        """The mean total."""
        return float(self.totals.mean())

    @property
    def standard_error(self) -> float:
        """The standard error of the mean total; infinite after a single round."""
        n = self.totals.size
        return float(self.totals.std(ddof=1) / np.sqrt(n)) if n > 1 else float("inf")

    def quantile(self, p: ArrayLike) -> FloatArray:
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
