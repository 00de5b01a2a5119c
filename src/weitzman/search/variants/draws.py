"""Boxes that can be opened again and again, each time for the cost and a new draw.

**A law that is known** (:class:`~weitzman.search.contents.Draws`). A box is as many boxes of the same
σ as one likes, so σ never changes: draw from the box with the smallest σ until the best value in
hand is at most σ. With E(σ − v)⁺ = c the expected total is min(outside, σ): of the copies i = 1, 2, …
the smallest max(v_i, σ) is σ, since P(v ≤ σ) > 0 for c > 0. Draws are geometric in number, with mean
1/P(v ≤ σ).

**A chance of success that is unknown** (:class:`~weitzman.search.contents.Successes`). The first
success shows a value w and ends the box; after f failures the next draw succeeds with p_f = a/(a + b +
f). The box is a chain of stages, so :mod:`~weitzman.search.variants.stages` applies to it.

*Theorem.* With smaller values better σ_f = w + c/p_f, which grows with f, so that the rule is greedy:
draw from the box that looks best now, and stop when no w + c/p_f is below what is in hand.

*Proof.* Let the box be given up after m failures; m = ∞ is the limit. By induction from m down, the
chain after f failures has κ_f ≥ σ_f, where σ_f = w + c/p_f: on success M = w, on failure M = κ_{f+1} ≥
σ_{f+1} ≥ σ_f since p_{f+1} < p_f. So E(σ_f − M)⁺ = p_f (σ_f − w) = c, which says that σ_f is the
reservation value. Optimality of the smallest σ is the theorem for stages. ∎ So with one box one stops
after the first f ≥ (o − w) a/c − a − b failures, o the outside option; later draws are left out.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np

from weitzman.arrays import Arrays
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.contents import Draws, Successes
from weitzman.search.laws.conversion import as_distribution
from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.distribution import Distribution
from weitzman.search.reservation import (
    Sense,
    in_hand,
    mirrored,
    reservation_value,
    sign_of,
)
from weitzman.search.rule import NO_BOX, STOP, Action, Open, next_box
from weitzman.search.simulation import Simulation
from weitzman.search.state import RoundState
from weitzman.search.variants.face import EXACT, Game, VariantSearch, drawn_from
from weitzman.search.variants.forest.nodes import Branch, Node

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Group

T = TypeVar("T")


def chain_of_draws(box: Box, sense: Sense, outside: float | None, factor: float) -> Node:
    """Return the first draw of a box of successes, with those behind it that may be worth it."""
    value = box.value
    assert isinstance(value, Successes)
    if outside is None:
        rule = "be given, for boxes that may never succeed"
        raise InvalidInputError("The outside option", rule, outside)
    if factor < 1.0:
        raise InvalidInputError("The discount", "be 1 for boxes of successes", factor)
    sign = sign_of(sense)
    gain, cost = sign * (outside - value.value), box.expected_cost
    if cost == 0.0:
        raise InvalidInputError(f"The cost of box {box.name!r}", "be > 0 for a draw", cost)
    shown = sign * value.value
    node: Node | None = None
    most = math.ceil(gain * value.a / cost - value.a - value.b) + 1
    for failures in reversed(range(max(most, 1))):
        chance = value.chance(failures)
        if failures and cost / chance >= gain:
            continue
        ways = (
            Branch(chance, Discrete([shown])),
            Branch(1.0 - chance, then=() if node is None else (node,)),
        )
        node = Node(box.name, cost, ways, outcomes=(shown, math.inf))
    assert node is not None
    return node


class Same(Sequence[T]):
    """The same thing at every place: every row is one more draw from the same box."""

    def __init__(self, thing: T) -> None:
        self._thing = thing

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        """Return the thing."""
        return self if isinstance(place, slice) else self._thing

    def __len__(self) -> int:
        """Return the largest length there is."""
        return sys.maxsize


class DrawsRule:
    """Draw until the best value in hand is at most σ; every row is a draw."""

    def __init__(self, sigma: float) -> None:
        self._sigma = sigma

    def next(self, state: RoundState) -> Action:
        """Return the next draw, or STOP."""
        if next_box([0], [self._sigma], 0, state.best) == NO_BOX:
            return STOP
        return Open(len(state.opened))

    def state(self) -> Arrays:
        """Return the reservation value."""
        return {"sigma": np.array([self._sigma])}


@dataclass(frozen=True, eq=False, repr=False)
class DrawsPlan:
    """The optimal search of boxes that can be opened again, with laws that are known."""

    boxes: tuple[Box, ...]
    sense: Sense
    outside: float | None
    kind: str = EXACT

    @cached_property
    def _laws(self) -> dict[str, Distribution]:
        return {
            box.name: as_distribution(box.value.value)
            for box in self.boxes
            if isinstance(box.value, Draws)
        }

    @cached_property
    def reservation_values(self) -> dict[str, float]:
        """The reservation value of each box, the same after any number of draws."""
        return {
            box.name: float(
                reservation_value(self._laws[box.name], box.expected_cost, sense=self.sense)
            )
            for box in self.boxes
        }

    @cached_property
    def best(self) -> str:
        """The box to draw from, if any."""
        sigma = self.reservation_values
        return min(sigma, key=lambda name: sign_of(self.sense) * sigma[name])

    @cached_property
    def _sigma(self) -> float:
        return sign_of(self.sense) * self.reservation_values[self.best]

    @property
    def searches(self) -> bool:
        """Whether anything is opened at all; only an outside option makes it false."""
        return self._sigma < in_hand(self.outside, self.sense)

    @cached_property
    def expected_total(self) -> float:
        """The exact expectation of the total: the best reservation value, or the outside option."""
        least = min(self._sigma, in_hand(self.outside, self.sense))
        return sign_of(self.sense) * least + 0.0

    @cached_property
    def expected_opened(self) -> float:
        """The expected number of draws."""
        law = mirrored(self._laws[self.best], self.sense)
        return 1.0 / float(law.cdf(self._sigma)) if self.searches else 0.0

    @cached_property
    def expected_paid(self) -> float:
        """The expected sum of the costs paid."""
        return self._cost * self.expected_opened

    @property
    def _cost(self) -> float:
        return next(box.expected_cost for box in self.boxes if box.name == self.best)

    @cached_property
    def open_probabilities(self) -> dict[str, float]:
        """The probability that each box is opened: 1 for one of them, or 0 for all."""
        return {box.name: float(self.searches and box.name == self.best) for box in self.boxes}

    @property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that each box is kept: the one that is drawn from."""
        return dict(self.open_probabilities)

    @property
    def _game(self) -> Game:
        law = mirrored(self._laws[self.best], self.sense)
        start, names = in_hand(self.outside, self.sense), tuple(box.name for box in self.boxes)
        rows, rule = Same(self.best), DrawsRule(self._sigma)
        begin = partial(RoundState, Same(self._cost), start)
        return Game(names, rows, rule, self.sense, begin, drawn_from(Same(law)))

    def search(self) -> VariantSearch:
        """Begin a live search; the box is given out again for every draw."""
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
        from weitzman.search.variants.plain_table import plan_lines

        verdict = (
            f"Draw from {self.best!r} until a value is as good as "
            f"{self.reservation_values[self.best]:.6g}."
        )
        rows = [
            (box.name, box.expected_cost, self.reservation_values[box.name]) for box in self.boxes
        ]
        head = verdict if self.searches else "Draw nothing: the outside option is better."
        return plan_lines(head, ("box", "cost per draw", "reservation value"), rows, self)

    def __repr__(self) -> str:
        from weitzman.search.variants.plain_table import printed

        return printed(self)


def draws_plan(boxes: Sequence[Box], sense: Sense, outside: float | None) -> DrawsPlan:
    """Return the plan for boxes that can be opened again, with laws that are known."""
    for box in boxes:
        if not isinstance(box.value, Draws):
            rule = "be Draws: boxes of known draws do not combine with others"
            raise InvalidInputError(f"The value of box {box.name!r}", rule, box.value)
        if box.expected_cost == 0.0:
            raise InvalidInputError(f"The cost of box {box.name!r}", "be > 0 for a draw", 0.0)
        if box.before:
            rule = "come after none: draws do not combine with boxes after others"
            raise InvalidInputError(f"Box {box.name!r}", rule, box.after)
    plan = DrawsPlan(tuple(boxes), sense, outside)
    _ = plan.reservation_values
    return plan
