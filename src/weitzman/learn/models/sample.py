"""A sample: vectors of the values of a round with weights, laid out for the compiled steps."""

from dataclasses import dataclass

import numpy as np

from weitzman.compiled.decorators import kernel
from weitzman.learn.models.sample_steps import mean_rows, value_rows
from weitzman.learn.policy import Floats, Ints


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

    @classmethod
    def picked(
        cls,
        ranked: Floats,
        order: Ints,
        boxes: Ints,
        vectors: Ints,
        weights: Floats,
        shift: Floats | None,
    ) -> "Sample":
        """Return the sample of some boxes and vectors of many whose rows are in increasing order."""
        few, few_order = picked_rows(ranked, order, boxes, vectors)
        rows, added = np.arange(len(boxes)), np.zeros(len(boxes)) if shift is None else shift
        return cls(ranked=few, order=few_order, rows=rows, shift=added, weights=weights)

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


@kernel
def _pick(
    ranked: Floats, order: Ints, rows: Ints, place: Ints, few: Floats, few_order: Ints
) -> None:
    size = few.shape[1]
    values, vectors = np.empty(size + 1), np.empty(size + 1, dtype=np.int64)
    for k in range(rows.shape[0]):
        held = 0
        for s in range(ranked.shape[1]):
            # Written in any case and kept in some: a branch that is hard to foresee takes longer
            at = place[order[rows[k], s]]
            values[held], vectors[held] = ranked[rows[k], s], at
            held += at >= 0
        few[k], few_order[k] = values[:size], vectors[:size]


def picked_rows(ranked: Floats, order: Ints, rows: Ints, columns: Ints) -> tuple[Floats, Ints]:
    """Return :func:`sorted_rows` of some rows and columns, in increasing order, of sorted rows.

    Whatever is sorted need not be sorted again.

    >>> ranked, order = sorted_rows(np.array([[3.0, 1.0, 2.0]]))
    >>> picked_rows(ranked, order, np.array([0]), np.array([0, 2]))
    (array([[2., 3.]]), array([[1, 0]]))
    """
    place = np.full(ranked.shape[1], -1)
    place[columns] = np.arange(len(columns))
    few = np.empty((len(rows), len(columns)))
    few_order = np.empty(few.shape, dtype=np.int64)
    _pick(ranked, order, rows, place, few, few_order)
    return few, few_order


def strongest(weights: Floats, most: int) -> Ints:
    """Return the places of the positive weights, of the largest if there are more than so many."""
    held = np.flatnonzero(weights > 0.0)
    if len(held) > most:
        held = held[np.argsort(-weights[held], kind="stable")[:most]]
    return held
