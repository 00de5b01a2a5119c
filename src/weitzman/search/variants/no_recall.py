"""A fixed order without recall: what is not taken at once is gone.

Boxes come in the order in which they are given. Each may be opened or passed over; the value of an
open one is taken at once, which ends the search, or never.

**Theorem** (backward induction). Smaller values better, let W_{n+1} be the outside option, +∞ without
one, and

    W_i = min(W_{i+1}, c_i + E min(v_i, W_{i+1})) = W_{i+1} − (E(W_{i+1} − v_i)⁺ − c_i)⁺.

W_i is the least expected cost of what can be had from box i on. So box i is opened if E(W_{i+1} −
v_i)⁺ > c_i, its value is taken if it is at most W_{i+1}, and the expected total is W_1.
"""

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from weitzman.arrays import Arrays, Floats
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.reservation import Sense, in_hand, mirrored, sign_of
from weitzman.search.rule import STOP, Action, Open, Take
from weitzman.search.simulation import Simulation
from weitzman.search.state import RoundState
from weitzman.search.variants.face import EXACT, Game, Settled, VariantSearch, drawn_from

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Group


class NoRecallRule:
    """Take the value just found if it is at most its limit; else open the next box worth it."""

    def __init__(self, limits: Floats, worth: Floats) -> None:
        self._limits, self._worth = limits, worth

    def next(self, state: RoundState) -> Action:
        """Return the row to take or to open; STOP if none is left."""
        last = state.opened[-1] if state.opened else -1
        if last >= 0 and state.values.get(last, math.inf) <= self._limits[last]:
            return Take(last)
        later = np.flatnonzero(self._worth[last + 1 :])
        return Open(last + 1 + int(later[0])) if later.size else STOP

    def state(self) -> Arrays:
        """Return the limits, and which boxes are opened at all."""
        return {"limits": self._limits, "worth": self._worth}


def settle_taken(state: RoundState) -> Settled:
    """Keep what was taken, or else the outside option."""
    kept = () if state.taken is None else (state.taken,)
    value = state.outside if state.taken is None else state.best
    return Settled(kept, value, state.paid, value + state.paid)


@dataclass(frozen=True, eq=False, repr=False)
class NoRecallPlan:
    """The optimal search of boxes in a fixed order, of which none can be gone back to."""

    boxes: tuple[Box, ...]
    sense: Sense
    outside: float | None
    kind: str = EXACT

    @cached_property
    def _backward(self) -> tuple[Floats, Floats]:
        """W_1 … W_{n+1}, and whether each box is opened."""
        ahead = in_hand(self.outside, self.sense)
        values, worth = [ahead], []
        for box in reversed(self.boxes):
            law = mirrored(box.law, self.sense)
            if ahead == math.inf:
                gain, ahead = math.inf, box.expected_cost + float(law.mean())
            else:
                gain = float(law.excess_below(ahead)) - box.expected_cost
                ahead -= max(gain, 0.0)
            if not math.isfinite(ahead):
                rule = "have a finite mean, or an expected excess that is finite"
                raise InvalidInputError(f"The value of box {box.name!r}", rule, box.law)
            values.append(ahead)
            worth.append(gain > 0.0)
        return np.array(values[::-1]), np.array(worth[::-1], dtype=np.float64)

    @cached_property
    def limits(self) -> dict[str, float]:
        """The worst value of each box that is taken; infinite if any is."""
        values = self._backward[0]
        named = zip(self.boxes, values[1:].tolist(), strict=True)
        return {box.name: sign_of(self.sense) * w + 0.0 for box, w in named}

    @property
    def expected_total(self) -> float:
        """The exact expectation of the total."""
        return sign_of(self.sense) * float(self._backward[0][0]) + 0.0

    @cached_property
    def _chances(self) -> tuple[Floats, Floats]:
        """The chances that each box is opened, and taken."""
        (values, worth), left = self._backward, 1.0
        opened, taken = np.zeros(worth.size), np.zeros(worth.size)
        for i in np.flatnonzero(worth):
            law = mirrored(self.boxes[i].law, self.sense)
            opened[i] = left
            taken[i] = left * float(law.cdf(values[i + 1]))
            left -= taken[i]
        return opened, taken

    def _named(self, numbers: Floats) -> dict[str, float]:
        return dict(zip((box.name for box in self.boxes), numbers.tolist(), strict=True))

    @property
    def open_probabilities(self) -> dict[str, float]:
        """The probability that each box is opened."""
        return self._named(self._chances[0])

    @property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that each box is taken."""
        return self._named(self._chances[1])

    @property
    def expected_opened(self) -> float:
        """The expected number of boxes opened."""
        return float(np.sum(self._chances[0]))

    @property
    def expected_paid(self) -> float:
        """The expected sum of the costs paid."""
        return float(np.sum(self._chances[0] * self._costs))

    @property
    def searches(self) -> bool:
        """Whether anything is opened at all; only an outside option makes it false."""
        return bool(self._backward[1].any())

    @property
    def _costs(self) -> list[float]:
        return [box.expected_cost for box in self.boxes]

    @property
    def _game(self) -> Game:
        (values, worth), names = self._backward, tuple(box.name for box in self.boxes)
        laws = [mirrored(box.law, self.sense) for box in self.boxes]
        rule = NoRecallRule(values[1:], worth)
        begin = partial(RoundState, self._costs, in_hand(self.outside, self.sense))
        return Game(names, names, rule, self.sense, begin, drawn_from(laws), settle_taken)

    def search(self) -> VariantSearch:
        """Begin a live search by this plan."""
        return self._game.search()

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds on drawn values; ``rng`` may be a seed."""
        return self._game.simulate(rounds, rng)

    def plot(self) -> "Figure":
        """Return a picture of the plan, a matplotlib figure; needs ``weitzman[plot]``."""
        from weitzman.search.picture import draw_chances

        return draw_chances(self)

    def __rich__(self) -> "Group":
        """Return the plan as a table for rich."""
        from weitzman.search.table import percent
        from weitzman.search.variants.plain_table import plan_lines

        bound = "at most" if self.sense == "min" else "at least"
        rows = [
            (box.name, cost, limit, percent(opened), percent(taken))
            for box, cost, limit, opened, taken in zip(
                self.boxes,
                self._costs,
                self.limits.values(),
                *(chances.tolist() for chances in self._chances),
                strict=True,
            )
        ]
        head = f"In this order: take a value at once if it is {bound} the limit, or never."
        return plan_lines(head, ("box", "cost", "limit", "opened", "taken"), rows, self)

    def __repr__(self) -> str:
        from weitzman.search.variants.plain_table import printed

        return printed(self)
