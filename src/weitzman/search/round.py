"""A live search: ask for the next box, say what was found, close.

::

    search = plan.search()
    for box in search:              # ends by itself, when the rule says stop
        search.see(ask(box))        # or search.miss() if nothing comes back
    outcome = search.close()

A search waits for one thing at a time. A call that it does not wait for, or a value that is not a
finite number, raises one sentence and changes nothing. The cost of a box is paid when the box is
handed out, whether or not its value comes back.
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.errors import InvalidInputError, SearchStateError
from weitzman.search.numbers import checked_cost, finite_number
from weitzman.search.reservation import Sense, check_sense
from weitzman.search.rule import STOP, next_box, opening_order

__all__ = ["Outcome", "Search", "finite_value"]

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Outcome(Generic[Name]):
    """What a search found.

    Attributes
    ----------
    opened
        The boxes opened, in order.
    chosen
        The box whose value is kept; None for the outside option.
    value
        The value kept.
    paid
        The sum of the costs of the opened boxes.
    total
        ``value + paid`` for ``sense="min"``, ``value - paid`` for ``sense="max"``.
    """

    opened: tuple[Name, ...]
    chosen: Name | None
    value: float
    paid: float
    total: float


class Search(Generic[Name]):
    """A search in progress over named boxes with given reservation values.

    Iterate over it to be handed boxes; after each, call :meth:`see` or :meth:`miss`; at the end, or
    whenever enough is seen, :meth:`close`.
    """

    def __init__(
        self,
        *,
        boxes: Sequence[Name],
        costs: Sequence[float],
        reservation_values: ArrayLike,
        sense: Sense = "min",
        outside: float | None = None,
    ) -> None:
        check_sense(sense)
        if len(boxes) == 0:
            raise InvalidInputError("The boxes", "be at least one", boxes)
        if len(set(boxes)) < len(boxes):
            raise InvalidInputError("The names of the boxes", "be distinct", boxes)
        sigma = _reservation_values(reservation_values, sense)
        for subject, given in (("The costs", costs), ("The reservation values", sigma)):
            if np.shape(given) != (len(boxes),):
                rule = f"be one number per box, {len(boxes)}"
                raise InvalidInputError(subject, rule, given)
        prices = [checked_cost(cost, box) for cost, box in zip(costs, boxes, strict=True)]
        if outside is not None:
            outside = finite_number(outside, "The outside option", "be a finite number or None")
        self._begin(boxes, prices, sigma, sense, outside)

    def _begin(
        self,
        boxes: Sequence[Name],
        costs: list[float],
        sigma: NDArray[np.float64],
        sense: Sense,
        outside: float | None,
    ) -> None:
        """Set the search up from what is known to be good; σ and later values as if smaller were better."""
        self._sign = 1.0 if sense == "min" else -1.0
        self._boxes = boxes
        self._costs = costs
        self._sigma: list[float] = sigma.tolist()
        self._order: list[int] = opening_order(sigma).tolist()
        self._best = math.inf if outside is None else self._sign * outside
        self._chosen: int | None = None
        self._opened: list[int] = []
        self._paid = 0.0
        self._values: dict[int, float] = {}
        self._pending = False
        self._closed = False

    def __iter__(self) -> Iterator[Name]:
        return self

    def __next__(self) -> Name:
        """Hand out the next box, or stop."""
        if self._closed:
            self._check_open()
        if self._pending:
            raise SearchStateError(
                f"The search waits for the value of box {self._current!r}: call see(value) or miss()."
            )
        box = self._choose()
        if box == STOP:
            raise StopIteration
        self._opened.append(box)
        # One after the other, as the compiled loops add them: the same bits
        self._paid += self._costs[box]
        self._pending = True
        return self._boxes[box]

    def _choose(self) -> int:
        return next_box(self._order, self._sigma, len(self._opened), self._best)

    def see(self, value: float, *, box: Name | None = None) -> None:
        """Say what the box just handed out holds.

        ``box`` may repeat its name, to be checked; or name a box that was missed, whose value has
        come after all.
        """
        if box is None and self._pending and not self._closed:
            place = self._opened[-1]
        else:
            place = self._place_of(box, "see a value of")
        number = self._number(value, self._boxes[place])
        self._values[place] = number
        if number < self._best:
            self._best, self._chosen = number, place
        if place == self._opened[-1]:
            self._pending = False

    def _number(self, value: Any, box: Name) -> float:
        """Return a value in the direction in which smaller is better."""
        return self._sign * finite_value(value, box)

    def miss(self, *, box: Name | None = None) -> None:
        """Say that the value of the box just handed out did not come; its cost is paid all the same."""
        self._check_open()
        if not self._pending or (box is not None and box != self._current):
            which = "a box" if box is None else f"box {box!r}"
            raise SearchStateError(f"The search cannot miss the value of {which}: {self._awaited}.")
        self._pending = False

    def close(self) -> Outcome[Name]:
        """End the search and return its outcome; the best value in hand is kept."""
        outcome = self._outcome()
        self._closed = True
        return outcome

    def _outcome(self) -> Outcome[Name]:
        if self._closed:
            self._check_open()
        if self._pending:
            raise SearchStateError(
                f"The search cannot close while it waits for the value of box {self._current!r}: "
                "call see(value) or miss()."
            )
        if self._best == math.inf:
            raise SearchStateError(
                "The search cannot close without a value: "
                "none was seen and there is no outside option."
            )
        value = self._sign * self._best
        return Outcome(
            opened=tuple([self._boxes[i] for i in self._opened]),
            chosen=None if self._chosen is None else self._boxes[self._chosen],
            value=value,
            paid=self._paid,
            total=value + self._sign * self._paid,
        )

    @property
    def _current(self) -> Name:
        return self._boxes[self._opened[-1]]

    def _check_open(self) -> None:
        if self._closed:
            raise SearchStateError("The search is closed.")

    @property
    def _awaited(self) -> str:
        if self._pending:
            return f"it waits for that of box {self._current!r}"
        return "it waits for no value"

    def _place_of(self, box: Name | None, act: str) -> int:
        """Return the position of the box that a value is for, if one may come."""
        self._check_open()
        if self._pending and (box is None or box == self._current):
            return self._opened[-1]
        late = [i for i in self._opened if self._boxes[i] == box and i not in self._values]
        if box is None or not late:
            which = "a box" if box is None else f"box {box!r}"
            raise SearchStateError(f"The search cannot {act} {which}: {self._awaited}.")
        return late[0]


def finite_value(value: Any, box: Hashable) -> float:
    """Return the value of a box as a number."""
    if type(value) is float and math.isfinite(value):
        return value
    return finite_number(value, f"The value of box {box!r}")


def _reservation_values(given: ArrayLike, sense: Sense) -> NDArray[np.float64]:
    sigma = np.asarray(given)
    if sigma.dtype.kind not in "fiu" or np.isnan(sigma).any():
        raise InvalidInputError("The reservation values", "be numbers", given)
    turned = sigma.astype(np.float64) * (1.0 if sense == "min" else -1.0)
    if np.isposinf(turned).any():
        rule = f"be finite or {'-inf' if sense == 'min' else 'inf'}"
        raise InvalidInputError("The reservation values", rule, given)
    return turned
