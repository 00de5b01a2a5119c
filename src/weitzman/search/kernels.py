"""Compiled loops of the search room; the rule itself is :func:`~weitzman.search.rule.next_box`.

Imported where it is used, not with the package: numba takes longer to load than all the rest.
"""

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import checked, compiled, whole
from weitzman.search.rule import NO_BOX, next_box

_next_box = compiled(next_box)


@checked
def play_round(
    order: Ints, sigma: Floats, costs: Floats, values: Floats, best: float
) -> tuple[float, float, int, int]:
    """Run the rule with ``best`` in hand.

    Returns the best value, the costs paid, the chosen box (−1: what was in hand) and the number of
    boxes opened, which are the first of ``order``. A value that is NaN shows nothing.
    """
    paid, chosen, opened = 0.0, NO_BOX, 0
    box = _next_box(order, sigma, 0, best)
    while box != NO_BOX:
        opened += 1
        paid += costs[box]
        if values[box] < best:
            best, chosen = values[box], box
        box = _next_box(order, sigma, opened, best)
    return best, paid, chosen, opened


@whole
@checked
def play_fixed(
    order: Ints, sigma: Floats, costs: Floats, outside: float, values: Floats
) -> tuple[Floats, Floats, Ints, Ints]:
    """Play many rounds at fixed reservation values; ``values`` has a row per round.

    Returns what :func:`play_round` does, per round.
    """
    rounds = values.shape[0]
    best, paid = np.empty(rounds), np.empty(rounds)
    chosen, opened = np.empty(rounds, dtype=np.int64), np.empty(rounds, dtype=np.int64)
    for t in range(rounds):
        best[t], paid[t], chosen[t], opened[t] = play_round(order, sigma, costs, values[t], outside)
    return best, paid, chosen, opened
