"""A cap or a budget: the optimum is the optimum, the limit is kept, the bound is a bound."""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from tests.search.brute import Sense
from tests.search.ratios import Ratios
from tests.search.variants.programmes import Limits, random_boxes, random_outside

SENSES: list[Sense] = ["min", "max"]


def check(seed: int, sense: Sense, count: int, most: int, *, cap: bool) -> Ratios:
    """Check so many random problems."""
    rng, ratios = np.random.default_rng([17, seed]), Ratios(sense)
    for _ in range(count):
        boxes, outside = random_boxes(rng, most, least=2), random_outside(rng)
        use = [Fraction(1) if cap else box.cost for box in boxes]
        spare = (
            Fraction(int(rng.integers(0, len(boxes) - 1)), 1)
            if cap
            else Fraction(int(rng.integers(0, 12)), 8)
        )
        size = min(use) + spare

        def allowed(
            opened: Iterable[int], use: list[Fraction] = use, size: Fraction = size
        ) -> bool:
            return sum(use[i] for i in opened) <= size

        asked = {"most": int(size)} if cap else {"budget": float(size)}
        ratios.compare(asked, boxes, outside, Limits(allowed=allowed), keeps=allowed)
    return ratios


@pytest.mark.parametrize("cap", [True, False])
@pytest.mark.parametrize("sense", SENSES)
def test_small_problems_agree_with_the_plain_programme(sense: Sense, cap: bool) -> None:
    check(1, sense, 10, 4, cap=cap)


@pytest.mark.slow
@pytest.mark.parametrize("cap", [True, False])
@pytest.mark.parametrize("sense", SENSES)
def test_many_problems_agree_with_the_plain_programme(sense: Sense, cap: bool) -> None:
    check(2, sense, 2000, 5, cap=cap).report("cap" if cap else "budget")


@pytest.mark.parametrize("limit", [{"most": 3}, {"budget": 1e9}])
def test_a_limit_that_does_not_bind_is_the_plain_problem(limit: dict[str, float]) -> None:
    boxes = [wz.Box(str(i), 0.1 * (i + 1), scipy.stats.norm(5 - i, 1 + i)) for i in range(3)]
    made = wz.plan(boxes, **limit)  # type: ignore[call-overload]
    assert made.expected_total == wz.plan(boxes).expected_total
    assert made.most_lost == 0.0


def test_continuous_boxes_by_simulation() -> None:
    boxes = [
        wz.Box(str(i), 0.02, scipy.stats.gamma(1 + i % 4, 0, 3.0 / (1 + i % 3))) for i in range(8)
    ]
    made = wz.plan(boxes, most=2)
    played = made.simulate(20_000, 3)
    assert played.opened_count.max() <= 2
    # Five standard errors: a false alarm in a million
    assert abs(played.mean - made.expected_total) < 5.0 * played.standard_error
    assert wz.plan(boxes).expected_total < made.bound <= made.expected_total


def test_nothing_is_opened_where_the_outside_option_is_best() -> None:
    boxes = [wz.Box("a", 1.0, 5.0), wz.Box("b", 1.0, 6.0)]
    made = wz.plan(boxes, most=1, outside=2.0)
    assert (made.expected_total, made.expected_opened) == (2.0, 0.0)
    assert list(made.search()) == []


def test_what_is_refused() -> None:
    boxes = [wz.Box("a", 1.0, 5.0)]
    with pytest.raises(wz.InvalidInputError, match="The limit must be either most= or budget="):
        wz.plan(boxes, most=1, budget=1.0)
    with pytest.raises(wz.InvalidInputError, match="The budget must allow one box, at least 1,"):
        wz.plan(boxes, budget=0.5)
    with pytest.raises(wz.InvalidInputError, match="The largest number of boxes must be"):
        wz.plan(boxes, most=0)
