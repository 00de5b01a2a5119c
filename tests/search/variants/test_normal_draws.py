"""Normal draws of unknown mean and spread: the belief, the totals by nested integrals, and what is proved."""

from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz
from weitzman.arrays import Floats
from weitzman.search.laws.student import student_excess
from weitzman.search.rule import STOP
from weitzman.search.state import RoundState
from weitzman.search.variants.normal_draws import Belief, NormalDrawsPlan, NormalDrawsRule

SCORES = np.linspace(-6.0, 6.0, 121)
CHANCES = scipy.stats.norm.pdf(SCORES) / scipy.stats.norm.pdf(SCORES).sum()


def made(cost: float, content: wz.NormalDraws, **settings: Any) -> NormalDrawsPlan:
    plan: Any = wz.plan([wz.Box("model", cost, content)], **settings)
    assert isinstance(plan, NormalDrawsPlan)
    return plan


@pytest.mark.parametrize("freedom", [1.2, 3.0, 17.0, 300.0])
def test_the_expected_excess_is_the_area_under_the_cdf(freedom: float) -> None:
    y = np.array([-40.0, -6.0, -2.0, -0.5, 0.0, 0.7, 3.0, 25.0])
    by_quadrature = wz.expected_excess(scipy.stats.t(freedom), y)
    assert student_excess(y, freedom) == pytest.approx(by_quadrature, rel=1e-8)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.floats(1.1, 20))
def test_one_value_after_the_other_is_all_at_once(values: list[float], weight: float) -> None:
    """By the textbook: sums of squares about the means, all values together."""
    mean, spread = 3.0, 2.0
    belief = Belief.of(wz.NormalDraws(mean, spread, weight), "min")
    for value in values:
        belief = belief.after(value)
    m = len(values)
    x = np.array(values)
    rate = 0.5 * weight * spread**2 + 0.5 * float(np.sum((x - x.mean()) ** 2))
    rate += 0.5 * weight * m * (float(x.mean()) - mean) ** 2 / (weight + m)
    assert belief.mean == pytest.approx((weight * mean + x.sum()) / (weight + m), abs=1e-9)
    assert belief.rate == pytest.approx(rate, rel=1e-9)
    assert (belief.weight, belief.shape) == pytest.approx((weight + m, 0.5 * (weight + m)))


def nested(
    content: wz.NormalDraws, cost: float, outside: float, draws: int, *, optimal: bool
) -> float:
    """Return the expected total by nested sums over the predictive laws, in plain coordinates."""

    def value(
        weight: float, shape: float, mean: Floats, rate: Floats, best: Floats, left: int
    ) -> Floats:
        scale = np.sqrt(rate * (weight + 1) / (shape * weight))
        y = (best - mean) / scale
        law = scipy.stats.t(2 * shape)
        # E(y − T)⁺ from density and cdf
        excess = scale * (y * law.cdf(y) + (2 * shape + y * y) / (2 * shape - 1) * law.pdf(y))
        if left == 1:
            return np.asarray(best - np.maximum(excess - cost, 0.0))
        t = np.where(
            SCORES < 0, law.ppf(scipy.stats.norm.cdf(SCORES)), law.isf(scipy.stats.norm.sf(SCORES))
        )
        v = mean[:, None] + scale[:, None] * t
        after = value(
            weight + 1,
            shape + 0.5,
            ((weight * mean[:, None] + v) / (weight + 1)).ravel(),
            (rate[:, None] + 0.5 * weight * (v - mean[:, None]) ** 2 / (weight + 1)).ravel(),
            np.minimum(best[:, None], v).ravel(),
            left - 1,
        ).reshape(v.shape)
        # What is found is known exactly: only what is ahead of it is summed
        go = cost + best - excess + (after - np.minimum(best[:, None], v)) @ CHANCES
        if optimal:
            return np.asarray(np.minimum(best, go))
        return np.asarray(np.where(excess > cost, go, best))

    rate = 0.5 * content.weight * content.spread**2
    mean, first, best = (np.full(1, x) for x in (content.mean, rate, outside))
    return float(value(content.weight, 0.5 * content.weight, mean, first, best, draws)[0])


CASES = [
    (wz.NormalDraws(10.0, 2.0, 2.0, most=3), 0.2, 9.0),
    (wz.NormalDraws(10.0, 2.0, 6.0, most=3), 0.05, 8.0),
    (wz.NormalDraws(0.0, 5.0, 2.5, most=2), 1.0, -2.0),
    (wz.NormalDraws(10.0, 2.0, 3.0, most=3), 0.6, 8.0),
    (wz.NormalDraws(10.0, 2.0, 3.0, most=1), 0.3, 9.5),
]


@pytest.mark.parametrize(("content", "cost", "outside"), CASES)
def test_few_draws_by_nested_integrals(
    content: wz.NormalDraws, cost: float, outside: float
) -> None:
    plan = made(cost, content, outside=outside)
    best = nested(content, cost, outside, content.most, optimal=True)
    rule = nested(content, cost, outside, content.most, optimal=False)
    assert best <= rule + 1e-12
    assert plan.bound == pytest.approx(best, abs=1e-3 * content.spread)
    assert plan.expected_total == pytest.approx(rule, abs=1e-3 * content.spread)
    assert plan.bound <= plan.expected_total <= outside + 1e-9


