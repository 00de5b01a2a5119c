"""Searching by a policy: a course for every round, and learning when the round closes.

A round reveals what the feedback says: all values (``"full"``) or those of the boxes that were opened
(``"opened"``). Values are learned once, when the round closes.
"""

import math
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.explanation import Explanation, explain_course
from weitzman.learn.learners.parts.kernels import LIMIT
from weitzman.learn.learners.play import Feedback, Played, checked_record
from weitzman.learn.live import LiveSearch
from weitzman.learn.policies.courses import course_from
from weitzman.learn.policy import (
    Course,
    Floats,
    IndexCourse,
    Ints,
    Player,
    Round,
    State,
    Walk,
    parted,
    walk,
)
from weitzman.search.reservation import Sense

__all__ = ["ByPolicy"]

_NO_ORDER = "a round without an order of its own"


class ByPolicy:
    """A running policy, as what a searcher runs.

    Parameters
    ----------
    player
        The policy, running.
    boxes, dimension
        The number of boxes and the length of a context.
    feedback, sense
        As for :class:`weitzman.Searcher`.
    """

    def __init__(
        self, player: Player, *, boxes: int, dimension: int, feedback: Feedback, sense: Sense
    ) -> None:
        self.player = player
        self.boxes = boxes
        self.every: Ints = np.arange(boxes)
        self._dimension = dimension
        self._learns = frozenset([feedback])
        self._sense: Sense = sense

    def open(
        self,
        number: int,
        boxes: Sequence[Hashable],
        known: tuple[Floats, Floats, Ints],
        outside: float,
    ) -> LiveSearch[Hashable]:
        """Begin a round, from contexts, costs and places."""
        shown = self._round(*known, outside)
        return self._search(boxes, shown, self.player.propose(shown))

    def reopen(
        self,
        boxes: Sequence[Hashable],
        round: Round,  # noqa: A002
        state: State,
    ) -> LiveSearch[Hashable]:
        """Return the search of a round as it was when it was opened."""
        return self._search(boxes, round, course_from(parted(state, "course")))

    def _search(
        self,
        boxes: Sequence[Hashable],
        round: Round,  # noqa: A002
        course: Course,
    ) -> LiveSearch[Hashable]:
        def learn(_: Ints, __: Floats, values: Floats, ___: Floats) -> None:
            if (np.abs(values) > LIMIT).any():
                rule = f"be at most {LIMIT:g} in size, or NaN if it is missing"
                raise InvalidInputError("A value of the round", rule, values)
            self._learn(round, values)

        return LiveSearch(
            boxes=boxes,
            sigma=np.empty(0),
            course=course,
            sense=self._sense,
            outside=round.outside,
            places=round.places,
            contexts=round.contexts,
            prices=round.costs,
            bought=[],
            learns=self._learns,
            learn=learn,
        )

    def reservation_values(self, round: Round) -> Floats:  # noqa: A002
        """Return what a round would be searched by, if it goes by reservation values."""
        course = self.player.propose(
            self._round(round.contexts, round.costs, round.places, round.outside)
        )
        if isinstance(course, IndexCourse):
            return course.sigma.copy()
        rule = (
            "be asked for a round that goes by them; this one looks again after every box: open it and ask "
            "the search for the next box"
        )
        raise InvalidInputError("Reservation values", rule, _NO_ORDER)

    def explain(self, names: Sequence[Hashable], round: Round) -> Explanation:  # noqa: A002
        """Return why a round would be searched in its order, if it goes by reservation values."""
        return explain_course(names, round.costs, self.reservation_values(round), self._sense)

    def play(
        self,
        number: int,
        contexts: ArrayLike,
        costs: ArrayLike,
        values: Floats,
        *,
        outside: ArrayLike,
        predictions: bool,
    ) -> Played:
        """Play recorded rounds; smaller values are better."""
        record = checked_record(self.boxes, self._dimension, contexts, costs, values, outside)
        x, c, v, o = record
        count = len(x)
        played = Played(
            totals=np.empty(count),
            paid=np.empty(count),
            chosen=np.empty(count, dtype=np.int64),
            opened_count=np.empty(count, dtype=np.int64),
            reservation_values=np.full(v.shape, np.nan) if predictions else None,
        )
        for t in range(count):
            places = np.flatnonzero(~np.isnan(x[t]).any(axis=1))
            shown = Round(
                contexts=x[t, places],
                costs=c[t if len(c) > 1 else 0, places],
                outside=float(o[t if len(o) > 1 else 0]),
                places=places,
            )
            walked, course = self._played(shown, v[t, places])
            if played.reservation_values is not None and isinstance(course, IndexCourse):
                played.reservation_values[t, places] = course.sigma
            played.totals[t], played.paid[t] = walked.total, walked.paid
            played.opened_count[t] = len(walked.opened)
            held = [r for r in walked.opened if v[t, places[r]] == walked.best]
            kept = held and walked.best < shown.outside
            played.chosen[t] = places[held[0]] if kept else -1
        return played

    def _played(self, round: Round, values: Floats) -> tuple[Walk, Course | None]:  # noqa: A002
        """Play a round and learn it; a round that ends with nothing is none, as in a live search."""
        if not len(values):
            return Walk(opened=(), best=round.outside, paid=0.0), None
        course = self.player.propose(round)
        walked = walk(course, round, values)
        revealed = values
        if "full" not in self._learns:
            revealed = np.full(len(values), np.nan)
            revealed[list(walked.opened)] = values[list(walked.opened)]
        if walked.best < math.inf or not np.isnan(revealed).all():
            self._learn(round, revealed)
        return walked, course

    def _learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        # One NaN for all: turning signs gives others, which would be other bits in a state
        self.player.learn(round, np.where(np.isnan(values), np.nan, values))

    def add_boxes(self, count: int) -> None:
        """Refuse: what a policy has learned has one place per box."""
        rule = "be there from the start under a policy; a round may leave some out with boxes="
        raise InvalidInputError("The boxes", rule, f"{count} more")

    def state(self) -> State:
        """Return the policy's state."""
        return self.player.state()

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self.player.restore(state)

    def _round(self, rows: Floats, prices: Floats, places: Ints, outside: float) -> Round:
        if not (np.abs(rows) <= LIMIT).all():
            raise InvalidInputError(
                "The contexts", f"be finite numbers, at most {LIMIT:g} in size", rows
            )
        if not ((prices >= 0.0) & (prices <= LIMIT)).all():
            raise InvalidInputError("The costs", f"be finite numbers from 0 to {LIMIT:g}", prices)
        return Round(contexts=rows, costs=prices, outside=outside, places=places)
