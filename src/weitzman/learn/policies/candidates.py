"""Candidates: the rules of several panels over one past."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.models.history import Past
from weitzman.learn.policies.panel import Members
from weitzman.learn.policy import Course, Floats, Ints, Round, State, parted

__all__ = ["Candidates", "Scores"]


class Scores(NamedTuple):
    """What every candidate comes to in a round, NaN if it is not known, and how many boxes it opens."""

    totals: Floats
    counts: Ints


class Candidates:
    """The rules of panels, running.

    Parameters
    ----------
    past
        What they share.
    members
        The rules, panel by panel.

    Attributes
    ----------
    names
        The names of the rules.
    """

    def __init__(self, past: Past, members: Sequence[Members]) -> None:
        self.names = [name for group in members for name in group.names]
        self.past = past
        self._members = members

    def course(self, round: Round, rule: int) -> Course:  # noqa: A002
        """Return what one rule does in a round; nothing changes."""
        for group in self._members:
            if rule < len(group.names):
                return group.course(round, rule)
            rule -= len(group.names)
        raise AssertionError

    def score(self, round: Round, values: Floats) -> Scores:  # noqa: A002
        """Return what every rule comes to in a round that is not learned yet."""
        each = [group.totals(round, values) for group in self._members]
        return Scores(np.concatenate([t for t, _ in each]), np.concatenate([c for _, c in each]))

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        """Learn a round, and close it."""
        for group in self._members:
            group.learn(round, values)
        self.past.add(round, values)

    def states(self) -> dict[str, State]:
        """Return copies of everything that later answers depend on, by name."""
        groups = {f"panel{k}": group.state() for k, group in enumerate(self._members)}
        return {"past": self.past.state(), **groups}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`states` returned, joined."""
        self.past.restore(parted(state, "past"))
        for k, group in enumerate(self._members):
            group.restore(parted(state, f"panel{k}"))
