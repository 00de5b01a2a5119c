"""Policies: what decides, round after round.

A *policy* is a frozen description. ``start`` makes it run: a *player* gives a
:class:`~weitzman.search.rule.Rule` for every round and learns when the round is over. Searcher, lab,
replay and service know policies only; a learner with Weitzman's rule is the policy
:class:`weitzman.Weitzman`.

In a round without an outside option a rule opens at least one box.

A player may do more than the protocol asks for:

- ``play(record)`` plays recorded rounds at once, bit for bit as round by round;
- ``add_boxes(count)`` lets boxes join that have seen nothing;
- ``late(round, values)`` learns values that came after their round was learned;
- ``learn_bounded(round, values, bounds)`` learns a round in the place of ``learn`` under feedback
  ``"chosen"`` and ``"total"``, where what is NaN among the values is above its bound, unless that is NaN too
  (:mod:`weitzman.learn.revealed`);
- ``explain(names, round, sign)`` says how its reservation values are made;
- ``pile`` is the value that it takes for the least one where nobody says it, and how often it was seen.
"""

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays
from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.units import Units
from weitzman.search.kernels import play_round
from weitzman.search.numbers import LIMIT
from weitzman.search.rule import Rule, WeitzmanRule, follow
from weitzman.search.state import RoundState

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
State = Arrays


class Round(NamedTuple):
    """What is known of a round before anything is opened; smaller values are better.

    Attributes
    ----------
    contexts, costs
        One row of d numbers, and one number ≥ 0, for each of the m boxes that are there. A feature
        that is missing is NaN.
    outside
        A value that is there without opening anything; +∞ if there is none.
    places
        The numbers of the m boxes among all boxes, distinct.
    number
        How many rounds were opened before it.
    gaps
        Whether a feature is missing.
    least
        The best value that a box can hold, if that was said; −∞ if not. A prepared round has the one
        that was found where none was said.
    units, given
        Of a round that is prepared (:mod:`weitzman.learn.preparation`): what its values and costs are
        counted in, and the round as it was given; None for one that is not.
    """

    contexts: Floats
    costs: Floats
    outside: float
    places: Ints
    number: int = 0
    gaps: bool = False
    least: float = -math.inf
    units: Units | None = None
    given: "Round | None" = None

    @property
    def floor(self) -> Floats:
        """What no reservation value is below: E(σ − v)⁺ ≤ σ − least, and it is to be the cost."""
        return self.least + self.costs

    @property
    def filled(self) -> Floats:
        """The contexts, with 0 for features that are missing."""
        return np.nan_to_num(self.contexts, nan=0.0) if self.gaps else self.contexts


