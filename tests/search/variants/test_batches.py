"""Batches: the optimum is the optimum, every batch is paid for, the bound is a bound."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from tests.search.brute import Sense
from tests.search.ratios import Ratios
from tests.search.variants.programmes import Limits, random_boxes, random_outside

SENSES: list[Sense] = ["min", "max"]


def check(seed: int, sense: Sense, count: int, most: int) -> Ratios:
    """Check so many random problems."""
    rng, ratios = np.random.default_rng([19, seed]), Ratios(sense)
    for _ in range(count):
        boxes, outside = random_boxes(rng, most, least=2), random_outside(rng)
        size, price = int(rng.integers(1, 4)), Fraction(int(rng.integers(0, 9)), 8)
        if size == 1:
            # Without a price this is the plain problem
            price = max(price, Fraction(1, 8))
        asked = {"at_once": size, "price": float(price)}
        ratios.compare(asked, boxes, outside, Limits(at_once=size, price=price))
    return ratios


@pytest.mark.parametrize("sense", SENSES)
def test_small_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    check(1, sense, 10, 4)


@pytest.mark.slow
@pytest.mark.parametrize("sense", SENSES)
def test_many_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    check(2, sense, 2000, 4).report("batches")


@pytest.mark.parametrize("method", ["batches", "exact"])
def test_every_batch_is_paid_for(method: str) -> None:
    boxes = [wz.Box(n, 0.25, wz.Discrete([1.0 + i, 6.0, 9.0])) for i, n in enumerate("abcde")]
    made = wz.plan(boxes, at_once=2, price=0.5, method=method)
    search, found = made.search(), {"a": 9.0, "b": 6.0, "c": 6.0, "d": 9.0, "e": 9.0}
    for box in search:
        search.see(found[box])
    outcome = search.close()
    batches = -(-len(outcome.opened) // 2)
    assert outcome.paid == 0.25 * len(outcome.opened) + 0.5 * batches
    played = made.simulate(20_000, 2)
    # Five standard errors: a false alarm in a million
    assert abs(played.mean - made.expected_total) < 5.0 * played.standard_error
    assert float(played.paid.mean()) == pytest.approx(made.expected_paid, abs=0.05)


def test_batches_of_one_are_the_plain_problem() -> None:
    boxes = [wz.Box(n, 0.5, wz.Discrete([1.0 + i, 8.0])) for i, n in enumerate("abc")]
    made = wz.plan(boxes, at_once=1, price=0.25)
    higher = [wz.Box(box.name, 0.75, box.value) for box in boxes]
    assert made.expected_total == pytest.approx(wz.plan(higher).expected_total, rel=1e-12)
    assert made.most_lost == pytest.approx(0.0, abs=1e-12)


def test_what_is_refused() -> None:
    box = wz.Box("a", 1.0, scipy.stats.norm())
    with pytest.raises(wz.InvalidInputError, match="The values of boxes must have finitely"):
        wz.plan([box], at_once=2, price=1.0)
    with pytest.raises(wz.InvalidInputError, match="The price of a batch must be"):
        wz.plan([box], at_once=2, price=-1.0)
    with pytest.raises(
        wz.InvalidInputError, match="The number of boxes that are opened at once must be"
    ):
        wz.plan([box], at_once=0, price=1.0)
