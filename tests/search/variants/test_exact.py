"""The exact variants against the dynamic programme, on random small problems in rational arithmetic.

The total is the optimum, the live search played on everything that can happen has it, and opens and
keeps every box as often as the plan says.
"""

import math
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import weitzman as wz
from tests.search.variants.brute import Terms, check, check_played
from tests.search.variants.instances import (
    DISCOUNT,
    Case,
    forest,
    matroid,
    simple_boxes,
    staged_boxes,
)

FEW, MANY = 300, 5000

VARIANTS: dict[str, Callable[[Random], Case]] = {
    "keep": lambda rng: simple_boxes(rng, 4, keep=rng.randint(2, 3)),
    "keep two of staged boxes": lambda rng: staged_boxes(rng, 3, keep=2),
    "stages": lambda rng: staged_boxes(rng, 3),
    "trees": lambda rng: forest(rng, 5),
    "trees with dependent laws": lambda rng: forest(rng, 4, dependent=True),
    "stages in trees": lambda rng: forest(rng, 4, stages=True),
    "discount": lambda rng: simple_boxes(rng, 5, discounted=True),
    "discount with stages": lambda rng: staged_boxes(rng, 3, discounted=True),
    "discount with trees": lambda rng: forest(rng, 4, discounted=True),
}


def check_variant(name: str, seed: int) -> None:
    boxes, roots, terms = VARIANTS[name](Random(seed))
    plan = wz.plan(boxes, **asked(name, terms))
    check(plan, roots, terms, terms.keep)


def asked(name: str, terms: Terms) -> dict[str, Any]:
    return {
        "sense": terms.sense,
        "outside": None if terms.outside is None else float(terms.outside),
        "keep": terms.keep,
        "discount": float(DISCOUNT) if "discount" in name else 1.0,
    }


def check_given(name: str, seed: int) -> None:
    """Any reservation values: the total is what the search gives, and no better than the optimum."""
    rng = Random(seed)
    boxes, roots, terms = VARIANTS[name](rng)
    settings = asked(name, terms)
    best: Any = wz.plan(boxes, **settings)
    if isinstance(best, wz.Plan):
        return
    # Ties with values and with each other, and boxes that are opened in any case
    sigma = [rng.randint(-8, 20) / 2 for _ in best.steps]
    if "discount" not in name and rng.random() < 0.3:
        sigma[rng.randrange(len(sigma))] = terms.sign * -math.inf
    plan: Any = wz.plan(boxes, reservation_values=sigma, **settings)
    check_played(plan, roots)
    scale = max(1.0, abs(plan.expected_total))
    assert abs(plan.optimal_total - best.expected_total) <= 1e-12 * scale
    lost = terms.sign * (plan.expected_total - best.expected_total)
    assert lost >= -1e-12 * scale
    assert abs(plan.regret - lost) <= 1e-12 * scale
    truth = [terms.sign * s + 0.0 for s in best.forest.sigma.tolist()]
    again: Any = wz.plan(boxes, reservation_values=truth, **settings)
    assert again.regret <= 1e-12 * scale
    assert best.regret == 0.0


def check_matroid(kind: str, seed: int) -> None:
    (boxes, roots, terms), made, _, rank = matroid(Random(seed), kind)
    plan = wz.plan(
        boxes,
        sense="max" if terms.sense == "max" else "min",
        outside=None if terms.outside is None else float(terms.outside),
        keep=made,
    )
    check(plan, roots, terms, rank)
    rng = Random(seed)
    sigma = [rng.randint(-8, 20) / 2 for _ in boxes]
    settings = {**asked(kind, terms), "keep": made}
    given: Any = wz.plan(boxes, reservation_values=sigma, **settings)
    if isinstance(given, wz.Plan):
        return
    check_played(given, roots)
    scale = max(1.0, abs(given.expected_total))
    assert abs(given.optimal_total - plan.expected_total) <= 1e-12 * scale


@pytest.mark.parametrize("name", VARIANTS)
def test_a_plan_is_optimal_and_its_search_gives_what_it_says(name: str) -> None:
    for seed in range(FEW):
        check_variant(name, seed)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_plan_at_other_reservation_values_is_what_its_search_gives(name: str) -> None:
    for seed in range(FEW // 2):
        check_given(name, 10**7 + seed)


@pytest.mark.parametrize("kind", ["partition", "graphic", "transversal"])
def test_a_matroid_is_kept_optimally(kind: str) -> None:
    for seed in range(FEW // 3):
        check_matroid(kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_thousands_of_plans_are_optimal(name: str) -> None:
    for seed in range(MANY):
        check_variant(name, 10**6 + seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_thousands_of_plans_at_other_reservation_values(name: str) -> None:
    for seed in range(MANY):
        check_given(name, 2 * 10**7 + seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["partition", "graphic", "transversal"])
def test_matroids_are_kept_optimally_thousands_of_times(kind: str) -> None:
    for seed in range(MANY):
        check_matroid(kind, 10**6 + seed)
