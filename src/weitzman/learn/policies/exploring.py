"""Exploring: another policy, with draws that open more, and the chance of every box.

Before round t it is drawn, with the chance φ, whether more boxes are opened when the policy's own search is
over: all others, or those that another policy would have needed, in its order (*prefix exploration*). The
draw is a hash of (seed, t): it depends on nothing that the round holds, and a replay needs no generator's
state. What is opened so is paid for, may be kept, and is learned.

With A the boxes that the policy opens by itself on these values, and B those that a draw would open, the
chance of a box, given what all boxes hold, is

    1 if it is in A,      φ if it is in B and not in A,      0 for all others.

In a drawn round both sets are known in the end. In any other, B is all other boxes; or, of another policy's
needs, the first box that it would ask for is known, and nothing of those behind it. So a log of such rounds
tells what other rules would have cost (``docs/explanation/judging.md``), if searches are played to the end.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.policies.portfolio.both import sigma_now
from weitzman.learn.policy import (
    Floats,
    Player,
    Policy,
    Round,
    State,
    as_policy,
    bounded,
    joined,
    parted,
)
from weitzman.learn.probing import mix_one
from weitzman.search.numbers import finite_number
from weitzman.search.rule import ACTIONS, STOP, Action, Open, Rule, WeitzmanRule, advance
from weitzman.search.state import RoundState


@dataclass(frozen=True)
class Exploring:
    """A policy that opens more boxes in a share of the rounds, drawn beforehand.

    Parameters
    ----------
    policy
        What decides.
    share
        φ, the chance of a draw, above 0 and below 1.
    needs
        The policy whose boxes a draw opens, with those that it has to learn from; None opens all.

    Examples
    --------
    >>> from weitzman import Simple
    >>> Exploring(Simple("single"), share=0.05).name
    'single exploring'
    """

    policy: Policy
    share: float
    needs: Policy | None = None

    def __post_init__(self) -> None:
        rule = "be a number above 0 and below 1"
        if not 0.0 < finite_number(self.share, "The share of rounds to explore", rule) < 1.0:
            raise InvalidInputError("The share of rounds to explore", rule, self.share)
        as_policy(self.policy)
        if self.needs is not None:
            as_policy(self.needs)

    @property
    def name(self) -> str:
        """The name of the policy that decides, and that it explores."""
        given: Any = self.policy
        return f"{getattr(given, 'name', type(given).__name__)} exploring"

    def start(
        self, *, boxes: int, dimension: int, feedback: Feedback = "full", seed: int = 0
    ) -> Player:
        """Return a player that has seen nothing."""
        both = [
            None
            if policy is None
            else policy.start(boxes=boxes, dimension=dimension, feedback=feedback, seed=seed)
            for policy in (self.policy, self.needs)
        ]
        return ExploringPlayer(both[0], both[1], float(self.share), seed)

    def turned(self) -> "Exploring":
        """Return the policy for a problem whose signs are turned."""
        given: list[Any] = [self.policy, self.needs]
        turned = [one.turned() if hasattr(one, "turned") else one for one in given]
        return replace(self, policy=turned[0], needs=turned[1])


def is_explored(share: float, *, seed: int, number: int) -> bool:
    """Return whether a draw opens more boxes in the round of this number."""
    return mix_one(_root(seed) + number) / 2.0**64 < share


@cache
def _root(seed: int) -> int:
    """Return where the draws of a seed come from: not where those of trials do."""
    return mix_one(mix_one(mix_one(seed + 1)))


class ExploringPlayer:
    """A policy that explores, running."""

    def __init__(self, inner: Any, needs: Any, share: float, seed: int) -> None:
        self._inner = inner
        self._needs = needs
        self._share = share
        self._seed = seed
        # What only this player decides, or what does not concern those boxes that draws open
        for name in ("explain", "favourite", "late"):
            if hasattr(inner, name) and (name != "late" or needs is None or hasattr(needs, name)):
                setattr(self, name, self._late if name == "late" else getattr(inner, name))
        if hasattr(inner, "add_boxes") and (needs is None or hasattr(needs, "add_boxes")):
            self.add_boxes = self._add_boxes
        if not hasattr(inner, "favourite"):
            self.favourite = inner.rule

    @property
    def pile(self) -> tuple[float, int] | None:
        """What the policy takes for the least value where nobody says it, and how often it was seen."""
        found: tuple[float, int] | None = getattr(self._inner, "pile", None)
        return found

    def rule(self, shown: Round) -> "ExploringRule":
        """Return what decides in a round."""
        first = bounded(self._inner.rule(shown), shown)
        second = None if self._needs is None else bounded(self._needs.rule(shown), shown)
        drawn = is_explored(self._share, seed=self._seed, number=shown.number)
        return ExploringRule(first, second, chance=self._share, drawn=drawn)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn the values of a round."""
        for player in self._players():
            player.learn(shown, values)

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""
        names = ("inner", "needs")
        return joined({n: p.state() for n, p in zip(names, self._players(), strict=False)})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        for name, player in zip(("inner", "needs"), self._players(), strict=False):
            player.restore(parted(state, name))

    def _players(self) -> list[Any]:
        return [self._inner] if self._needs is None else [self._inner, self._needs]

    def _late(self, shown: Round, values: Floats) -> None:
        for player in self._players():
            player.late(shown, values)

    def _add_boxes(self, count: int) -> None:
        for player in self._players():
            player.add_boxes(count)


