"""Families: policies that share what they have learned, and are scored together.

Many policies need the same: the ridge means of a round serve "one shot", "mean" and "mean + cost"; one
law of the round serves every way of playing it. A *family* describes such policies. ``start`` makes
*members* of it, over a :class:`~weitzman.learn.models.history.History` that several families may share
and that is not theirs to write. A policy that is played alone is a family of one over a history of its
own; any other player joins a portfolio through :class:`PlayerMembers`.

Under full information every member can be scored on every round, also those that were not played:
``totals`` says what each would have made. It follows the same decisions as the rules do, but for
exploration: a player with a ``plain_rule`` is judged by that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weitzman.compiled.decorators import checked
from weitzman.feedback import Feedback
from weitzman.learn.models.history import History
from weitzman.learn.policies.prepared import PreparedPlayer
from weitzman.learn.policies.unit_rule import in_units
from weitzman.learn.policy import Floats, Ints, Player, Round, State, cheapest, joined, parted, walk
from weitzman.learn.preparation import WIDE, Prepare, with_constant
from weitzman.search.kernels import play_round
from weitzman.search.rule import Rule, WeitzmanRule


class Members(Protocol):
    """The policies of a family, running."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the members."""

    def rule(self, shown: Round, member: int) -> Rule:
        """Return what decides in a round for one member; nothing changes."""

    def totals(self, shown: Round, values: Floats) -> tuple[Floats, Ints]:
        """Return the total of every member in a round, and how many boxes it opens.

        A total is NaN if a value that the member would have seen is.
        """

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn a round, before it is added to the history."""

    def state(self) -> State:
        """Return a copy of everything beside the history that later answers depend on."""

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned; the history is restored before."""


class Family(Protocol):
    """The description of policies that share what they have learned."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the members."""

    def start(self, history: History, *, seed: int) -> Members:
        """Return the members, over a history without rounds."""


@checked
def _index_totals(
    orders: Ints,
    sigma: Floats,
    costs: Floats,
    outside: float,
    values: Floats,
    totals: Floats,
    counts: Ints,
) -> None:
    for rule in range(sigma.shape[0]):
        best, paid, _, count = play_round(orders[rule], sigma[rule], costs, values, outside)
        totals[rule], counts[rule] = best + paid, count
        for k in range(count):
            if np.isnan(values[orders[rule, k]]):
                totals[rule] = np.nan


class Indices:
    """Weitzman's rule at several σ in one round, one row each.

    A round may be prepared; values and totals are in the units of the user.

    Examples
    --------
    >>> known = Round(contexts=np.ones((2, 1)), costs=np.ones(2), outside=9.0, places=np.arange(2))
    >>> Indices(np.array([[3.0, 1.0], [np.inf, np.inf]]), known).totals(np.array([2.0, 5.0]))
    (array([4., 9.]), array([2, 0]))
    """

    def __init__(self, sigma: Floats, shown: Round) -> None:
        if shown.units is not None and shown.given is not None:
            sigma = shown.units.thresholds(sigma.ravel()).reshape(sigma.shape)
            shown = shown.given
        if shown.least > -np.inf:
            # As in bounded, which is given the rule that is played
            sigma = np.maximum(sigma, shown.floor)
        self._sigma = sigma
        self._orders = sigma.argsort(axis=1, kind="stable")
        self._given = shown

    def totals(self, values: Floats) -> tuple[Floats, Ints]:
        """Return the total of each, and how many boxes it opens."""
        count, given = len(self._sigma), self._given
        totals, counts = np.empty(count), np.empty(count, dtype=np.int64)
        _index_totals(self._orders, self._sigma, given.costs, given.outside, values, totals, counts)
        return totals, counts


