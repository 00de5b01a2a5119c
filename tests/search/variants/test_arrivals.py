"""Arrivals: half of the best in every order, and an exact total."""

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from tests.search.brute import ExactBox, Problem, optimal_total
from tests.search.ratios import report_ratios
from tests.search.variants.programmes import as_boxes, random_boxes


def enacted(boxes: list[ExactBox], limit: Fraction, outside: Fraction) -> Fraction:
    """Return the net value of taking the first box of at least ``limit``, over all outcomes."""
    total = Fraction(0)
    for outcomes in product(*(box.outcomes for box in boxes)):
        chance = math.prod((p for _, p in outcomes), start=Fraction(1))
        paid, kept = Fraction(0), outside
        for box, (v, _) in zip(boxes, outcomes, strict=True):
            # Worth a look at the limit: E(v − limit)⁺ >= c
            if sum(p * max(x - limit, Fraction(0)) for x, p in box.outcomes) < box.cost:
                continue
            paid += box.cost
            if v >= limit:
                kept = v
                break
        total += chance * (kept - paid)
    return total


def check(seed: int, count: int, most: int) -> list[float]:
    """Check so many random problems in all orders; return the ratios to the best free search."""
    rng = np.random.default_rng([22, seed])
    ratios: list[float] = []
    while len(ratios) < count:
        boxes = random_boxes(rng, most)
        outside = Fraction(int(rng.integers(0, 3)) * int(rng.integers(0, 8)), 2)
        best = optimal_total(Problem(tuple(boxes), "max", outside))
        limit = max(best / 2, outside)
        gaps = [
            sum(p * max(x - limit, Fraction(0)) for x, p in box.outcomes) - box.cost
            for box in boxes
        ]
        if best == 0 or any(abs(gap) < Fraction(1, 10**9) for gap in gaps):
            # Equality to the last digit is decided by rounding
            continue
        for order in permutations(boxes):
            made = wz.plan(as_boxes(order), sense="max", outside=float(outside), arrivals=True)
            assert made.bound == pytest.approx(float(best), abs=1e-12)
            plain = enacted(list(order), limit, outside)
            assert made.expected_total == pytest.approx(float(plain), abs=1e-12)
            assert plain >= best / 2
            ratios.append(float(plain / best))
    return ratios


def test_half_of_the_best_in_every_order() -> None:
    check(1, 100, 3)


@pytest.mark.slow
def test_half_of_the_best_in_every_order_often() -> None:
    ratios = check(2, 12_000, 4)
    report_ratios("arrivals max", ratios, worst="low")


def test_what_is_let_go_does_not_come_back() -> None:
    boxes = [wz.Box(n, 0.5, wz.Discrete([3.0, 20.0])) for n in "ab"]
    made = wz.plan(boxes, sense="max", outside=1.0, arrivals=True)
    search = made.search()
    for box in search:
        assert box in {"a", "b"}
        search.see(3.0)
    outcome = search.close()
    assert (outcome.kept, outcome.value, outcome.total) == ((), 1.0, 0.0)


def test_continuous_values_by_simulation() -> None:
    boxes = [wz.Box(str(i), 0.2, scipy.stats.gamma(1 + i % 3, 0, 1.0 + i % 2)) for i in range(5)]
    made = wz.plan(boxes, sense="max", outside=0.0, arrivals=True)
    played = made.simulate(20_000, 3)
    # Five standard errors: a false alarm in a million
    assert abs(played.mean - made.expected_total) < 5.0 * played.standard_error
    assert 0.5 * made.bound <= made.expected_total <= made.bound
    shares = played.chosen_share()
    for name, share in made.keep_probabilities.items():
        assert abs(shares[name] - share) < 5.0 * (0.25 / 20_000) ** 0.5


def test_what_is_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match="The value of box 'a' must be >= 0"):
        wz.plan(
            [wz.Box("a", 1.0, wz.Discrete([-1.0, 3.0]))], sense="max", outside=0.0, arrivals=True
        )
    with pytest.raises(
        wz.InvalidInputError, match="The outside option must be a number >= 0 for boxes"
    ):
        wz.plan([wz.Box("a", 1.0, 2.0)], sense="max", outside=-1.0, arrivals=True)