class ExploringRule:
    """What a rule opens, and in a drawn round what another one needs, or all.

    Parameters
    ----------
    first
        The rule; it takes no box unopened.
    needs
        The rule whose boxes a draw opens; None for all boxes.
    chance, drawn
        The chance of a draw, and whether this round was drawn.

    Examples
    --------
    >>> from weitzman.search.rule import WeitzmanRule, follow
    >>> state = RoundState([1.0, 1.0, 1.0], 9.0)
    >>> rule = ExploringRule(WeitzmanRule(np.array([1.0, 2.0, 3.0])), None, chance=0.1, drawn=True)
    >>> follow(rule, state, [0.5, 4.0, 3.0]).opened
    [0, 1, 2]
    >>> rule.chances(state)
    array([1. , 0.1, 0.1])
    """

    # Every open round of a service has one: without a dictionary of its own
    __slots__ = ("chance", "drawn", "first", "needs")

    def __init__(self, first: Rule, needs: Rule | None, *, chance: float, drawn: bool) -> None:
        self.first = first
        self.needs = needs
        self.chance = chance
        self.drawn = drawn

    def next(self, state: RoundState) -> Action:
        """Return what the rule opens next; when it stops, what a draw opens."""
        if not self.drawn:
            return self.first.next(state)
        more = _followed(self.first, state)[1]
        if more is None:
            more = self._left(state) if self.needs is None else _followed(self.needs, state)[1]
        return STOP if more is None else ACTIONS[more]

    def chances(self, state: RoundState) -> Floats:
        """Return with what chance each row was opened, given what all of them hold; NaN if not known."""
        return np.array(self._found(state)[0])

    def logged(self, state: RoundState) -> list[float | None]:
        """Return :meth:`chances` for a log, None if not known.

        Where the caller went another way than the rule and the draw, a draw may only have opened what is
        open, and of closed boxes nothing is known.
        """
        found, is_right = self._found(state)
        if is_right:
            return [None if chance != chance else chance for chance in found]  # noqa: PLR0124  NaN
        known: list[float | None] = [None] * len(found)
        for row in state.opened:
            chance = found[row] if self.drawn else 1.0
            known[row] = None if chance != chance else chance  # noqa: PLR0124  NaN
        return known

    def _found(self, state: RoundState) -> tuple[list[float], bool]:
        """Return the chances, and whether what is open is what is opened to the end."""
        count = len(state.costs)
        alone, more = _followed(self.first, state)
        found = [self.chance] * count
        if self.needs is None:
            is_right = more is None and len(state.opened) == (count if self.drawn else len(alone))
        else:
            wanted, asked = _followed(self.needs, state)
            found = [0.0 if asked is None else math.nan] * count
            for row in (*wanted, *(() if asked is None else (asked,))):
                found[row] = self.chance
            opened = {*alone, *wanted} if self.drawn else alone
            is_right = more is None and len(state.opened) == len(opened)
            is_right = is_right and (asked is None or not self.drawn)
        for row in alone:
            found[row] = 1.0
        return found, is_right

    def reservation_values(self, opened: Sequence[int], found: Sequence[float]) -> Floats:
        """Return the reservation values that the rule goes by, if it has any."""
        return sigma_now(self.first, opened, found)

    def state(self) -> State:
        """Return the states of both, and the draw."""
        own: State = {"draw": np.array([self.chance, float(self.drawn)])}
        parts = {"first": self.first.state(), "exploring": own}
        return joined(parts if self.needs is None else {**parts, "needs": self.needs.state()})

    def _left(self, state: RoundState) -> int | None:
        """Return the first row that is closed; None if all are open."""
        return next((row for row in range(len(state.costs)) if row not in state.opened), None)


def _followed(rule: Rule, state: RoundState) -> tuple[list[int], int | None]:
    """Return what a rule opens by itself as far as it is open, and the closed row that it then asks for."""
    if isinstance(rule, WeitzmanRule):
        return rule.followed(state)
    own = RoundState(state.costs, state.outside)
    while isinstance(action := advance(rule, own), Open):
        if action.box not in state.opened:
            return own.opened[:-1], action.box
        if action.box in state.values:
            own.see(action.box, state.values[action.box])
        else:
            own.miss()
    return own.opened, None
