"""The exact total: boxes of unlike scales, shared laws, many boxes; and its parts."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given

import weitzman as wz
from tests.search import brute
from tests.search.brute import Problem
from tests.search.precise import area
from tests.strategies import law_of, problems_with_reservation_values, steady
from weitzman.search.exact_total import Evaluation, Laws, certificate, l1_bound
from weitzman.search.laws.quadrature import integrate


def reversed_cdf(frozen: Any) -> Callable[[Any], Any]:
    return lambda x: frozen.cdf(-x)


def capped_total(frozen: list[Any], costs: list[float], s: list[float]) -> float:
    """The formula of the module by Gauss's rule on panels that suit every box's own scale."""
    order = sorted(range(len(s)), key=lambda i: (s[i], i))

    def survival(x: Any) -> Any:
        return math.prod(np.where(x >= si, f.sf(x), 1.0) for f, si in zip(frozen, s, strict=True))

    low, spans = min(s), [f.std() for f in frozen]
    cuts = {f.mean() + k * w for f, w in zip(frozen, spans, strict=True) for k in range(-14, 41)}
    edges = sorted({*s, *(c for c in cuts if c > low)})
    total = low + math.fsum(area(survival, a, b - a, end=b) for a, b in pairwise(edges))
    for place, i in enumerate(order):
        q = math.prod(float(frozen[j].sf(s[i])) for j in order[:place])
        total += q * (costs[i] - area(reversed_cdf(frozen[i]), -s[i], spans[i] / 4))
    return total


@pytest.mark.parametrize("factor", [1.0, 30.0, 1e3, 1e4, 1e6])
@pytest.mark.parametrize("place", [-0.8, 0.0])
def test_boxes_of_very_different_spread(factor: float, place: float) -> None:
    """A box a thousand times wider than another hides nothing of the narrow one."""
    frozen = [scipy.stats.norm(0.0, factor), scipy.stats.norm(0.3, 1.0), scipy.stats.logistic(0, 1)]
    wide = float(-place * factor if place else factor)
    costs = [wz.expected_excess(frozen[0], place * factor - 2.0), 0.1, 0.2]
    p = wz.plan([wz.Box(str(i), c, f) for i, (c, f) in enumerate(zip(costs, frozen, strict=True))])
    exact = capped_total(frozen, costs, list(p.reservation_values.values()))
    assert p.expected_total == pytest.approx(exact, abs=1e-9 * wide)


def test_a_narrow_box_after_a_wide_bounded_one() -> None:
    """U[−10⁴, 10⁴] first, then N(0, 1): the second's bend is a ten-thousandth of the first's."""
    frozen = [scipy.stats.uniform(-1e4, 2e4), scipy.stats.norm()]
    costs = [2480.0, 0.1]
    p = wz.plan([wz.Box(str(i), c, f) for i, (c, f) in enumerate(zip(costs, frozen, strict=True))])
    s, t = p.reservation_values.values()
    rest = area(lambda x: (1e4 - x) / 2e4 * scipy.stats.norm.sf(x), t, 0.5, end=60.0)
    first = ((1e4 - s) ** 2 - (1e4 - t) ** 2) / 4e4
    assert p.expected_total == pytest.approx(s + first + rest, abs=1e-9)


@steady
@given(problems_with_reservation_values())
def test_totals_and_bounds_are_the_enumeration(drawn: tuple[Problem, tuple[Fraction, ...]]) -> None:
    problem, s = drawn
    if problem.sense == "max":
        return
    laws = Laws([law_of(b) for b in problem.boxes])
    costs = np.array([float(b.cost) for b in problem.boxes])
    outside = math.inf if problem.outside is None else float(problem.outside)
    sigma = laws.reservation_values(costs)
    given_, true = (
        Evaluation(laws, costs, x, outside) for x in (np.array([float(x) for x in s]), sigma)
    )
    run = brute.run_rule(problem, s)
    gaps = [brute.excess(b, x) - b.cost for b, x in zip(problem.boxes, s, strict=True)]
    assert given_.expected_total == pytest.approx(float(run.total), rel=1e-12, abs=1e-12)
    assert l1_bound(given_) == pytest.approx(float(sum(map(abs, gaps))), rel=1e-12, abs=1e-12)
    best = brute.run_rule(problem, [Fraction(x) for x in sigma])
    shift = zip(best.open_probabilities, run.open_probabilities, strict=True)
    exact = sum(((a - b) * g for (a, b), g in zip(shift, gaps, strict=True)), Fraction(0))
    assert certificate(true, given_) == pytest.approx(float(exact), rel=1e-12, abs=1e-12)


def test_boxes_that_share_one_law_are_separate_draws() -> None:
    for value in (wz.Discrete([0.0, 4.0]), scipy.stats.uniform(0, 4), scipy.stats.t(5)):
        law = wz.affine(value)
        shared = [wz.Box(str(i), 0.5, law) for i in range(3)]
        apart = [wz.Box(str(i), 0.5, wz.affine(value)) for i in range(3)]
        s = [1.0, 0.5, 1.5]
        assert wz.expected_total(shared, s) == pytest.approx(wz.expected_total(apart, s), rel=1e-13)
        p = wz.plan(shared, reservation_values=s)
        q = [float(law.sf(1.0)), 1.0, float(law.sf(1.5)) ** 2]
        assert list(p.open_probabilities.values()) == pytest.approx(q, rel=1e-12)


def test_laws_turned_both_ways_share_a_plan() -> None:
    """U[0, 4] and its mirror image 4 − U are one law."""
    value = scipy.stats.expon()
    boxes = [
        wz.Box("a", 0.3, value),
        wz.Box("b", 0.2, wz.affine(value, shift=3.0, scale=-1.0)),
        wz.Box("c", 0.1, scipy.stats.uniform(0, 4)),
        wz.Box("d", 0.1, wz.affine(scipy.stats.uniform(0, 4), shift=4.0, scale=-1.0)),
    ]
    p = wz.plan(boxes)
    assert p.reservation_values["c"] == pytest.approx(p.reservation_values["d"], rel=1e-13)
    alone = [wz.reservation_value(b.law, b.expected_cost) for b in boxes]
    assert list(p.reservation_values.values()) == pytest.approx(alone, rel=1e-13)


def test_open_probabilities_of_many_boxes_are_products() -> None:
    """300 normal boxes, more than are taken at a time."""
    rng = np.random.default_rng(8)
    boxes = [
        wz.Box(str(i), float(rng.uniform(0.5, 2)), scipy.stats.norm(rng.uniform(0, 4), 1.0))
        for i in range(300)
    ]
    s = rng.uniform(-3.0, -1.0, 300)
    p = wz.plan(boxes, reservation_values=s)
    order = np.argsort(s, kind="stable")
    locations = np.array([b.law.mean() for b in boxes])
    for place in range(0, 300, 29):
        i = order[place]
        earlier = scipy.stats.norm.sf(s[i], locations[order[:place]], 1.0)
        assert p.open_probabilities[str(i)] == pytest.approx(float(np.prod(earlier)), rel=1e-10)


def test_an_empty_interval_has_no_area() -> None:
    """A box that is certain, opened in any case."""
    assert integrate(np.exp, np.array([2.0])) == 0.0
    assert wz.expected_total([wz.Box("a", 1.0, 3.0)], [-math.inf]) == 4.0
    assert wz.expected_total([wz.Box("a", 1.0, 3.0), wz.Box("b", 1.0, 2.0)], [-math.inf] * 2) == 4.0
    box = wz.Box("a", 1.0, scipy.stats.norm())
    assert wz.expected_total([box], [-math.inf]) == pytest.approx(1.0, abs=1e-13)


def test_some_values_infinite_and_others_not() -> None:
    """Box a is opened in any case, b at 1: E[2·1{v_a > 1} …] by hand for U[0, 4] boxes."""
    boxes = [wz.Box(n, 0.5, scipy.stats.uniform(0, 4)) for n in "ab"]
    total = wz.expected_total(boxes, [-math.inf, 1.0])
    # v ≤ 1 (¼): keep it, mean ½. Else pay ½ more and keep min(v, w).
    better = scipy.integrate.quad(lambda v: (v - v * v / 8.0) / 4.0, 1.0, 4.0)[0]
    assert total == pytest.approx(0.5 + 0.125 + 0.375 + better, rel=1e-12)


@pytest.mark.parametrize("outside", [None, 1.5])
def test_simulation_agrees_with_mixed_boxes(outside: float | None) -> None:
    """400,000 rounds by numpy alone; |z| ≤ 6, a false alarm of 2e-9 (the values are light-tailed)."""
    rng = np.random.default_rng(21)
    n = 400_000
    values = np.stack(
        [
            rng.normal(2.0, 1.0, n),
            np.where(rng.random(n) < 0.3, 0.5, rng.exponential(2.0, n)),
            rng.gamma(2.0, 1.0, n),
            rng.choice([0.0, 1.0, 4.0], n),
        ],
        axis=1,
    )
    boxes = [
        wz.Box("a", 0.1, scipy.stats.norm(2, 1)),
        wz.Box("b", 0.2, wz.Mixture([0.5, scipy.stats.expon(scale=2)], [3, 7])),
        wz.Box("c", 0.3, scipy.stats.gamma(2)),
        wz.Box("d", 0.25, wz.Discrete([0, 1, 4])),
    ]
    s = np.array([1.0, 0.5, 1.0, 0.75])
    best = np.full(n, math.inf if outside is None else outside)
    total, opened = np.zeros(n), np.zeros((n, 4))
    for i in np.argsort(s, kind="stable"):
        go = best > s[i]
        total += boxes[i].cost * go
        opened[:, i] = go
        best = np.where(go, np.minimum(best, values[:, i]), best)
    total += best
    p = wz.plan(boxes, outside=outside, reservation_values=s)
    z = (total.mean() - p.expected_total) / (total.std() / math.sqrt(n))
    assert abs(z) <= 6.0
    q = np.array(list(p.open_probabilities.values()))
    spread = np.sqrt(q * (1.0 - q) / n) + 1e-12
    assert np.max(np.abs(opened.mean(axis=0) - q) / spread) <= 6.0
