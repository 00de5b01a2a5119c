"""A live search: ask for the next box, say what was found, close.

::

    search = plan.search()
    for box in search:              # ends by itself, when the rule says stop
        search.see(ask(box))        # or search.miss() if nothing comes back
    outcome = search.close()

A search waits for one thing at a time. A call that it does not wait for, or a value that is not a
finite number, raises one sentence and changes nothing. The cost of a box is paid when the box is
given out, whether or not its value comes back. What it really was may be said with the value, if that is
known only then: ``search.see(value, cost=seconds)``. The rule has gone by what was expected, and so it goes
on; what is paid, and the total, count what it was. What the round has shown is its
:class:`~weitzman.search.state.RoundState`; what is next is up to its
:class:`~weitzman.search.rule.Rule`.
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from weitzman.errors import InvalidInputError, SearchStateError
from weitzman.search.numbers import LIMIT, checked_cost, checked_outside, checked_value
from weitzman.search.reservation import Sense, check_sense, given_values
from weitzman.search.rule import Open, Rule, WeitzmanRule, advance
from weitzman.search.state import RoundState

Name = TypeVar("Name", bound=Hashable)
FIRST = "call next(search), or iterate over it, to be given a box first"
"""What is to be done before a value may come."""


class Outcome(NamedTuple, Generic[Name]):
    """What a search found.

    Attributes
    ----------
    opened
        The boxes opened, in order.
    kept
        The boxes whose values are kept: one, or none for the outside option. Variants of the problem
        keep several.
    value
        The value kept; NaN for a box that was taken unopened and not seen since.
    paid
        The sum of the costs of the opened boxes, what they really were where that was said.
    total
        ``value + paid`` for ``sense="min"``, ``value - paid`` for ``sense="max"``.
    """

    opened: tuple[Name, ...]
    kept: tuple[Name, ...]
    value: float
    paid: float
    total: float

    @property
    def chosen(self) -> Name | None:
        """The first box that is kept; None for the outside option."""
        return self.kept[0] if self.kept else None


class Search(Generic[Name]):
    """A search in progress over named boxes.

    Iterate over it to be given boxes; after each, call :meth:`see` or :meth:`miss`; at the end, or
    whenever enough is seen, :meth:`close`. Inside, smaller values are better.

    The boxes are the distinct names of the rows. The state is what the round has shown, with its
    costs and its outside option. For the caller larger values may be better (``sense="max"``).
    """

    def __init__(
        self, *, boxes: Sequence[Name], rule: Rule, state: RoundState, sense: Sense = "min"
    ) -> None:
        self._sign = 1.0 if sense == "min" else -1.0
        self._boxes = boxes
        self._rule = rule
        self._state = state
        self._closed = False
        self._needs_costs = False

    def __iter__(self) -> Iterator[Name]:
        return self

    def __next__(self) -> Name:
        """Return the next box, or stop."""
        state = self._state
        if self._closed or state.asked is not None or state.taken is not None:
            self._check_open()
            if state.taken is not None:
                raise StopIteration
            raise SearchStateError(
                f"The search waits for the value of box {self._current!r}: call see(value) or miss()."
            )
        action = advance(self._rule, state)
        if type(action) is not Open:
            raise StopIteration
        return self._boxes[action.box]

    def see(self, value: float, *, box: Name | None = None, cost: float | None = None) -> None:
        """Say what the box just given out holds.

        ``box`` may repeat its name, to be checked; or name a box that was missed, whose value has
        come after all, or one that was taken unopened. ``cost`` is what the look really cost, if that is not
        what was expected; in a round that a searcher opened without costs it has to be said.
        """
        row = self._state.asked
        if row is None or box is not None or self._closed:
            row = self._row_of(box)
        number = self._read(value, row)
        real = self._real_cost(cost, row) if cost is not None or self._needs_costs else None
        self._state.see(row, number)
        if real is not None:
            self._state.spend(row, real)

    def _read(self, value: Any, row: int) -> float:
        """Return what a row shows as the state holds it: smaller is better there."""
        return self._sign * finite_value(value, self._boxes[row])

    def _real_cost(self, cost: Any, row: int) -> float:
        """Return what a look really cost, as was said."""
        box = self._boxes[row]
        if row not in self._state.opened:
            rule = "be left out: the box was taken unopened"
            raise InvalidInputError(f"The cost of box {box!r}", rule, cost)
        return checked_cost(cost, box)

    def miss(self, *, box: Name | None = None, cost: float | None = None) -> None:
        """Say that the value of the box just given out did not come; its cost is paid all the same."""
        self._check_open()
        if self._state.asked is None or (box is not None and box != self._current):
            which = "a box" if box is None else f"box {box!r}"
            raise SearchStateError(f"The search cannot miss the value of {which}: {self._awaited}.")
        row = self._state.asked
        real = None if cost is None else self._real_cost(cost, row)
        self._state.miss()
        if real is not None:
            self._state.spend(row, real)

    def close(self) -> Outcome[Name]:
        """End the search and return its outcome; the best value in hand is kept."""
        outcome = self._outcome()
        self._closed = True
        return outcome

    def _outcome(self) -> Outcome[Name]:
        state = self._state
        self._check_ready(state.best)
        opened = tuple([self._boxes[row] for row in state.opened])
        kept = () if state.kept is None else (self._boxes[state.kept],)
        value = self._sign * state.best
        total = value + self._sign * state.paid
        return Outcome(opened, kept, value, state.paid, total)

    def _check_ready(self, best: float) -> None:
        """Refuse to close a closed search, one that waits for a value, or one without anything to keep."""
        if self._closed:
            self._check_open()
        if self._state.asked is not None:
            raise SearchStateError(
                f"The search cannot close while it waits for the value of box {self._current!r}: "
                "call see(value) or miss()."
            )
        if best == math.inf:
            raise SearchStateError(
                "The search cannot close without a value: "
                "none was seen and there is no outside option."
            )

    @property
    def _current(self) -> Name:
        return self._boxes[self._state.opened[-1]]

    def _check_open(self) -> None:
        if self._closed:
            raise SearchStateError("The search is closed.")

    @property
    def _awaited(self) -> str:
        if self._state.asked is not None:
            return f"it waits for that of box {self._current!r}"
        return f"it waits for no value: {FIRST}"

    def _row_of(self, box: Name | None) -> int:
        """Return the row that a value is for, if one may come."""
        self._check_open()
        state = self._state
        if state.asked is not None and (box is None or box == self._current):
            return state.asked
        rows = state.opened if state.taken is None else [*state.opened, state.taken]
        late = [row for row in rows if self._boxes[row] == box and row not in state.values]
        if box is None or not late:
            which = "a box" if box is None else f"box {box!r}"
            raise SearchStateError(f"The search cannot see a value of {which}: {self._awaited}.")
        return late[0]


def search_by(
    *,
    boxes: Sequence[Name],
    costs: Sequence[float],
    reservation_values: ArrayLike,
    sense: Sense = "min",
    outside: float | None = None,
) -> Search[Name]:
    """Begin a live search by Weitzman's rule at given reservation values.

    Examples
    --------
    >>> search = search_by(boxes=["a", "b"], costs=[1.0, 1.0], reservation_values=[3.0, 2.0])
    >>> next(search)
    'b'
    """
    check_sense(sense)
    if len(boxes) == 0:
        raise InvalidInputError("The boxes", "be at least one", boxes)
    if len(set(boxes)) < len(boxes):
        raise InvalidInputError("The names of the boxes", "be distinct", boxes)
    sigma = given_values(reservation_values, boxes, sense)
    if np.shape(costs) != (len(boxes),):
        raise InvalidInputError("The costs", f"be one number per box, {len(boxes)}", costs)
    prices = [checked_cost(cost, box) for cost, box in zip(costs, boxes, strict=True)]
    sign = 1.0 if sense == "min" else -1.0
    state = RoundState(prices, math.inf if outside is None else sign * checked_outside(outside))
    return Search(boxes=boxes, rule=WeitzmanRule(sigma), state=state, sense=sense)


def finite_value(value: Any, box: Hashable) -> float:
    """Return the value of a box as a number."""
    if type(value) is float and -LIMIT <= value <= LIMIT:
        return value
    return checked_value(value, f"The value of box {box!r}")
