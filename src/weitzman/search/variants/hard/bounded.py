"""The plan of a problem that is hard: a rule, what it costs, and what no rule can do better than.

``kind`` says what the rule is. ``bound`` is the value of a relaxation, so that no search has a better
expected total, and ``most_lost`` is how far the plan can be from the best search at most.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.exact_total import Evaluation, Laws
from weitzman.search.laws.distribution import Distribution
from weitzman.search.numbers import checked_outside
from weitzman.search.reservation import Sense, check_sense, mirrored
from weitzman.search.rule import Rule
from weitzman.search.simulation import Simulation
from weitzman.search.state import RoundState
from weitzman.search.variants.face import (
    EXACT,
    Draw,
    Game,
    Settle,
    VariantSearch,
    settle_best,
    simulated_game,
)
from weitzman.search.variants.hard.opened_sets import OpenedSets, discrete_laws


@dataclass(frozen=True, eq=False, repr=False)
class BoundedPlan:
    """A plan with a bound on what any search can reach.

    Attributes
    ----------
    boxes
        The boxes.
    sense
        Whether smaller or larger values are better.
    outside
        The outside option; None if there is none.
    kind
        ``exact``, ``guarantee ≥ …`` or ``guarantee ≤ …`` times the optimum, or ``heuristic``.
    rule
        What to open next; for the rule smaller values are better.
    expected_total
        The exact expected total of the rule.
    bound
        No search has a smaller expected total (``"max"``: a larger one).
    expected_paid
        The expected sum of what is paid.
    """

    boxes: tuple[Box, ...]
    sense: Sense
    outside: float | None
    kind: str
    rule: Rule
    expected_total: float
    bound: float
    expected_paid: float
    _opened: Floats
    _kept: Floats
    _settle: Settle

    @property
    def most_lost(self) -> float:
        """How much worse than the best search the plan is at most, >= 0."""
        sign = 1.0 if self.sense == "min" else -1.0
        return max(0.0, sign * (self.expected_total - self.bound))

    @property
    def costs(self) -> dict[str, float]:
        """What opening each box costs, on average."""
        return {b.name: b.expected_cost for b in self.boxes}

    @cached_property
    def open_probabilities(self) -> dict[str, float]:
        """The probability that each box is opened."""
        return {b.name: float(q) for b, q in zip(self.boxes, self._opened, strict=True)}

    @cached_property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that each box is kept."""
        return {b.name: float(q) for b, q in zip(self.boxes, self._kept, strict=True)}

    @property
    def expected_opened(self) -> float:
        """The expected number of boxes opened."""
        return float(self._opened.sum())

    def _begin(self) -> RoundState:
        sign = 1.0 if self.sense == "min" else -1.0
        start = math.inf if self.outside is None else sign * self.outside
        return RoundState(list(self.costs.values()), start)

    def search(self) -> VariantSearch:
        """Begin a live search by the plan."""
        names = [b.name for b in self.boxes]
        return VariantSearch(
            boxes=names,
            rule=self.rule,
            state=self._begin(),
            sense=self.sense,
            settle=self._settle,
        )

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds of the plan on values drawn from the boxes' laws."""
        laws = [mirrored(b.law, self.sense) for b in self.boxes]

        def begin(generator: np.random.Generator) -> tuple[RoundState, Draw]:
            return self._begin(), lambda row, rng: float(laws[row].sample(rng, 1)[0])

        names = tuple(b.name for b in self.boxes)
        game = Game(boxes=names, rows=names, rule=self.rule, begin=begin, settle=self._settle)
        return simulated_game(game, rounds, rng, sign=1.0 if self.sense == "min" else -1.0)

    def __rich__(self) -> Any:
        """Return the plan as a table for rich."""
        from weitzman.search.variants.hard.bounded_table import bounded_table

        return bounded_table(self)

    def __repr__(self) -> str:
        from weitzman.search.variants.hard.bounded_table import printed

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
        return 1.0 if self.sense == "min" else -1.0

    @property
    def start(self) -> float:
        """The value in hand before anything is opened; +∞ for none."""
        return math.inf if self.outside is None else self.sign * self.outside

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
        laws = discrete_laws([mirrored(b.law, self.sense) for b in self.boxes], "boxes")
        none = np.full(len(laws), math.inf)
        return OpenedSets(laws, self.costs, self.start, moves, none if blind is None else blind)

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
        # Adding 0 turns the -0 of a turned sign into 0
        return BoundedPlan(
            boxes=self.boxes,
            sense=self.sense,
            outside=self.outside,
            kind=kind,
            rule=rule,
            expected_total=self.sign * total + 0.0,
            bound=self.sign * min(bound, total) + 0.0,
            expected_paid=float(opened @ self.costs) if paid is None else paid,
            _opened=opened,
            _kept=kept,
            _settle=settle,
        )


def checked_problem(boxes: Sequence[Box], sense: Sense, outside: float | None) -> Problem:
    """Return boxes, sense and outside option if they make a problem."""
    boxes = tuple(boxes)
    if not boxes:
        raise InvalidInputError("The boxes", "be at least one", boxes)
    names = [b.name for b in boxes]
    if len(set(names)) < len(names):
        raise InvalidInputError("The names of the boxes", "be distinct", names)
    outside = checked_outside(outside)
    for box in boxes:
        if not box.plain:
            rule = "be plain: stages and boxes after others do not combine with this problem"
            raise InvalidInputError(f"Box {box.name!r}", rule, box)
    return Problem(boxes, check_sense(sense), outside)


def optimum(laws: Sequence[Distribution], costs: Floats, outside: float) -> Evaluation:
    """Return Weitzman's rule at the true reservation values, smaller values better."""
    together = Laws(laws)
    return Evaluation(together, costs, together.reservation_values(costs), outside)


def by_box(given: Mapping[str, Any], names: Sequence[str], subject: str) -> None:
    """Refuse names that are not those of boxes."""
    strange = sorted(set(given) - set(names))
    if strange:
        raise InvalidInputError(subject, f"be for the boxes {list(names)}", strange)
