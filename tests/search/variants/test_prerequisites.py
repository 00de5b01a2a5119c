"""Prerequisites: the optimum is the optimum, no box comes too early, the bound is a bound."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.search.brute import ExactBox, Sense
from tests.search.ratios import Ratios
from tests.search.variants.programmes import Limits, random_boxes, random_outside

SENSES: list[Sense] = ["min", "max"]


def draw(rng: np.random.Generator, most: int) -> tuple[list[ExactBox], list[list[int]]]:
    """Return boxes and what each needs among those before it, two or more for some."""
    boxes = random_boxes(rng, most, least=3)
    needs = [np.flatnonzero(rng.random(i) < 0.5).tolist() for i in range(len(boxes))]
    return boxes, needs


def check(seed: int, sense: Sense, count: int, most: int) -> Ratios:
    """Check so many random problems."""
    rng, ratios = np.random.default_rng([23, seed]), Ratios(sense)
    for _ in range(count):
        boxes, needs = draw(rng, most)
        if all(len(before) < 2 for before in needs):
            needs[-1] = list(range(len(boxes) - 1))
        outside = random_outside(rng)

        def allowed(opened: frozenset[int], needs: list[list[int]] = needs) -> bool:
            return all(set(needs[i]) <= opened for i in opened)

        def keeps(opened: list[int], needs: list[list[int]] = needs) -> bool:
            return all(set(needs[row]) <= set(opened[:k]) for k, row in enumerate(opened))

        ratios.compare({}, boxes, outside, Limits(allowed=allowed), needs=needs, keeps=keeps)
    return ratios


@pytest.mark.parametrize("sense", SENSES)
def test_small_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    check(1, sense, 15, 4)


@pytest.mark.slow
@pytest.mark.parametrize("sense", SENSES)
def test_many_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    check(2, sense, 2000, 5).report("prerequisites")


def after(boxes: list[wz.Box], needs: dict[str, list[str]]) -> list[wz.Box]:
    return [replace(box, after=needs.get(box.name)) for box in boxes]


def test_one_prerequisite_too_many_is_bounded_by_the_forest() -> None:
    boxes = [wz.Box(n, 0.5, wz.Discrete([2.0 + i, 9.0])) for i, n in enumerate("abcd")]
    free = wz.Box("free", 0.0, 20.0)
    needs = {"b": ["a"], "c": ["a"], "d": ["a", "free"]}
    made: Any = wz.plan(after([free, *boxes], needs))
    forest = wz.plan([free, *after(boxes, {name: ["a"] for name in "bcd"})])
    exact: Any = wz.plan(after([free, *boxes], needs), method="exact")
    assert made.bound == pytest.approx(forest.expected_total, rel=1e-12)
    assert exact.expected_total == pytest.approx(forest.expected_total, rel=1e-12)


def test_what_is_refused() -> None:
    boxes = [wz.Box(name, 1.0, 2.0) for name in "abc"]
    with pytest.raises(wz.InvalidInputError, match="What boxes come after must have no circles"):
        wz.plan(after(boxes, {"a": ["b", "c"], "b": ["a"]}))
    with pytest.raises(wz.InvalidInputError, match="The boxes before 'a' must be for the boxes"):
        wz.plan(after(boxes, {"a": ["c", "d"]}))
    with pytest.raises(
        wz.InvalidInputError, match="The box before 'a' must be one name or several"
    ):
        wz.Box("a", 1.0, 2.0, after=[1])  # type: ignore[list-item]
