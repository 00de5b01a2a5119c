"""Explore, then commit: the laws of boxes from rounds of which only the total is seen.

For each of n boxes there are

    N = ⌈n^{−1/3} T^{2/3}⌉

rounds in which it alone is opened, whatever it holds. Their total less the cost is a value of the box, or an
outside option that was better: then the value is known to be above it (:mod:`weitzman.learn.revealed`). The
law is that of Kaplan and Meier, which is the empirical one without outside options. In all other rounds
Weitzman's rule is followed at the reservation values of these laws.

**Regret.** Let T be known, values lie within a range R, all boxes be there, and let a round lose at most K.

1. *The rule at s loses at most Σ |c_i − c_i(s_i)| a round*, with c_i(s) = E(s − v)⁺. It is optimal at the
   costs c_i(s_i). With q_i, q*_i the chances that it and the optimal rule open box i, its total is that at
   those costs and Σ q_i (c_i − c_i(s_i)); the former is at most that of the optimal rule at those costs. So
   it loses Σ (q_i − q*_i)(c_i − c_i(s_i)) at most.
2. *E|c_i − c_i(s_i)| ≤ R √(π/(2N))* at the σ of N values: c(s) is the integral of F, which for the empirical
   F̂ is c at s, so the difference is at most R sup |F̂ − F|, whose tail is 2 e^{−2Nε²} [Massart 1990].
3. *Exploration* takes nN rounds.

    regret ≤ K n N + n T R √(π/(2N)) = O(K n^{2/3} T^{2/3} + R n^{7/6} T^{2/3}).

By the bound of [Guo 2021] (n/ε² values in all, but for logarithms, are enough for ε) the second term is T
√(n/N) = O(n^{2/3} T^{2/3}); it is for the optimal rule of pessimistic laws, and was not proved again here.
That exploration does not depend on values is what makes them a sample: whether a later round opens one box
only depends on its value. Without ``horizon`` T is the least power of two that is above the number of rounds
so far, and boxes are explored again where N has grown: 2^{2/3} as much for each doubling, a geometric
series, so the order stays.

[Gatmiry 2024] has an algorithm of regret O(n^4.5 √T), but for logarithms, from totals alone, which is better
from T = n^23 on.

A box whose value did not come counts as explored. Under feedback that shows more, more is learned.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.learners.rivals.optimistic_law import OptimisticLaw
from weitzman.learn.policy import Floats, Round, State, joined, only, parted
from weitzman.search.numbers import whole_number
from weitzman.search.rule import WeitzmanRule


@dataclass(frozen=True, kw_only=True)
class ExploreThenCommit:
    """Open every box alone for a while, then follow Weitzman's rule at the laws that were seen.

    Parameters
    ----------
    horizon
        The number T of rounds; doubled as needed if None.

    Examples
    --------
    >>> player = ExploreThenCommit(horizon=1000).start(boxes=8, dimension=1, feedback="total")
    >>> player.each
    50
    """

    horizon: int | None = None

    @property
    def name(self) -> str:
        """The name in tables."""
        return "explore-then-commit"

    def start(
        self, *, boxes: int, dimension: int, feedback: Feedback = "total", seed: int = 0
    ) -> "ExploreThenCommitPlayer":
        """Return a player that has seen nothing."""
        if self.horizon is not None:
            whole_number(self.horizon, "The horizon", least=1)
        return ExploreThenCommitPlayer(boxes, self.horizon)


class ExploreThenCommitPlayer:
    """The policy, running.

    Parameters
    ----------
    boxes
        The number of boxes.
    horizon
        The number of rounds, None if nobody knows.
    """

    def __init__(self, boxes: int, horizon: int | None) -> None:
        self._horizon = horizon
        self._bank = OptimisticLaw(mass="none").start_bounded(boxes=boxes, dimension=1)
        self._rounds = 0
        # Rounds in which a box was to be explored and showed nothing
        self._missed = np.zeros(boxes, dtype=np.int64)

    @property
    def each(self) -> int:
        """The number N of rounds in which each box is explored."""
        horizon: int = self._horizon or 1 << self._rounds.bit_length()
        # Without the rounding error of powers: N³ n ≥ T²
        count: int = max(1, math.ceil((horizon * horizon / self._bank.boxes) ** (1.0 / 3.0)))
        while self._bank.boxes * (count - 1) ** 3 >= horizon * horizon:
            count -= 1
        while self._bank.boxes * count**3 < horizon * horizon:
            count += 1
        return count

    def _explored(self, shown: Round) -> int | None:
        """Return the row that is to be explored, None if all are."""
        had = self._bank.looks(shown.places) + self._missed[shown.places]
        row = int(np.argmin(had))
        return row if had[row] < self.each else None

    def rule(self, shown: Round) -> WeitzmanRule:
        """Return what decides in a round."""
        row, count = self._explored(shown), len(shown.costs)
        if row is not None:
            return WeitzmanRule(only(row, count))
        sigma = self._bank.predict_arrays(
            contexts=np.ones((count, 1)), costs=shown.costs, boxes=shown.places, optimism=0.0
        )
        return WeitzmanRule(sigma)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn values."""
        self.learn_bounded(shown, values, np.full(len(values), np.nan))

    def learn_bounded(self, shown: Round, values: Floats, bounds: Floats) -> None:
        """Learn values, and bounds where they are not known."""
        row = self._explored(shown)
        if row is not None and np.isnan(values).all() and np.isnan(bounds).all():
            self._missed[shown.places[row]] += 1
        self._bank.update_bounded(
            boxes=shown.places,
            contexts=np.ones((len(values), 1)),
            values=values,
            bounds=bounds,
            costs=shown.costs,
        )
        self._rounds += 1

    def add_boxes(self, count: int) -> None:
        """Let boxes join that have seen nothing."""
        self._bank.add_boxes(count)
        self._missed = np.pad(self._missed, (0, count))

    def state(self) -> State:
        """Return everything as arrays."""
        own: State = {"rounds": np.array([self._rounds]), "missed": self._missed.copy()}
        return {**own, **joined({"bank": self._bank.state()})}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        missed, rounds = state.get("missed"), state.get("rounds")
        if missed is None or rounds is None or rounds.shape != (1,):
            raise InvalidInputError("The state", "be that of the same policy", sorted(state))
        self._bank.restore(parted(state, "bank"))
        self._missed = np.array(missed, dtype=np.int64)
        self._rounds = int(np.array(rounds, dtype=np.int64)[0])
