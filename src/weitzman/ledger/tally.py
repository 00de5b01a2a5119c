"""What a problem has come to: sums over its rounds, kept as they close.

*Calibration.* At the right reservation value, E(σ − v)⁺ = c. Whether a box is looked at does not depend on
its own value, so over its looks Σ(σ − v)⁺ / Σc is about 1; well below, the reservation value is too small.

*Savings.* Against looking at everything: the costs of the boxes that stayed closed. Against the outside
option: outside − total, over the rounds that have one.

*Regret*, over rounds of which every value is known: the total minus hindsight's, min over boxes of value
plus cost, or the outside option.

Smaller values are better here.
"""

import math

import msgspec

from weitzman.ledger.openround import OpenRound, Result

__all__ = ["Mark", "Shadow", "Tally"]

_MARKS = 256
_RECENT = 100


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """The sums after a number of closed rounds, for a curve."""

    closed: int
    at: int
    total: float
    paid: float
    looks: int
    saved_looks: float
    saved_outside: float
    regret: float
    known: int


class Shadow(msgspec.Struct):
    """What the rule would have come to in rounds that the caller decided.

    ``rounds`` of them were known enough to say; in ``agreed`` both looked at the same boxes.
    """

    rounds: int = 0
    agreed: int = 0
    caller: float = 0.0
    rule: float = 0.0


class Tally(msgspec.Struct):
    """Counts and sums of one problem; lists have one entry per box."""

    looks: list[int]
    learned: list[int]
    absent: list[int]
    excess: list[float]
    price: list[float]
    fixed: list[float]
    last_look: list[int]
    opened: int = 0
    closed: int = 0
    waited: int = 0
    empty: int = 0
    missing: int = 0
    late: int = 0
    imported: int = 0
    value: float = 0.0
    paid: float = 0.0
    total: float = 0.0
    saved_looks: float = 0.0
    outside_rounds: int = 0
    saved_outside: float = 0.0
    known: int = 0
    regret: float = 0.0
    hindsight: float = 0.0
    last_value_at: int = 0
    shadow: Shadow = msgspec.field(default_factory=Shadow)
    stride: int = 1
    marks: list[Mark] = msgspec.field(default_factory=list)
    recent: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def blank(cls, boxes: int) -> "Tally":
        """Return the tally of a problem without rounds."""
        whole, real = [0] * boxes, [0.0] * boxes
        return cls(whole, whole[:], whole[:], real, real[:], real[:], whole[:])

    def close(
        self, name: str, at: int, ended: OpenRound, values: list[float], result: Result
    ) -> None:
        """Count a round that ends, with one value per row, NaN for unknown ones."""
        self.closed += 1
        places = range(len(ended.costs)) if ended.places is None else ended.places
        self.absent = self.absent if ended.places is None else self._without(ended.places)
        for row, place in enumerate(places):
            if row in ended.looks:
                sigma = ended.sigma[row] if ended.sigma else math.inf
                self._look(place, sigma, ended.costs[row], ended.looks[row])
            else:
                self.saved_looks += ended.costs[row]
        self.paid += result.paid
        if result.total is None or result.value is None:
            self.empty += 1
        else:
            self.value += result.value
            self.total += result.total
            if ended.outside is not None:
                self.outside_rounds += 1
                self.saved_outside += ended.outside - result.total
            if not any(map(math.isnan, values)):
                self._hindsight(ended, values, result.total)
        self.recent.append(name)
        del self.recent[:-_RECENT]
        self._mark(at)

    def compare(self, result: Result, would: Result | None) -> None:
        """Count a round that the caller decided beside what the rule would have done."""
        if would is None or would.total is None or result.total is None:
            return
        self.shadow.rounds += 1
        self.shadow.agreed += set(would.opened) == set(result.opened)
        self.shadow.caller += result.total
        self.shadow.rule += would.total

    def _look(self, place: int, sigma: float, cost: float, value: float | None) -> None:
        self.looks[place] += 1
        self.last_look[place] = self.closed
        if value is None:
            self.missing += 1
            return
        if math.isfinite(sigma):
            self.excess[place] += max(0.0, sigma - value)
            self.price[place] += cost

    def _hindsight(self, ended: OpenRound, values: list[float], total: float) -> None:
        best = min(v + c for v, c in zip(values, ended.costs, strict=True))
        if ended.outside is not None:
            best = min(best, ended.outside)
        self.known += 1
        self.regret += total - best
        self.hindsight += best
        if ended.places is None:
            for row, value in enumerate(values):
                self.fixed[row] += value + ended.costs[row]

    def _without(self, places: list[int]) -> list[int]:
        there = set(places)
        return [count + (place not in there) for place, count in enumerate(self.absent)]

    def _mark(self, at: int) -> None:
        if self.closed % self.stride:
            return
        if len(self.marks) == _MARKS:
            # Half as many, twice as far apart: those that remain are multiples of the new stride
            self.marks = self.marks[1::2]
            self.stride *= 2
            if self.closed % self.stride:
                return
        self.marks.append(
            Mark(
                self.closed,
                at,
                self.total,
                self.paid,
                sum(self.looks),
                self.saved_looks,
                self.saved_outside,
                self.regret,
                self.known,
            )
        )
