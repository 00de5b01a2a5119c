"""Draws from a normal law of which neither the mean nor the spread is known.

What is believed before the first draw (:class:`~weitzman.search.contents.NormalDraws`) is as if κ values of
mean m and standard deviation d had been seen: the normal-gamma law with weight κ, mean m, shape a = κ/2 and
rate b = κd²/2. A value v makes it

    κ + 1,   (κm + v)/(κ + 1),   a + ½,   b + κ(v − m)²/(2(κ + 1)),

and the next value is m + sT, T Student's of 2a degrees of freedom, s² = b(κ + 1)/(aκ) [DeGroot 1970]. So the
expected excess of one more draw is a closed form (:mod:`weitzman.search.laws.student`).

**The rule.** Smaller values better. Draw while E(best − v)⁺ > c for the next value v, and fewer than ``most``
were drawn.

**What is proved of it.** Wherever the rule draws, every optimal search draws: one more draw and then
stopping is better than stopping. So it never draws too often, its total is at most that of stopping at any
earlier moment that it passes, and it is optimal where at most one draw is left.

**What is not.** It may stop too early, and is not optimal: a value far from all others widens the belief,
so that after a draw that was not worth its cost the next one may be. Nor is there a threshold on the best
value alone. How much is lost is computed: :mod:`~weitzman.search.variants.normal_grid` has the expected total
of the rule, and that of the best search of at most ``most`` draws. With a spread that is known after many
values of weight the loss vanishes, since then the draws are those of a known law.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from weitzman.arrays import Arrays
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.contents import NormalDraws
from weitzman.search.laws.student import student_excess
from weitzman.search.reservation import Sense, in_hand, sign_of
from weitzman.search.rule import STOP, Action, Open
from weitzman.search.simulation import Simulation
from weitzman.search.state import RoundState
from weitzman.search.variants.draws import Same
from weitzman.search.variants.face import HEURISTIC, Draw, Game, VariantSearch
from weitzman.search.variants.normal_grid import NormalGrid, Prospect

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Group


@dataclass(frozen=True)
class Belief:
    """What is believed of a normal law: normal-gamma, smaller values better."""

    weight: float
    mean: float
    shape: float
    rate: float

    @classmethod
    def of(cls, content: NormalDraws, sense: Sense) -> "Belief":
        """Return what is believed before the first draw."""
        weight = content.weight
        rate = 0.5 * weight * content.spread**2
        return cls(weight, sign_of(sense) * content.mean, 0.5 * weight, rate)

    def after(self, value: float) -> "Belief":
        """Return what is believed after a value was seen."""
        new, gap = self.weight + 1.0, value - self.mean
        rate = self.rate + 0.5 * self.weight * gap * gap / new
        return Belief(new, self.mean + gap / new, self.shape + 0.5, rate)

    @property
    def scale(self) -> float:
        """The scale of the next value."""
        return math.sqrt(self.rate * (self.weight + 1.0) / (self.shape * self.weight))

    def excess(self, best: float) -> float:
        """Return E(best − v)⁺ of the next value v."""
        if math.isinf(best):
            return best
        y = np.full(1, (best - self.mean) / self.scale)
        return self.scale * float(student_excess(y, 2.0 * self.shape)[0])


class NormalDrawsRule:
    """Draw while one more draw is worth its cost; every row is a draw.

    >>> belief = Belief.of(NormalDraws(mean=10.0, spread=2.0, weight=4.0), "min")
    >>> rule, state = NormalDrawsRule(belief, cost=0.5, most=20), RoundState([0.5, 0.5, 0.5])
    >>> rule.next(state)
    Open(box=0)
    >>> state.open(0)
    >>> state.see(0, 7.5)
    >>> rule.next(state) is STOP
    True
    """

    def __init__(self, belief: Belief, cost: float, most: int) -> None:
        self._belief, self._cost, self._most = belief, cost, most

    def next(self, state: RoundState) -> Action:
        """Return the next draw, or STOP."""
        count = len(state.opened)
        belief = self._belief
        for row in state.opened:
            if row in state.values:
                belief = belief.after(state.values[row])
        if count == self._most or belief.excess(state.best) <= self._cost:
            return STOP
        return Open(count)

    def state(self) -> Arrays:
        """Return the belief, the cost and the limit."""
        belief = self._belief
        numbers = [belief.weight, belief.mean, belief.shape, belief.rate, self._cost]
        return {"belief": np.array(numbers), "most": np.array(self._most)}


@dataclass(frozen=True, eq=False, repr=False)
class NormalDrawsPlan:
    """A search of one box that draws from a normal law of unknown mean and spread.

    Figures are computed on a grid, to less than 1e-3 of the spread.
    """

    boxes: tuple[Box, ...]
    sense: Sense
    outside: float | None
    _content: NormalDraws
    kind: str = HEURISTIC

    @cached_property
    def _belief(self) -> Belief:
        return Belief.of(self._content, self.sense)

    @property
    def _cost(self) -> float:
        return self.boxes[0].expected_cost

    def _prospect(self, *, optimal: bool) -> Prospect:
        belief = self._belief
        start = math.log(self._cost / belief.scale)
        most = self._content.most
        grid = NormalGrid(belief.weight, belief.shape, most, start, optimal)
        if self.outside is None:
            return grid.after_one()
        return grid.prospect((in_hand(self.outside, self.sense) - belief.mean) / belief.scale)

    @cached_property
    def _ahead(self) -> Prospect:
        return self._prospect(optimal=False)

    def _total(self, ahead: Prospect) -> float:
        """Return the expected total of what is ahead, as it counts for the caller."""
        gain = self._belief.scale * float(ahead.gain[0, 0])
        sure = self._belief.mean + self._cost
        start = sure if self.outside is None else in_hand(self.outside, self.sense)
        return sign_of(self.sense) * (start - gain) + 0.0

    @property
    def expected_total(self) -> float:
        """The expected total of the rule."""
        return self._total(self._ahead)

    @cached_property
    def bound(self) -> float:
        """The expected total of the best search of at most as many draws."""
        best, sign = self._total(self._prospect(optimal=True)), sign_of(self.sense)
        return sign * min(sign * best, sign * self.expected_total)

    @property
    def most_lost(self) -> float:
        """How much worse than the best search the rule is, >= 0."""
        return abs(self.expected_total - self.bound)

    @property
    def expected_opened(self) -> float:
        """The expected number of draws."""
        return float(self._ahead.draws[0, 0])

    @property
    def expected_paid(self) -> float:
        """The expected sum of the costs paid."""
        return self._cost * self.expected_opened

    @property
    def searches(self) -> bool:
        """Whether anything is opened at all; only an outside option makes it false."""
        return self.expected_opened > 0.0

    @property
    def open_probabilities(self) -> dict[str, float]:
        """The probability that the box is opened: 1 or 0."""
        return {self.boxes[0].name: float(self.searches)}

    @property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that a value of the box is kept."""
        return {self.boxes[0].name: 1.0 - float(self._ahead.none[0, 0])}

    @property
    def _game(self) -> Game:
        name, belief = self.boxes[0].name, self._belief
        rule = NormalDrawsRule(belief, self._cost, self._content.most)
        begin = partial(RoundState, Same(self._cost), in_hand(self.outside, self.sense))
        return Game((name,), Same(name), rule, self.sense, begin, partial(_drawn, belief))

    def search(self) -> VariantSearch:
        """Begin a live search; the box is given out again for every draw."""
        return self._game.search()

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds, each with a law that is drawn from the belief; ``rng`` may be a seed."""
        return self._game.simulate(rounds, rng)

    def plot(self) -> "Figure":
        """Return a picture of the plan, a matplotlib figure; needs ``weitzman[plot]``."""
        from weitzman.search.picture import draw_chances

        return draw_chances(self)

    def __rich__(self) -> "Group":
        """Return the plan as a table for rich."""
        from weitzman.search.variants.plain_table import plan_lines

        box, content = self.boxes[0], self._content
        head = "Draw while one more draw is worth its cost, given all values so far."
        columns = ("box", "cost per draw", "mean", "spread", "weight", "at most")
        cells = [content.mean, content.spread, content.weight, float(content.most)]
        row: list[str | float] = [box.name, box.expected_cost, *cells]
        lost = f"no search of at most {content.most} draws is better than {self.bound:.6g}"
        return plan_lines(head, columns, [row], self, lost)

    def __repr__(self) -> str:
        from weitzman.search.variants.plain_table import printed

        return printed(self)


def _drawn(belief: Belief, rng: np.random.Generator) -> Draw:
    """Return the draws of a round: a law from the belief, and values from it."""
    precision = rng.gamma(belief.shape, 1.0 / belief.rate)
    mean = rng.normal(belief.mean, 1.0 / math.sqrt(belief.weight * precision))
    return lambda _, rng: float(rng.normal(mean, 1.0 / math.sqrt(precision)))


def normal_draws_plan(boxes: Sequence[Box], sense: Sense, outside: float | None) -> NormalDrawsPlan:
    """Return the plan for one box of normal draws."""
    for box in boxes:
        if not isinstance(box.value, NormalDraws) or len(boxes) > 1 or box.before:
            rule = "stand alone: normal draws do not combine with other boxes"
            raise InvalidInputError(f"Box {box.name!r}", rule, box.value)
    (box,) = boxes
    if box.expected_cost == 0.0:
        raise InvalidInputError(f"The cost of box {box.name!r}", "be > 0 for a draw", 0.0)
    assert isinstance(box.value, NormalDraws)
    return NormalDrawsPlan(tuple(boxes), sense, outside, box.value)
