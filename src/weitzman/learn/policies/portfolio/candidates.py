"""Candidates: the members of several families over one history."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.models.history import History
from weitzman.learn.policies.family import Members
from weitzman.learn.policies.portfolio.completion import Completion
from weitzman.learn.policies.unit_rule import in_units
from weitzman.learn.policy import Floats, Ints, Round, State, bounded, parted
from weitzman.learn.preparation import Preparation
from weitzman.search.rule import Rule


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
    preparation
        What prepares rounds for all of them; None if they are taken as they are given.

    Attributes
    ----------
    names
        The names of the candidates.
    """

    def __init__(
        self,
        history: History,
        members: Sequence[Members],
        preparation: Preparation | None = None,
    ) -> None:
        self.names = [name for group in members for name in group.names]
        self.history = history
        self._members = members
        self._preparation = preparation
        self._forget()

    def _forget(self) -> None:
        # A round, and what decides in it for candidates that were asked
        self._decided: tuple[Round | None, dict[int, Rule]] = (None, {})

    @property
    def pile(self) -> tuple[float, int] | None:
        """What is taken for the least value where nobody says it, and how often it was seen."""
        return None if self._preparation is None else self._preparation.pile

    def ready(self, shown: Round) -> Round:
        """Return a round as the members see it."""
        return shown if self._preparation is None else self._preparation.ready(shown)

    def rule(self, shown: Round, candidate: int) -> Rule:
        """Return what decides in a round for one candidate; nothing changes."""
        if self._decided[0] is not shown:
            self._decided = (shown, {})
        rules = self._decided[1]
        if candidate not in rules:
            rules[candidate] = self._rule(shown, candidate)
        return rules[candidate]

    def _rule(self, shown: Round, candidate: int) -> Rule:
        ready = self.ready(shown)
        for group in self._members:
            if candidate < len(group.names):
                seen = _seen_by(group, shown, ready)
                return bounded(in_units(group.rule(seen, candidate), seen), shown)
            candidate -= len(group.names)
        raise AssertionError

    def score(self, shown: Round, values: Floats) -> Scores:
        """Return the total of every candidate in a round that is not learned yet."""
        ready = self.ready(shown)
        each = [group.totals(_seen_by(group, shown, ready), values) for group in self._members]
        return Scores(np.concatenate([t for t, _ in each]), np.concatenate([c for _, c in each]))

    def estimate(self, shown: Round, values: Floats, seed: int) -> Floats | None:
        """Return the totals of the candidates in a round, as far as it is known and estimated beyond.

        A candidate that opens no other boxes than those whose values are known has a known total. For the
        others the round is completed twice (:mod:`weitzman.learn.policies.portfolio.completion`), and the
        worse of both totals counts. None if nothing was ever seen.
        """
        if not np.isnan(values).any():
            return self.score(shown, values).totals
        ready = self.ready(shown)
        seen = values if ready.units is None else ready.units.values(values)
        both = self.history.model(Completion).both(ready, seen, seed)
        if both is None:
            return None
        worse: Floats = np.maximum(
            *(self.score(shown, _as_given(completed, ready, values)).totals for completed in both)
        )
        return worse

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn a round, and close it."""
        self._forget()
        ready, found = shown, values
        if self._preparation is not None:
            ready, found = self._preparation.take(shown, values)
            if ready.units is None:
                return
        for group in self._members:
            own = _seen_by(group, shown, ready)
            group.learn(own, values if own is shown else found)
        self.history.add(ready, found)

    def states(self) -> dict[str, State]:
        """Return copies of everything that later answers depend on, by name."""
        groups = {f"panel{k}": group.state() for k, group in enumerate(self._members)}
        states = {"past": self.history.state(), **groups}
        if self._preparation is not None:
            states["preparation"] = self._preparation.state()
        return states

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`states` returned, joined."""
        self._forget()
        if self._preparation is not None:
            self._preparation.restore(parted(state, "preparation"))
        self.history.restore(parted(state, "past"))
        for k, group in enumerate(self._members):
            group.restore(parted(state, f"panel{k}"))


def _seen_by(group: Members, shown: Round, ready: Round) -> Round:
    """Return a round as one group of members sees it."""
    return shown if getattr(group, "takes_given", False) else ready


def _as_given(completed: Floats, ready: Round, values: Floats) -> Floats:
    """Return completed values in the units of the user; those that were revealed stay as they are."""
    if ready.units is None:
        return completed
    return np.where(np.isnan(values), ready.units.origin + ready.units.scale * completed, values)
