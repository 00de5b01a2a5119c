"""Plans with partial and full looks (:mod:`~weitzman.search.variants.hard.partial_look` has the theory)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.search.numbers import checked_outside
from weitzman.search.reservation import Sense
from weitzman.search.rule import Rule
from weitzman.search.simulation import Simulation
from weitzman.search.state import RoundState
from weitzman.search.variants.face import (
    EXACT,
    HEURISTIC,
    Draw,
    Game,
    Step,
    VariantSearch,
    simulated_game,
)
from weitzman.search.variants.hard.partial_look import PartialBox, best_commitment, checked_looks
from weitzman.search.variants.hard.partial_rules import (
    Decide,
    IndexRule,
    Looked,
    LookRule,
    PartialProblem,
)


def plan_partial(
    boxes: Sequence[PartialBox],
    *,
    sense: Sense = "min",
    outside: float | None = None,
    method: str = "committing",
) -> "PartialPlan":
    """Return a plan for boxes that may be looked at partially before a full look, or at once.

    Parameters
    ----------
    boxes
        At least one :class:`PartialBox`, with distinct names; independent of each other.
    sense
        Whether smaller (``"min"``) or larger (``"max"``) values are better.
    outside
        A value that can be had without opening anything. None: at least one box is opened.
    method
        ``"committing"``, ``"index"``, ``"whittle"``, or for few boxes ``"exact"``.

    Examples
    --------
    >>> from weitzman import Discrete
    >>> signals = {"good": (0.5, Discrete([0.0, 4.0])), "bad": (0.5, 12.0)}
    >>> made = plan_partial([PartialBox(n, 1.0, 0.25, signals) for n in "ab"], outside=8.0)
    >>> made.expected_total, made.bound
    (4.5625, 4.5625)
    """
    looks = checked_looks(boxes, sense)
    sign = 1.0 if sense == "min" else -1.0
    in_hand = checked_outside(outside)
    start = math.inf if in_hand is None else sign * in_hand
    problem = PartialProblem(looks, start)
    kind = HEURISTIC
    if method == "exact":
        decide, kind = problem.optimal, EXACT
    elif method == "committing":
        decide = IndexRule(looks, commitment=best_commitment(looks, start)).decide
    elif method in {"index", "whittle"}:
        decide = IndexRule(looks, commitment=None, turning=method == "index").decide
    else:
        rule = "be 'committing', 'index', 'whittle' or 'exact'"
        raise InvalidInputError("The method", rule, method)
    return PartialPlan(tuple(boxes), sense, outside, kind, LookRule(looks, decide), problem, decide)


@dataclass(frozen=True, eq=False, repr=False)
class PartialPlan:
    """A plan with partial and full looks; made by :func:`plan_partial`.

    Attributes
    ----------
    boxes
        The boxes.
    sense
        Whether smaller or larger values are better.
    outside
        The outside option; None if there is none.
    kind
        ``exact`` or ``heuristic``.
    rule
        What to look at next; row 2i is the partial look at box i, row 2i + 1 the full one.
    """

    boxes: tuple[PartialBox, ...]
    sense: Sense
    outside: float | None
    kind: str
    rule: Rule
    _problem: PartialProblem
    _decide: Decide

    @property
    def _sign(self) -> float:
        return 1.0 if self.sense == "min" else -1.0

    @cached_property
    def _followed(self) -> Looked:
        return self._problem.follow(self._decide)

    @cached_property
    def expected_paid(self) -> float:
        """The expected sum of the costs paid."""
        looked = self._followed.looks
        return float(sum(q * self._problem.cost(row) for row, q in enumerate(looked.tolist())))

    @cached_property
    def expected_total(self) -> float:
        """The exact expected total of the rule."""
        return self._sign * (self._followed.value + self.expected_paid) + 0.0

    @cached_property
    def bound(self) -> float:
        """No search has a smaller expected total (``"max"``: a larger one)."""
        if self.kind == EXACT:
            return self.expected_total
        return self._sign * min(self._problem.bound, self._sign * self.expected_total) + 0.0

    @property
    def most_lost(self) -> float:
        """How much worse than the best search the plan is at most, >= 0."""
        return max(0.0, self._sign * (self.expected_total - self.bound))

    @property
    def costs(self) -> dict[str, float]:
        """What a full look at each box costs."""
        return {b.name: b.cost for b in self.boxes}

    @cached_property
    def partial_probabilities(self) -> dict[str, float]:
        """The probability that each box is looked at partially."""
        return {
            b.name: float(q) for b, q in zip(self.boxes, self._followed.looks[::2], strict=True)
        }

    @cached_property
    def open_probabilities(self) -> dict[str, float]:
        """The probability of a full look at each box."""
        return {
            b.name: float(q) for b, q in zip(self.boxes, self._followed.looks[1::2], strict=True)
        }

    @cached_property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that each box is kept."""
        return {b.name: float(q) for b, q in zip(self.boxes, self._followed.kept, strict=True)}

    @property
    def expected_opened(self) -> float:
        """The expected number of full looks."""
        return float(self._followed.looks[1::2].sum())

    def _begin(self) -> RoundState:
        count = 2 * len(self.boxes)
        costs = [self._problem.cost(row) for row in range(count)]
        return RoundState(costs, self._problem.outside, signals=range(0, count, 2))

    @property
    def _rows(self) -> list[str]:
        return [Step(box.name, stage) for box in self.boxes for stage in ("partial", "full")]

    def search(self) -> VariantSearch:
        """Begin a live search; a partial look is given a signal."""
        return VariantSearch(
            boxes=self._rows,
            rule=self.rule,
            state=self._begin(),
            sense=self.sense,
            labels={2 * i: list(box.signals) for i, box in enumerate(self.boxes)},
        )

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds of the plan on drawn signals and values."""
        looks = self._problem.looks

        def begin(generator: np.random.Generator) -> tuple[RoundState, Draw]:
            drawn = [int(generator.choice(b.chances.size, p=b.chances)) for b in self.boxes]

            def draw(row: int, rng: np.random.Generator) -> float:
                signal = drawn[row // 2]
                if row % 2 == 0:
                    return float(signal)
                return float(looks[row // 2].laws[signal].sample(rng, 1)[0])

            return self._begin(), draw

        names = tuple(box.name for box in self.boxes)
        game = Game(boxes=names, rows=self._rows, rule=self.rule, begin=begin)
        return simulated_game(game, rounds, rng, sign=self._sign)

    def __rich__(self) -> Any:
        """Return the plan as a table for rich."""
        from weitzman.search.variants.hard.bounded_table import bounded_table

        return bounded_table(self)

    def __repr__(self) -> str:
        from weitzman.search.variants.hard.bounded_table import printed

        return printed(self)
