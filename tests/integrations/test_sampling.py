"""Draws from models: against dynamic programmes, quadrature and simulation."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import exp, inf, log, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.stats
from scipy.integrate import quad

import weitzman as wz
from weitzman.errors import InvalidInputError, SearchStateError
from weitzman.integrations.sampling import (
    BestAnswers,
    PastAnswers,
    RightAnswers,
    fit_chances,
    fit_rewards,
)
from weitzman.search.rule import STOP, Open
from weitzman.search.state import RoundState
from weitzman.search.variants.believed.alike import AlikeRule
from weitzman.search.variants.believed.rule import (
    BelievedRule,
    Cycle,
    NormalBelief,
    SuccessBelief,
    student_root,
)
from weitzman.search.variants.normal_draws import Belief

Z = 4.753  # a false alarm in a million


def totals(
    rewards: int, beliefs: Sequence[tuple[int, int]], costs: Sequence[Fraction], most: int
) -> tuple[Fraction, Fraction]:
    """Return the optimum and what the rule makes, by recursion over all counts of failures."""
    rule = BelievedRule(
        [SuccessBelief(float(a), float(b)) for a, b in beliefs], [float(c) for c in costs], 10**6
    )

    def decision(failures: tuple[int, ...]) -> int | None:
        state = RoundState(Cycle([float(c) for c in costs]), float(rewards))
        for box, count in enumerate(failures):
            for _ in range(count):
                state.open(len(state.opened) * len(costs) + box)
                state.miss()
        action = rule.next(state)
        return action.box % len(costs) if isinstance(action, Open) else None

    def ahead(box: int, failures: tuple[int, ...], later: Fraction) -> Fraction:
        a, b = beliefs[box]
        chance = Fraction(a, a + b + failures[box])
        return costs[box] + (1 - chance) * later

    @cache
    def best(failures: tuple[int, ...]) -> Fraction:
        found = [Fraction(rewards)]
        for box, count in enumerate(failures):
            if count < most:
                after = (*failures[:box], count + 1, *failures[box + 1 :])
                found.append(ahead(box, failures, best(after)))
        return min(found)

    @cache
    def by_rule(failures: tuple[int, ...]) -> Fraction:
        box = decision(failures)
        if box is None:
            return Fraction(rewards)
        assert failures[box] < most, "the programme looks too few draws ahead"
        after = (*failures[:box], failures[box] + 1, *failures[box + 1 :])
        return ahead(box, failures, by_rule(after))

    start = (0,) * len(costs)
    return best(start), by_rule(start)


@pytest.mark.parametrize("seed", range(60))
def test_the_rule_makes_the_optimum_of_the_dynamic_programme(seed: int) -> None:
    """One to three models, up to twelve failures each, in exact fractions."""
    rng = np.random.default_rng(seed)
    boxes = int(rng.integers(1, 4))
    most = 12 if boxes < 3 else 9
    beliefs = [(int(rng.integers(1, 5)), int(rng.integers(1, 5))) for _ in range(boxes)]
    # No model is worth more than so many failures: a R / c − a − b < most
    costs = [
        Fraction(int(rng.integers(10 * a, 40 * a)), 10) + Fraction(10 * a, most + a + b - 1)
        for a, b in beliefs
    ]
    optimum, made = totals(10, beliefs, costs, most)
    assert made == optimum


def test_the_programme_can_tell_a_worse_rule() -> None:
    """To ask the cheapest model five times, and then to give up, is worse than the optimum."""
    optimum, _ = totals(10, [(1, 4), (4, 1)], [Fraction(1), Fraction(3, 2)], 24)
    cheapest, open_ = Fraction(0), Fraction(1)
    for failures in range(5):
        cheapest += open_
        open_ *= 1 - Fraction(1, 5 + failures)
    assert cheapest + open_ * 10 > optimum + 1


@pytest.mark.parametrize("wrong", [5.0, 20.0])
def test_the_search_gives_up_where_the_plan_of_one_model_does(wrong: float) -> None:
    """f* = ⌈R a/c − a − b⌉ failures."""
    a, b, cost = 1.5, 2.0, 0.7
    draws = RightAnswers(costs={"m": cost}, wrong_answer=wrong, beliefs={"m": (a, b)}).search()
    count = 0
    for _ in draws:
        draws.see(False)
        count += 1
    assert count == int(np.ceil(wrong * a / cost - a - b))
    outcome = draws.close()
    assert (outcome.value, outcome.kept) == (wrong, ())
    assert outcome.paid == pytest.approx(count * cost)


def test_the_mean_total_is_that_of_the_plan() -> None:
    """The plan of the same boxes has an exact total; here 4,000 questions are asked."""
    costs, beliefs = {"small": 0.5, "large": 3.0}, {"small": (1.0, 2.0), "large": (4.0, 1.0)}
    boxes = [wz.Box(n, costs[n], wz.Successes(0.0, *beliefs[n])) for n in costs]
    exact = wz.plan(boxes, outside=10.0).expected_total
    answers = RightAnswers(costs=costs, wrong_answer=10.0, beliefs=beliefs)
    rng, found = np.random.default_rng(3), []
    for _ in range(4000):
        chance = {name: rng.beta(a, b) for name, (a, b) in beliefs.items()}
        draws = answers.search()
        for model in draws:
            draws.see(bool(rng.random() < chance[model]))
        found.append(draws.close().total)
    assert abs(np.mean(found) - exact) <= Z * np.std(found, ddof=1) / sqrt(len(found))


@pytest.mark.parametrize("freedom", [1.3, 4.0, 40.0])
@pytest.mark.parametrize("cost", [1e-2, 0.1, 0.7, 5.0])
def test_the_reservation_value_is_the_root_of_the_excess_by_quadrature(
    freedom: float, cost: float
) -> None:
    """E(y − T)⁺ is the area under the cdf up to y; far out its tail is taken in logarithms."""
    root = student_root(cost, freedom)

    def area(y: float) -> float:
        inner = quad(lambda t: scipy.stats.t.cdf(t, freedom), min(-30.0, y - 30.0), y, limit=400)[0]
        start = max(30.0, 30.0 - y)
        outer = quad(
            lambda u: exp(u) * scipy.stats.t.sf(exp(u), freedom), log(start), 150.0, limit=400
        )
        return float(inner + outer[0])

    assert area(root) == pytest.approx(cost, rel=1e-6)


def drawn_from(belief: Belief, rng: np.random.Generator) -> tuple[float, float]:
    precision = rng.gamma(belief.shape, 1.0 / belief.rate)
    return rng.normal(belief.mean, 1.0 / sqrt(belief.weight * precision)), 1.0 / sqrt(precision)


def mean_total(
    answers: BestAnswers, beliefs: dict[str, Belief], rounds: int, seed: int
) -> tuple[float, float]:
    rng, found = np.random.default_rng(seed), []
    for _ in range(rounds):
        laws = {name: drawn_from(belief, rng) for name, belief in beliefs.items()}
        draws = answers.search()
        for model in draws:
            draws.see(float(rng.normal(*laws[model])))
        found.append(draws.close().total)
    return float(np.mean(found)), float(np.std(found, ddof=1) / sqrt(rounds))


def test_one_model_is_the_plan_of_normal_draws() -> None:
    content = wz.NormalDraws(mean=1.0, spread=2.0, weight=4.0, most=12)
    plan = wz.plan([wz.Box("m", 0.3, content)], sense="max", outside=0.0)
    belief = {"m": Belief(4.0, 1.0, 2.0, 8.0)}
    answers = BestAnswers(costs={"m": 0.3}, beliefs=belief, no_answer=0.0, most=12)
    mean, error = mean_total(answers, belief, 1500, 5)
    # The plan's figure is computed on a grid, to 1e-3 of the spread
    assert abs(mean - plan.expected_total) <= Z * error + 2e-3


def test_two_models_are_worth_no_less_than_stopping_or_than_each_alone() -> None:
    """The first is proved; of the second, simulation may only fail to say the opposite."""
    beliefs = {"rough": Belief(0.5, 0.0, 3.0, 6.0), "fine": Belief(4.0, 1.0, 3.0, 2.0)}
    costs = {"rough": 0.05, "fine": 0.4}
    both = BestAnswers(costs=costs, beliefs=beliefs, no_answer=0.0)
    mean, error = mean_total(both, beliefs, 1200, 6)
    assert mean >= -Z * error
    for name, belief in beliefs.items():
        alone = BestAnswers(costs={name: costs[name]}, beliefs={name: belief}, no_answer=0.0)
        single, other = mean_total(alone, {name: belief}, 1200, 7)
        assert mean >= single - Z * sqrt(error**2 + other**2)


def test_the_rule_stops_where_no_draw_pays_for_itself() -> None:
    belief = NormalBelief(Belief(4.0, 0.0, 2.0, 2.0))
    sigma = belief.reservation_value(0.2)
    rule = BelievedRule([belief], [0.2], 10)
    assert rule.next(RoundState(Cycle([0.2]), sigma)) is STOP
    assert rule.next(RoundState(Cycle([0.2]), sigma + 1e-9)) == Open(0)
    assert BelievedRule([belief], [0.2], 1).next(_drawn(1.0)) is STOP


def _drawn(value: float) -> RoundState:
    state = RoundState(Cycle([0.2]), inf)
    state.open(0)
    state.see(0, value)
    return state


def likelihood(k: Any, n: Any, a: float, b: float) -> float:
    return float(np.sum(scipy.stats.betabinom.logpmf(k, n, a, b)))


def test_fitted_chances_are_those_that_questions_were_drawn_with() -> None:
    rng = np.random.default_rng(8)
    n = np.full(4000, 6)
    a, b = fit_chances(rng.binomial(n, rng.beta(0.6, 1.5, size=4000)), n)
    assert (a, b) == pytest.approx((0.6, 1.5), rel=0.12)
    # More likely than anything beside it
    k = rng.binomial(n, rng.beta(0.6, 1.5, size=4000))
    a, b = fit_chances(k, n)
    at = likelihood(k, n, a, b)
    for factor in (0.9, 1.1):
        assert at >= likelihood(k, n, a * factor, b)
        assert at >= likelihood(k, n, a, b * factor)


def test_fitted_rewards_are_those_that_questions_were_drawn_with() -> None:
    rng, truth = np.random.default_rng(9), Belief(0.5, 2.0, 3.0, 6.0)
    rows = []
    for _ in range(3000):
        mean, spread = drawn_from(truth, rng)
        rows.append(rng.normal(mean, spread, size=6))
    found = fit_rewards(rows)
    assert found.mean == pytest.approx(2.0, abs=0.15)
    assert found.weight == pytest.approx(0.5, rel=0.15)
    assert (found.shape, found.rate) == pytest.approx((3.0, 6.0), rel=0.2)


@pytest.mark.parametrize("equal", [0, 4])
def test_models_that_are_always_wrong_or_right_have_a_belief(equal: int) -> None:
    a, b = fit_chances([equal] * 10, [4] * 10)
    assert a > 0.0
    assert b > 0.0
    assert (a / (a + b) > 0.9) == (equal == 4)


def alike(
    right: Sequence[Sequence[int]], wrong: Sequence[Sequence[int]], costs: Sequence[float]
) -> AlikeRule:
    return AlikeRule(np.array(right, dtype=float), np.array(wrong, dtype=float), costs, 1000)


def test_chances_of_rounds_that_are_alike_are_those_of_bayes() -> None:
    """In exact fractions, failure by failure, over all rounds of before."""
    right, wrong = [[1, 4], [3, 1], [2, 2]], [[5, 1], [1, 6], [3, 2]]
    rule = alike(right, wrong, [1.0, 1.0])
    failures = [0, 0]
    weights = [Fraction(1, 3)] * 3
    for box in (0, 0, 1, 0, 1, 1):
        chances = [
            [Fraction(right[q][k], right[q][k] + wrong[q][k] + failures[k]) for k in range(2)]
            for q in range(3)
        ]
        exact = [
            float(sum(w * c[k] for w, c in zip(weights, chances, strict=True))) for k in (0, 1)
        ]
        assert rule.chances(np.array(failures, dtype=float)) == pytest.approx(exact, rel=1e-12)
        weights = [w * (1 - c[box]) for w, c in zip(weights, chances, strict=True)]
        weights = [w / sum(weights) for w in weights]
        failures[box] += 1


def test_one_round_of_before_is_a_belief_of_its_own() -> None:
    joint = alike([[1, 3]], [[1, 1]], [0.5, 2.0])
    apart = BelievedRule([SuccessBelief(1.0, 1.0), SuccessBelief(3.0, 1.0)], [0.5, 2.0], 1000)
    state = RoundState(Cycle([0.5, 2.0]), 10.0)
    while (action := apart.next(state)) is not STOP:
        assert joint.next(state) == action
        assert isinstance(action, Open)
        state.open(action.box)
        state.miss()
    assert joint.next(state) is STOP


@pytest.mark.parametrize("seed", range(15))
def test_the_rule_of_rounds_that_are_alike_is_near_the_optimum(seed: int) -> None:
    """Two models, four rounds of before: never worse than giving up, and within a tenth of the programme."""
    rng = np.random.default_rng(seed)
    right, wrong = rng.integers(1, 7, size=(2, 4, 2)).astype(float)
    costs = rng.uniform(1.0, 3.0, size=2)
    rule, worst, most = AlikeRule(right, wrong, costs.tolist(), 1000), 10.0, 14

    def ahead(box: int, failures: tuple[int, int], later: float) -> float:
        chance = rule.chances(np.array(failures, dtype=float))[box]
        return float(costs[box] + (1.0 - chance) * later)

    @cache
    def best(failures: tuple[int, int]) -> float:
        found = [worst]
        if sum(failures) < most:
            found += [ahead(box, failures, best(_more(failures, box))) for box in (0, 1)]
        return min(found)

    @cache
    def made(failures: tuple[int, int]) -> float:
        state = RoundState(Cycle(costs.tolist()), worst)
        for box, count in enumerate(failures):
            for _ in range(count):
                state.open(len(state.opened) * 2 + box)
                state.miss()
        action = rule.next(state)
        if not isinstance(action, Open) or sum(failures) == most:
            return worst
        box = action.box % 2
        return ahead(box, failures, made(_more(failures, box)))

    assert best((0, 0)) - 1e-12 <= made((0, 0)) <= min(worst, 1.1 * best((0, 0)))


def _more(failures: tuple[int, int], box: int) -> tuple[int, int]:
    return (failures[0] + 1, failures[1]) if box == 0 else (failures[0], failures[1] + 1)


def test_failures_of_one_model_speak_of_the_other_if_they_fail_together() -> None:
    together = PastAnswers(
        right={"a": [4] * 20 + [0] * 20, "b": [4] * 20 + [0] * 20},
        answers={"a": [4] * 40, "b": [4] * 40},
    )
    apart = PastAnswers(
        right={"a": [4] * 20 + [0] * 20, "b": [0, 4] * 20}, answers={"a": [4] * 40, "b": [4] * 40}
    )
    counts = []
    for before in (together, apart):
        answers = RightAnswers(costs={"a": 1.0, "b": 1.0}, wrong_answer=5.0, before=before)
        draws = answers.search()
        for _ in draws:
            draws.see(False)
        counts.append(draws.close().opened)
    assert set(counts[0]) in ({"a"}, {"b"})
    assert set(counts[1]) == {"a", "b"}


def test_what_is_wrong_is_refused() -> None:
    draws = RightAnswers(costs={"m": 1.0}, wrong_answer=9.0).search()
    next(draws)
    with pytest.raises(InvalidInputError, match="must be True or False"):
        draws.see(1.0)
    draws.see(True, cost=1.5)
    assert draws.close().paid == 1.5
    with pytest.raises(InvalidInputError, match="The cost of 'm' must be a finite number > 0"):
        RightAnswers(costs={"m": 0.0}, wrong_answer=9.0).search()
    with pytest.raises(InvalidInputError, match="The beliefs must be of the models"):
        BestAnswers(costs={"m": 1.0}, beliefs={}).search()
    with pytest.raises(InvalidInputError, match="numbers of right answers"):
        fit_chances([3], [2])
    with pytest.raises(InvalidInputError, match="at least two questions"):
        fit_rewards([[1.0, 2.0]])
    draws = RightAnswers(costs={"m": 1.0}, wrong_answer=9.0).search()
    next(draws)
    with pytest.raises(SearchStateError):
        next(draws)