class PlayerMembers:
    """A player of any kind, as a family of one.

    Parameters
    ----------
    name
        Its name.
    player
        What decides and learns.
    prepare
        What the player is given: the prepared round, with a constant before its contexts; a round with
        prepared contexts; or the round as it is.
    history
        Which has prepared the contexts, if they alone are.
    """

    def __init__(self, name: str, player: Player, prepare: Prepare, history: History) -> None:
        self.names = (name,)
        self._player: Any = player
        self._prepare = prepare
        self._history = history
        self._judged: Callable[[Round], Rule] = getattr(player, "plain_rule", player.rule)
        # A round, how many were closed before it, and the round as the player is given it
        self._last: tuple[Round, int, Round] | None = None

    @property
    def takes_given(self) -> bool:
        """Whether the player is given rounds as they are, where others are given prepared ones."""
        return self._prepare == "nothing"

    def rule(self, shown: Round, member: int) -> Rule:
        """Return what decides in a round."""
        if self._is_cold(shown):
            return WeitzmanRule(cheapest(shown))
        rule: Rule = self._player.rule(self._ready(shown))
        return rule

    def totals(self, shown: Round, values: Floats) -> tuple[Floats, Ints]:
        """Return the total of the player in a round without exploration, and its looks."""
        cold = self._is_cold(shown)
        rule = WeitzmanRule(cheapest(shown)) if cold else self._judged(self._ready(shown))
        if isinstance(rule, WeitzmanRule):
            return Indices(rule.sigma[np.newaxis], shown).totals(values)
        given = shown if shown.given is None else shown.given
        done = walk(in_units(rule, shown), given, values)
        known = not np.isnan(done.found).any()
        return np.array([done.total if known else np.nan]), np.array([len(done.opened)])

    def learn(self, shown: Round, values: Floats) -> None:
        """Let the player learn."""
        if not self._is_cold(shown):
            self._player.learn(self._ready(shown), values)

    def state(self) -> State:
        """Return the player's state."""
        state: State = self._player.state()
        return state

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._player.restore(dict(state))

    def _is_cold(self, shown: Round) -> bool:
        return self._prepare == "all" and shown.units is None

    def _ready(self, shown: Round) -> Round:
        if self._prepare == "nothing":
            return shown
        count = self._history.count
        if self._last is None or self._last[0] is not shown or self._last[1] != count:
            constant = WIDE if self._prepare == "all" else 1.0
            rows = with_constant(self._history.prepared(shown), constant)
            self._last = (shown, count, shown._replace(contexts=rows, gaps=False))
        return self._last[2]


@dataclass(frozen=True)
class LearnerFamily:
    """A policy over a learner, as a family of one."""

    policy: Any

    @property
    def names(self) -> Sequence[str]:
        """The name of the policy."""
        return (self.policy.name,)

    def start(self, history: History, *, seed: int) -> PlayerMembers:
        """Return the player, over a history without rounds."""
        prepare: Prepare = self.policy.prepares
        player = self.policy.player(
            boxes=history.boxes,
            dimension=history.dimension + int(prepare != "nothing"),
            feedback=history.feedback,
            seed=seed,
        )
        return PlayerMembers(self.policy.name, player, prepare, history)


def alone(policy: Any, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> Player:
    """Return the player of a policy whose family is one, over a history of its own."""
    history = History(
        boxes=boxes,
        dimension=dimension,
        shared=policy.shared,
        prepare=policy.prepare,
        feedback=feedback,
    )
    members = policy.family().start(history, seed=seed)
    if policy.prepare == "all":
        return PreparedPlayer(Alone(history, members), dimension, "all", feedback)
    return Alone(history, members)


class Alone:
    """The one member of a family, as a player."""

    def __init__(self, history: History, members: Members) -> None:
        self._history = history
        self._members = members

    def rule(self, shown: Round) -> Rule:
        """Return what decides in a round."""
        return self._members.rule(shown, 0)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn the values of a round."""
        self._members.learn(shown, values)
        self._history.add(shown, values)

    def state(self) -> State:
        """Return the history and what the member has learned beside it."""
        return joined({"past": self._history.state(), "members": self._members.state()})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._history.restore(parted(state, "past"))
        self._members.restore(parted(state, "members"))
