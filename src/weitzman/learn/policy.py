"""Policies: which closed box is next, or stop.

A *policy* is a frozen description. ``start`` makes it run: a *player* proposes a *course* for every
round and learns when the round closes. A course answers, after every look, which row is next.

An index course is Weitzman's rule (:mod:`weitzman.search.rule`) at reservation values σ that stay
as they are. Its σ may be infinite: a box at −∞ is opened whatever is in hand, one at +∞ never. So

    keep the outside option     σ = +∞ everywhere
    open everything             σ = −∞ everywhere
    open box j and no other     σ_j = −∞, +∞ elsewhere

are index courses too. In a round without an outside option a course opens at least one box.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from weitzman.search.kernels import play_round
from weitzman.search.rule import STOP, next_box, opening_order

__all__ = [
    "Course",
    "IndexCourse",
    "Player",
    "Policy",
    "Round",
    "State",
    "Walk",
    "joined",
    "only",
    "parted",
    "walk",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
State = dict[str, NDArray[np.generic]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Round:
    """What is known of a round before anything is opened; smaller values are better.

    Attributes
    ----------
    contexts, costs
        One row of d numbers, and one number ≥ 0, for each of the m boxes that are there.
    outside
        A value to be had without opening anything; +∞ if there is none.
    places
        The numbers of the m boxes among all boxes, distinct.
    """

    contexts: Floats
    costs: Floats
    outside: float
    places: Ints


class Course(Protocol):
    """What a player does in one round."""

    def next(self, opened: Sequence[int], found: Sequence[float], best: float) -> int:
        """Return the row to open next, or :data:`~weitzman.search.rule.STOP`.

        Parameters
        ----------
        opened, found
            The rows opened so far, in their order, and their values; NaN if a value did not come.
        best
            The smallest value in hand, the outside option included; +∞ if there is none.
        """

    def state(self) -> State:
        """Return everything that the answers depend on; see :mod:`weitzman.learn.policies.courses`."""


class Player(Protocol):
    """A policy that is running."""

    def propose(self, round: Round) -> Course:  # noqa: A002
        """Return what to do in a round; nothing changes."""

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        """Learn the values of the rows of a round, NaN for what was not revealed."""

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""


class Policy(Protocol):
    """The description of a policy."""

    def start(self, *, boxes: int, dimension: int) -> Player:
        """Return a player that has seen nothing."""


class IndexCourse:
    """Weitzman's rule at fixed reservation values.

    Examples
    --------
    >>> course = IndexCourse(np.array([3.0, 1.0]))
    >>> course.next([], [], math.inf), course.next([1], [2.5], 2.5), course.next([1], [4.0], 4.0)
    (1, -1, 0)
    """

    def __init__(self, sigma: Floats) -> None:
        self.sigma = sigma
        self._order = opening_order(sigma)

    def next(self, opened: Sequence[int], found: Sequence[float], best: float) -> int:
        """Return the row to open next, or STOP."""
        return next_box(self._order, self.sigma, len(opened), best)

    def walk(self, round: Round, values: Floats) -> "Walk":  # noqa: A002
        """Return what :func:`walk` does, in one compiled call."""
        best, paid, _, count = play_round(
            self._order, self.sigma, round.costs, values, round.outside
        )
        return Walk(opened=tuple(self._order[:count].tolist()), best=best, paid=paid)

    def state(self) -> State:
        """Return σ."""
        return {"sigma": self.sigma}

    @classmethod
    def restored(cls, state: Mapping[str, NDArray[np.generic]]) -> "IndexCourse":
        """Return the course whose :meth:`state` this is."""
        return cls(np.array(state["sigma"], dtype=np.float64))


def only(rows: int | Floats | Ints | NDArray[np.bool_], count: int) -> Floats:
    """Return the σ that open these rows and no others.

    >>> only(1, 3)
    array([ inf, -inf,  inf])
    """
    sigma = np.full(count, np.inf)
    sigma[rows] = -np.inf
    return sigma


@dataclass(frozen=True, kw_only=True)
class Walk:
    """What following a course to its end comes to.

    Attributes
    ----------
    opened
        The rows opened, in their order.
    best, paid
        The smallest value in hand at the end, and the costs of the looks.
    """

    opened: tuple[int, ...]
    best: float
    paid: float

    @property
    def total(self) -> float:
        """The best value plus what was paid."""
        return self.best + self.paid


def walk(course: Course, round: Round, values: Floats) -> Walk:  # noqa: A002
    """Follow a course through a round whose values are known.

    Examples
    --------
    >>> places, contexts = np.arange(2), np.ones((2, 1))
    >>> known = Round(contexts=contexts, costs=np.ones(2), outside=9.0, places=places)
    >>> walk(IndexCourse(np.array([3.0, 1.0])), known, np.array([2.0, 5.0]))
    Walk(opened=(1, 0), best=2.0, paid=2.0)
    """
    if isinstance(course, IndexCourse):
        return course.walk(round, values)
    opened: list[int] = []
    found: list[float] = []
    best, paid = round.outside, 0.0
    while (row := course.next(opened, found, best)) != STOP:
        value = float(values[row])
        opened.append(row)
        found.append(value)
        paid += float(round.costs[row])
        if not math.isnan(value):
            best = min(best, value)
    return Walk(opened=tuple(opened), best=best, paid=paid)


def joined(states: Mapping[str, State]) -> State:
    """Return several states as one, under ``name.key``."""
    return {f"{name}.{key}": a for name, state in states.items() for key, a in state.items()}


def parted(state: Mapping[str, NDArray[np.generic]], name: str) -> State:
    """Return one of the states that :func:`joined` made one."""
    begin = f"{name}."
    return {key.removeprefix(begin): a for key, a in state.items() if key.startswith(begin)}
