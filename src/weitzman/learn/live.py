"""A live search that is learned from: the search of the search room, with its contexts.

Learning happens once, in :meth:`LiveSearch.close`. A value that did not come is not learned. Values
that come after the search is closed can still be learned, with :meth:`LiveSearch.late`.
"""

import math
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.errors import InvalidInputError, SearchStateError
from weitzman.learn.learners.parts.kernels import LIMIT
from weitzman.learn.policy import Course, State
from weitzman.learn.storage.format import pack
from weitzman.search.numbers import float_array
from weitzman.search.reservation import Sense
from weitzman.search.round import Outcome, Search, finite_value
from weitzman.search.rule import STOP, next_box

__all__ = ["LiveSearch"]

_ALONE = (
    "The feedback is 'full', but close() was told no values: only what was seen is learned. "
    "Say close(values={}) if no more is known."
)

Name = TypeVar("Name", bound=Hashable)
FloatArray = NDArray[np.float64]
Ints = NDArray[np.int64]


class Learn(Protocol):
    """What a closing search hands its values to."""

    def __call__(
        self, boxes: Ints, contexts: FloatArray, values: FloatArray, costs: FloatArray, /
    ) -> None:
        """Learn the values of distinct boxes of one round."""


class LiveSearch(Search[Name]):
    """A search in progress, made by :meth:`weitzman.Searcher.open`.

    After the rule stops it goes on with the boxes that are bought to learn, if there are any. Their
    values count as any other: what is paid for may be kept.
    """

    def __init__(
        self,
        *,
        boxes: Sequence[Name],
        sigma: FloatArray,
        sense: Sense,
        outside: float,
        places: Ints,
        contexts: FloatArray,
        prices: FloatArray,
        bought: list[int],
        learns: frozenset[str],
        learn: Learn,
        course: Course | None = None,
    ) -> None:
        self._begin(boxes, prices.tolist(), sigma, sense, None)
        # As if smaller values were better
        self._best = self._outside = outside
        self._course = course
        self._found: list[float] = []
        self._places = places
        self._contexts = contexts
        self._prices = prices
        self._bought = bought
        self._learns = learns
        self._learn = learn
        self._learns_opened = "probe" not in learns or "opened" in learns
        self._done = False
        self._learned: FloatArray | None = None

    def _choose(self) -> int:
        if self._course is not None:
            return self._asked(self._course)
        if not self._done:
            box = next_box(self._order, self._sigma, len(self._opened), self._best)
            if box != STOP:
                return box
            self._done = True
        return next((b for b in self._bought if b not in self._opened), STOP)

    def _asked(self, course: Course) -> int:
        """Return the next row of a course; what it was once told of a look stays as it was."""
        for row in self._opened[len(self._found) :]:
            self._found.append(self._values.get(row, math.nan))
        return course.next(self._opened, self._found, self._best)

    def state(self) -> State:
        """Return everything as arrays; :meth:`weitzman.Searcher.reopen` goes on from there, bit for bit."""
        course = {"index.sigma": np.array(self._sigma)}
        if self._course is not None:
            # Laws of rounds: loaded where there is a policy, not with the first searcher
            from weitzman.learn.policies.courses import course_state

            course = course_state(self._course)
        marks = [self._pending, self._closed, self._done, self._learned is not None]
        return {
            "contexts": self._contexts.copy(),
            "costs": self._prices.copy(),
            "places": self._places.copy(),
            "bought": np.array(self._bought, dtype=np.int64),
            "opened": np.array(self._opened, dtype=np.int64),
            "found": np.array(self._found, dtype=np.float64),
            "values": self._row(self._values),
            "learned": self._row({}) if self._learned is None else self._learned.copy(),
            "hand": np.array([self._outside, self._best, self._paid]),
            "chosen": np.array([-1 if self._chosen is None else self._chosen]),
            "marks": np.array(marks, dtype=np.bool_),
            **{f"course.{name}": array.copy() for name, array in course.items()},
        }

    def to_bytes(self) -> bytes:
        """Return :meth:`state` as bytes, to be kept in a database."""
        return pack({}, self.state(), thing="search")

    def restore(self, state: State) -> None:
        """Go on from what :meth:`state` returned in a search of the same round."""
        values = state["values"].astype(np.float64)
        self._opened = state["opened"].astype(np.int64).tolist()
        self._found = state["found"].astype(np.float64).tolist()
        self._values = {
            r: float(values[r]) for r in range(len(values)) if not math.isnan(values[r])
        }
        self._outside, self._best, self._paid = state["hand"].astype(np.float64).tolist()
        chosen = int(state["chosen"].astype(np.int64)[0])
        self._chosen = None if chosen < 0 else chosen
        self._pending, self._closed, self._done, learned = state["marks"].astype(np.bool_).tolist()
        self._learned = state["learned"].astype(np.float64) if learned else None

    def close(self, values: Mapping[Name, float] | ArrayLike | None = None) -> Outcome[Name]:
        """End the search, learn, and return the outcome.

        ``values`` are those that feedback ``"full"`` shows, by box or one per row of the round. A
        value that is left out or NaN is not learned. What was seen during the search counts before
        what is said here. Under ``"full"`` a close without values warns: what is then learned, from opened
        boxes alone, is not what this feedback is made for. ``values={}`` says that no more is known.
        """
        shown = None if values is None else self._shown(values)
        outcome = self._outcome()
        if shown is None and "full" in self._learns:
            warnings.warn(_ALONE, stacklevel=2)
        if shown is not None:
            for row, value in self._values.items():
                shown[row] = value
            self._teach(shown)
        elif self._learns_opened:
            self._teach(self._row(self._values))
        else:
            self._teach(self._row({b: v for b, v in self._values.items() if b in self._bought}))
        self._closed = True
        return outcome

    def late(self, box: Name, value: float) -> None:
        """Learn a value that came after the search was closed; the outcome stays as it is."""
        if not self._closed:
            raise SearchStateError(
                f"The search is open: the value of box {box!r} goes to see(value, box={box!r})."
            )
        if self._course is not None:
            raise SearchStateError(
                f"The value of box {box!r} is not learned: a policy learns a round once, when it is closed."
            )
        place = self._index(box)
        if self._learned is not None and not math.isnan(self._learned[place]):
            raise SearchStateError(f"The value of box {box!r} is learned already.")
        if "full" not in self._learns:
            looked_at = self._opened if self._learns_opened else self._bought
            if place not in looked_at:
                raise SearchStateError(
                    f"The value of box {box!r} is not learned: its look is not part of the feedback."
                )
        self._teach(self._row({place: self._number(value, box)}))

    def _number(self, value: Any, box: Name) -> float:
        number = self._sign * finite_value(value, box)
        if not -LIMIT <= number <= LIMIT:
            # What could not be learned is refused while the round can still go on
            subject = f"The value of box {box!r}"
            raise InvalidInputError(subject, f"be at most {LIMIT:g} in size", value)
        return number

    def _shown(self, values: Mapping[Name, float] | ArrayLike) -> FloatArray:
        """Return the values that full information shows, one per row, NaN where there is none."""
        if "full" not in self._learns:
            rule = "come only under feedback 'full'"
            raise InvalidInputError("The values of close", rule, sorted(self._learns))
        if type(values) is not np.ndarray and isinstance(values, Mapping):
            rows = np.full(len(self._boxes), np.nan)
            for box, value in values.items():
                place = self._index(box)
                if not (isinstance(value, float) and math.isnan(value)):
                    rows[place] = self._number(value, box)
            return rows
        given = float_array(values, "The values of close", copy=True)
        if given.shape != (len(self._boxes),):
            rule = f"be one number per box of the round, {len(self._boxes)}"
            raise InvalidInputError("The values of close", rule, values)
        return given if self._sign > 0.0 else -given

    def _index(self, box: Name) -> int:
        try:
            return self._boxes.index(box)
        except ValueError:
            raise InvalidInputError("The box", "be one of the round's", box) from None

    def _row(self, seen: dict[int, float]) -> FloatArray:
        """Return the values seen, one per box of the round, NaN where there is none."""
        row = np.empty(len(self._boxes))
        row.fill(math.nan)
        for place, value in seen.items():
            row[place] = value
        return row

    def _teach(self, values: FloatArray) -> None:
        self._learn(self._places, self._contexts, values, self._prices)
        before = self._learned
        self._learned = values if before is None else np.where(np.isnan(values), before, values)
