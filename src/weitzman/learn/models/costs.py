"""What looks are expected to cost, where nobody says it: means of what they really cost.

The expected cost of box i is the mean m_i of what its looks really cost so far; of a box without any, the
mean of m over the boxes that have one: it is like another box, not like another look at the box that is
opened most. Before any cost is known all boxes are taken to cost 0, and so alike.

Contexts are not looked at. A cost that depends on them is better expected by the caller, who passes it.
"""

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Floats, Ints
from weitzman.errors import InvalidInputError


class CostMeans:
    """The number of looks at each box with a known cost, and the mean of their costs.

    Examples
    --------
    >>> costs = CostMeans(3)
    >>> costs.expected(np.arange(3)).tolist()
    [0.0, 0.0, 0.0]
    >>> for place, cost in ((0, 1.0), (0, 3.0), (1, 6.0)):
    ...     costs.add(place, cost)
    >>> costs.expected(np.arange(3)).tolist()
    [2.0, 6.0, 4.0]
    """

    def __init__(self, boxes: int) -> None:
        # A row of numbers, and a row of means
        self._figures = np.zeros((2, boxes))

    @property
    def is_known(self) -> bool:
        """Whether anything is known."""
        return bool(self._figures[0].any())

    def add(self, place: int, cost: float) -> None:
        """Take in what a look at a box cost."""
        self._figures[0, place] += 1.0
        self._figures[1, place] += (cost - self._figures[1, place]) / self._figures[0, place]

    def expected(self, places: Ints) -> Floats:
        """Return what looks at these boxes are expected to cost."""
        counts, means = self._figures
        seen = counts > 0.0
        # One after the other: numpy sums in an order that depends on the machine
        common = sum(means[seen].tolist()) / max(1, int(seen.sum()))
        return np.where(seen, means, common)[places]

    def add_boxes(self, count: int) -> None:
        """Let boxes join of which nothing is known."""
        self._figures = np.hstack([self._figures, np.zeros((2, count))])

    def state(self) -> Floats:
        """Return everything as an array."""
        return self._figures.copy()

    def restore(self, state: NDArray[np.generic]) -> None:
        """Go on from what :meth:`state` returned."""
        if state.shape != self._figures.shape:
            rule = f"have the shape {self._figures.shape}"
            raise InvalidInputError("The state of expected costs", rule, state.shape)
        self._figures = np.array(state, dtype=np.float64)
