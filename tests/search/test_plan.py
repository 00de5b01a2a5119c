"""Plans against brute force on 10,000 random instances, against quadrature, and by their symmetries."""

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import integrate

import weitzman as wz
from tests.search import brute
from tests.search.brute import ExactBox, Problem, Sense
from tests.search.instances import CHUNKS, PER_CHUNK, Case, cases
from tests.strategies import (
    boxes_of,
    laws,
    plan_of,
    problems,
    problems_with_reservation_values,
    senses,
    steady,
)

Array = NDArray[np.float64]
TOLERANCE = 1e-12
chunks = pytest.mark.parametrize("seed", range(CHUNKS))


def close(x: float, exact: Fraction | float, tolerance: float = TOLERANCE) -> bool:
    return math.isclose(x, float(exact), rel_tol=tolerance, abs_tol=tolerance)


def failing(seed: int, holds: Callable[[Case], bool]) -> list[Case]:
    return [case for case in cases(seed) if not holds(case)][:3]


def exact_gaps(case: Case) -> list[Fraction]:
    """c_D(s) − c of every box."""
    sense = case.problem.sense
    return [
        brute.excess(b, s, sense) - b.cost for b, s in zip(case.problem.boxes, case.s, strict=True)
    ]


def exact_regret(case: Case) -> Fraction:
    return case.problem.sign * (case.at_s.total - case.optimum)


def exact_certificate(case: Case) -> Fraction:
    shift = zip(case.at_sigma.open_probabilities, case.at_s.open_probabilities, strict=True)
    pairs = zip(shift, exact_gaps(case), strict=True)
    return sum(((q - p) * gap for (q, p), gap in pairs), Fraction(0))


# 10,000 random discrete instances with at most four boxes, against the exact brute force.


def test_instances_are_ten_thousand_with_many_ties() -> None:
    assert CHUNKS * PER_CHUNK >= 10_000
    some = cases(0)
    assert sum(c.problem.outside is None for c in some) > PER_CHUNK // 3
    assert sum(c.problem.sense == "max" for c in some) > PER_CHUNK // 3
    assert sum(len(set(c.s)) < len(c.s) for c in some) > PER_CHUNK // 12
    assert sum(exact_regret(c) > 0 for c in some) > PER_CHUNK // 3


@chunks
def test_optimal_total_is_the_dynamic_programme(seed: int) -> None:
    assert not failing(seed, lambda c: close(c.given.optimal_total, c.optimum))


@chunks
def test_rule_at_true_reservation_values_is_optimal(seed: int) -> None:
    assert not failing(seed, lambda c: close(float(c.at_sigma.total), c.optimum))


@chunks
def test_reservation_values_are_exact(seed: int) -> None:
    def holds(c: Case) -> bool:
        pairs = zip(c.sigma, c.problem.boxes, strict=True)
        return all(close(float(s), brute.reservation_value(b, c.problem.sense)) for s, b in pairs)

    assert not failing(seed, holds)


@chunks
def test_expected_total_at_any_reservation_values_is_the_enumeration(seed: int) -> None:
    assert not failing(seed, lambda c: close(c.given.expected_total, c.at_s.total))


@chunks
def test_open_probabilities_are_the_enumeration(seed: int) -> None:
    def holds(c: Case) -> bool:
        found = c.given.open_probabilities.values()
        return all(map(close, found, c.at_s.open_probabilities))

    assert not failing(seed, holds)


@chunks
def test_expected_opened_and_paid_are_the_enumeration(seed: int) -> None:
    def holds(c: Case) -> bool:
        q = c.at_s.open_probabilities
        paid = sum((p * b.cost for p, b in zip(q, c.problem.boxes, strict=True)), Fraction(0))
        return close(c.given.expected_opened, sum(q)) and close(c.given.expected_paid, paid)

    assert not failing(seed, holds)


@chunks
def test_order_is_by_reservation_value_and_position(seed: int) -> None:
    def holds(c: Case) -> bool:
        return [int(n) for n in c.given.order] == brute.rule_order(c.problem, c.s)

    assert not failing(seed, holds)


