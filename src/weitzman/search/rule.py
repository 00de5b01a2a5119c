"""Weitzman's rule: which closed box is next, or stop.

Give every box i a reservation value σ_i and let v be the best value in hand (+∞ before anything is
seen and without an outside option). With smaller values better:

1. take the closed box with the smallest σ; of equal σ, the one that stands first;
2. if there is none, or v ≤ σ, stop and keep v;
3. else open it, and go on with 1.

Equality stops: at v = σ opening and stopping cost the same in expectation, and one fixed choice
keeps a replay bit-identical. The rule is optimal when E(σ_i − v_i)⁺ = c_i for every box and the
boxes are independent [Weitzman 1979].

:func:`next_box` is the one place where the rule is written. The live search calls it as it is; the
simulator and the learners' compiled loops call the same source, compiled. A problem in which larger
values are better is the same rule with all signs turned.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["STOP", "next_box", "opening_order"]

STOP: Final = -1
"""What :func:`next_box` returns when the search is over."""


def opening_order(reservation_values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions of the boxes in the order in which the rule looks at them.

    >>> opening_order(np.array([3.0, 1.0, 3.0]))
    array([1, 0, 2])
    """
    return np.argsort(reservation_values, kind="stable")


def next_box(
    order: Sequence[int] | NDArray[np.intp],
    reservation_values: Sequence[float] | NDArray[np.float64],
    position: int,
    best: float,
) -> int:
    """Return the box to open next, or :data:`STOP`.

    Parameters
    ----------
    order
        Boxes by increasing reservation value, as from :func:`opening_order`.
    reservation_values
        One number per box; never +∞.
    position
        How many boxes of ``order`` are open already.
    best
        The smallest value in hand; +∞ if there is none.

    Examples
    --------
    >>> next_box([1, 0, 2], [3.0, 1.0, 3.0], position=1, best=2.5)
    -1
    >>> next_box([1, 0, 2], [3.0, 1.0, 3.0], position=1, best=3.5)
    0
    """
    if position == len(order):
        return STOP
    box = order[position]
    if best <= reservation_values[box]:
        return STOP
    return int(box)
