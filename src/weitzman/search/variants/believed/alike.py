"""Draws from boxes that fail together: the round is like one of those before.

Smaller values better; a success is worth 0. Round q of before had a_q successes and b_q failures of each box
(with what is believed of any round added), and a new round is like one of them, each as likely as the others:
given q, chances are Beta(a_q, b_q) and independent. After f failures, one number for each box,

    P(q | f) ∝ Π B(a_q, b_q + f)/B(a_q, b_q),      p = Σ_q P(q | f) a_q/(a_q + b_q + f),

products over boxes, so that failures of one box say something of the others. σ = c/p as if the box stood
alone, and the rule draws from the box of the smallest σ while that is below what is in hand.

It is a *heuristic*, since σ may fall along failures, and is optimal for one round of before. Wherever it
draws, one more draw and then stopping is better than stopping.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from weitzman.arrays import Arrays, Floats
from weitzman.search.rule import STOP, Action
from weitzman.search.state import RoundState
from weitzman.search.variants.believed.rule import next_draw


class AlikeRule:
    """Draw from the box whose success costs least, as rounds of before that were alike say.

    ``successes`` and ``failures`` are rounds × boxes, numbers > 0. The first success ends the round.
    """

    def __init__(
        self, successes: Floats, failures: Floats, costs: Sequence[float], most: int
    ) -> None:
        self._successes, self._failures = successes, failures
        self._costs, self._most = np.array(costs), most

    def chances(self, failures: Floats) -> Floats:
        """Return how likely the next draw of each box succeeds after so many failures of each."""
        a, b = self._successes, self._failures
        logs = scipy.special.betaln(a, b + failures) - scipy.special.betaln(a, b)
        weights = logs.sum(axis=1)
        weights = np.exp(weights - weights.max())
        return np.asarray(weights / weights.sum() @ (a / (a + b + failures)))

    def next(self, state: RoundState) -> Action:
        """Return the next draw, or STOP."""
        count, boxes = len(state.opened), len(self._costs)
        if state.values or count >= self._most:
            return STOP
        failures = np.bincount([row % boxes for row in state.opened], minlength=boxes)
        sigma = self._costs / self.chances(failures.astype(np.float64))
        return next_draw(sigma, state)

    def state(self) -> Arrays:
        """Return what is known of rounds of before, and the costs."""
        known = {"successes": self._successes, "failures": self._failures}
        return {**known, "costs": self._costs, "most": np.array(self._most)}
