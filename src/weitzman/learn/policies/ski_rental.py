"""Ski rental: look on for as long as what could still be won is more than what looks have cost.

Who rents skis until the rent that was paid would reach the price of a pair pays at most twice what hindsight
would. Looking is renting; to stop is to pay what the best value in hand is worse than the best possible. With
the boxes in some order, costs c, P paid so far and the best value B in hand,

    open the next box if B − v_0 > P + c,    v_0 the best possible value.

For any order, costs and values ≥ v_0, P + B − v_0 at the end is at most twice that of any other stopping
point of this order. Where it stops earlier, P was below B − v_0 of that time at the last look, which
stopping before that look would have given; where it stops later, its P + c is at least B − v_0. The stop is
that of [Gergatsouli 2022], known from its abstract: there costs are 1, it stops when B ≤ P, and the order
is learned by follow-the-regularised-leader, which is not done here.

The order is that of the mean values so far plus the cost; boxes that were never seen come first, the
cheapest of them before the others. v_0 is the least value if the searcher is given one, or else the least
that was seen. There is no parameter, and contexts are not looked at.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.policy import Floats, Ints, Round, State
from weitzman.search.rule import STOP, Action, Open
from weitzman.search.state import RoundState


class SkiRentalRule:
    """Rows in an order, opened while the best value in hand is above ``least`` by more than they cost.

    Examples
    --------
    >>> rule, state = SkiRentalRule(np.array([1, 0]), 0.0), RoundState([1.0, 1.0])
    >>> rule.next(state)
    Open(box=1)
    >>> state.open(1)
    >>> state.see(1, 2.0)
    >>> rule.next(state) is STOP
    True
    """

    def __init__(self, order: Ints, least: float) -> None:
        self.order = order
        self.least = least

    def next(self, state: RoundState) -> Action:
        """Return the next row of the order, or STOP."""
        for row in self.order.tolist():
            if row not in state.opened:
                goes_on = state.best - self.least > state.paid + state.costs[row]
                return Open(row) if goes_on else STOP
        return STOP

    def state(self) -> State:
        """Return the order and the best possible value."""
        return {"order": self.order, "least": np.array([self.least])}

    @classmethod
    def restored(cls, state: Mapping[str, NDArray[np.generic]]) -> "SkiRentalRule":
        """Return the rule whose :meth:`state` this is."""
        least = np.array(state["least"], dtype=np.float64)
        return cls(np.array(state["order"], dtype=np.int64), float(least[0]))


@dataclass(frozen=True)
class SkiRental:
    """Boxes by their mean values plus costs, and a stop that is at most twice as expensive as the best.

    Parameters
    ----------
    shared
        Whether the boxes carry no history: then they are opened by their costs alone.
    """

    shared: bool = False

    @property
    def name(self) -> str:
        """The name in tables."""
        return "ski-rental"

    def start(
        self, *, boxes: int, dimension: int, feedback: Feedback = "full", seed: int = 0
    ) -> "SkiRentalPlayer":
        """Return a player that has seen nothing."""
        return SkiRentalPlayer(1 if self.shared else boxes, shared=self.shared)


class SkiRentalPlayer:
    """The policy, running: how many values each box has shown, their sums, and the least of all.

    Parameters
    ----------
    rows
        The number of boxes, 1 if they are one.
    shared
        Whether they are.
    """

    def __init__(self, rows: int, *, shared: bool) -> None:
        self._shared = shared
        self._sums = np.zeros((2, rows))
        self._least = math.inf

    def rule(self, shown: Round) -> SkiRentalRule:
        """Return what decides in a round."""
        rows = self._rows(shown)
        seen, totals = self._sums[:, rows]
        expected = np.where(seen > 0.0, totals / np.maximum(seen, 1.0), -math.inf) + shown.costs
        order = np.lexsort((shown.costs, expected))
        least = shown.least if shown.least > -math.inf else self._least
        # Before anything is seen nothing is known of what could be won
        return SkiRentalRule(order, least if least < math.inf else -math.inf)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn the values of a round."""
        known = ~np.isnan(values)
        rows = self._rows(shown)[known]
        np.add.at(self._sums[0], rows, 1.0)
        np.add.at(self._sums[1], rows, values[known])
        self._least = min(self._least, values[known].min(initial=math.inf))

    def late(self, shown: Round, values: Floats) -> None:
        """Learn values that came after their round was learned."""
        self.learn(shown, values)

    def add_boxes(self, count: int) -> None:
        """Let boxes join that have seen nothing."""
        if not self._shared:
            self._sums = np.pad(self._sums, ((0, 0), (0, count)))

    def state(self) -> State:
        """Return everything as arrays."""
        return {"sums": self._sums.copy(), "least": np.array([self._least])}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        shapes = {name: array.shape for name, array in state.items()}
        rows = state["sums"].shape[-1] if "sums" in state else 0
        if shapes != {"sums": (2, rows), "least": (1,)} or (self._shared and rows != 1):
            raise InvalidInputError("The state", "be that of the same policy", sorted(state))
        self._sums = np.array(state["sums"], dtype=np.float64)
        self._least = float(np.array(state["least"], dtype=np.float64)[0])

    def _rows(self, shown: Round) -> Ints:
        return np.zeros_like(shown.places) if self._shared else shown.places
