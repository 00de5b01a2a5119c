"""A cap or a budget: the optimum is the optimum, the limit is kept, the bound is a bound."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from tests.search.brute import Sense
from tests.search.ratios import report_ratios
from tests.search.variants.programmes import (
    Limits,
    as_boxes,
    optimum,
    play_all,
    random_boxes,
    random_outside,
)

SENSES: list[Sense] = ["min", "max"]


def check(seed: int, sense: Sense, count: int, most: int, *, cap: bool) -> tuple[list[float], ...]:
    """Check so many random problems; return ratios to the optimum of the plan and of its bound."""
    rng = np.random.default_rng([17, seed])
    sign = 1.0 if sense == "min" else -1.0
    ratios: list[float] = []
    bounds: list[float] = []
    for _ in range(count):
        boxes, outside = random_boxes(rng, most, least=2), random_outside(rng)
        given = None if outside is None else float(outside)
        use = [Fraction(1) if cap else box.cost for box in boxes]
        spare = (
            Fraction(int(rng.integers(0, len(boxes) - 1)), 1)
            if cap
            else Fraction(int(rng.integers(0, 12)), 8)
        )
        size = min(use) + spare

        def allowed(
            opened: frozenset[int], use: list[Fraction] = use, size: Fraction = size
        ) -> bool:
            return sum(use[i] for i in opened) <= size

        best = float(optimum(boxes, sense, outside, Limits(allowed=allowed)))
        made, exact = (
            wz.plan_limited(
                as_boxes(boxes),
                most=int(size) if cap else None,
                budget=None if cap else float(size),
                sense=sense,
                outside=given,
                method=method,
            )
            for method in ("subset", "exact")
        )
        assert exact.expected_total == pytest.approx(best, abs=1e-12)
        for plan in (made, exact):
            total, opened, kept, ends = play_all(plan.rule, boxes, sense, outside)
            assert plan.expected_total == pytest.approx(total, abs=1e-12)
            assert list(plan.open_probabilities.values()) == pytest.approx(opened, abs=1e-12)
            assert list(plan.keep_probabilities.values()) == pytest.approx(kept, abs=1e-12)
            assert all(sum(use[i] for i in end.opened) <= size for end in ends)
        assert sign * made.bound <= sign * best + 1e-9
        assert sign * made.expected_total >= sign * best - 1e-12
        assert made.most_lost >= sign * (made.expected_total - best) - 1e-9
        if best > 0.0:
            ratios.append(made.expected_total / best)
            bounds.append(made.bound / best)
    return ratios, bounds


@pytest.mark.parametrize("cap", [True, False])
@pytest.mark.parametrize("sense", SENSES)
def test_small_problems_agree_with_the_plain_programme(sense: Sense, cap: bool) -> None:
    check(1, sense, 10, 4, cap=cap)


@pytest.mark.slow
@pytest.mark.parametrize("cap", [True, False])
@pytest.mark.parametrize("sense", SENSES)
def test_many_problems_agree_with_the_plain_programme(sense: Sense, cap: bool) -> None:
    ratios, bounds = check(2, sense, 2000, 5, cap=cap)
    name = "cap" if cap else "budget"
    report_ratios(f"{name} {sense}", ratios, worst="low" if sense == "max" else "high")
    report_ratios(f"{name} {sense}, bound", bounds, worst="high" if sense == "max" else "low")


@pytest.mark.parametrize("limit", [{"most": 3}, {"budget": 1e9}])
def test_a_limit_that_does_not_bind_is_the_plain_problem(limit: dict[str, float]) -> None:
    boxes = [wz.Box(str(i), 0.1 * (i + 1), scipy.stats.norm(5 - i, 1 + i)) for i in range(3)]
    made = wz.plan_limited(boxes, **limit)  # type: ignore[arg-type]
    assert made.expected_total == wz.plan(boxes).expected_total
    assert made.most_lost == 0.0


def test_continuous_boxes_by_simulation() -> None:
    boxes = [
        wz.Box(str(i), 0.02, scipy.stats.gamma(1 + i % 4, 0, 3.0 / (1 + i % 3))) for i in range(8)
    ]
    made = wz.plan_limited(boxes, most=2)
    played = made.simulate(20_000, 3)
    assert played.opened_count.max() <= 2
    # Five standard errors: a false alarm in a million
    assert abs(played.mean - made.expected_total) < 5.0 * played.standard_error
    assert wz.plan(boxes).expected_total < made.bound <= made.expected_total


def test_nothing_is_opened_where_the_outside_option_is_best() -> None:
    boxes = [wz.Box("a", 1.0, 5.0), wz.Box("b", 1.0, 6.0)]
    made = wz.plan_limited(boxes, most=1, outside=2.0)
    assert (made.expected_total, made.expected_opened) == (2.0, 0.0)
    assert list(made.search()) == []


def test_what_is_refused() -> None:
    boxes = [wz.Box("a", 1.0, 5.0)]
    with pytest.raises(wz.InvalidInputError, match="The limit must be either most= or budget="):
        wz.plan_limited(boxes)
    with pytest.raises(wz.InvalidInputError, match="The budget must allow one box, at least 1,"):
        wz.plan_limited(boxes, budget=0.5)
    with pytest.raises(wz.InvalidInputError, match="The largest number of boxes must be"):
        wz.plan_limited(boxes, most=0)
