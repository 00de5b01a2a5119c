"""The plan of a problem that is hard: a rule, what it costs, and what no rule can do better than.

``kind`` says what the rule is. ``bound`` is the value of a relaxation, so that no search has a better
expected total, and ``most_lost`` is how far the plan can be from the best search at most.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.exact_total import Evaluation, Laws
from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.distribution import Distribution
from weitzman.search.reservation import Sense, in_hand, mirrored, sign_of
from weitzman.search.rule import Rule
from weitzman.search.simulation import Simulation
from weitzman.search.state import RoundState
from weitzman.search.variants.face import (
    EXACT,
    Game,
    Settle,
    VariantSearch,
    drawn_from,
    settle_best,
)
from weitzman.search.variants.hard.opened_sets import OpenedSets, discrete_laws

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Figures:
    """What a rule gives on average, smaller values better; how often rows are opened and boxes kept."""

    total: float
    bound: float
    paid: float
    opened: Floats
    kept: Floats


@dataclass(frozen=True, eq=False, repr=False)
class BoundedPlan:
    """A plan with a bound on what any search can reach. Figures are computed when first asked for.

    Attributes
    ----------
    costs
        What opening each box costs, on average; of a box with a partial look the full one.
    outside
        The outside option; None if there is none.
    kind
        ``exact``, ``guarantee ≥ …`` or ``guarantee ≤ …`` times the optimum, or ``heuristic``.
    """

    costs: dict[str, float]
    outside: float | None
    kind: str
    _game: Game
    _make_figures: Callable[[], Figures]
    _lines: Callable[[], Sequence[str]] = tuple
    _notes: Callable[[], Sequence[str]] = tuple

    @cached_property
    def _figures(self) -> Figures:
        return self._make_figures()

    @property
    def sense(self) -> Sense:
        """Whether smaller or larger values are better."""
        return self._game.sense

    @property
    def rule(self) -> Rule:
        """What to open next; for the rule smaller values are better."""
        return self._game.rule

    @property
    def steps(self) -> Sequence[str]:
        """What each row of a round opens: a box, or a :class:`Step` for a partial or full look."""
        return self._game.rows

    @property
    def expected_total(self) -> float:
        """The exact expected total of the rule."""
        # Adding 0 turns the -0 of a turned sign into 0
        return sign_of(self.sense) * self._figures.total + 0.0

    @property
    def bound(self) -> float:
        """No search has a smaller expected total (``"max"``: a larger one)."""
        return sign_of(self.sense) * min(self._figures.bound, self._figures.total) + 0.0

    @property
    def most_lost(self) -> float:
        """How much worse than the best search the plan is at most, >= 0."""
        return max(0.0, sign_of(self.sense) * (self.expected_total - self.bound))

    @property
    def expected_paid(self) -> float:
        """The expected sum of what is paid."""
        return self._figures.paid

    @property
    def step_probabilities(self) -> tuple[float, ...]:
        """The probability that each row is opened, in the order of :attr:`steps`."""
        return tuple(self._figures.opened.tolist())

    @cached_property
    def open_probabilities(self) -> dict[str, float]:
        """The probability that each box is opened; of one with a partial look, by a full one."""
        found = dict.fromkeys(self.costs, 0.0)
        for row, chance in enumerate(self.step_probabilities):
            if row not in self._game.labels:
                found[str(self.steps[row])] += chance
        return found

    @cached_property
    def partial_probabilities(self) -> dict[str, float]:
        """The probability that each box is looked at partially, where boxes can be."""
        chances = zip(self.steps, self.step_probabilities, strict=True)
        return {str(s): p for s, p in chances if getattr(s, "stage", "") == "partial"}

    @cached_property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that each box is kept."""
        return dict(zip(self.costs, self._figures.kept.tolist(), strict=True))

    @property
    def expected_opened(self) -> float:
        """The expected number of boxes opened."""
        return float(sum(self.open_probabilities.values()))

    @property
    def tree(self) -> str:
        """For a plan of scenarios, the rule as a tree: what to open, by what was found."""
        return "\n".join(self._lines())

    @property
    def notes(self) -> list[str]:
        """What else there is to say, a line each."""
        return list(self._notes())

    def search(self) -> VariantSearch:
        """Begin a live search by the plan; a partial look is given a signal."""
        return self._game.search()

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds of the plan on what is drawn; ``rng`` may be a seed."""
        return self._game.simulate(rounds, rng)

    def plot(self) -> "Figure":
        """Return a picture of the plan, a matplotlib figure; needs ``weitzman[plot]``."""
        from weitzman.search.picture import draw_chances

        return draw_chances(self)

    def __rich__(self) -> Any:
        """Return the plan as a table for rich."""
        from weitzman.search.variants.hard.bounded_table import bounded_table

        return bounded_table(self)

    def __repr__(self) -> str:
        from weitzman.search.variants.plain_table import printed

        return printed(self)


@dataclass(frozen=True)
class Problem:
    """Boxes, a sense and an outside option, checked, with smaller values better inside."""

    boxes: tuple[Box, ...]
    sense: Sense
    outside: float | None

    @property
    def sign(self) -> float:
        """1 if smaller values are better, else −1."""
        return sign_of(self.sense)

    @property
    def start(self) -> float:
        """The value in hand before anything is opened; +∞ for none."""
        return in_hand(self.outside, self.sense)

    @cached_property
    def laws(self) -> list[Distribution]:
        """The laws of the values."""
        return [mirrored(box.law, self.sense) for box in self.boxes]

    @cached_property
    def discrete(self) -> list[Discrete]:
        """The laws of the values, where all have finitely many outcomes."""
        return discrete_laws(self.laws, "boxes")

    @cached_property
    def costs(self) -> Floats:
        """The costs of the boxes."""
        return np.array([b.expected_cost for b in self.boxes], dtype=np.float64)

    @property
    def names(self) -> list[str]:
        """The names of the boxes."""
        return [b.name for b in self.boxes]

    def opened_sets(
        self, moves: Callable[[int], Sequence[tuple[int, float]]], blind: Floats | None = None
    ) -> OpenedSets:
        """Return the dynamic programme over opened sets with these moves."""
        none = np.full(len(self.boxes), math.inf)
        return OpenedSets(
            self.discrete, self.costs, self.start, moves, none if blind is None else blind
        )

    def solved(
        self, sets: OpenedSets, *, rule: Rule | None = None, settle: Settle = settle_best
    ) -> BoundedPlan:
        """Return the optimum of a dynamic programme as a plan."""
        courses = sets.follow()
        return self.plan(
            kind=EXACT,
            rule=sets.rule() if rule is None else rule,
            settle=settle,
            paid=courses.expected_paid,
            total=courses.expected_total,
            bound=sets.expected_total,
            opened=courses.open_probabilities,
            kept=courses.keep_probabilities,
        )

    def plan(
        self,
        *,
        kind: str,
        rule: Rule,
        total: float,
        bound: float,
        opened: Floats,
        kept: Floats,
        paid: float | None = None,
        settle: Settle = settle_best,
    ) -> BoundedPlan:
        """Return a plan whose numbers are those of smaller values better; by default costs are paid."""
        if paid is None:
            paid = float(opened @ self.costs)
        names, costs = tuple(self.names), self.costs.tolist()
        figures = Figures(total, bound, paid, opened, kept)
        game = Game(
            boxes=names,
            rows=names,
            rule=rule,
            sense=self.sense,
            begin=lambda: RoundState(costs, self.start),
            draws=drawn_from(self.laws),
            settle=settle,
        )
        by_name = dict(zip(names, costs, strict=True))
        return BoundedPlan(by_name, self.outside, kind, game, lambda: figures)


def checked_problem(
    boxes: Sequence[Box], sense: Sense, outside: float | None, *, ordered: bool = False
) -> Problem:
    """Return boxes, sense and outside option; boxes are plain, or ``ordered``: after others."""
    for box in boxes:
        if not (box.plain or (ordered and replace(box, after=None).plain)):
            what = "stages" if ordered else "stages and boxes after others"
            rule = f"be plain: {what} do not combine with this problem"
            raise InvalidInputError(f"Box {box.name!r}", rule, box)
    return Problem(tuple(boxes), sense, outside)


def optimum(laws: Sequence[Distribution], costs: Floats, outside: float) -> Evaluation:
    """Return Weitzman's rule at the true reservation values, smaller values better."""
    together = Laws(laws)
    return Evaluation(together, costs, together.reservation_values(costs), outside)


def check_names(given: Iterable[str], names: Sequence[str], subject: str) -> None:
    """Refuse names that are not those of boxes."""
    strange = sorted(set(given) - set(names))
    if strange:
        raise InvalidInputError(subject, f"be for the boxes {list(names)}", strange)
