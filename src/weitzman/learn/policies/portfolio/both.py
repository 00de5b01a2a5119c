"""The boxes that either of two rules would open: what a trial opens."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from weitzman.learn.policy import Floats, State, joined
from weitzman.search.rule import ACTIONS, STOP, Action, Open, Rule, WeitzmanRule, advance
from weitzman.search.state import RoundState


class Both:
    """First what one rule opens, then what another one would have opened by itself.

    Each of them sees the boxes that it asked for, and no others: so both totals are known in the end, as if
    either had played alone, unless the best possible value ends the round.

    Parameters
    ----------
    first, second
        The rules; neither takes a box unopened.
    least
        The best possible value: once it is in hand nothing more is opened, whoever would.

    Examples
    --------
    >>> from weitzman.search.rule import WeitzmanRule, follow
    >>> one, other = WeitzmanRule(np.array([1.0, 9.0])), WeitzmanRule(np.array([9.0, 1.0]))
    >>> follow(Both(one, other), RoundState([1.0, 1.0]), [5.0, 6.0]).opened
    [0, 1]
    """

    def __init__(self, first: Rule, second: Rule, least: float = -math.inf) -> None:
        self.first = first
        self.second = second
        self.least = least
        # How far each of them was followed
        self._followed: list[RoundState | None] = [None, None]

    def next(self, state: RoundState) -> Action:
        """Return what the first rule opens next; when it stops, what the second one does."""
        if state.best <= self.least:
            return STOP
        for place in range(2):
            if isinstance(action := self._next_of(place, state), Open):
                return action
        return STOP

    def _next_of(self, place: int, state: RoundState) -> Action:
        """Follow one of the rules through what the round has shown, and return what it opens next."""
        rule, own = (self.first, self.second)[place], self._followed[place]
        if own is None or not _is_past(own, state):
            own = self._followed[place] = RoundState(state.costs, state.outside)
        action: Action = STOP if own.asked is None else ACTIONS[own.asked]
        while True:
            if isinstance(action, Open):
                if action.box not in state.opened:
                    return action
                if action.box in state.values:
                    own.see(action.box, state.values[action.box])
                else:
                    own.miss()
            action = advance(rule, own)
            if not isinstance(action, Open):
                return action

    def reservation_values(self, opened: Sequence[int], found: Sequence[float]) -> Floats:
        """Return the reservation values that the first rule goes by, if it has any."""
        return sigma_now(self.first, opened, found)

    def state(self) -> State:
        """Return the states of both, and the best possible value."""
        own: State = {"least": np.array([self.least])}
        return joined({"first": self.first.state(), "second": self.second.state(), "both": own})


def sigma_now(rule: Rule, opened: Sequence[int], found: Sequence[float]) -> Floats:
    """Return the reservation values that a rule goes by once rows are open, if it has any."""
    known: Any = rule
    if isinstance(known, WeitzmanRule):
        return known.sigma
    sigma: Floats = known.reservation_values(opened, found)
    return sigma


def _is_past(own: RoundState, state: RoundState) -> bool:
    """Whether a round that was followed before has shown what a round shows now, as far as it went."""
    return all(
        row in state.opened and own.values.get(row) == state.values.get(row)
        for row in own.opened
        if row != own.asked
    )