def test_the_rule_may_stop_too_early() -> None:
    """No single draw is worth its cost, but what it may teach is: the rule is not optimal."""
    content, outside = wz.NormalDraws(10.0, 2.0, 2.0, most=3), 8.0
    cost = 1.02 * Belief.of(content, "min").excess(outside)
    plan = made(cost, content, outside=outside)
    assert not plan.searches
    best = nested(content, cost, outside, 3, optimal=True)
    assert best < outside - 0.02
    assert plan.most_lost == pytest.approx(outside - best, abs=2e-3)
    assert plan.kind == "heuristic"


@pytest.mark.parametrize("weight", [1.5, 3.0, 20.0])
@pytest.mark.parametrize("cost", [0.1, 0.5])
def test_the_rule_never_draws_more_often_than_the_best_search(weight: float, cost: float) -> None:
    plan = made(cost, wz.NormalDraws(10.0, 2.0, weight, most=12), outside=9.5)
    drawn = [float(plan._prospect(optimal=optimal).draws[0, 0]) for optimal in (False, True)]
    assert drawn[0] <= drawn[1] + 1e-3


SETTINGS: list[dict[str, Any]] = [
    {},
    {"outside": 9.0},
    {"sense": "max"},
    {"sense": "max", "outside": 11.0},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_figures_are_those_of_played_rounds(settings: dict[str, Any]) -> None:
    """A false alarm has probability below 1e-5."""
    plan = made(0.25, wz.NormalDraws(10.0, 2.0, 5.0, most=15), **settings)
    run = plan.simulate(4000, 3)
    assert abs(run.mean - plan.expected_total) <= 5.0 * run.standard_error + 2e-3
    error = run.opened_count.std() / 4000**0.5
    assert abs(run.opened_count.mean() - plan.expected_opened) <= 5.0 * error + 0.02
    share = run.chosen_share()["model"]
    assert abs(share - plan.keep_probabilities["model"]) <= 5.0 * (0.25 / 4000) ** 0.5
    assert plan.expected_paid == pytest.approx(0.25 * plan.expected_opened)
    assert "Draw while one more draw" in repr(plan)


def test_the_mirror_image() -> None:
    low = made(0.3, wz.NormalDraws(10.0, 2.0, most=6), outside=9.0)
    high = made(0.3, wz.NormalDraws(-10.0, 2.0, most=6), outside=-9.0, sense="max")
    assert high.expected_total == -low.expected_total
    assert high.bound == -low.bound


def test_a_law_that_is_all_but_known_gives_the_draws_of_a_known_one() -> None:
    known: Any = wz.plan([wz.Box("model", 0.3, wz.Draws(scipy.stats.norm(10, 2)))])
    plan = made(0.3, wz.NormalDraws(10.0, 2.0, 1e6, most=60))
    assert plan.expected_total == pytest.approx(known.expected_total, abs=4e-3)
    assert plan.expected_opened == pytest.approx(known.expected_opened, rel=5e-3)
    assert plan.most_lost <= 2e-3


def test_the_rule_goes_by_the_values_that_came() -> None:
    belief = Belief.of(wz.NormalDraws(10.0, 2.0, 4.0), "min")
    rule, state = NormalDrawsRule(belief, 0.3, 3), RoundState([0.3] * 4, 10.0)
    seen: list[float] = []
    for value in (None, 12.0, 11.0):
        assert rule.next(state) is not STOP
        state.open(len(state.opened))
        if value is None:
            state.miss()
        else:
            state.see(state.opened[-1], value)
            seen.append(value)
    # The limit
    assert rule.next(state) is STOP
    for value in seen:
        belief = belief.after(value)
    assert belief.excess(10.0) > 0.3


@pytest.mark.parametrize(
    ("boxes", "message"),
    [
        (
            [wz.Box("a", 0.0, wz.NormalDraws(1.0, 1.0))],
            "The cost of box 'a' must be > 0 for a draw",
        ),
        (
            [wz.Box("a", 1.0, wz.NormalDraws(1.0, 1.0)), wz.Box("b", 1.0, 2.0)],
            "Box 'a' must stand alone: normal draws do not combine",
        ),
    ],
)
def test_what_does_not_go_is_refused(boxes: list[wz.Box], message: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=message):
        wz.plan(boxes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mean": float("nan"), "spread": 1.0}, "The mean of NormalDraws must be"),
        ({"mean": 0.0, "spread": 0.0}, "The spread of NormalDraws must be a finite number > 0"),
        ({"mean": 0.0, "spread": 1.0, "weight": 1.0}, "The weight of NormalDraws must be"),
        ({"mean": 0.0, "spread": 1.0, "most": 0}, "The largest number of NormalDraws must be"),
    ],
)
def test_a_belief_that_is_none_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=message):
        wz.NormalDraws(**arguments)
