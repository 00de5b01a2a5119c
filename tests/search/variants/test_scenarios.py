"""Boxes given by scenarios: the tree is the rule, the optimum is the optimum, the bound is a bound."""

import math
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.search.brute import Sense
from tests.search.ratios import report, report_ratios
from tests.search.variants.programmes import random_outside
from weitzman.search.rule import WeitzmanRule, follow
from weitzman.search.state import RoundState

SENSES: list[Sense] = ["min", "max"]
Vectors = list[tuple[Fraction, ...]]


def programme(
    vectors: Vectors,
    weights: list[Fraction],
    costs: list[Fraction],
    sense: Sense,
    outside: Fraction | None,
) -> Fraction:
    """Return the best expected total, scenario set by scenario set, in fractions."""
    sign = 1 if sense == "min" else -1

    def value(alive: tuple[int, ...], opened: frozenset[int], best: Fraction | None) -> Fraction:
        """Return the total times the weight of the scenarios that are left."""
        whole = sum(weights[k] for k in alive)
        options = [] if best is None else [best * whole]
        for i in range(len(costs)):
            if i in opened:
                continue
            found = sorted({vectors[k][i] for k in alive})
            total = costs[i] * whole
            for v in found:
                left = tuple(k for k in alive if vectors[k][i] == v)
                hand = sign * v if best is None else min(best, sign * v)
                total += value(left, opened | {i}, hand)
            options.append(total)
        return min(options)

    start = None if outside is None else sign * outside
    return sign * value(tuple(range(len(vectors))), frozenset(), start) / sum(weights)


def conditional(
    vectors: Vectors,
    weights: list[Fraction],
    costs: list[Fraction],
    sense: Sense,
    outside: Fraction | None,
) -> Fraction:
    """Return the total of the rule on agreeing scenarios, re-enacted in each scenario, in fractions."""
    sign = 1 if sense == "min" else -1
    total = Fraction(0)
    for truth, weight in zip(vectors, weights, strict=True):
        alive, opened, paid = list(range(len(vectors))), set[int](), Fraction(0)
        best = None if outside is None else sign * outside
        while len(opened) < len(costs):
            sigma = {}
            for i in set(range(len(costs))) - opened:
                whole = sum(weights[k] for k in alive)
                points = sorted((sign * vectors[k][i], weights[k] / whole) for k in alive)
                sigma[i] = _root(points, costs[i])
            row = min(sigma, key=lambda i: (sigma[i], i))
            if best is not None and best <= sigma[row]:
                break
            opened.add(row)
            paid += costs[row]
            v = sign * truth[row]
            best = v if best is None else min(best, v)
            alive = [k for k in alive if sign * vectors[k][row] == v]
        assert best is not None
        total += weight * (best + paid)
    return sign * total / sum(weights)


def _root(points: list[tuple[Fraction, Fraction]], cost: Fraction) -> Fraction:
    """Return s with E(s − v)⁺ = cost by walking up; at cost 0 the smallest value."""
    if cost == 0:
        return points[0][0]
    mass, area = Fraction(0), Fraction(0)
    for k, (v, p) in enumerate(points):
        mass, area = mass + p, area + p * v
        end = points[k + 1][0] if k + 1 < len(points) else None
        root = (cost + area) / mass
        if end is None or root <= end:
            return root
    raise AssertionError


def draw(
    rng: np.random.Generator,
) -> tuple[Vectors, list[Fraction], list[Fraction], Fraction | None]:
    """Return scenarios that depend on a common state, with ties, and costs in odd fractions."""
    n, m = int(rng.integers(2, 5)), int(rng.integers(2, 9))
    common = rng.integers(0, 8, size=(m, 1))
    values = np.where(
        rng.random((m, n)) < 0.5, common + rng.integers(0, 3, (m, n)), rng.integers(0, 9, (m, n))
    )
    vectors = [tuple(Fraction(int(v)) for v in row) for row in values]
    weights = [Fraction(int(w)) for w in rng.integers(1, 4, m)]
    # Fractions with large denominators: the rule's choices are not left to rounding
    costs = [
        Fraction(int(c), 1024) + Fraction(1, 2**20 + i)
        for i, c in enumerate(rng.integers(0, 2048, n))
    ]
    return vectors, weights, costs, random_outside(rng)


def check(seed: int, sense: Sense, count: int) -> dict[str, list[float]]:
    """Check so many random problems; return ratios of the rule, of independence and of the bound."""
    rng = np.random.default_rng([18, seed])
    sign = 1.0 if sense == "min" else -1.0
    ratios: dict[str, list[float]] = {"rule": [], "taken for independent": [], "bound": []}
    for _ in range(count):
        vectors, weights, costs, outside = draw(rng)
        names = [f"b{i}" for i in range(len(costs))]
        frame = {name: [float(row[i]) for row in vectors] for i, name in enumerate(names)}
        price = {name: float(cost) for name, cost in zip(names, costs, strict=True)}
        given = None if outside is None else float(outside)
        made, exact = (
            wz.plan(
                scenarios=frame,
                costs=price,
                weights=[float(w) for w in weights],
                sense=sense,
                outside=given,
                method=method,
            )
            for method in ("conditional", "exact")
        )
        best = float(programme(vectors, weights, costs, sense, outside))
        assert exact.expected_total == pytest.approx(best, abs=1e-12)
        plain = float(conditional(vectors, weights, costs, sense, outside))
        assert made.expected_total == pytest.approx(plain, abs=1e-12)
        for plan in (made, exact):
            start = math.inf if given is None else sign * given
            ends = [
                follow(
                    plan.rule,
                    RoundState(list(price.values()), start),
                    [sign * float(v) for v in row],
                )
                for row in vectors
            ]
            share = np.array([float(w) for w in weights]) / float(sum(weights))
            total = float(share @ np.array([sign * end.total for end in ends]))
            assert plan.expected_total == pytest.approx(total, abs=1e-12)
            for i, name in enumerate(names):
                opened = float(share @ np.array([i in end.opened for end in ends]))
                kept = float(share @ np.array([end.kept == i for end in ends]))
                assert plan.open_probabilities[name] == pytest.approx(opened, abs=1e-12)
                assert plan.keep_probabilities[name] == pytest.approx(kept, abs=1e-12)
        assert sign * made.bound <= sign * best + 1e-12
        if best > 0.0:
            ratios["rule"].append(made.expected_total / best)
            independent = taken_for_independent(
                frame, price, [float(w) for w in weights], sense, given
            )
            assert made.notes == [f"taking the boxes for independent: {independent:.6g}"]
            ratios["taken for independent"].append(independent / best)
            ratios["bound"].append(made.bound / best)
    return ratios


