"""The boxes that either of two rules would open: what a trial opens."""

from weitzman.learn.policy import State, joined
from weitzman.search.rule import STOP, Action, Open, Rule, advance
from weitzman.search.state import RoundState


class Both:
    """First what one rule opens, then what another one would have opened by itself.

    Each of them sees the boxes that it asked for, and no others: so both totals are known in the end, as if
    either had played alone.

    Parameters
    ----------
    first, second
        The rules; neither takes a box unopened.

    Examples
    --------
    >>> import numpy as np
    >>> from weitzman.search.rule import WeitzmanRule, follow
    >>> one, other = WeitzmanRule(np.array([1.0, 9.0])), WeitzmanRule(np.array([9.0, 1.0]))
    >>> follow(Both(one, other), RoundState([1.0, 1.0]), [5.0, 6.0]).opened
    [0, 1]
    """

    def __init__(self, first: Rule, second: Rule) -> None:
        self.first = first
        self.second = second

    def next(self, state: RoundState) -> Action:
        """Return what the first rule opens next; when it stops, what the second one does."""
        for rule in (self.first, self.second):
            own = RoundState(state.costs, state.outside)
            while isinstance(action := advance(rule, own), Open):
                if action.box not in state.opened:
                    return action
                if action.box in state.values:
                    own.see(action.box, state.values[action.box])
                else:
                    own.miss()
        return STOP

    def state(self) -> State:
        """Return the states of both."""
        return joined({"first": self.first.state(), "second": self.second.state()})
