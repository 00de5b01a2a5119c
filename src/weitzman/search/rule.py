"""Rules: what to do next in a round. Weitzman's is the first of them.

A *rule* answers one question: given the state of a round, which row is opened next
(:class:`Open`), which is kept unopened (:class:`Take`), or is the round over (:data:`STOP`)? It
depends on what the round has shown, never on how often it was asked.

**Weitzman's rule.** Give every box i a reservation value σ_i and let v be the best value in hand (+∞
before anything is seen and without an outside option). With smaller values better:

1. take the closed box with the smallest σ; of equal σ, the one that stands first;
2. if there is none, or v ≤ σ, stop and keep v;
3. else open it, and go on with 1.

Equality stops: at v = σ opening and stopping cost the same in expectation, and one fixed choice
keeps a replay bit-identical. The rule is optimal when E(σ_i − v_i)⁺ = c_i for every box and the
boxes are independent [Weitzman 1979].

:func:`next_box` is the one place where the rule is written. A live search calls it as it is; the
simulator and the learners' compiled loops call the same source, compiled. A problem in which larger
values are better is the same rule with all signs turned.

A σ may be infinite: a box at −∞ is opened whatever is in hand, one at +∞ never. So

    keep the outside option     σ = +∞ everywhere
    open everything             σ = −∞ everywhere
    open box j and no other     σ_j = −∞, +∞ elsewhere

are Weitzman's rule too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays, Floats
from weitzman.search.state import RoundState

NO_BOX: Final = -1
"""What :func:`next_box` returns when no box is worth opening."""


@dataclass(frozen=True, slots=True)
class Open:
    """Open a row: pay its cost and see its value."""

    box: int


@dataclass(frozen=True, slots=True)
class Take:
    """Keep a row, opened or not, whatever it holds; the round is over."""

    box: int


class Stop(Enum):
    """Keep the best value in hand; the round is over."""

    STOP = "stop"


STOP: Final = Stop.STOP

Action = Open | Take | Stop


class _Actions(dict[int, Action]):
    def __missing__(self, box: int) -> Action:
        self[box] = Open(box)
        return self[box]


ACTIONS: Final = _Actions({NO_BOX: STOP})
"""The action for what :func:`next_box` returned. Each is made once: making one takes longer than the rule."""


class Rule(Protocol):
    """What to do next in one round."""

    def next(self, state: RoundState) -> Action:
        """Return what to do next; the same state gives the same answer."""

    def state(self) -> Arrays:
        """Return everything that the answers depend on, to go on in another process."""


def opening_order(reservation_values: Floats) -> NDArray[np.intp]:
    """Return the positions of the boxes in the order in which the rule looks at them.

    >>> opening_order(np.array([3.0, 1.0, 3.0]))
    array([1, 0, 2])
    """
    return reservation_values.argsort(kind="stable")


def next_box(
    order: Sequence[int] | NDArray[np.intp],
    reservation_values: Sequence[float] | Floats,
    position: int,
    best: float,
) -> int:
    """Return the box to open next, or :data:`NO_BOX`.

    ``order`` is that of :func:`opening_order`, and its first ``position`` boxes are open already;
    ``best`` is the smallest value in hand, +∞ if there is none.

    Examples
    --------
    >>> next_box([1, 0, 2], [3.0, 1.0, 3.0], position=1, best=2.5)
    -1
    >>> next_box([1, 0, 2], [3.0, 1.0, 3.0], position=1, best=3.5)
    0
    """
    if position == len(order):
        return NO_BOX
    box = order[position]
    if best <= reservation_values[box]:
        return NO_BOX
    return int(box)


class WeitzmanRule:
    """Weitzman's rule at reservation values that stay as they are during the round.

    Examples
    --------
    >>> rule, state = WeitzmanRule(np.array([3.0, 1.0])), RoundState([1.0, 1.0])
    >>> rule.next(state)
    Open(box=1)
    >>> state.open(1)
    >>> state.see(1, 2.5)
    >>> rule.next(state) is STOP
    True
    """

    __slots__ = ("_order", "_rows", "_sigma", "sigma")

    def __init__(self, sigma: Floats) -> None:
        self.sigma = sigma
        self._order: NDArray[np.intp] | None = None
        # Both as lists, of which one number is read faster than of an array
        self._rows: list[int] | None = None
        self._sigma: list[float] = []

    @property
    def order(self) -> NDArray[np.intp]:
        """The rows by increasing σ."""
        if self._order is None:
            self._order = opening_order(self.sigma)
        return self._order

    def next(self, state: RoundState) -> Action:
        """Return the closed row with the smallest σ, or STOP."""
        order, sigma = self._rows or self.lists()[0], self._sigma
        opened = state.opened
        position = len(opened)
        # A caller may open rows in another order than this one
        if position and opened != order[:position]:
            order = [row for row in order if row not in opened]
            position = 0
        return ACTIONS[next_box(order, sigma, position, state.best)]

    def followed(self, state: RoundState) -> tuple[list[int], int | None]:
        """Return what the rule opens by itself as far as it is open, and the closed row that comes then.

        Each of its steps rests on what it has opened itself, whatever else is open.

        >>> state = RoundState([1.0, 1.0], 9.0)
        >>> state.open(1)
        >>> state.see(1, 2.5)
        >>> WeitzmanRule(np.array([3.0, 1.0])).followed(state)
        ([1], None)
        """
        order, sigma = self.lists()
        opened, values, best, position = state.opened, state.values, state.outside, 0
        while (row := next_box(order, sigma, position, best)) != NO_BOX:
            if row not in opened:
                return order[:position], row
            best = min(best, values.get(row, best))
            position += 1
        return order[:position], None

    def lists(self) -> tuple[list[int], list[float]]:
        """Return order and σ as lists."""
        if self._rows is None:
            order = opening_order(self.sigma) if self._order is None else self._order
            self._rows, self._sigma = order.tolist(), self.sigma.tolist()
        return self._rows, self._sigma

    def state(self) -> Arrays:
        """Return σ."""
        return {"sigma": self.sigma}

    @classmethod
    def restored(cls, state: Mapping[str, NDArray[np.generic]]) -> "WeitzmanRule":
        """Return the rule whose :meth:`state` this is."""
        return cls(np.array(state["sigma"], dtype=np.float64))


def advance(rule: Rule, state: RoundState) -> Action:
    """Ask a rule what is next, and do it: the state changes by it.

    The one place where a rule is applied to a round, live or recorded.
    """
    action = rule.next(state)
    if type(action) is Open:
        state.open(action.box)
    elif type(action) is Take:
        state.take(action.box)
    return action


def follow(rule: Rule, state: RoundState, values: Any) -> RoundState:
    """Apply a rule to a round whose values are known, to its end; a value that is NaN does not come.

    Examples
    --------
    >>> done = follow(WeitzmanRule(np.array([3.0, 1.0])), RoundState([1.0, 1.0], 9.0), [2.0, 5.0])
    >>> done.opened, done.total
    ([1, 0], 4.0)
    """
    while (action := advance(rule, state)) is not STOP:
        value = float(values[action.box])
        if value == value:  # noqa: PLR0124  NaN is not itself
            state.see(action.box, value)
        else:
            state.miss()
        if isinstance(action, Take):
            break
    return state
