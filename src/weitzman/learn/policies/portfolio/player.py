"""A portfolio, running under full information: the advised candidate plays, and all are scored.

Where the hedge does not follow its advice (:mod:`weitzman.learn.policies.portfolio.hedge`), the candidate is
drawn by a hash of (seed, t): a replay needs no generator's state. The scores of a round depend on the rounds
before it, not on who played them: many rounds may be scored first and hedged over afterwards, by
:func:`pick`.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.policies.portfolio.candidates import Candidates, Scores
from weitzman.learn.policies.portfolio.hedge import Gate
from weitzman.learn.policy import Floats, Round, State, joined, parted
from weitzman.learn.probing import mix_one
from weitzman.search.rule import Rule


def pick(gate: Gate, *, seed: int, number: int) -> int:
    """Return the candidate that plays the round of this number, which counts from 0."""
    if gate.is_trusted:
        return gate.leader
    weights = gate.weights()
    drawn = mix_one(mix_one(seed) + number) / 2.0**64
    # Rounding may leave the last sum a little below 1
    return min(int(np.cumsum(weights).searchsorted(drawn, side="right")), len(weights) - 1)


class PortfolioPlayer:
    """A portfolio, running.

    Attributes
    ----------
    names
        The names of the candidates.
    """

    def __init__(self, candidates: Candidates, gate: Gate, seed: int) -> None:
        self.names = candidates.names
        self._candidates = candidates
        self._history = candidates.history
        self._gate = gate
        self._seed = seed

    @property
    def played(self) -> int:
        """The number of the candidate that the next round is played by."""
        return pick(self._gate, seed=self._seed, number=self._history.count)

    @property
    def pile(self) -> tuple[float, int] | None:
        """What is taken for the least value where nobody says it, and how often it was seen."""
        return self._candidates.pile

    def weights(self) -> Floats:
        """Return the chances of the candidates in the next round."""
        return self._gate.weights()

    def explores(self, shown: Round) -> bool:
        """Return whether a round is a trial: never under full information."""
        return False

    def rule(self, shown: Round) -> Rule:
        """Return what decides in a round."""
        return self.favourite(shown)

    def favourite(self, shown: Round) -> Rule:
        """Return what decides in a round for the candidate that is played."""
        return self._candidates.rule(shown, self.played)

    def score(self, shown: Round, values: Floats) -> Scores:
        """Return the total of every candidate in a round that is not learned yet."""
        return self._candidates.score(shown, values)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn the values of a round, and who was good at it."""
        self._judge(self.score(shown, values).totals)
        self._candidates.learn(shown, values)

    def _judge(self, totals: Floats | None) -> None:
        """Take in the totals of the candidates, if all are known."""
        if totals is not None and np.isfinite(totals).all():
            self._gate.add(totals)

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""
        return joined({**self._candidates.states(), "gate": self._gate.state()})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._gate.restore(parted(state, "gate"))
        self._candidates.restore(state)