@chunks
def test_robustness_proposition(seed: int) -> None:
    """WEITZ(s) ≤ WEITZ(σ*) + ‖c_D(s) − c‖₁, exactly, and in the library's own numbers."""

    def holds(c: Case) -> bool:
        bound = sum(map(abs, exact_gaps(c)), Fraction(0))
        return (
            exact_regret(c) <= bound
            and close(c.given.l1_bound, bound)
            and c.given.regret <= c.given.l1_bound + TOLERANCE
        )

    assert not failing(seed, holds)


@chunks
def test_certificate_bounds_the_regret(seed: int) -> None:
    """The regret is at most the certificate; both are what enumeration says they are."""

    def holds(c: Case) -> bool:
        bound = exact_certificate(c)
        return (
            exact_regret(c) <= bound + Fraction(TOLERANCE)
            and close(c.given.certificate, bound, 1e-11)
            and c.given.regret <= c.given.certificate + TOLERANCE
        )

    assert not failing(seed, holds)


@chunks
def test_certificate_is_at_most_the_l1_bound(seed: int) -> None:
    assert not failing(seed, lambda c: c.given.certificate <= c.given.l1_bound + TOLERANCE)


@chunks
def test_regret_is_never_negative(seed: int) -> None:
    def holds(c: Case) -> bool:
        return close(c.given.regret, exact_regret(c), 1e-11) and c.given.regret >= -1e-12

    assert not failing(seed, holds)


@chunks
def test_half_lemma(seed: int) -> None:
    """E[H_c(σ − v) − H_c(σ* − v)] ≥ ½ (c_D(σ) − c)², exactly, and with the library's c_D."""

    def holds(c: Case) -> bool:
        sense = c.problem.sense
        for b, s, box in zip(c.problem.boxes, c.s, c.given.boxes, strict=True):
            truth = brute.reservation_value(b, sense)
            left = brute.excess_loss(b, s, sense) - brute.excess_loss(b, truth, sense)
            gap = wz.expected_excess(box.law, float(s), sense=sense) - float(b.cost)
            if left < (brute.excess(b, s, sense) - b.cost) ** 2 / 2:
                return False
            if float(left) < gap * gap / 2 - TOLERANCE:
                return False
        return True

    assert not failing(seed, holds)


@chunks
def test_singles_and_all_are_the_enumeration(seed: int) -> None:
    """Opening one box only, and opening all, on every fifth instance."""

    def holds(c: Case) -> bool:
        problem = c.problem
        sign = problem.sign
        low = [Fraction(-1000 * sign)] * len(problem.boxes)
        if not close(c.given.all_total, brute.run_rule(problem, low).total):
            return False
        for name, box in zip(c.given.single_totals, problem.boxes, strict=True):
            alone = Problem((box,), problem.sense, problem.outside)
            if not close(c.given.single_totals[name], brute.run_rule(alone, low[:1]).total):
                return False
        best = min(sign * x for x in c.given.single_totals.values())
        return sign * c.given.single_totals[c.given.best_single] == best

    assert not [c for c in cases(seed)[::5] if not holds(c)][:3]


@chunks
def test_plan_searches_unless_the_outside_option_is_at_least_as_good(seed: int) -> None:
    def holds(c: Case) -> bool:
        return c.given.searches == any(q > 0 for q in c.at_s.open_probabilities)

    assert not failing(seed, holds)


# Weitzman's example of 1979.


OMEGA = ExactBox(Fraction(20), ((Fraction(240), Fraction(1, 5)), (Fraction(0), Fraction(4, 5))))
ALPHA = ExactBox(Fraction(15), ((Fraction(100), Fraction(1, 2)), (Fraction(55), Fraction(1, 2))))
EXAMPLE = Problem((OMEGA, ALPHA), "max", Fraction(0))


def test_weitzmans_example() -> None:
    p = plan_of(EXAMPLE)
    assert p.reservation_values == {"0": 140.0, "1": 70.0}
    assert p.order == ("0", "1")
    assert p.expected_total == pytest.approx(78.0, rel=1e-14)
    assert p.optimal_total == p.expected_total
    assert p.open_probabilities == pytest.approx({"0": 1.0, "1": 0.8})
    assert p.regret == 0.0
    assert brute.optimal_total(EXAMPLE) == 78


