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

from collections.abc import Mapping
from functools import cache, partial

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.numbers import checked_cost, finite_array
from weitzman.search.reservation import Sense, in_hand, sign_of
from weitzman.search.rule import Rule, WeitzmanRule, follow
from weitzman.search.variants.face import EXACT, HEURISTIC, Draw, Game
from weitzman.search.variants.hard.bounded import BoundedPlan, Figures
from weitzman.search.variants.hard.scenario_tree import ScenarioRule, Scenarios, grown, optimal


def plan_scenarios(
    scenarios: Mapping[str, ArrayLike],
    costs: Mapping[str, float],
    *,
    weights: ArrayLike | None = None,
    sense: Sense = "min",
    outside: float | None = None,
    method: str = "conditional",
) -> BoundedPlan:
    """Return a plan for boxes whose values depend on each other.

    >>> from weitzman import plan
    >>> made = plan(
    ...     scenarios={"a": [1.0, 9.0, 9.0], "b": [9.0, 1.0, 9.0], "c": [5.0, 5.0, 2.0]},
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
    if not hasattr(scenarios, "keys"):
        kind = "be a mapping or a data frame of values by box"
        raise InvalidInputError("The scenarios", kind, scenarios)
    names = list(scenarios)
    if set(costs) != set(names) or not names:
        raise InvalidInputError("The costs", f"be for the boxes {names}, at least one", list(costs))
    sign = sign_of(sense)
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
        outside=in_hand(outside, sense),
    )
    exact = method == "exact"
    rule: Rule = optimal(given) if exact else ScenarioRule(given)
    root = cache(lambda: grown(given, rule))
    game = Game(tuple(names), tuple(names), rule, sense, given.begin, partial(_drawn, given))

    def figures() -> Figures:
        opened = root().opened(len(names))
        bound = root().total if exact else _hindsight(given)
        paid = float(opened @ given.costs)
        return Figures(root().total, bound, paid, opened, root().kept(len(names)))

    return BoundedPlan(
        dict(zip(names, given.costs.tolist(), strict=True)),
        outside,
        EXACT if exact else HEURISTIC,
        game,
        figures,
        lambda: list(root().lines(names, sign)),
        lambda: [f"taking the boxes for independent: {sign * independent_total(given) + 0.0:.6g}"],
    )


def _drawn(given: Scenarios, rng: np.random.Generator) -> Draw:
    """Return what the boxes show in a scenario that is drawn."""
    row = int(rng.choice(given.weights.size, p=given.weights))
    return lambda box, _: float(given.values[row, box])


def _hindsight(given: Scenarios) -> float:
    """Return what is paid if the scenario is known in advance: no search has a better total."""
    best = np.minimum((given.values + given.costs).min(axis=1), given.outside)
    return float(given.weights @ best)


def independent_total(given: Scenarios) -> float:
    """Return the expected total, in these scenarios, of the plan that takes the boxes for independent."""
    rule = WeitzmanRule(given.reservation_values(np.arange(given.weights.size)))
    ends = [follow(rule, given.begin(), values).total for values in given.values]
    return float(given.weights @ np.array(ends))


def _weights(weights: ArrayLike | None, count: int) -> Floats:
    if weights is None:
        return np.full(count, 1.0 / count)
    rule = f"be {count} numbers > 0"
    given = finite_array(weights, "The weights", rule)
    if given.shape != (count,) or not (given > 0.0).all():
        raise InvalidInputError("The weights", rule, weights)
    return np.asarray(given / given.sum())