def taken_for_independent(
    frame: dict[str, Any],
    price: dict[str, float],
    weights: list[float],
    sense: Sense = "min",
    outside: float | None = None,
) -> float:
    """Return the total, in the scenarios, of the plan of boxes that have their laws independently."""
    boxes = [wz.Box(name, price[name], wz.Empirical(frame[name], weights)) for name in frame]
    plan = wz.plan(boxes, sense=sense, outside=outside)
    sign = 1.0 if sense == "min" else -1.0
    rule = WeitzmanRule(sign * np.array(list(plan.reservation_values.values())))
    start = math.inf if outside is None else sign * outside
    vectors = sign * np.array(list(frame.values())).T
    ends = [follow(rule, RoundState(list(price.values()), start), row).total for row in vectors]
    return sign * float(np.average(ends, weights=weights)) + 0.0


@pytest.mark.parametrize("sense", SENSES)
def test_small_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    check(1, sense, 25)


@pytest.mark.slow
@pytest.mark.parametrize("sense", SENSES)
def test_many_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    bad, good = ("low", "high") if sense == "max" else ("high", "low")
    for name, numbers in check(2, sense, 2000).items():
        report_ratios(f"scenarios {sense}, {name}", numbers, worst=good if name == "bound" else bad)


def test_independent_boxes_give_weitzmans_rule() -> None:
    a, b = np.meshgrid([1.0, 5.0, 9.0], [2.0, 3.0, 12.0])
    made = wz.plan(scenarios={"a": a.ravel(), "b": b.ravel()}, costs={"a": 0.7, "b": 0.6})
    boxes = [
        wz.Box("a", 0.7, wz.Discrete([1.0, 5.0, 9.0])),
        wz.Box("b", 0.6, wz.Discrete([2.0, 3.0, 12.0])),
    ]
    assert made.expected_total == pytest.approx(wz.plan(boxes).expected_total, rel=1e-12)
    frame = {"a": a.ravel(), "b": b.ravel()}
    total = taken_for_independent(frame, {"a": 0.7, "b": 0.6}, [1.0] * 9)
    assert total == pytest.approx(made.expected_total, rel=1e-12)


def test_the_tree_says_what_the_search_does() -> None:
    made = wz.plan(
        scenarios={"a": [1.0, 9.0, 9.0], "b": [9.0, 2.0, 9.0]},
        costs={"a": 0.5, "b": 0.25},
        outside=8.0,
    )
    assert made.tree in repr(made)
    search = made.search()
    assert made.tree.startswith(f"open {next(search)}")


def test_a_value_of_no_scenario_counts_as_the_nearest() -> None:
    made = wz.plan(scenarios={"a": [4.0, 9.0], "b": [8.0, 1.0]}, costs={"a": 0.1, "b": 0.5})
    search = made.search()
    assert next(search) == "b"
    search.see(7.5)
    assert next(search) == "a"


def test_simulation_agrees() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(40, 1)) + rng.normal(size=(40, 3))
    made = wz.plan(
        scenarios={n: values[:, i] for i, n in enumerate("abc")}, costs=dict.fromkeys("abc", 0.2)
    )
    played = made.simulate(4000, 1)
    assert abs(played.mean - made.expected_total) < 5.0 * played.standard_error


@pytest.mark.slow
def test_five_boxes_and_a_thousand_scenarios_take_less_than_a_second() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(1000, 1)) + rng.normal(size=(1000, 5))
    names = list("abcde")
    begin = time.process_time()
    made = wz.plan(
        scenarios={n: values[:, i] for i, n in enumerate(names)}, costs=dict.fromkeys(names, 0.2)
    )
    total = made.expected_total
    seconds = time.process_time() - begin
    report("5 boxes, 1,000 scenarios", f"{seconds:.2f} s", f"{total:.4f}")
    assert seconds < 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"costs": {"a": 1.0}}, "The costs must be for the boxes"),
        ({"weights": [1.0, 0.0]}, "The weights must be 2 numbers > 0"),
        ({"scenarios": {"a": [1.0], "b": [1.0, 2.0]}}, "The scenarios must have the same number"),
        ({"method": "best"}, "The method must be 'conditional' or 'exact'"),
    ],
)
def test_what_is_refused(change: dict[str, object], message: str) -> None:
    right: dict[str, object] = {
        "scenarios": {"a": [1.0, 2.0], "b": [2.0, 1.0]},
        "costs": {"a": 1.0, "b": 1.0},
    }
    with pytest.raises(wz.InvalidInputError) as error:
        wz.plan(**{**right, **change})  # type: ignore[call-overload]
    assert str(error.value).startswith(message)
