"""What a problem has come to: sums over its rounds, kept as they close.

*Calibration.* At the right reservation value, E(σ − v)⁺ = c. Whether a box is looked at does not depend on
its own value, so over its looks Σ(σ − v)⁺ / Σc is about 1; well below, the reservation value is too small.

*Savings.* The costs of the boxes that stayed closed. Against the outside option: outside − total, over the
rounds that have one. Where every value of a round is known: against looking at everything, min v + Σc −
total; where also every box is there, against the best single box, always opened alone.

*Regret*, over rounds of which every value is known: the total minus hindsight's, min over boxes of value
plus cost, or the outside option.

*Shortfall*, over looks: Σc − Σ(σ − v)⁺. A round of the rule costs exactly min over boxes of max(σ, v) plus
its shortfall, so this is what was paid beyond what the reservation values promised. It needs no closed
box's value, and is 0 in the mean if they are right; optimism makes it larger on purpose.

A look costs what it really did, where that was said, and else what was expected. Smaller values are better
here.
"""

import math

import msgspec

from weitzman.ledger.bodies import Opened
from weitzman.ledger.state.open_round import OpenRound
from weitzman.ledger.state.running_mean import Ratio, Spread
from weitzman.search.state import RoundState

_MARKS = 256
_RECENT = 100
_NEWEST = 20  # unknown levels that are remembered