def test_weitzmans_example_is_worth_75_with_alpha_first() -> None:
    """The best of all policies that open α first; the rule reaches it with α's value raised."""
    assert brute.optimal_total(EXAMPLE, first=1) == 75
    totals = [plan_of(EXAMPLE, (Fraction(s), Fraction(300))).expected_total for s in range(-5, 260)]
    assert max(totals) == pytest.approx(75.0, rel=1e-14)


def test_weitzmans_example_alone_and_all() -> None:
    p = plan_of(EXAMPLE)
    assert p.single_totals == pytest.approx({"0": 28.0, "1": 62.5})
    assert p.best_single == "1"
    assert p.all_total == pytest.approx(0.2 * 240 + 0.8 * 77.5 - 35)


# Continuous and mixed boxes against the definition of the rule.


@dataclasses.dataclass(frozen=True)
class Parts:
    """A value as a density, smooth on an interval, plus atoms; for the reference only."""

    value: Any
    density: Callable[[Any], Any] = np.zeros_like
    low: float = 0.0
    high: float = 0.0
    panels: int = 1
    atoms: tuple[tuple[float, float], ...] = ()


def _gauss(panels: int) -> tuple[Array, Array]:
    """Nodes and weights of a composite Gauss rule on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(20)
    starts = np.arange(panels)[:, None]
    nodes: Array = ((starts + 0.5 * (1.0 + x)) / panels).ravel()
    weights: Array = np.tile(0.5 * w / panels, panels)
    return nodes, weights


def textbook_total(
    parts: list[Parts], costs: list[float], s: list[float], outside: float = math.inf
) -> float:
    """Return the expected total of the rule, box after box from its definition (minimisation)."""
    order = sorted(range(len(s)), key=lambda i: (s[i], i))
    breaks = {*s, outside, *(x for p in parts for x in (p.low, p.high, *(a for a, _ in p.atoms)))}

    def to_go(place: int, best: Array) -> Array:
        """The rest of the total, for each best value in hand, before the box at this place."""
        if place == len(order):
            return best
        box = order[place]
        result = best.copy()
        for k in np.flatnonzero(best > s[box]):
            result[k] = costs[box] + opened(place, float(best[k]))
        return result

    def opened(place: int, best: float) -> float:
        """E of what follows after the box at this place is opened with ``best`` in hand."""
        part = parts[order[place]]
        atoms = np.array([[min(v, best), p] for v, p in part.atoms]).reshape(-1, 2)
        total = float(np.sum(to_go(place + 1, atoms[:, 0]) * atoms[:, 1]))
        ends = sorted(
            {part.low, part.high, *(x for x in (*breaks, best) if part.low < x < part.high)}
        )
        for a, b in pairwise(ends):
            nodes, weights = _gauss(part.panels)
            x = a + (b - a) * nodes
            mass = (b - a) * weights * part.density(x)
            if b <= best:
                total += float(np.sum(mass * to_go(place + 1, x)))
            else:
                total += float(np.sum(mass) * to_go(place + 1, np.array([best]))[0])
        return total

    return float(to_go(0, np.array([outside]))[0])


def _normal_density(x: Array) -> Array:
    return np.exp(-0.5 * ((x - 3.0) / 1.5) ** 2) / (1.5 * math.sqrt(2.0 * math.pi))


def _gumbel_density(x: Array) -> Array:
    z = (x - 2.0) / 0.5
    return np.exp(-z - np.exp(-z)) / 0.5


UNIFORM = Parts(scipy.stats.uniform(1, 6), lambda x: np.full_like(x, 1.0 / 6.0), 1.0, 7.0)
NORMAL = Parts(scipy.stats.norm(3, 1.5), _normal_density, 3 - 13.5, 3 + 13.5, panels=6)
BETA = Parts(scipy.stats.beta(2, 3, scale=8), lambda x: 1.5 * x / 8 * (1 - x / 8) ** 2, 0.0, 8.0)
GUMBEL = Parts(scipy.stats.gumbel_r(2, 0.5), _gumbel_density, -1.0, 22.0, panels=6)
COIN = Parts(wz.Discrete([1.5, 4.0], [0.25, 0.75]), atoms=((1.5, 0.25), (4.0, 0.75)))
MIXED = Parts(
    wz.Mixture([scipy.stats.uniform(0, 4), 2.0, 5.0], [2, 1, 1]),
    lambda x: np.full_like(x, 0.125),
    0.0,
    4.0,
    atoms=((2.0, 0.25), (5.0, 0.25)),
)
SMALL = [
    ([UNIFORM], [0.5]),
    ([UNIFORM, NORMAL], [0.3, 0.2]),
    ([MIXED, UNIFORM], [0.25, 0.75]),
    ([MIXED, COIN], [0.25, 0.125]),
    ([GUMBEL, BETA], [0.1, 0.05]),
    ([COIN, MIXED, UNIFORM], [0.1, 0.2, 0.3]),
]


@pytest.mark.parametrize("outside", [None, 3.25, 2.0])
@pytest.mark.parametrize("which", range(len(SMALL)))
def test_total_of_continuous_and_mixed_boxes_is_the_textbook_one(
    which: int, outside: float | None
) -> None:
    """Both senses, at the true and at arbitrary reservation values, ties with atoms included."""
    parts, costs = SMALL[which]
    boxes = [wz.Box(str(i), c, p.value) for i, (p, c) in enumerate(zip(parts, costs, strict=True))]
    turned = [wz.Box(b.name, b.cost, wz.affine(b.law, scale=-1.0)) for b in boxes]
    best = wz.plan(boxes, outside=outside)
    sigma = list(best.reservation_values.values())
    far = math.inf if outside is None else outside
    back = None if outside is None else -outside
    for s in (sigma, [2.0] * len(parts), [2.0, 1.0, 4.5][: len(parts)], [-3.0] * len(parts)):
        reference = textbook_total(parts, costs, s, far)
        p = wz.plan(boxes, outside=outside, reservation_values=s)
        assert p.expected_total == pytest.approx(reference, rel=1e-9, abs=1e-9)
        mirror = wz.plan(turned, sense="max", outside=back, reservation_values=[-x for x in s])
        assert mirror.expected_total == pytest.approx(-reference, rel=1e-9, abs=1e-9)
    assert best.expected_total == pytest.approx(
        textbook_total(parts, costs, sigma, far), rel=1e-9, abs=1e-9
    )


ALL_FAMILIES: list[Any] = [
    scipy.stats.uniform(1, 3),
    scipy.stats.norm(1, 2),
    scipy.stats.expon(1, 2),
    scipy.stats.bernoulli(0.3),
    scipy.stats.logistic(1, 2),
    scipy.stats.gamma(2.5, scale=2),
    scipy.stats.beta(2, 3),
    scipy.stats.lognorm(0.7),
    scipy.stats.pareto(3),
    scipy.stats.weibull_min(1.5),
    scipy.stats.t(4),
    scipy.stats.gumbel_r(),
    scipy.stats.triang(0.3),
    scipy.stats.poisson(4),
    wz.Discrete([0, 2, 5]),
    wz.Empirical([1.0, 1.0, 3.0]),
    wz.Mixture([scipy.stats.norm(), 2.0]),
    wz.Truncated(scipy.stats.norm(), -1.0, 2.0),
    2.5,
]


def name_of(value: Any) -> str:
    return str(value.dist.name) if hasattr(value, "dist") else type(value).__name__


every_family = pytest.mark.parametrize("value", ALL_FAMILIES, ids=name_of)
both_senses = pytest.mark.parametrize("sense", ["min", "max"])


def _best_of_two(value: Any, sense: Sense) -> float:
    """E of the better of two draws, by the definition: a double sum, or ∫ x dF_best(x)."""
    better = min if sense == "min" else max
    if not hasattr(value, "pdf"):
        points = np.arange(0, 120)
        pairs = [(x, p) for x, p in zip(points, value.pmf(points), strict=True) if p > 1e-18]
        return float(sum(p * q * better(x, y) for x, p in pairs for y, q in pairs))
    other = value.sf if sense == "min" else value.cdf
    cuts = np.concatenate([[1e-6, 1e-3], np.linspace(0.05, 0.5, 8)])
    edges = np.unique(np.concatenate([value.ppf([0, *cuts]), value.isf([*cuts, 0])]))
    return math.fsum(
        integrate.quad(lambda x: 2 * x * value.pdf(x) * other(x), a, b, epsabs=1e-13)[0]
        for a, b in pairwise(edges)
    )


@both_senses
@pytest.mark.parametrize("value", [v for v in ALL_FAMILIES if hasattr(v, "dist")], ids=name_of)
def test_opening_everything_is_the_best_of_all(value: Any, sense: Sense) -> None:
    boxes = [wz.Box("a", 1.0, value), wz.Box("b", 0.5, value)]
    sign = 1.0 if sense == "min" else -1.0
    exact = _best_of_two(value, sense) + sign * 1.5
    assert wz.plan(boxes, sense=sense).all_total == pytest.approx(exact, rel=1e-9)


@both_senses
@every_family
def test_open_in_any_case_is_the_limit_of_ever_more_eager_values(value: Any, sense: Sense) -> None:
    boxes = [wz.Box("a", 1.0, value), wz.Box("b", 0.5, value), wz.Box("c", 0.25, 2.0)]
    sign = 1.0 if sense == "min" else -1.0
    at_infinity = wz.expected_total(boxes, [-sign * math.inf] * 3, sense=sense)
    eager = wz.expected_total(boxes, [-sign * 200.0] * 3, sense=sense)
    assert at_infinity == pytest.approx(eager, rel=1e-5)
    q = wz.plan(boxes, sense=sense, reservation_values=[-sign * math.inf] * 3).open_probabilities
    assert list(q.values()) == [1.0, 1.0, 1.0]


@both_senses
@every_family
def test_a_free_box_is_always_opened_first_or_nothing_beats_it(value: Any, sense: Sense) -> None:
    """At cost 0 the total is finite, and at most that of the other box alone."""
    boxes = [wz.Box("free", 0.0, value), wz.Box("dear", 0.5, value)]
    p = wz.plan(boxes, sense=sense)
    sign = 1.0 if sense == "min" else -1.0
    assert math.isfinite(p.expected_total)
    assert p.order[0] == "free"
    assert sign * p.expected_total <= sign * p.single_totals["free"] + 1e-12


@both_senses
@every_family
def test_table_shows_for_every_family(value: Any, sense: Sense) -> None:
    p = wz.plan([wz.Box("first", 1.0, value), wz.Box("other", 0.5, value)], sense=sense)
    assert "first" in repr(p)


@both_senses
def test_one_box_without_outside_is_its_mean_and_cost_at_any_reservation_value(
    sense: Sense,
) -> None:
    sign = 1.0 if sense == "min" else -1.0
    for value, mean in ((scipy.stats.gamma(2.5, 1), 3.5), (scipy.stats.norm(2, 3), 2.0)):
        for s in (-40.0, -1.0, 0.0, 3.0, 55.0, -math.inf * sign):
            total = wz.expected_total([wz.Box("a", 0.75, value)], [s], sense=sense)
            assert total == pytest.approx(mean + sign * 0.75, rel=1e-12)


def test_far_reservation_values_lose_no_more_than_their_own_last_digit() -> None:
    box = wz.Box("a", 1.0, scipy.stats.uniform())
    for s in (-1e12, -1e6, 1e6, 1e12):
        assert wz.expected_total([box], [s]) == pytest.approx(1.5, abs=4e-16 * abs(s) + 1e-14)


def test_heavy_tails_have_an_infinite_total_until_enough_boxes_share_them() -> None:
    """pareto(b) has P(v > x) = x⁻ᵇ: two of b = 0.6 make a tail of 1.2, whose mean is 1.2/0.2."""
    heavy = scipy.stats.pareto(0.6)
    boxes = [wz.Box("a", 1.0, heavy), wz.Box("b", 2.0, heavy)]
    assert wz.plan(boxes[:1]).expected_total == math.inf
    assert wz.plan(boxes).all_total == pytest.approx(6.0 + 3.0, rel=1e-6)
    assert math.isfinite(wz.plan(boxes).expected_total)
    assert wz.plan(boxes[:1], outside=5.0).expected_total < 5.0
    assert wz.plan(boxes).single_totals == {"a": math.inf, "b": math.inf}


def test_heavy_tail_total_with_an_outside_option_is_closed() -> None:
    """One pareto(½) box, cost 1, outside 10: E min(v, 10) = 2√10 − 1."""
    p = wz.plan([wz.Box("a", 1.0, scipy.stats.pareto(0.5))], outside=10.0)
    assert p.expected_total == pytest.approx(2.0 * math.sqrt(10.0), rel=1e-12)
    assert p.single_totals["a"] == pytest.approx(2.0 * math.sqrt(10.0), rel=1e-12)


def test_two_heavy_boxes_at_given_values_match_the_closed_form() -> None:
    """s = (2, 4), v ~ pareto(0.6): q_b = 4^-0.6; total by integration of x^-0.6 and x^-1.2."""
    boxes = [wz.Box(n, 1.0, scipy.stats.pareto(0.6)) for n in "ab"]
    capped = 2.0 + (4.0**0.4 - 2.0**0.4) / 0.4 + 4.0**-0.2 / 0.2

    def excess(s: float) -> float:
        return float((s - 1.0) - (s**0.4 - 1.0) / 0.4)

    q = 4.0**-0.6
    total = capped + (1.0 - excess(2.0)) + q * (1.0 - excess(4.0))
    p = wz.plan(boxes, reservation_values=[2.0, 4.0])
    assert p.expected_total == pytest.approx(total, rel=1e-9)
    assert p.open_probabilities == pytest.approx({"a": 1.0, "b": q})


def test_a_value_without_a_mean_is_refused_or_has_no_total() -> None:
    box = wz.Box("a", 1.0, scipy.stats.cauchy())
    with pytest.raises(wz.InvalidInputError, match="finite expected excess"):
        _ = wz.plan([box]).expected_total
    with pytest.raises(wz.InvalidInputError, match="finite expected excess"):
        _ = wz.plan([box], reservation_values=[0.0]).expected_total


# Do not search at all.


def test_do_not_search_at_all() -> None:
    boxes = [wz.Box("a", 1.0, scipy.stats.uniform(0, 8)), wz.Box("b", 2.0, 5.0)]
    for outside in (4.0, 3.9, -100.0):
        p = wz.plan(boxes, outside=outside)
        assert not p.searches
        assert p.expected_total == outside
        assert p.expected_opened == p.expected_paid == 0.0
        assert "do not search at all" in repr(p)
        assert list(p.search()) == []
        outcome = p.search().close()
        assert (outcome.opened, outcome.chosen, outcome.total) == ((), None, outside)
    assert wz.plan(boxes, outside=4.0000001).searches


def test_without_an_outside_option_a_box_is_opened_at_any_cost() -> None:
    p = wz.plan([wz.Box("a", 1e9, scipy.stats.uniform(0, 1))])
    assert p.searches
    assert p.expected_total == pytest.approx(1e9 + 0.5, rel=1e-15)


# Symmetries.


@steady
@given(problems_with_reservation_values(), st.randoms(use_true_random=False))
def test_order_of_the_boxes_does_not_matter(
    drawn: tuple[Problem, tuple[Fraction, ...]], random: Any
) -> None:
    problem, s = drawn
    places = list(range(len(s)))
    random.shuffle(places)
    boxes = boxes_of(problem)
    outside = None if problem.outside is None else float(problem.outside)
    a = wz.plan(boxes, sense=problem.sense, outside=outside)
    b = wz.plan([boxes[i] for i in places], sense=problem.sense, outside=outside)
    assert a.expected_total == pytest.approx(b.expected_total, rel=1e-13, abs=1e-13)
    assert a.reservation_values == b.reservation_values
    apart = [float(x) + i / 1024 for i, x in enumerate(s)]
    c = wz.plan(boxes, sense=problem.sense, outside=outside, reservation_values=apart)
    d = wz.plan(
        [boxes[i] for i in places],
        sense=problem.sense,
        outside=outside,
        reservation_values=[apart[i] for i in places],
    )
    assert c.expected_total == pytest.approx(d.expected_total, rel=1e-13, abs=1e-13)
    assert c.open_probabilities == pytest.approx(d.open_probabilities, rel=1e-13, abs=1e-15)
    assert c.order == d.order


@steady
@given(
    st.lists(st.tuples(laws, st.floats(0.01, 3.0)), min_size=1, max_size=3),
    senses,
    st.floats(-4, 4),
    st.floats(0.25, 4),
)
def test_scaling_and_shifting_values(
    drawn: list[tuple[Any, float]], sense: Sense, shift: float, scale: float
) -> None:
    boxes = [wz.Box(str(i), c, v) for i, (v, c) in enumerate(drawn)]
    moved = [
        wz.Box(b.name, scale * b.expected_cost, wz.affine(b.law, shift=shift, scale=scale))
        for b in boxes
    ]
    a, b = wz.plan(boxes, sense=sense), wz.plan(moved, sense=sense)
    expected = {k: shift + scale * x for k, x in a.reservation_values.items()}
    assert b.reservation_values == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert b.expected_total == pytest.approx(shift + scale * a.expected_total, rel=1e-8, abs=1e-8)


@steady
@given(
    st.lists(st.tuples(laws, st.floats(0.01, 3.0), st.floats(-6, 6)), min_size=1, max_size=3),
    st.one_of(st.none(), st.floats(-5, 5)),
)
def test_maximising_is_minimising_the_negative(
    drawn: list[tuple[Any, float, float]], outside: float | None
) -> None:
    boxes = [wz.Box(str(i), c, v) for i, (v, c, _) in enumerate(drawn)]
    turned = [wz.Box(b.name, b.cost, wz.affine(b.law, scale=-1.0)) for b in boxes]
    s = [x for _, _, x in drawn]
    a = wz.plan(boxes, sense="max", outside=outside, reservation_values=s)
    b = wz.plan(
        turned,
        outside=None if outside is None else -outside,
        reservation_values=[-x for x in s],
    )
    assert a.expected_total == pytest.approx(-b.expected_total, rel=1e-12, abs=1e-12)
    assert a.optimal_total == pytest.approx(-b.optimal_total, rel=1e-12, abs=1e-12)
    assert a.open_probabilities == pytest.approx(b.open_probabilities, abs=1e-12)
    assert a.order == b.order


@steady
@given(problems(), st.integers(0, 3), st.integers(1, 16))
def test_dearer_boxes_never_help(problem: Problem, which: int, more: int) -> None:
    which %= len(problem.boxes)
    dearer = list(problem.boxes)
    dearer[which] = dataclasses.replace(dearer[which], cost=dearer[which].cost + Fraction(more, 8))
    a, b = plan_of(problem), plan_of(dataclasses.replace(problem, boxes=tuple(dearer)))
    sign = problem.sign
    assert sign * b.expected_total >= sign * a.expected_total - 1e-12
    assert sign * b.reservation_values[str(which)] > sign * a.reservation_values[str(which)]


@steady
@given(problems())
def test_one_more_box_never_hurts(problem: Problem) -> None:
    if len(problem.boxes) == 1:
        return
    fewer = dataclasses.replace(problem, boxes=problem.boxes[:-1])
    sign = problem.sign
    assert sign * plan_of(problem).expected_total <= sign * plan_of(fewer).expected_total + 1e-12


@steady
@given(problems())
def test_totals_stand_in_their_natural_order(problem: Problem) -> None:
    """The optimum is at least as good as any single box, as all boxes, and as the outside option."""
    p, sign = plan_of(problem), problem.sign
    others = [*p.single_totals.values(), p.all_total]
    if p.outside is not None:
        others.append(p.outside)
    assert all(sign * p.optimal_total <= sign * x + 1e-12 for x in others)


# Many boxes.


def test_many_equal_discrete_boxes_match_a_chain() -> None:
    """200 boxes with P(v = 0) = ½, P(v = 8) = ½ and cost 1: open until a 0 is found."""
    boxes = [wz.Box(str(i), 1.0, wz.Discrete([0.0, 8.0])) for i in range(200)]
    p = wz.plan(boxes)
    assert p.expected_total == pytest.approx(2.0, rel=1e-13)
    assert p.expected_opened == pytest.approx(2.0, rel=1e-13)
    assert p.order == tuple(str(i) for i in range(200))


def test_many_equal_uniform_boxes_match_the_integral() -> None:
    """n boxes U[0, 1] with cost c ≤ ½: s = √(2c), total = s + ∫ₛ¹ (1 − x)ⁿ dx."""
    n, cost = 300, 0.02
    p = wz.plan([wz.Box(str(i), cost, scipy.stats.uniform()) for i in range(n)])
    s = math.sqrt(2 * cost)
    assert p.expected_total == pytest.approx(s + (1 - s) ** (n + 1) / (n + 1), rel=1e-12)
    q = [(1 - s) ** k for k in range(n)]
    assert list(p.open_probabilities.values()) == pytest.approx(q, rel=1e-9)


# Input.


def test_bad_input_is_refused_in_one_sentence() -> None:
    a, b = wz.Box("a", 1.0, 3.0), wz.Box("b", 1.0, 2.0)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"boxes": []}, r"The boxes must be at least one\. Got \(\)\."),
        ({"boxes": [a, a]}, r"The names of the boxes must be distinct\. Got 'a'\."),
        ({"boxes": [a], "sense": "most"}, r"The sense must be 'min' or 'max'\. Got 'most'\."),
        ({"boxes": [a], "sense": None}, r"The sense must be 'min' or 'max'\. Got None\."),
        ({"boxes": [a], "outside": math.nan}, r"The outside option must be .*\. Got nan\."),
        ({"boxes": [a], "outside": math.inf}, r"The outside option must be .*\. Got inf\."),
        ({"boxes": [a, b], "reservation_values": [1.0]}, r"one number per box, 2\. Got \(1,\)\."),
        ({"boxes": [a], "reservation_values": [[1.0]]}, r"one number per box, 1\. Got \(1, 1\)\."),
        ({"boxes": [a], "reservation_values": 1.0}, r"one number per box, 1\. Got \(\)\."),
        ({"boxes": [a], "reservation_values": [math.nan]}, r"be finite or -inf\. Got \[nan\]\."),
        ({"boxes": [a], "reservation_values": [math.inf]}, r"be finite or -inf\. Got \[inf\]\."),
        (
            {"boxes": [a], "sense": "max", "reservation_values": [-math.inf]},
            r"be finite or inf\. Got \[-inf\]\.",
        ),
    ]
    for arguments, message in refused:
        with pytest.raises(wz.InvalidInputError, match=message):
            wz.plan(**arguments)


@pytest.mark.parametrize("outside", ["3", True, [1.0], 1j])
def test_an_outside_option_that_is_not_a_number_is_refused(outside: Any) -> None:
    with pytest.raises(wz.InvalidInputError, match=r"^The outside option must .*\. Got .*\.$"):
        wz.plan([wz.Box("a", 1.0, 3.0)], outside=outside)


def test_reservation_values_that_are_not_numbers_are_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match="The reservation values must"):
        wz.plan([wz.Box("a", 1.0, 3.0)], reservation_values=["high"])


def test_plans_with_given_reservation_values_can_be_compared() -> None:
    boxes = [wz.Box("a", 1.0, 3.0), wz.Box("b", 1.0, 2.0)]
    p, q = (wz.plan(boxes, reservation_values=[1.0, 2.0]) for _ in range(2))
    assert isinstance(p == q, bool)


def test_given_reservation_values_are_not_shared_with_the_caller() -> None:
    mine = np.array([2.0, 1.0])
    p = wz.plan([wz.Box("a", 1.0, 3.0), wz.Box("b", 1.0, 2.0)], reservation_values=mine)
    mine[:] = [1.0, 2.0]
    assert p.order == ("b", "a")
    assert p.reservation_values == {"a": 2.0, "b": 1.0}
