"""Continuous laws: totals against plain quadrature, chances against simulation."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.stats

import weitzman as wz

FAR = 60.0


@dataclass(frozen=True)
class Plain:
    """A node for the plain computation, smaller values better: (chance, survival or None, nodes)."""

    cost: float
    ways: list[tuple[float, Any, list["Plain"]]]


def survival(node: Plain, sigma: dict[int, float], x: float) -> float:
    """Return P(κ > x)."""
    return 1.0 if x < sigma[id(node)] else reached(node, sigma, x)


def reached(node: Plain, sigma: dict[int, float], x: float) -> float:
    total = 0.0
    for chance, value, then in node.ways:
        product = chance if value is None else chance * value(x)
        for child in then:
            product *= survival(child, sigma, x)
        total += product
    return total


def solve(node: Plain, sigma: dict[int, float]) -> None:
    """Find σ of a node and of all behind it, from E(σ − M)⁺ = ∫ P(M ≤ x) dx."""
    for _, _, then in node.ways:
        for child in then:
            solve(child, sigma)
    jumps = sorted(s for s in sigma.values() if -FAR < s < FAR)

    def gap(s: float) -> float:
        return area(lambda x: 1.0 - reached(node, sigma, x), -FAR, s, jumps) - node.cost

    sigma[id(node)] = scipy.optimize.brentq(gap, -FAR, FAR, xtol=1e-13, rtol=1e-13)


def area(f: Callable[[float], float], low: float, high: float, jumps: list[float]) -> float:
    inner = [x for x in [*jumps, *np.arange(-FAR, FAR, 2.0)] if low < x < high]
    ends = sorted({low, *inner, high})
    return sum(
        scipy.integrate.quad(f, a, b, epsabs=1e-13, epsrel=1e-12, limit=200)[0]
        for a, b in itertools.pairwise(ends)
    )


def optimum(roots: list[Plain], outside: float | None) -> float:
    sigma: dict[int, float] = {}
    for root in roots:
        solve(root, sigma)
    end = FAR if outside is None else outside

    def product(x: float) -> float:
        return float(np.prod([survival(root, sigma, x) for root in roots]))

    start = min(sigma.values())
    return start + area(product, start, end, list(sigma.values())) if end > start else end


def law(rng: Random, sign: float) -> tuple[Any, Any]:
    """Return a law, and the survival function of the turned value."""
    loc, scale = rng.uniform(-2.0, 2.0), rng.uniform(0.5, 2.0)
    kind = rng.choice(["norm", "uniform", "gamma", "logistic"])
    shapes = (2.5,) if kind == "gamma" else ()
    frozen = getattr(scipy.stats, kind)(*shapes, loc, scale)
    return frozen, frozen.sf if sign > 0.0 else lambda x: frozen.cdf(-x)


def problem(rng: Random, sign: float) -> tuple[list[wz.Box], list[Plain]]:
    """Return a staged box with a child, two boxes after each other, and one alone."""
    laws = [law(rng, sign) for _ in range(6)]
    cost = [rng.uniform(0.05, 0.6) for _ in range(8)]
    p = rng.uniform(0.2, 0.8)
    stages = [
        wz.Stage("first", cost[0], {"good": p, "bad": 1.0 - p}),
        wz.Stage(
            "last", {"good": cost[1], "bad": cost[2]}, {"good": laws[0][0], "bad": laws[1][0]}
        ),
    ]
    boxes = [
        wz.Box("staged", stages=stages),
        wz.Box("child", cost[3], laws[2][0], after="staged"),
        wz.Box("parent", cost[4], laws[3][0]),
        wz.Box("after", cost[5], laws[4][0], after="parent"),
        wz.Box("alone", cost[6], laws[5][0]),
    ]
    child = Plain(cost[3], [(1.0, laws[2][1], [])])
    good = Plain(cost[1], [(1.0, laws[0][1], [child])])
    bad = Plain(cost[2], [(1.0, laws[1][1], [child])])
    after = Plain(cost[5], [(1.0, laws[4][1], [])])
    roots = [
        Plain(cost[0], [(p, None, [good]), (1.0 - p, None, [bad])]),
        Plain(cost[4], [(1.0, laws[3][1], [after])]),
        Plain(cost[6], [(1.0, laws[5][1], [])]),
    ]
    return boxes, roots


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("seed", range(2))
def test_totals_of_stages_in_trees_are_those_of_plain_quadrature(seed: int, sense: Any) -> None:
    sign = 1.0 if sense == "min" else -1.0
    rng = Random(seed)
    boxes, roots = problem(rng, sign)
    outside = rng.uniform(-2.0, 2.0) if seed % 2 else None
    plan = wz.plan(boxes, sense=sense, outside=outside)
    exact = sign * optimum(roots, None if outside is None else sign * outside)
    assert plan.expected_total == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_plan_of_continuous_boxes_happens_as_often_as_it_says(sense: Any) -> None:
    """Each comparison fails by chance with probability below 1e-6."""
    boxes, _ = problem(Random(7), 1.0 if sense == "min" else -1.0)
    plan = wz.plan(boxes, sense=sense)
    rounds = 4000
    run = plan.simulate(rounds, 1)
    assert abs(run.mean - plan.expected_total) <= 5.0 * run.standard_error
    paid = run.paid.std() / np.sqrt(rounds)
    assert abs(run.paid.mean() - plan.expected_paid) <= 5.0 * paid
    shares = run.chosen_share()
    for name, kept in plan.keep_probabilities.items():
        assert abs(shares[name] - kept) <= 5.0 * np.sqrt(kept * (1.0 - kept) / rounds) + 1e-12
    assert sum(plan.keep_probabilities.values()) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("sense", ["min", "max"])
def test_keeping_some_of_many_continuous_boxes(count: int, sense: Any) -> None:
    """The total is that of the rule, simulated; a false alarm has probability below 1e-6."""
    rng = Random(count)
    boxes = [wz.Box(f"b{i}", rng.uniform(0.05, 0.5), law(rng, 1.0)[0]) for i in range(12)]
    plan = wz.plan(boxes, sense=sense, keep=count)
    run = plan.simulate(3000, 2)
    assert abs(run.mean - plan.expected_total) <= 5.0 * run.standard_error
    assert sum(plan.keep_probabilities.values()) == pytest.approx(count, abs=1e-8)


def test_without_stages_trees_or_more_to_keep_it_is_the_plain_plan() -> None:
    rng = Random(3)
    boxes = [wz.Box(f"b{i}", rng.uniform(0.0, 0.5), law(rng, 1.0)[0]) for i in range(8)]
    staged = [wz.Box(b.name, stages=[wz.Stage("only", b.expected_cost, b.law)]) for b in boxes]
    for outside in (None, 0.5):
        one, other = wz.plan(boxes, outside=outside), wz.plan(staged, outside=outside)
        assert other.expected_total == pytest.approx(one.expected_total, rel=1e-12)
        assert other.open_probabilities == pytest.approx(one.open_probabilities, abs=1e-12)
        assert other.keep_probabilities == pytest.approx(one.keep_probabilities, abs=1e-12)


@pytest.mark.parametrize("cost", [0.001, 0.05, 0.2])
@pytest.mark.parametrize("time", [1, 3])
def test_the_reservation_value_solves_weitzmans_equation(cost: float, time: int) -> None:
    """z = −c + β E max(v, z), by its closed form for a uniform and by halving for an exponential law."""
    beta = 0.9**time
    laws = {"u": scipy.stats.uniform(), "e": scipy.stats.expon()}
    boxes = [wz.Box(name, cost, law, time=time) for name, law in laws.items()]
    made: Any = wz.plan(boxes, sense="max", outside=0.0, discount=0.9)
    found = made.reservation_values
    # E max(v, z) = (1 + z²)/2
    assert found["u"] == pytest.approx((1.0 - math.sqrt(1.0 - beta * (beta - 2.0 * cost))) / beta)
    # E max(v, z) = z + e^−z
    low, high = 0.0, 50.0
    for _ in range(100):
        z = 0.5 * (low + high)
        low, high = (z, high) if beta * (z + math.exp(-z)) - cost > z else (low, z)
    assert found["e"] == pytest.approx(low, rel=1e-12)


def test_a_discount_near_one_is_no_discount() -> None:
    rng = Random(5)
    boxes = [wz.Box(f"b{i}", rng.uniform(0.1, 0.5), law(rng, 1.0)[0]) for i in range(5)]
    close = wz.plan(boxes, discount=1.0 - 1e-12)
    assert close.expected_total == pytest.approx(wz.plan(boxes).expected_total, abs=1e-9)


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_discounted_plan_of_continuous_boxes_has_the_total_of_its_rule(sense: Any) -> None:
    """A false alarm has probability below 1e-6."""
    boxes, _ = problem(Random(9), 1.0)
    plan = wz.plan(boxes, sense=sense, discount=0.8, outside=0.5)
    run = plan.simulate(4000, 3)
    assert abs(run.mean - plan.expected_total) <= 5.0 * run.standard_error
    error = run.paid.std() / np.sqrt(4000)
    assert abs(run.paid.mean() - plan.expected_paid) <= 5.0 * error + 1e-12


def test_every_family_is_kept_as_often_as_not_another() -> None:
    """Without an outside option exactly one box is kept; also of families with awkward quantiles."""
    laws = [
        scipy.stats.weibull_min(1.7, 0, 2),
        scipy.stats.beta(2, 3, 0, 3),
        scipy.stats.lognorm(0.6, 0, 1.5),
        scipy.stats.expon(0.2, 1),
        scipy.stats.t(4, 1),
    ]
    boxes = [wz.Box(f"b{i}", 0.2 + 0.02 * i, value) for i, value in enumerate(laws)]
    for sense in ("min", "max"):
        plan = wz.plan(boxes, sense="max" if sense == "max" else "min")
        assert sum(plan.keep_probabilities.values()) == pytest.approx(1.0, abs=1e-9)
        shares = plan.simulate(200_000, 5).chosen_share()
        for name, kept in plan.keep_probabilities.items():
            assert abs(shares[name] - kept) <= 5.0 * np.sqrt(kept * (1.0 - kept) / 200_000) + 1e-9


@pytest.mark.parametrize("count", [1, 2])
def test_free_boxes_with_unbounded_values_are_opened_in_any_case(count: int) -> None:
    """Stages that cost nothing have σ = −∞: the total is that of the smallest values."""
    laws = [scipy.stats.norm(i, 1 + i) for i in range(3)]
    boxes = [wz.Box(f"b{i}", stages=[wz.Stage("s", 0.0, each)]) for i, each in enumerate(laws)]
    plan = wz.plan(boxes, keep=count)

    def wanted(x: float) -> float:
        """E min(k, N(x)), N the number of values up to x."""
        p = [float(each.cdf(x)) for each in laws]
        none = float(np.prod([1.0 - q for q in p]))
        one = sum(
            q * float(np.prod([1.0 - r for j, r in enumerate(p) if j != i]))
            for i, q in enumerate(p)
        )
        return 1.0 - none if count == 1 else one + 2.0 * (1.0 - none - one)

    exact = area(lambda x: count - wanted(x), 0.0, FAR, []) - area(wanted, -FAR, 0.0, [])
    assert plan.expected_total == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("keep", [1, 2])
def test_the_total_at_other_reservation_values_is_what_is_played(keep: int) -> None:
    """A false alarm has probability below 1e-5."""
    norm, expon = scipy.stats.norm, scipy.stats.expon
    boxes = [
        wz.Box("a", 0.2, norm(3, 1)),
        wz.Box("b", 0.1, expon(1, 2)),
        wz.Box("c", 0.3, norm(2, 2)),
    ]
    if keep == 1:
        boxes[1:] = [wz.Box(box.name, box.cost, box.value, after="a") for box in boxes[1:]]
    best: Any = wz.plan(boxes, keep=keep)
    plan: Any = wz.plan(boxes, keep=keep, reservation_values={"a": 2.9, "b": 3.5, "c": -np.inf})
    run = plan.simulate(20_000, 5)
    assert abs(run.mean - plan.expected_total) <= 5.0 * run.standard_error
    assert plan.optimal_total == pytest.approx(best.expected_total, rel=1e-12)
    assert plan.regret == pytest.approx(plan.expected_total - best.expected_total, rel=1e-9)
    assert plan.regret > 0.01
    at_truth: Any = wz.plan(boxes, keep=keep, reservation_values=best.optimal_reservation_values)
    assert at_truth.expected_total == pytest.approx(best.expected_total, rel=1e-9)
