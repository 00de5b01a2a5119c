"""A sample: vectors of the values of a round with weights, laid out for the compiled steps."""

from dataclasses import dataclass

import numpy as np

from weitzman.learn.models.sample_steps import mean_rows, value_rows
from weitzman.learn.policy import Floats, Ints

__all__ = ["Sample", "sorted_rows"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sample:
    """Vectors of the values of a round, as :mod:`weitzman.learn.models.sample_steps` has them.

    Attributes
    ----------
    ranked, order
        The values of each box in increasing order, and which vector each is from, (n, K).
    rows, shift
        The rows of the boxes of the round in these, and what is to be added to their values, (m,).
    weights
        The weights of the vectors, (K,).
    """

    ranked: Floats
    order: Ints
    rows: Ints
    shift: Floats
    weights: Floats

    @classmethod
    def of(cls, values: Floats, weights: Floats, shift: Floats | None = None) -> "Sample":
        """Return the sample with these values, one row per box, (m, K)."""
        ranked, order = sorted_rows(values)
        added = np.zeros(len(values)) if shift is None else shift
        return cls(
            ranked=ranked, order=order, rows=np.arange(len(values)), shift=added, weights=weights
        )

    def means(self) -> Floats:
        """Return the mean of each box."""
        out = np.empty(len(self.rows))
        mean_rows(self.ranked, self.order, self.rows, self.shift, self.weights, out)
        return out

    def reservation_values(self, costs: Floats) -> Floats:
        """Return the σ of each box."""
        out = np.empty(len(self.rows))
        value_rows(self.ranked, self.order, self.rows, self.shift, self.weights, costs, out)
        return out


def sorted_rows(values: Floats) -> tuple[Floats, Ints]:
    """Return the rows in increasing order, and the order: the same on every machine."""
    order = np.argsort(values, axis=1, kind="stable")
    return np.take_along_axis(values, order, axis=1), order
