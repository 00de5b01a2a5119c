"""A portfolio under feedback ``opened`` as it was before rounds were prepared; journals go on with it.

Candidates learn from what was revealed. How they are judged:

- A candidate that would have opened no other boxes than those that were opened has a known total. The others
  are estimated: the round is completed twice (:mod:`weitzman.learn.policies.portfolio.completion`), and the
  worse of both totals counts.
- The rounds that are explored (:mod:`weitzman.learn.policies.portfolio.exploration`) correct these estimates.
- The incumbent explores by itself, for all: it lowers the reservation values of boxes that are little known
  (:mod:`weitzman.learn.learners.parts.optimism`). What that costs is an investment from which every
  candidate learns, and no reason to leave it. So it is judged as it would play without optimism.

The advised candidate of :mod:`weitzman.learn.policies.portfolio.hedge` is played: the incumbent until the
leader beats it clearly, with few rounds counting as few, since a leader that never looks would find out
nothing more. Scores are estimates that depend on what was played, so the hedge's guarantee does not hold
here, and nothing is drawn. While the incumbent is played nothing is explored.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.policies.portfolio.candidates import Candidates
from weitzman.learn.policies.portfolio.exploration import chance, corrected, is_drawn
from weitzman.learn.policies.portfolio.hedge import Gate
from weitzman.learn.policies.portfolio.player import PortfolioPlayer
from weitzman.learn.policy import Floats, Round, State, joined, parted, walk
from weitzman.search.rule import Rule, WeitzmanRule


class EarlierOpenedPlayer(PortfolioPlayer):
    """A portfolio that learns from what it opened, on rounds that are not prepared.

    That of prepared rounds is in :mod:`weitzman.learn.policies.portfolio.opened`.

    Parameters
    ----------
    candidates, gate, seed
        As for a portfolio under full information.
    share
        The share of what looks cost that goes into exploration.
    """

    def __init__(self, candidates: Candidates, gate: Gate, seed: int, share: float) -> None:
        super().__init__(candidates, gate, seed)
        self._share = share
        # What looks cost in rounds that were not explored, and how many rounds had any
        self._paid = np.zeros(2)

    @property
    def played(self) -> int:
        """The number of the candidate that the next round is played by, if it is not explored."""
        return self._gate.leader

    def weights(self) -> Floats:
        """Return 1 for the candidate that the next round is played by, 0 for the others."""
        weights = np.zeros(len(self.names))
        weights[self.played] = 1.0
        return weights

    def explores(self, shown: Round) -> bool:
        """Return whether everything is opened in a round, to learn."""
        return is_drawn(self.chance(shown), seed=self._seed, number=self._history.count)

    def chance(self, shown: Round) -> float:
        """Return the chance with which a round is explored."""
        if not self._gate.is_open or not self._paid[1]:
            return 0.0
        return chance(self._share, float(self._paid[0] / self._paid[1]), shown.costs)

    def rule(self, shown: Round) -> Rule:
        """Return what decides in a round."""
        if self.explores(shown):
            return WeitzmanRule(np.full(len(shown.costs), -np.inf))
        return self.favourite(shown)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn the values of a round, NaN for what was not revealed, and who was good at it."""
        known = ~np.isnan(values)
        if known.all() and self.explores(shown):
            scores = self._corrected(shown, values)
        else:
            scores = self._candidates.estimate(shown, values, self._seed)
            self._paid += shown.costs[known].sum(), float(known.any())
        self._judge(scores)
        self._candidates.learn(shown, values)

    def _corrected(self, shown: Round, values: Floats) -> Floats | None:
        """Return the scores of an explored round, whose values are all known."""
        would = list(walk(self.favourite(shown), shown, values).opened)
        revealed = np.full(len(values), np.nan)
        revealed[would] = values[would]
        estimates = self._candidates.estimate(shown, revealed, self._seed)
        totals = self.score(shown, values).totals
        if estimates is None:
            return totals
        number = self._history.count + 1
        return corrected(estimates, totals, chance=self.chance(shown), number=number)

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""
        return super().state() | joined({"exploration": {"paid": self._paid.copy()}})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(state)
        self._paid = np.array(parted(state, "exploration")["paid"], dtype=np.float64)
