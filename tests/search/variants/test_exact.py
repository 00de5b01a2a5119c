"""The exact variants against the dynamic programme, on random small problems in rational arithmetic.

The total is the optimum, the live search played on everything that can happen has it, and opens and
keeps every box as often as the plan says.
"""

from collections.abc import Callable
from random import Random

import pytest

import weitzman as wz
from tests.search.variants.brute import check
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
    plan = wz.plan(
        boxes,
        sense="max" if terms.sense == "max" else "min",
        outside=None if terms.outside is None else float(terms.outside),
        keep=terms.keep,
        discount=float(DISCOUNT) if "discount" in name else 1.0,
    )
    check(plan, roots, terms, terms.keep)


def check_matroid(kind: str, seed: int) -> None:
    (boxes, roots, terms), made, _, rank = matroid(Random(seed), kind)
    plan = wz.plan(
        boxes,
        sense="max" if terms.sense == "max" else "min",
        outside=None if terms.outside is None else float(terms.outside),
        keep=made,
    )
    check(plan, roots, terms, rank)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_plan_is_optimal_and_its_search_gives_what_it_says(name: str) -> None:
    for seed in range(FEW):
        check_variant(name, seed)


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
@pytest.mark.parametrize("kind", ["partition", "graphic", "transversal"])
def test_matroids_are_kept_optimally_thousands_of_times(kind: str) -> None:
    for seed in range(MANY):
        check_matroid(kind, 10**6 + seed)
