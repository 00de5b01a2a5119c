"""The plan over a forest of nodes: order, exact total, and how likely each box is opened and kept.

At reservation values σ other than the true ones the rule is the optimal one for the costs g_i(σ_i) at which
they would be true, with g of :mod:`~weitzman.search.variants.forest.capped` for what is behind each node at
these σ. Its expected total at those costs is that of the capped laws max(σ_i, M_i); with q_i the expected
discount at which row i is opened, at the true costs it is

    E min(outside, min_i κ_i) + Σ_i q_i (c_i − g_i(σ_i)),

and the weight of the lightest basis in place of the minimum where several are kept.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from weitzman.arrays import Floats
from weitzman.search.box import Box
from weitzman.search.numbers import finite_number
from weitzman.search.reservation import Sense, sign_of
from weitzman.search.rule import Rule
from weitzman.search.simulation import Simulation
from weitzman.search.state import RoundState
from weitzman.search.variants.face import EXACT, Game, Settle, Step, VariantSearch
from weitzman.search.variants.forest.capped import Capped
from weitzman.search.variants.forest.chances import Room, kept, opened
from weitzman.search.variants.forest.forest import Forest
from weitzman.search.variants.forest.nodes import Node
from weitzman.search.variants.forest.outcomes import Outcomes
from weitzman.search.variants.forest.totals import Integral

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Group


@dataclass(frozen=True, eq=False, repr=False)
class ForestPlan:
    """The optimal search of boxes with stages or boxes after others, or of several boxes to keep.

    Made by :func:`plan`; at reservation values that were given it is the search by these. All numbers
    are computed when first asked for, and kept.
    """

    boxes: tuple[Box, ...]
    sense: Sense
    outside: float | None
    forest: Forest
    rule: Rule
    places: int
    _truth: Forest
    _integral: Callable[[Sequence[Capped | Outcomes]], Integral]
    _room: Room
    _settle: Settle
    _worth: Callable[[float], float] | None = None
    kind: str = EXACT

    @property
    def _sign(self) -> float:
        return sign_of(self.sense)

    @cached_property
    def _outside(self) -> float:
        """What the outside option is worth, smaller better."""
        if self.outside is None:
            return math.inf
        worth = self.outside if self._worth is None else self._worth(self.outside)
        return self._sign * finite_number(worth, "The utility", "be a finite number")

    def _by_box(self, numbers: Floats) -> dict[str, float]:
        found = dict.fromkeys((box.name for box in self.boxes), 0.0)
        for node, number in zip(self.forest.nodes, numbers.tolist(), strict=True):
            found[node.box] += number
        return found

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """What each row of a round opens: the name of a box, which knows its stage if it has stages."""
        nodes = self.forest.nodes
        return tuple(n.box if n.stage is None else Step(n.box, n.stage) for n in nodes)

    @cached_property
    def reservation_values(self) -> dict[str, float]:
        """The reservation value of each box, of its first stage; of several the best."""
        return self._by_first(self.forest.sigma)

    def _by_first(self, sigmas: Floats) -> dict[str, float]:
        best = dict.fromkeys((box.name for box in self.boxes), math.inf)
        for row in sorted(self._firsts):
            box = self.forest.nodes[row].box
            best[box] = min(best[box], float(sigmas[row]))
        return {box: self._sign * sigma + 0.0 for box, sigma in best.items()}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The boxes by reservation value, the best first."""
        names = [box.name for box in self.boxes]
        return tuple(sorted(names, key=lambda name: self._sign * self.reservation_values[name]))

    @cached_property
    def expected_total(self) -> float:
        """The exact expectation of the total."""
        total = self._capped_total(self.forest)
        if self.forest is not self._truth:
            paid = np.array([node.cost for node in self.forest.nodes])
            rate = np.array([law.cost for law in self.forest.capped])
            total += float(np.sum(self._discounted * (paid - rate)))
        return self._sign * total + 0.0

    def _capped_total(self, forest: Forest) -> float:
        return self._integral(forest.root_laws).below(self._outside)

    @cached_property
    def optimal_total(self) -> float:
        """The expected total at the true reservation values; no rule does better."""
        return self._sign * self._capped_total(self._truth) + 0.0

    @cached_property
    def regret(self) -> float:
        """How much worse the plan is than the optimum, ≥ 0; 0 for a plan at the true values."""
        if self.forest is self._truth:
            return 0.0
        return max(0.0, self._sign * (self.expected_total - self.optimal_total))

    @cached_property
    def optimal_reservation_values(self) -> dict[str, float]:
        """The true reservation values, by box as :attr:`reservation_values` are."""
        return self._by_first(self._truth.sigma)

    @cached_property
    def _opened(self) -> Floats:
        return opened(self.forest, self._room, self._outside)

    @cached_property
    def step_probabilities(self) -> tuple[float, ...]:
        """The probability that each row is opened, in the order of :attr:`steps`."""
        return tuple(self._opened.tolist())

    @cached_property
    def open_probabilities(self) -> dict[str, float]:
        """The probability that each box is opened; that of its first stage."""
        first = [row in self._firsts for row in range(len(self.forest.nodes))]
        return self._by_box(np.where(first, self._opened, 0.0))

    @cached_property
    def _firsts(self) -> set[int]:
        """The rows that are behind no other row of the same box."""
        behind = {
            self.forest.row[id(child)]
            for node in self.forest.nodes
            for branch in node.branches
            for child in branch.then
            if child.box == node.box
        }
        return set(range(len(self.forest.nodes))) - behind

    @cached_property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that each box is kept."""
        return self._by_box(np.array(self.kept_by_step))

    @cached_property
    def kept_by_step(self) -> tuple[float, ...]:
        """The probability that the value of each row is kept, in the order of :attr:`steps`."""
        return tuple(kept(self.forest, self._room, self._outside).tolist())

    @cached_property
    def expected_opened(self) -> float:
        """The expected number of boxes and stages opened."""
        return float(np.sum(self._opened))

    @cached_property
    def expected_paid(self) -> float:
        """The expected sum of the costs paid, discounted if the plan is."""
        costs = np.array([node.cost for node in self.forest.nodes])
        return float(np.sum(self._discounted * costs))

    @cached_property
    def _discounted(self) -> Floats:
        """What the cost of each row is multiplied by on average."""
        if all(node.discount == 1.0 for node in self.forest.nodes):
            return self._opened
        return opened(self.forest, self._room, self._outside, discounted=True)

    @property
    def searches(self) -> bool:
        """Whether anything is opened at all; only an outside option makes it false."""
        return float(self._opened.max()) > 0.0

    def _begin(self) -> RoundState:
        nodes = self.forest.nodes
        signals = frozenset(row for row, node in enumerate(nodes) if node.labels is not None)
        return RoundState([node.cost for node in nodes], self._outside, signals)

    @property
    def _game(self) -> Game:
        nodes, names = self.forest.nodes, tuple(box.name for box in self.boxes)
        shows = [_draw(node) for node in nodes]
        return Game(
            boxes=names,
            rows=self.steps,
            rule=self.rule,
            sense=self.sense,
            begin=self._begin,
            draws=lambda _: lambda row, rng: shows[row](rng),
            settle=self._settle,
            labels={row: n.labels for row, n in enumerate(nodes) if n.labels is not None},
            worth=self._worth,
        )

    def search(self) -> VariantSearch:
        """Begin a live search by this plan; a box with stages is given out once for each of them."""
        return self._game.search()

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds of the plan on drawn values and signals; ``rng`` may be a seed."""
        return self._game.simulate(rounds, rng)

    def plot(self) -> "Figure":
        """Return a picture of the plan, its trees as trees; needs ``weitzman[plot]``."""
        from weitzman.search.variants.forest.picture import draw_forest

        return draw_forest(self)

    def __rich__(self) -> "Group":
        """Return the plan as a table for rich."""
        from weitzman.search.variants.forest.table import forest_table

        return forest_table(self)

    def __repr__(self) -> str:
        from weitzman.search.variants.plain_table import printed

        return printed(self)


def _draw(node: Node) -> Callable[[np.random.Generator], float]:
    """Return how to draw what a node shows, as a state holds it."""
    chances = np.cumsum([branch.chance for branch in node.branches])

    def drawn(rng: np.random.Generator) -> float:
        place = min(int(np.searchsorted(chances, rng.random(), side="right")), chances.size - 1)
        if node.labels is not None:
            return float(place)
        value = node.branches[place].value
        return math.inf if value is None else float(value.sample(rng, 1)[0])

    return drawn