class Player(Protocol):
    """A policy that is running."""

    def rule(self, shown: Round) -> Rule:
        """Return what decides in a round; nothing changes."""

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn the values of the rows of a round, NaN for what was not revealed."""

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""


class Policy(Protocol):
    """The description of a policy."""

    def start(self, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> Player:
        """Return a player that has seen nothing.

        Parameters
        ----------
        boxes, dimension
            The number of boxes and the length of a context.
        feedback
            What a round reveals when it is over.
        seed
            The seed of what is drawn.
        """


def as_policy(policy: Any, subject: str = "The policy") -> "Policy":
    """Return what is a policy; a learner starts in another way, and is refused with a hint."""
    start = getattr(policy, "start", None)
    known = set() if start is None else set(inspect.signature(start).parameters)
    if isinstance(policy, type) or not known >= {"boxes", "dimension", "feedback", "seed"}:
        rule = "be a policy, such as 'default', Aware() or, over a learner, Weitzman(FTRL())"
        raise InvalidInputError(subject, rule, policy)
    return cast("Policy", policy)


def checked_round(shown: Round) -> Round:
    """Return a round that says whether a feature is missing; one that no model can take is refused."""
    missing = np.isnan(shown.contexts)
    if missing.all(axis=1).any():
        rule = "have a number in every row; a box that is absent is left out with boxes="
        raise InvalidInputError("The contexts", rule, shown.contexts)
    # A comparison with NaN is False: a feature may be missing
    if (np.abs(shown.contexts) > LIMIT).any():
        rule = f"be finite numbers, at most {LIMIT:g} in size, or NaN if a feature is missing"
        raise InvalidInputError("The contexts", rule, shown.contexts)
    if not ((shown.costs >= 0.0) & (shown.costs <= LIMIT)).all():
        rule = f"be finite numbers from 0 to {LIMIT:g}"
        raise InvalidInputError("The costs", rule, shown.costs)
    return shown._replace(gaps=bool(missing.any()))


def decided(player: Player, shown: Round) -> tuple[Round, Rule]:
    """Return a round and its rule; a player that refuses what is no number is asked again.

    Looking for missing features first would take an eighth of a round of a small learner.
    """
    try:
        return shown, bounded(player.rule(shown), shown)
    except InvalidInputError:
        if shown.gaps or not np.isnan(shown.contexts).any():
            raise
        shown = checked_round(shown)
        return shown, bounded(player.rule(shown), shown)


def bounded(rule: Rule, shown: Round) -> Rule:
    """Return a rule whose σ are within what is possible, if they stay as they are in the round.

    Where the least value is known, a look at a box can win best − least at most: below σ = least + cost
    no look is worth its cost, whatever a policy thinks, also in rounds in which it opens everything. A rule
    that looks again after every box is given the least value by its policy.

    Examples
    --------
    >>> known = Round(np.ones((2, 1)), np.array([1.0, 2.0]), 9.0, np.arange(2), least=0.0)
    >>> bounded(WeitzmanRule(np.array([-np.inf, 5.0])), known).state()
    {'sigma': array([1., 5.])}
    """
    if shown.least == -math.inf or not isinstance(rule, WeitzmanRule):
        return rule
    return WeitzmanRule(np.maximum(rule.sigma, shown.floor))


def only(rows: int | Floats | Ints | NDArray[np.bool_], count: int) -> Floats:
    """Return the σ that open these rows and no others.

    >>> only(1, 3)
    array([ inf, -inf,  inf])
    """
    sigma = np.full(count, np.inf)
    sigma[rows] = -np.inf
    return sigma


def cheapest(shown: Round) -> Floats:
    """Return the σ that open the cheapest row and no other: what to do while nothing is known."""
    return only(int(np.argmin(shown.costs)), len(shown.costs))


def walk(rule: Rule, shown: Round, values: Floats) -> RoundState:
    """Return what following a rule through a round whose values are known leads to.

    Weitzman's rule takes one compiled call, and so does one that says which rows it opens, ``course(values,
    outside)``; the state is that of :func:`~weitzman.search.rule.follow`.

    Examples
    --------
    >>> places, contexts = np.arange(2), np.ones((2, 1))
    >>> known = Round(contexts=contexts, costs=np.ones(2), outside=9.0, places=places)
    >>> done = walk(WeitzmanRule(np.array([3.0, 1.0])), known, np.array([2.0, 5.0]))
    >>> done.opened, done.best, done.paid
    ([1, 0], 2.0, 2.0)
    """
    state = RoundState(shown.costs.tolist(), shown.outside)
    if isinstance(rule, WeitzmanRule):
        order, sigma = rule.order, rule.sigma
    elif hasattr(rule, "course"):
        # All that it opens, and nothing else
        order = np.array(rule.course(values, shown.outside), dtype=np.int64)
        sigma = np.full(len(values), -math.inf)
    else:
        return follow(rule, state, values)
    best, paid, kept, count = play_round(order, sigma, shown.costs, values, shown.outside)
    state.opened = order[:count].tolist()
    # A list is read faster than an array
    known = values.tolist()
    state.values = {row: known[row] for row in state.opened if known[row] == known[row]}
    state.best, state.paid, state.kept = best, paid, None if kept < 0 else int(kept)
    return state


def course(rule: Rule, costs: Sequence[float], values: Floats, outside: float) -> Sequence[int]:
    """Return the rows that a rule opens in a round whose values are known; one that is NaN does not come."""
    known: Any = rule
    if hasattr(known, "course"):
        rows: Sequence[int] = known.course(values, outside)
        return rows
    return follow(rule, RoundState(costs, outside), values).opened


def joined(states: Mapping[str, State]) -> State:
    """Return several states as one, under ``name.key``."""
    return {f"{name}.{key}": a for name, state in states.items() for key, a in state.items()}


def parted(state: Mapping[str, NDArray[np.generic]], name: str) -> State:
    """Return one of the states that :func:`joined` made one."""
    begin = f"{name}."
    return {key.removeprefix(begin): a for key, a in state.items() if key.startswith(begin)}
