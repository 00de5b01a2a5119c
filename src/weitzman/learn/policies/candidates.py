"""Candidates: the members of several families over one history."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.models.history import History
from weitzman.learn.policies.family import Members
from weitzman.learn.policy import Floats, Ints, Round, State, parted
from weitzman.search.rule import Rule

__all__ = ["Candidates", "Scores"]


class Scores(NamedTuple):
    """The total of every candidate in a round, NaN if it is not known, and its number of looks."""

    totals: Floats
    counts: Ints


class Candidates:
    """The members of families, running.

    Parameters
    ----------
    history
        What they share.
    members
        The members, family by family.

    Attributes
    ----------
    names
        The names of the candidates.
    """

    def __init__(self, history: History, members: Sequence[Members]) -> None:
        self.names = [name for group in members for name in group.names]
        self.history = history
        self._members = members

    def rule(self, shown: Round, candidate: int) -> Rule:
        """Return what decides in a round for one candidate; nothing changes."""
        for group in self._members:
            if candidate < len(group.names):
                return group.rule(shown, candidate)
            candidate -= len(group.names)
        raise AssertionError

    def score(self, shown: Round, values: Floats) -> Scores:
        """Return the total of every candidate in a round that is not learned yet."""
        each = [group.totals(shown, values) for group in self._members]
        return Scores(np.concatenate([t for t, _ in each]), np.concatenate([c for _, c in each]))

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn a round, and close it."""
        for group in self._members:
            group.learn(shown, values)
        self.history.add(shown, values)

    def states(self) -> dict[str, State]:
        """Return copies of everything that later answers depend on, by name."""
        groups = {f"panel{k}": group.state() for k, group in enumerate(self._members)}
        return {"past": self.history.state(), **groups}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`states` returned, joined."""
        self.history.restore(parted(state, "past"))
        for k, group in enumerate(self._members):
            group.restore(parted(state, f"panel{k}"))
