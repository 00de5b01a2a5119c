"""The closed rounds of a problem, as columns: for windows of time, tables by option, and lists with filters.

This is a fold over the events of one problem, beside the state, which holds none of it. A tally has the sums
over all rounds; here every round has its own numbers, so that any stretch of rounds can be summed up. The
numbers of a round are those of a tally that has seen nothing else.

Only the newest rounds are kept, with about 300 bytes each and a few for every look.
"""

import math
from array import array
from typing import Any

import msgspec
import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.learn.policy import Round
from weitzman.learn.settings import bound_of
from weitzman.learn.units import LeastValue
from weitzman.ledger.bodies import Changed, Closed, Created, Opened, Seen, decode
from weitzman.ledger.event import Event
from weitzman.ledger.state.open_round import OpenRound
from weitzman.ledger.state.tally import Tally

OUTSIDE, NOTHING = -1, -2
"""What stands for a box where the outside option was kept, and where no value was there."""

_KINDS = frozenset({"created", "changed", "opened", "seen", "closed"})
_WHOLE = ("at", "looks", "kept", "known", "waited", "beyond")
_REAL = ("value", "paid", "total", "spared", "outside", "everything", "regret", "shortfall")
_OF_LOOK = ("spent", "found", "excess", "price")
_NO_CONTEXTS, _NO_PLACES = np.empty((0, 0)), np.empty(0, dtype=np.int64)


