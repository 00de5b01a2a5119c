"""Which of several boxes to draw from next, when every draw says more of its box.

Smaller values better. A belief of box i gives the law of its next value, and with it σ_i, where E(σ_i − v)⁺ =
c_i. The rule draws from the box of the smallest σ as long as that is below the best value in hand.

**Successes** (:class:`SuccessBelief`): σ = w + c/p, which only grows with failures. With independent beliefs
the rule is optimal, by the theorem in :mod:`weitzman.search.variants.draws`; here it is one addition a
draw, where a plan is a chain of all draws that may ever be worth it.

**Normal values** (:class:`~weitzman.search.variants.normal_draws.Belief`): σ = m + s·y with y the root of
Student's expected excess at c/s. The rule is a heuristic. Wherever it draws, one more draw and then
stopping is better than stopping, so that its expected total is at most that of stopping at any moment
that it passes, and at most what is in hand at the beginning.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, overload

import numpy as np
import scipy

from weitzman.arrays import Arrays, Floats
from weitzman.search.laws.roots import solve_excess
from weitzman.search.laws.student import student_excess
from weitzman.search.rule import NO_BOX, STOP, Action, Open, next_box
from weitzman.search.state import RoundState
from weitzman.search.variants.normal_draws import Belief

T = TypeVar("T")
_LARGEST = 1 << 40


class DrawBelief(Protocol):
    """What is believed of a box that is drawn from, before its next draw."""

    def reservation_value(self, cost: float) -> float:
        """Return σ of the next draw at a cost; +∞ if no other draw is of use."""

    def after(self, value: float | None) -> "DrawBelief":
        """Return what is believed after a draw; None is one that showed nothing."""


@dataclass(frozen=True)
class SuccessBelief:
    """A chance of success that is Beta(a, b); a success has this value, and ends the box."""

    a: float
    b: float
    value: float = 0.0
    over: bool = False

    def reservation_value(self, cost: float) -> float:
        """Return the value of a success plus what it costs to get one, for one draw."""
        return math.inf if self.over else self.value + cost * (self.a + self.b) / self.a

    def after(self, value: float | None) -> "SuccessBelief":
        """Return the belief after a success or a failure."""
        if value is None:
            return SuccessBelief(self.a, self.b + 1.0, self.value)
        return SuccessBelief(self.a + 1.0, self.b, self.value, over=True)


@dataclass(frozen=True)
class NormalBelief:
    """A normal law with a normal-gamma belief; a draw that shows nothing changes nothing."""

    belief: Belief

    def reservation_value(self, cost: float) -> float:
        """Return the root of Student's expected excess."""
        belief = self.belief
        return belief.mean + belief.scale * student_root(cost / belief.scale, 2.0 * belief.shape)

    def after(self, value: float | None) -> "NormalBelief":
        """Return the belief after a value was seen."""
        return self if value is None else NormalBelief(self.belief.after(value))


def student_root(cost: float, freedom: float) -> float:
    """Return y with E(y − T)⁺ = cost, T Student's t with so many degrees of freedom, more than 1.

    >>> round(student_root(0.551329, 3.0), 5) + 0.0
    0.0
    """

    def excess(y: Floats) -> Floats:
        return student_excess(y, freedom)

    def slope(y: Floats) -> Floats:
        return np.asarray(scipy.special.stdtr(freedom, y))

    # The mean is 0, so that E(c − T)⁺ is at least c
    upper = np.full(1, cost)
    return float(solve_excess(excess, slope, np.full(1, cost), upper, np.full(1, -math.inf))[0])


class Cycle(Sequence[T]):
    """The same things over and over: row r is a draw from box r modulo their number."""

    def __init__(self, things: Sequence[T]) -> None:
        self._things = things

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        """Return the thing at a place."""
        if isinstance(place, slice):
            raise TypeError("The rows of draws have no slices.")
        return self._things[place % len(self._things)]

    def __len__(self) -> int:
        """Return a number that no search reaches."""
        return _LARGEST


def next_draw(sigma: Sequence[float] | Floats, state: RoundState) -> Action:
    """Return a draw from the box of the smallest σ, or STOP; of equal ones the first."""
    box = next_box([int(np.argmin(sigma))], sigma, 0, state.best)
    return STOP if box == NO_BOX else Open(len(state.opened) * len(sigma) + box)


class BelievedRule:
    """Draw from the box with the smallest σ by all that was drawn, at most so many times in all.

    >>> rule = BelievedRule([SuccessBelief(1.0, 1.0), SuccessBelief(9.0, 1.0)], [1.0, 2.0], 10)
    >>> state = RoundState(Cycle([1.0, 2.0]), outside=10.0)
    >>> rule.next(state)
    Open(box=0)
    >>> state.open(0)
    >>> state.miss()
    >>> rule.next(state)
    Open(box=3)
    """

    def __init__(self, beliefs: Sequence[DrawBelief], costs: Sequence[float], most: int) -> None:
        self._beliefs, self._costs, self._most = beliefs, costs, most

    def next(self, state: RoundState) -> Action:
        """Return the next draw, or STOP."""
        count, beliefs = len(state.opened), list(self._beliefs)
        if count >= self._most:
            return STOP
        boxes = len(beliefs)
        for row in state.opened:
            beliefs[row % boxes] = beliefs[row % boxes].after(state.values.get(row))
        sigma = [b.reservation_value(c) for b, c in zip(beliefs, self._costs, strict=True)]
        return next_draw(sigma, state)

    def state(self) -> Arrays:
        """Return what is known of the rule as arrays."""
        return {"costs": np.array(self._costs), "most": np.array(self._most)}