class Mark(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The sums after a number of closed rounds, for a curve; stored without names."""

    closed: int
    at: int
    total: float
    paid: float
    looks: int
    saved_against_all: float
    saved_against_outside: float
    regret: float
    known: int
    saved_against_everything: float
    saved_against_fixed: float
    shortfall: float


class Ended(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A round that has ended, for a list; ``chosen`` is a place among all boxes."""

    name: str
    at: int
    looks: int
    chosen: int | None
    paid: float
    total: float | None


class Spreads(msgspec.Struct):
    """The numbers of a round that have a mean and a standard error."""

    looks: Spread = msgspec.field(default_factory=Spread)
    total: Spread = msgspec.field(default_factory=Spread)
    saved_looks: Spread = msgspec.field(default_factory=Spread)
    saved_outside: Spread = msgspec.field(default_factory=Spread)
    saved_everything: Spread = msgspec.field(default_factory=Spread)
    regret: Spread = msgspec.field(default_factory=Spread)
    shortfall: Spread = msgspec.field(default_factory=Spread)


class Shadow(msgspec.Struct):
    """What the rule would have come to in rounds that the caller decided.

    ``rounds`` of them were known enough to say; in ``agreed`` both looked at the same boxes.
    """

    rounds: int = 0
    agreed: int = 0
    caller: float = 0.0
    rule: float = 0.0


class Explored(msgspec.Struct):
    """What draws opened, over rounds whose chances are known.

    ``drawn`` of ``rounds`` were; they made so many ``looks`` more, for what was ``paid``. ``priced`` is what
    all boxes of these rounds cost, times the chance of a draw: no more is paid on average.
    """

    rounds: int = 0
    drawn: int = 0
    looks: int = 0
    paid: float = 0.0
    priced: float = 0.0


class Unknown(msgspec.Struct):
    """How many rounds came with levels that their features do not have, and the newest of these."""

    rounds: int = 0
    levels: list[str] = []


class Tally(msgspec.Struct):
    """Counts and sums of one problem; lists have one entry per box, ``depth`` one per number of looks.

    ``explored`` and ``unknown`` are left out where there is nothing to say: such tallies are the bytes that
    they were.
    """

    looks: list[int]
    learned: list[int]
    absent: list[int]
    excess: list[float]
    price: list[float]
    fixed: list[float]
    last_look: list[int]
    ratios: list[Ratio]
    depth: list[int]
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
    saved_everything: float = 0.0
    fixed_rounds: int = 0
    fixed_total: float = 0.0
    last_value_at: int = 0
    shadow: Shadow = msgspec.field(default_factory=Shadow)
    stride: int = 1
    marks: list[Mark] = msgspec.field(default_factory=list)
    recent: list[Ended] = msgspec.field(default_factory=list)
    spreads: Spreads = msgspec.field(default_factory=Spreads)
    explored: Explored | msgspec.UnsetType = msgspec.UNSET
    unknown: Unknown | msgspec.UnsetType = msgspec.UNSET

    @classmethod
    def blank(cls, boxes: int) -> "Tally":
        """Return the tally of a problem without rounds."""
        whole, real = [0] * boxes, [0.0] * boxes
        ratios = [Ratio() for _ in whole]
        return cls(
            whole, whole[:], whole[:], real, real[:], real[:], whole[:], ratios, [0] * (boxes + 1)
        )

    def open(self, body: Opened) -> None:
        """Count a round that begins."""
        self.opened += 1
        if body.unknown:
            before = Unknown() if self.unknown is msgspec.UNSET else self.unknown
            newest = [x for x in before.levels if x not in body.unknown] + body.unknown
            self.unknown = Unknown(before.rounds + 1, newest[-_NEWEST:])

    def close(self, name: str, at: int, ended: OpenRound, values: list[float]) -> None:
        """Count a round that ends, with one value per row, NaN for unknown ones."""
        self.closed += 1
        state, outside = ended.state, ended.outside
        total = None if state.best == math.inf else state.total
        places = ended.places
        if ended.places is not None:
            there = set(ended.places)
            self.absent = [n + (place not in there) for place, n in enumerate(self.absent)]
        shortfall = spared = 0.0
        looks = ended.looks
        costs = state.costs if not state.spent else list(map(state.cost, range(len(state.costs))))
        for row, cost in enumerate(costs):
            if row in looks:
                sigma = ended.sigma[row] if ended.sigma else math.inf
                place = row if places is None else places[row]
                shortfall += self._look(place, sigma, cost, looks[row])
            else:
                spared += cost
        self.saved_looks += spared
        self.paid += state.paid
        self.depth[len(looks)] += 1
        spreads = self.spreads
        spreads.looks.add(len(looks))
        spreads.saved_looks.add(spared)
        if ended.sigma:
            spreads.shortfall.add(shortfall)
        if total is None:
            self.empty += 1
        else:
            self.value += state.best
            self.total += total
            spreads.total.add(total)
            if outside is not None:
                self.outside_rounds += 1
                self.saved_outside += outside - total
                spreads.saved_outside.add(outside - total)
            if not any(map(math.isnan, values)):
                self._hindsight(ended, values, total)
        chosen = state.kept
        if chosen is not None and ended.places is not None:
            chosen = ended.places[chosen]
        self.recent.append(Ended(name, at, len(looks), chosen, state.paid, total))
        del self.recent[:-_RECENT]
        self._mark(at)

    def explore(self, ended: OpenRound, chances: list[float | None]) -> None:
        """Count what a draw could open in a round that ends, and what it did."""
        if self.explored is msgspec.UNSET:
            self.explored = Explored()
        explored, state = self.explored, ended.state
        chance, drawn = ended.draw or (0.0, False)
        explored.rounds += 1
        explored.drawn += drawn
        explored.priced += chance * sum(state.costs)
        for row in state.opened:
            if chances[row] != 1.0:
                explored.looks += 1
                explored.paid += state.cost(row)

    def compare(self, ended: RoundState, would: RoundState | None) -> None:
        """Count a round that the caller decided beside what the rule would have done."""
        if would is None or math.inf in (would.best, ended.best):
            return
        self.shadow.rounds += 1
        self.shadow.agreed += set(would.opened) == set(ended.opened)
        self.shadow.caller += ended.total
        self.shadow.rule += would.total

    def saved_fixed(self) -> float:
        """Return the saving against the single box that was best so far."""
        return min(self.fixed) - self.fixed_total if self.fixed_rounds else 0.0

    def _look(self, place: int, sigma: float, cost: float, value: float | None) -> float:
        """Count a look; return its shortfall."""
        self.looks[place] += 1
        self.last_look[place] = self.closed
        if value is None:
            self.missing += 1
            return 0.0
        if not math.isfinite(sigma):
            return 0.0
        excess = sigma - value if sigma > value else 0.0
        self.excess[place] += excess
        self.price[place] += cost
        self.ratios[place].add(excess, cost)
        return cost - excess

    def _hindsight(self, ended: OpenRound, values: list[float], total: float) -> None:
        costs = [ended.state.cost(row) for row in range(len(values))]
        best = min(v + c for v, c in zip(values, costs, strict=True))
        least = min(values)
        if ended.outside is not None:
            best, least = min(best, ended.outside), min(least, ended.outside)
        everything = least + sum(costs)
        self.known += 1
        self.regret += total - best
        self.hindsight += best
        self.saved_everything += everything - total
        self.spreads.regret.add(total - best)
        self.spreads.saved_everything.add(everything - total)
        if ended.places is None:
            self.fixed_rounds += 1
            self.fixed_total += total
            for row, value in enumerate(values):
                self.fixed[row] += value + costs[row]

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
                closed=self.closed,
                at=at,
                total=self.total,
                paid=self.paid,
                looks=sum(self.looks),
                saved_against_all=self.saved_looks,
                saved_against_outside=self.saved_outside,
                regret=self.regret,
                known=self.known,
                saved_against_everything=self.saved_everything,
                saved_against_fixed=self.saved_fixed(),
                shortfall=sum(self.price) - sum(self.excess),
            )
        )
