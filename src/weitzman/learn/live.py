"""A live search that is learned from: the search of the search room, with its contexts.

Learning happens once, in :meth:`LiveSearch.close`. A value that did not come is not learned. Values
that come after the search is closed can still be learned, with :meth:`LiveSearch.late`. What is learned
goes with the cost that was expected, as the rule did; what a look really cost is for the books.
"""

import math
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError, SearchStateError
from weitzman.feedback import Feedback
from weitzman.learn.intake.given import given_values
from weitzman.learn.models.costs import CostMeans
from weitzman.learn.policy import Player, Round, State
from weitzman.learn.record import bound_rule
from weitzman.learn.revealed import revealed, teach, unknown
from weitzman.learn.storage.format import pack
from weitzman.search.numbers import LIMIT, float_array
from weitzman.search.reservation import Sense
from weitzman.search.round import Outcome, Search, finite_value
from weitzman.search.rule import Rule, WeitzmanRule
from weitzman.search.state import RoundState

_ALONE = (
    "The feedback is 'full', but close() was given no values: only what was seen is learned. "
    "Say close(values={}) if no more is known."
)

Name = TypeVar("Name", bound=Hashable)


class LiveSearch(Search[Name]):
    """A search in progress, made by :meth:`weitzman.Searcher.open`.

    Parameters
    ----------
    boxes, rule, sense
        As for :class:`weitzman.Search`.
    shown
        What is known of the round before anything is opened.
    feedback
        What the round reveals when it is over.
    player
        What learns then.
    means, guessed
        What takes in the real costs of looks, and whether the expected ones are its.
    """

    def __init__(
        self,
        *,
        boxes: Sequence[Name],
        rule: Rule,
        shown: Round,
        sense: Sense,
        feedback: Feedback,
        player: Player,
        means: CostMeans,
        guessed: bool = False,
    ) -> None:
        state = RoundState(shown.costs.tolist(), shown.outside)
        super().__init__(boxes=boxes, rule=rule, state=state, sense=sense)
        self._shown = shown
        self._feedback: Feedback = feedback
        self._player: Any = player
        self._means = means
        self._needs_costs = guessed
        self._learned: Floats | None = None

    def __reduce__(self) -> Any:
        raise SearchStateError(
            "The search cannot be pickled: keep it with to_bytes(), and go on with reopen(…)."
        )

    @property
    def chances(self) -> dict[Name, float | None]:
        """With what chance each box was opened, given what all of them hold; None where it is not known.

        It is the chance of a draw that opens more than the policy does by itself
        (:class:`weitzman.Exploring`), 1 for a box that needed none, and 0 for one that no draw opens. It is
        right once the search was played to its end.
        """
        rule: Any = self._rule
        opened = set(self._state.opened)
        if not hasattr(rule, "chances"):
            return {box: float(row in opened) for row, box in enumerate(self._boxes)}
        found = rule.chances(self._state).tolist()
        return {
            box: None if math.isnan(chance) else chance
            for box, chance in zip(self._boxes, found, strict=True)
        }

    def state(self) -> State:
        """Return everything as arrays; :meth:`weitzman.Searcher.reopen` goes on from there, bit for bit."""
        state, shown = self._state, self._shown
        rule: Any = getattr(self._rule, "inner", self._rule)
        if isinstance(rule, WeitzmanRule):
            kept: State = {"index.sigma": rule.sigma}
        else:
            # Laws of rounds: loaded where there is a policy with one, not with the first searcher
            from weitzman.learn.storage.rules import rule_state

            kept = rule_state(rule)
        marks = [state.asked is not None, self._closed, False, self._learned is not None]
        chosen = -1 if state.kept is None else state.kept
        return {
            "contexts": shown.contexts.copy(),
            "costs": shown.costs.copy(),
            "places": shown.places.copy(),
            "bought": np.array(getattr(self._rule, "rows", ()), dtype=np.int64),
            "opened": np.array(state.opened, dtype=np.int64),
            "found": np.array(state.found, dtype=np.float64),
            "values": self._row(state.values),
            "spent": self._row(state.spent),
            "learned": self._row({}) if self._learned is None else self._learned.copy(),
            "hand": np.array([state.outside, state.best, state.paid]),
            "chosen": np.array([chosen]),
            "marks": np.array(marks, dtype=np.bool_),
            "guessed": np.array([self._needs_costs]),
            **{f"course.{name}": array.copy() for name, array in kept.items()},
        }

    def to_bytes(self) -> bytes:
        """Return :meth:`state` as bytes, to be kept in a database."""
        return pack({}, self.state(), thing="search")

    def restore(self, arrays: State) -> None:
        """Go on from what :meth:`state` returned in a search of the same round."""
        state = self._state
        state.opened = arrays["opened"].astype(np.int64).tolist()
        state.values = _known(arrays["values"])
        # Earlier versions know of no real costs
        state.spent = _known(arrays.get("spent", np.empty(0)))
        state.outside, state.best, state.paid = arrays["hand"].astype(np.float64).tolist()
        chosen = int(arrays["chosen"].astype(np.int64)[0])
        state.kept = None if chosen < 0 else chosen
        pending, self._closed, _, learned = arrays["marks"].astype(np.bool_).tolist()
        state.asked = state.opened[-1] if pending else None
        self._learned = arrays["learned"].astype(np.float64) if learned else None

    def close(self, values: Mapping[Name, float] | ArrayLike | None = None) -> Outcome[Name]:
        """End the search, learn, and return the outcome.

        ``values`` are those that feedback ``"full"`` shows, by box or one per row of the round; labels of a
        series are boxes. A
        value that is left out or NaN is not learned. What was seen during the search counts before
        what is said here. Under ``"full"`` a close without values warns: what is then learned, from opened
        boxes alone, is not what this feedback is made for. ``values={}`` says that no more is known.
        """
        known = None if values is None else self._given(given_values(values))
        outcome = self._outcome()
        if known is None and self._feedback == "full":
            warnings.warn(_ALONE, stacklevel=2)
        seen = self._row(self._state.values, known)
        for row, cost in self._state.spent.items():
            self._means.add(int(self._shown.places[row]), cost)
        if self._needs_costs and not self._shown.costs.any():
            # Nothing was known of costs: the round is learned with what it has shown of them
            costs = self._means.expected(self._shown.places)
            self._shown = self._shown._replace(costs=costs)
        if self._feedback in ("full", "opened"):
            # What was seen is what is revealed
            self._player.learn(self._shown, seen)
        else:
            seen = teach(self._player, self._shown, self._rule, self._state, seen, self._feedback)
        self._learned = seen
        self._closed = True
        return outcome

    def late(self, box: Name, value: float) -> None:
        """Learn a value that came after the search was closed; the outcome stays as it is."""
        if not self._closed:
            raise SearchStateError(
                f"The search is open: the value of box {box!r} goes to see(value, box={box!r})."
            )
        if not hasattr(self._player, "late"):
            raise SearchStateError(
                f"The value of box {box!r} is not learned: a policy learns a round once, when it is closed."
            )
        place = self._index(box)
        if self._learned is not None and not math.isnan(self._learned[place]):
            raise SearchStateError(f"The value of box {box!r} is learned already.")
        row = self._row({place: self._read(value, place)})
        if math.isnan(revealed(self._rule, self._state, row, self._feedback)[place]):
            raise SearchStateError(
                f"The value of box {box!r} is not learned: its look is not part of the feedback."
            )
        self._player.late(self._shown, row)
        before = self._learned
        self._learned = row if before is None else np.where(np.isnan(row), before, row)

    def _real_cost(self, cost: Any, row: int) -> float:
        if cost is None:
            rule = "say what it cost, with cost=: the round was opened without costs"
            raise InvalidInputError("A look", rule, cost)
        real = super()._real_cost(cost, row)
        if real > LIMIT:
            rule = f"be at most {LIMIT:g}"
            raise InvalidInputError(f"The cost of box {self._boxes[row]!r}", rule, cost)
        return real

    def _read(self, value: Any, row: int) -> float:
        # Once a look: super() would take as long as the rest
        number = self._sign * finite_value(value, self._boxes[row])
        if number < self._shown.least:
            rule = bound_rule(self._shown.least, self._sign)
            raise InvalidInputError(f"The value of box {self._boxes[row]!r}", rule, value)
        return number

    def _given(self, values: Mapping[Name, float] | ArrayLike) -> Floats:
        """Return the values that full information shows, one per row, NaN where there is none."""
        if self._feedback != "full":
            rule = "come only under feedback 'full'"
            raise InvalidInputError("The values of close", rule, self._feedback)
        if type(values) is not np.ndarray and isinstance(values, Mapping):
            rows = unknown(len(self._boxes))
            for box, value in values.items():
                place = self._index(box)
                if not (isinstance(value, float) and math.isnan(value)):
                    rows[place] = self._read(value, place)
            return rows
        given = float_array(values, "The values of close", copy=True)
        if given.shape != (len(self._boxes),):
            rule = f"be one number per box of the round, {len(self._boxes)}"
            raise InvalidInputError("The values of close", rule, values)
        if not getattr(self._player, "refuses", False) and (np.abs(given) > LIMIT).any():
            rule = f"be at most {LIMIT:g} in size, or NaN if one is missing"
            raise InvalidInputError("The values of close", rule, values)
        given = given if self._sign > 0.0 else -given
        if self._shown.least > -math.inf:
            for row in np.flatnonzero(given < self._shown.least).tolist():
                self._read(self._sign * float(given[row]), row)
        return given

    def _index(self, box: Name) -> int:
        try:
            return self._boxes.index(box)
        except ValueError:
            raise InvalidInputError("The box", "be one of the round's", box) from None

    def _row(self, seen: dict[int, float], known: Floats | None = None) -> Floats:
        """Return the values seen, one per box of the round, and known ones or NaN where there is none."""
        row = unknown(len(self._boxes)) if known is None else known
        for place, value in seen.items():
            row[place] = value
        return row


def _known(row: NDArray[np.generic]) -> dict[int, float]:
    """Return the numbers of a row that are there, by their places."""
    return {k: x for k, x in enumerate(row.astype(np.float64).tolist()) if not math.isnan(x)}