class ClosedRounds:
    """The newest closed rounds of a problem.

    Attributes
    ----------
    names
        The ids of the rounds, oldest first.
    left_out
        How many older rounds are not kept.
    until
        The seq of the last event that was taken in.
    number
        Its number among the events of the problem.

    Notes
    -----
    Of each round the columns have: ``at`` when it was closed, in microseconds; how many ``looks`` there were;
    the place of the box that was ``kept``, or ``OUTSIDE`` or ``NOTHING``; how many values are ``known``;
    whether it ended because it ``waited``; how many looks came ``beyond`` the best possible value. And the
    ``value`` and ``total`` (NaN without a value), what was ``paid`` and ``spared``, what was gained over the
    ``outside`` option and over ``everything``, the ``regret`` and the ``shortfall``: NaN where not known.
    Smaller values are better. Of each look: the ``place``, what was ``spent`` and ``found`` (NaN where
    nothing came), its ``excess`` and the ``price`` that this is to be compared with.
    """

    def __init__(self, *, first: int, most: int) -> None:
        self.names: list[str] = []
        self.left_out = 0
        self.until = self.number = 0
        self._first, self._most = first, most
        self._rounds = {name: array("q") for name in _WHOLE} | {n: array("d") for n in _REAL}
        self._looks = {name: array("d") for name in _OF_LOOK}
        self._places, self._known = array("i"), array("i")
        self._open: dict[str, OpenRound] = {}
        self._settings: Created | None = None
        self._sign, self._bound = 1.0, -math.inf
        self._least = LeastValue()

    def __len__(self) -> int:
        return len(self.names)

    def take(self, event: Event) -> None:
        """Take in an event of the problem; those of others with its name before are left out."""
        self.until, self.number = event.seq, event.number
        if event.number < self._first or event.kind not in _KINDS:
            return
        body = decode(event.kind, event.body)
        settings = self._settings
        if isinstance(body, Created):
            self._settings, self._sign = body, 1.0 if body.sense == "min" else -1.0
            self._bound = bound_of(body.least, body.most, body.sense)
            self._least.hidden = body.feedback != "full"
        elif settings is None:
            return
        elif isinstance(body, Changed):
            least = settings.least if body.least is msgspec.UNSET else body.least
            most = settings.most if body.most is msgspec.UNSET else body.most
            self._settings = msgspec.structs.replace(settings, least=least, most=most)
            self._bound = bound_of(least, most, settings.sense)
        elif isinstance(body, Opened):
            self._open[event.key] = self._begun(body, event.at)
        elif isinstance(body, Seen) and not body.late:
            opened = self._open[event.key]
            for row, value in body.looks:
                opened.see(row, None if value is None else self._sign * value)
            for row, cost in body.costs:
                opened.state.spend(row, cost)
        elif isinstance(body, Closed):
            self._close(event, body, len(settings.boxes))

    def _begun(self, body: Opened, at: int) -> OpenRound:
        hand = math.inf if body.outside is None else self._sign * body.outside
        given = Round(_NO_CONTEXTS, np.array(body.costs), hand, _NO_PLACES, 0)
        return OpenRound.begin(body, given=given, at=at, waiting=0, sign=self._sign)

    def _close(self, event: Event, body: Closed, boxes: int) -> None:
        ended = self._open.pop(event.key)
        values = ended.known([(row, self._sign * v) for row, v in body.shown])
        alone = Tally.blank(boxes)
        alone.close(event.key, event.at, ended, values)
        self._append(event, ended, alone, waited=body.waited)
        places = range(boxes) if ended.places is None else ended.places
        known = [(p, v) for p, v in zip(places, values, strict=True) if not math.isnan(v)]
        self._known.extend([place for place, _ in known])
        self._rounds["known"].append(len(known))
        for place, number in known:
            self._least.note(place, number)
        for row, value in ended.looks.items():
            place, look = places[row], self._looks
            self._places.append(place)
            look["spent"].append(ended.state.cost(row))
            look["found"].append(math.nan if value is None else value)
            look["excess"].append(alone.excess[place])
            look["price"].append(alone.price[place])
        if len(self.names) > self._most + self._most // 8:
            self._forget(len(self.names) - self._most)

    def _append(self, event: Event, ended: OpenRound, alone: Tally, *, waited: bool) -> None:
        listed = alone.recent[0]
        nothing = listed.total is None
        kept = NOTHING if nothing else OUTSIDE if listed.chosen is None else listed.chosen
        numbers = {
            "at": event.at,
            "looks": listed.looks,
            "kept": kept,
            "waited": int(waited),
            "beyond": self._beyond(ended),
            "value": math.nan if nothing else alone.value,
            "paid": alone.paid,
            "total": math.nan if listed.total is None else listed.total,
            "spared": alone.saved_looks,
            "outside": alone.saved_outside if alone.outside_rounds else math.nan,
            "everything": alone.saved_everything if alone.known else math.nan,
            "regret": alone.regret if alone.known else math.nan,
            "shortfall": alone.spreads.shortfall.mean if ended.sigma else math.nan,
        }
        self.names.append(event.key)
        for name, number in numbers.items():
            self._rounds[name].append(number)  # type: ignore[arg-type]

    def _beyond(self, ended: OpenRound) -> int:
        """Return how many looks came when the best possible value was in hand, said or found by then."""
        best = self._bound
        if best == -math.inf and self._least.pile is not None:
            best = self._least.pile[0]
        if best == -math.inf or (ended.draw is not None and ended.draw[1]):
            return 0
        hand, beyond = ended.state.outside, 0
        for value in ended.looks.values():
            beyond += hand <= best
            hand = hand if value is None else min(hand, value)
        return beyond

    @property
    def best(self) -> float | None:
        """The best possible value as it was said, or as values pile up there; None if neither is known."""
        if self._bound != -math.inf:
            return self._bound
        return None if self._least.pile is None else self._least.pile[0]

    def since(self, *, rounds: int | None = None, at: int | None = None) -> int:
        """Return where the newest so many rounds begin, or those that were closed at a time or later."""
        begin = 0 if rounds is None else max(0, len(self) - rounds)
        if at is None:
            return begin
        times = np.maximum.accumulate(self.whole("at")) if len(self) else np.empty(0)
        return max(begin, int(np.searchsorted(times, at)))

    def whole(self, name: str, begin: int = 0) -> Ints:
        """Return a column of whole numbers, from a round on."""
        found: Ints = _cut(self._rounds[name], begin, np.int64)
        return found

    def real(self, name: str, begin: int = 0) -> Floats:
        """Return a column of numbers, from a round on."""
        found: Floats = _cut(self._rounds[name], begin, np.float64)
        return found

    def places(self, begin: int = 0) -> Ints:
        """Return the places of the boxes of all looks, from a round on."""
        found: Ints = _cut(self._places, self._looks_before(begin), np.int64)
        return found

    def look(self, name: str, begin: int = 0) -> Floats:
        """Return a column of the looks, from a round on."""
        found: Floats = _cut(self._looks[name], self._looks_before(begin), np.float64)
        return found

    def known(self, begin: int = 0) -> Ints:
        """Return the places of the boxes of all known values, from a round on."""
        before = int(self.whole("known")[:begin].sum())
        found: Ints = _cut(self._known, before, np.int64)
        return found

    def _looks_before(self, begin: int) -> int:
        return int(self.whole("looks")[:begin].sum())

    def _forget(self, rounds: int) -> None:
        """Leave out the oldest rounds."""
        looks, known = self._looks_before(rounds), int(self.whole("known")[:rounds].sum())
        for column in self._rounds.values():
            del column[:rounds]
        for numbers in self._looks.values():
            del numbers[:looks]
        del self._places[:looks], self._known[:known], self.names[:rounds]
        self.left_out += rounds


def _cut(column: "array[Any]", begin: int, kind: Any) -> Any:
    """Return the end of a column as an array of its own; one that shared its memory could not grow."""
    return np.array(memoryview(column)[begin:], dtype=kind)
