"""Boxes that depend on each other, given by scenarios.

The values of all boxes together are one of m vectors, the scenarios, with known weights. A look does
not only show a value: it rules out every scenario that does not agree. The optimum contains min-sum
set cover and is hard [Chawla 2020]. Smaller values better.

**The rule.** Weitzman's rule, solved again after every look on the scenarios that agree with all that
was seen: open the closed box with the smallest conditional reservation value, stop where the best in
hand is at most that. With p_k the weights of the values v_1 <= v_2 <= … of a box among those scenarios,
the sum of all p being 1,

    σ = min_k  (c + Σ_{j<=k} p_j v_j) / Σ_{j<=k} p_j,

since E(σ − v)⁺ is the largest of the lines σ Σ_{j<=k} p_j − Σ_{j<=k} p_j v_j. The rule is a tree, which
is computed and can be printed; its total is exact. Rules of this kind pay at most a constant times the
optimum of all searches [Gergatsouli 2023]; the constant of theirs is not claimed for this one.

**What no search can do better.** Who knew the scenario would pay E min(o, min_i (v_i + c_i)).

**The optimum** of few scenarios is a recursion over the sets of scenarios that agree and of open boxes;
the best value in hand is a function of the two.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.numbers import checked_cost, checked_outside, finite_array
from weitzman.search.reservation import Sense, check_sense
from weitzman.search.rule import Rule, WeitzmanRule, follow
from weitzman.search.simulation import Simulation
from weitzman.search.state import RoundState
from weitzman.search.variants.face import (
    EXACT,
    HEURISTIC,
    Draw,
    Game,
    VariantSearch,
    simulated_game,
)
from weitzman.search.variants.hard.scenario_tree import (
    Branch,
    ScenarioRule,
    Scenarios,
    grown,
    optimal,
)


def plan_scenarios(
    scenarios: Mapping[str, ArrayLike],
    costs: Mapping[str, float],
    *,
    weights: ArrayLike | None = None,
    sense: Sense = "min",
    outside: float | None = None,
    method: str = "conditional",
) -> "ScenarioPlan":
    """Return a plan for boxes whose values depend on each other.

    Parameters
    ----------
    scenarios
        By box its values, one for each scenario: a mapping or a data frame with a column per box.
    costs
        By box, what opening it costs.
    weights
        One number > 0 per scenario, in proportion to its chance; None for equal ones.
    sense
        Whether smaller (``"min"``) or larger (``"max"``) values are better.
    outside
        A value that can be had without opening anything. None: at least one box is opened.
    method
        ``"conditional"``, Weitzman's rule on the scenarios that agree; or ``"exact"``, the optimum, for
        few scenarios.

    Examples
    --------
    >>> made = plan_scenarios(
    ...     {"a": [1.0, 9.0, 9.0], "b": [9.0, 1.0, 9.0], "c": [5.0, 5.0, 2.0]},
    ...     costs={"a": 1.0, "b": 1.0, "c": 1.0},
    ... )
    >>> round(made.expected_total, 6), made.kind
    (3.333333, 'heuristic')
    >>> print(made.tree)
    open a
      1: keep 1
      9: open b
        1: keep 1
        9: open c
          2: keep 2
    """
    names = list(scenarios)
    if set(costs) != set(names) or not names:
        raise InvalidInputError("The costs", f"be for the boxes {names}, at least one", list(costs))
    sign = 1.0 if check_sense(sense) == "min" else -1.0
    outside = checked_outside(outside)
    columns = [
        finite_array(scenarios[name], f"The scenarios of box {name!r}", "be finite numbers")
        for name in names
    ]
    sizes = {column.shape for column in columns}
    if len(sizes) != 1 or columns[0].ndim != 1 or columns[0].size == 0:
        equal = "have the same number of values for every box, at least one"
        raise InvalidInputError("The scenarios", equal, sorted(sizes))
    given = Scenarios(
        values=sign * np.stack(columns, axis=1),
        weights=_weights(weights, columns[0].size),
        costs=np.array([checked_cost(costs[name], name) for name in names]),
        outside=math.inf if outside is None else sign * outside,
    )
    if method not in {"conditional", "exact"}:
        raise InvalidInputError("The method", "be 'conditional' or 'exact'", method)
    rule: Rule = ScenarioRule(given) if method == "conditional" else optimal(given)
    kind = HEURISTIC if method == "conditional" else EXACT
    return ScenarioPlan(tuple(names), sense, outside, kind, rule, given)


def _weights(weights: ArrayLike | None, count: int) -> Floats:
    if weights is None:
        return np.full(count, 1.0 / count)
    rule = f"be {count} numbers > 0"
    given = finite_array(weights, "The weights", rule)
    if given.shape != (count,) or not (given > 0.0).all():
        raise InvalidInputError("The weights", rule, weights)
    return np.asarray(given / given.sum())


@dataclass(frozen=True, eq=False, repr=False)
class ScenarioPlan:
    """A plan for boxes whose values depend on each other; made by :func:`plan_scenarios`.

    Attributes
    ----------
    names
        The boxes.
    sense
        Whether smaller or larger values are better.
    outside
        The outside option; None if there is none.
    kind
        ``exact`` or ``heuristic``.
    rule
        What to open next; for the rule smaller values are better.
    """

    names: tuple[str, ...]
    sense: Sense
    outside: float | None
    kind: str
    rule: Rule
    _given: Scenarios

    @property
    def _sign(self) -> float:
        return 1.0 if self.sense == "min" else -1.0

    @cached_property
    def _root(self) -> Branch:
        return grown(self._given, self.rule)

    @property
    def tree(self) -> str:
        """The rule as a tree: what to open, by what was found."""
        return "\n".join(self._root.lines(self.names, self._sign))

    @cached_property
    def expected_total(self) -> float:
        """The exact expected total of the rule."""
        return self._sign * self._root.total + 0.0

    @cached_property
    def bound(self) -> float:
        """What is paid if the scenario is known in advance: no search has a better total."""
        if self.kind == EXACT:
            return self.expected_total
        given = self._given
        hindsight = np.minimum((given.values + given.costs).min(axis=1), given.outside)
        return self._sign * float(given.weights @ hindsight) + 0.0

    @property
    def most_lost(self) -> float:
        """How much worse than the best search the plan is at most, >= 0."""
        return max(0.0, self._sign * (self.expected_total - self.bound))

    @cached_property
    def independent_total(self) -> float:
        """The expected total, in these scenarios, of the plan that takes the boxes for independent."""
        given = self._given
        rule = WeitzmanRule(given.reservation_values(np.arange(given.weights.size)))
        ends = [follow(rule, given.begin(), values).total for values in given.values]
        return self._sign * float(given.weights @ np.array(ends)) + 0.0

    @cached_property
    def open_probabilities(self) -> dict[str, float]:
        """The probability that each box is opened."""
        return dict(zip(self.names, self._root.opened(len(self.names)).tolist(), strict=True))

    @cached_property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that each box is kept."""
        return dict(zip(self.names, self._root.kept(len(self.names)).tolist(), strict=True))

    @property
    def expected_opened(self) -> float:
        """The expected number of boxes opened."""
        return float(sum(self.open_probabilities.values()))

    @property
    def expected_paid(self) -> float:
        """The expected sum of the costs paid."""
        return float(np.array(list(self.open_probabilities.values())) @ self._given.costs)

    def search(self) -> VariantSearch:
        """Begin a live search; after a value that is in no scenario, those nearest to it count."""
        state = self._given.begin()
        return VariantSearch(boxes=self.names, rule=self.rule, state=state, sense=self.sense)

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds on drawn scenarios."""
        given = self._given

        def begin(generator: np.random.Generator) -> tuple[RoundState, Draw]:
            row = int(generator.choice(given.weights.size, p=given.weights))
            return given.begin(), lambda box, _: float(given.values[row, box])

        game = Game(boxes=self.names, rows=self.names, rule=self.rule, begin=begin)
        return simulated_game(game, rounds, rng, sign=self._sign)

    def __rich__(self) -> Any:
        """Return the plan for rich."""
        from weitzman.search.variants.hard.bounded_table import scenario_table

        return scenario_table(self)

    def __repr__(self) -> str:
        from weitzman.search.variants.hard.bounded_table import printed

        return printed(self)
