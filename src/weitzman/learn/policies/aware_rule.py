"""The rule of :class:`weitzman.Aware`: what open boxes say, and Weitzman's rule asked again after every look.

The mathematics is in :mod:`weitzman.learn.policies.aware`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.policy import Floats, Ints, Round, State, walk
from weitzman.learn.preparation import CLIP
from weitzman.search.rule import ACTIONS, Action, next_box, opening_order
from weitzman.search.state import RoundState

SUMMARY = 4
"""The length of a summary."""


def summary(residuals: Floats) -> Floats:
    """Return what open boxes with these residuals say about the closed ones; 0 if there are none.

    >>> summary(np.array([1.0, 2.0]))
    array([1.  , 0.5 , 1.5 , 0.75])
    """
    count = len(residuals)
    if not count:
        return np.zeros(SUMMARY)
    # By a plain loop: numpy sums in an order that depends on the machine
    mean = math.fsum(residuals) / count
    return np.array([1.0, 1.0 / count, mean, mean / count])


@dataclass(frozen=True, kw_only=True, eq=False)
class Situation:
    """What is known of the rows of a round before anything is opened.

    Attributes
    ----------
    sigma
        The reservation values by the contexts.
    centre, spread
        Mean and deviation of v − σ so far; the deviation is 0 if it is not known.
    """

    sigma: Floats
    centre: Floats
    spread: Floats

    def summary(self, opened: Sequence[int], found: Sequence[float]) -> Floats:
        """Return the summary of rows that are open, with their values."""
        known = [
            (row, value)
            for row, value in zip(opened, found, strict=True)
            if self.spread[row] > 0.0 and not math.isnan(value)
        ]
        rows = [row for row, _ in known]
        apart = np.array([value for _, value in known]) - self.sigma[rows] - self.centre[rows]
        return summary(np.clip(apart / self.spread[rows], -CLIP, CLIP))


class AwareRule:
    """Weitzman's rule, asked again after every look."""

    def __init__(
        self, situation: Situation, sigma: Floats, weights: Floats, floor: Floats | None = None
    ) -> None:
        self._situation = situation
        self._sigma = sigma
        self._weights = weights
        self._floor = np.full(len(sigma), -math.inf) if floor is None else floor

    def reservation_values(self, opened: Sequence[int], found: Sequence[float]) -> Floats:
        """Return the reservation values of all rows, given those that are open."""
        seen = self._situation.summary(opened, found)
        shift = sum(float(w) * float(s) for w, s in zip(self._weights, seen, strict=True))
        return np.maximum(self._sigma + shift * self._situation.spread, self._floor)

    def next(self, state: RoundState) -> Action:
        """Return the row to open next, or STOP."""
        sigma = self.reservation_values(state.opened, state.found)
        order = [row for row in opening_order(sigma) if row not in state.opened]
        return ACTIONS[next_box(order, sigma, 0, state.best)]

    def state(self) -> State:
        """Return the situation, σ as it is used, what it is not below if there is such, and the weights."""
        known = self._situation
        rows = [known.sigma, known.centre, known.spread, self._sigma]
        if (self._floor > -math.inf).any():
            rows.append(self._floor)
        return {"rows": np.stack(rows), "weights": self._weights}

    @classmethod
    def restored(cls, state: Mapping[str, NDArray[np.generic]]) -> "AwareRule":
        """Return the rule whose :meth:`state` this is."""
        sigma, centre, spread, used, *floor = np.array(state["rows"], dtype=np.float64)
        weights = np.array(state["weights"], dtype=np.float64)
        return cls(Situation(sigma=sigma, centre=centre, spread=spread), used, weights, *floor)


def asked_for(
    situation: Situation,
    rule: AwareRule,
    shown: Round,
    values: Floats,
) -> tuple[Ints, Floats]:
    """Return the rows that the rule asks for while others are open, and what these said by then."""
    opened = walk(rule, shown, values).opened
    found = [float(values[row]) for row in opened]
    heads = list(opened)
    sigma = rule.reservation_values(opened, found)
    heads += [int(row) for row in opening_order(sigma) if row not in opened][:1]
    rows, summaries = [], []
    for place, row in enumerate(heads):
        seen = situation.summary(opened[:place], found[:place])
        if seen[0] > 0.0 and situation.spread[row] > 0.0 and not math.isnan(values[row]):
            rows.append(row)
            summaries.append(seen)
    return np.array(rows, dtype=np.int64), np.array(summaries).reshape(-1, SUMMARY)
