"""A portfolio, running under full information: the advised candidate plays, and all are scored.

Where the hedge does not follow its advice (:mod:`weitzman.learn.policies.hedge`), the candidate is drawn by
a hash of (seed, t): a replay needs no generator's state. The scores of a round depend on the rounds before
it, not on who played them: many rounds may be scored first and hedged over afterwards, by :func:`pick`.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.policies.candidates import Candidates, Scores
from weitzman.learn.policies.hedge import Gate
from weitzman.learn.policy import Course, Floats, Round, State, joined, parted
from weitzman.learn.probing import mix_one

__all__ = ["PortfolioPlayer", "pick"]


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
        self._past = candidates.past
        self._gate = gate
        self._seed = seed

    @property
    def played(self) -> int:
        """The number of the candidate that the next round is played by."""
        return pick(self._gate, seed=self._seed, number=self._past.count)

    def weights(self) -> Floats:
        """Return the chances of the candidates in the next round."""
        return self._gate.weights()

    def explores(self, round: Round) -> bool:  # noqa: A002
        """Return whether everything is opened in a round, to learn: never under full information."""
        return False

    def propose(self, round: Round) -> Course:  # noqa: A002
        """Return what to do in a round."""
        return self.favourite(round)

    def favourite(self, round: Round) -> Course:  # noqa: A002
        """Return what the candidate that is played does in a round."""
        return self._candidates.course(round, self.played)

    def score(self, round: Round, values: Floats) -> Scores:  # noqa: A002
        """Return what every candidate comes to in a round that is not learned yet."""
        return self._candidates.score(round, values)

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        """Learn the values of a round, and who was good at it."""
        self._judge(self.score(round, values).totals)
        self._candidates.learn(round, values)

    def _judge(self, totals: Floats | None) -> None:
        """Take in what candidates come to, if all is known."""
        if totals is not None and np.isfinite(totals).all():
            self._gate.add(totals)

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""
        return joined({**self._candidates.states(), "gate": self._gate.state()})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._gate.restore(parted(state, "gate"))
        self._candidates.restore(state)
