"""A portfolio, running under full information: the advised candidate plays, and all are scored.

Where the hedge does not follow its advice (:mod:`weitzman.learn.hedge`), the candidate is drawn by a hash of
(seed, t): a replay needs no generator's state.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.hedge import Gate
from weitzman.learn.panel import Members
from weitzman.learn.past import Past
from weitzman.learn.policy import Course, Floats, Ints, Round, State, joined, parted
from weitzman.learn.probing import mix

__all__ = ["PortfolioPlayer", "Scores"]


class Scores(NamedTuple):
    """What every candidate comes to in a round, NaN if it is not known, and how many boxes it opens."""

    totals: Floats
    counts: Ints


class PortfolioPlayer:
    """A portfolio, running.

    Attributes
    ----------
    names
        The names of the candidates.
    """

    def __init__(self, past: Past, members: list[Members], gate: Gate, seed: int) -> None:
        self.names = [name for group in members for name in group.names]
        self._past = past
        self._members = members
        self._gate = gate
        self._seed = seed

    @property
    def played(self) -> int:
        """The number of the candidate that the next round is played by."""
        if self._gate.is_trusted:
            return self._gate.leader
        with np.errstate(over="ignore"):
            drawn = mix(mix(np.uint64(self._seed)) + np.uint64(self._past.count))
        place = np.cumsum(self._gate.weights()).searchsorted(float(drawn) / 2.0**64, side="right")
        # Rounding may leave the last sum a little below 1
        return min(int(place), len(self.names) - 1)

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
        rule = self.played
        for group in self._members:
            if rule < len(group.names):
                return group.course(round, rule)
            rule -= len(group.names)
        raise AssertionError

    def score(self, round: Round, values: Floats) -> Scores:  # noqa: A002
        """Return what every candidate comes to in a round that is not learned yet."""
        each = [group.totals(round, values) for group in self._members]
        return Scores(np.concatenate([t for t, _ in each]), np.concatenate([c for _, c in each]))

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        """Learn the values of a round, and who was good at it."""
        self.learn_scored(round, values, self.score(round, values))

    def learn_scored(self, round: Round, values: Floats, scores: Scores) -> None:  # noqa: A002
        """Learn a round whose scores are known already."""
        if np.isfinite(scores.totals).all():
            self._gate.add(scores.totals)
        self._remember(round, values)

    def _remember(self, round: Round, values: Floats) -> None:  # noqa: A002
        for group in self._members:
            group.learn(round, values)
        self._past.add(round, values)

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""
        groups = {f"panel{k}": group.state() for k, group in enumerate(self._members)}
        return joined({"past": self._past.state(), "gate": self._gate.state(), **groups})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._past.restore(parted(state, "past"))
        self._gate.restore(parted(state, "gate"))
        for k, group in enumerate(self._members):
            group.restore(parted(state, f"panel{k}"))
