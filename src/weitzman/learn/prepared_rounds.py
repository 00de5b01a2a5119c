"""Preparation of many rounds at once, as :class:`~weitzman.learn.preparation.Preparation` prepares each."""

import math
from typing import NamedTuple

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.compiled.decorators import checked, whole
from weitzman.learn.preparation import CLIP, Preparation, prepare_rows, round_rows
from weitzman.learn.units import PILE, note_value, rounded


class PreparedRounds(NamedTuple):
    """Rounds in a row as a model sees each of them in its turn, of n boxes; NaN where one is absent.

    Attributes
    ----------
    contexts, costs, values
        As prepared, (T, n, d) and (T, n); values are NaN where they are not known.
    outside, least
        The outside options and the least values, (T,).
    """

    contexts: Floats
    costs: Floats
    values: Floats
    outside: Floats
    least: Floats

    def some(self, which: Flags) -> "PreparedRounds":
        """Return some of the rounds."""
        return self if which.all() else PreparedRounds(*(part[which] for part in self))


@whole
@checked
def _take_rounds(
    scale: Floats, contexts: Floats, costs: Floats, values: Floats, closed: Flags,
    origin: float, unit: float, clip: float, found: Floats, low: Flags,
    high: Flags, holders: int, out: Floats, paid: Floats, shown: Floats, least: Floats,
) -> None:  # fmt: skip
    """Set ``out``, ``paid``, ``shown`` and ``least`` to prepared rounds; take in those that close.

    ``found`` are the smallest value and how often it was seen; ``low`` has shown it, ``high`` more.
    """
    rounds, boxes, size = contexts.shape
    rows, ready, places = (
        np.empty((boxes, size)),
        np.empty((boxes, size)),
        np.empty(boxes, np.int64),
    )
    for t in range(rounds):
        least[t] = found[0] if found[1] >= PILE and (low & high).sum() >= holders else -math.inf
        count = 0
        for box in range(boxes):
            out[t, box], paid[t, box], shown[t, box] = math.nan, math.nan, math.nan
            if not np.isnan(costs[t, box]):
                rows[count], places[count] = contexts[t, box], box
                count += 1
        now = scale if closed[t] else scale.copy()
        prepare_rows(now, rows[:count], clip, ready[:count])
        round_rows(ready[:count])
        for row in range(count):
            box = places[row]
            value = values[t, box]
            out[t, box] = ready[row]
            paid[t, box] = rounded(costs[t, box] / unit)
            if closed[t] and not np.isnan(value):
                shown[t, box] = rounded((value - origin) / unit)
                note_value(box, value, found, low, high)


def take_rounds(
    preparation: Preparation, contexts: Floats, costs: Floats, values: Floats, outside: Floats,
    least: float, closed: Flags,
) -> PreparedRounds:  # fmt: skip
    """Return rounds in a row as they are prepared, one after the other, and take in those that are closed.

    Parameters
    ----------
    preparation
        Which knows the units.
    contexts, costs, values
        As given, (T, n, d) and (T, n); costs are NaN where a box is absent.
    outside, least
        The outside options, (T,), and the least value of all, −∞ if it was not said.
    closed
        Which of the rounds are taken in, (T,).
    """
    units = preparation.units
    assert units is not None
    scale, smallest = preparation.figures()
    found, low, high = smallest.arrays(costs.shape[1])
    rows, piles = np.empty(contexts.shape), np.empty(len(costs))
    paid, shown = np.empty((2, *costs.shape))
    _take_rounds(
        scale, contexts, costs, values, closed, units.origin, units.scale, CLIP,
        found, low, high, smallest.holders, rows, paid, shown, piles,
    )  # fmt: skip
    smallest.set(found, low, high)
    if least > -math.inf:
        piles[:] = least
    return PreparedRounds(rows, paid, shown, units.values(outside), units.values(piles))
