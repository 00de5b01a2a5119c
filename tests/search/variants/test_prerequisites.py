"""Prerequisites: the optimum is the optimum, no box comes too early, the bound is a bound."""

import numpy as np
import pytest

import weitzman as wz
from tests.search.brute import ExactBox, Sense
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


def draw(rng: np.random.Generator, most: int) -> tuple[list[ExactBox], list[list[int]]]:
    """Return boxes and what each needs among those before it, two or more for some."""
    boxes = random_boxes(rng, most, least=2)
    needs = [np.flatnonzero(rng.random(i) < 0.5).tolist() for i in range(len(boxes))]
    return boxes, needs


def check(seed: int, sense: Sense, count: int, most: int) -> tuple[list[float], list[float]]:
    """Check so many random problems; return ratios to the optimum of the plan and of its bound."""
    rng = np.random.default_rng([23, seed])
    sign = 1.0 if sense == "min" else -1.0
    ratios: list[float] = []
    bounds: list[float] = []
    for _ in range(count):
        boxes, needs = draw(rng, most)
        outside = random_outside(rng)

        def allowed(opened: frozenset[int], needs: list[list[int]] = needs) -> bool:
            return all(set(needs[i]) <= opened for i in opened)

        best = float(optimum(boxes, sense, outside, Limits(allowed=allowed)))
        made, exact = (
            wz.plan_prerequisites(
                as_boxes(boxes),
                {f"b{i}": [f"b{j}" for j in before] for i, before in enumerate(needs)},
                sense=sense,
                outside=None if outside is None else float(outside),
                method=method,
            )
            for method in ("bundles", "exact")
        )
        assert exact.expected_total == pytest.approx(best, abs=1e-12)
        for plan in (made, exact):
            total, opened, kept, ends = play_all(plan.rule, boxes, sense, outside)
            assert plan.expected_total == pytest.approx(total, abs=1e-12)
            assert list(plan.open_probabilities.values()) == pytest.approx(opened, abs=1e-12)
            assert list(plan.keep_probabilities.values()) == pytest.approx(kept, abs=1e-12)
            for end in ends:
                for place, row in enumerate(end.opened):
                    assert set(needs[row]) <= set(end.opened[:place])
        assert sign * made.bound <= sign * best + 1e-12
        assert sign * made.expected_total >= sign * best - 1e-12
        if best > 0.0:
            ratios.append(made.expected_total / best)
            bounds.append(made.bound / best)
    return ratios, bounds


@pytest.mark.parametrize("sense", SENSES)
def test_small_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    check(1, sense, 15, 4)


@pytest.mark.slow
@pytest.mark.parametrize("sense", SENSES)
def test_many_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    ratios, bounds = check(2, sense, 2000, 5)
    report_ratios(f"prerequisites {sense}", ratios, worst="low" if sense == "max" else "high")
    report_ratios(
        f"prerequisites {sense}, bound", bounds, worst="high" if sense == "max" else "low"
    )


def test_a_forest_is_bounded_by_its_optimum() -> None:
    boxes = [wz.Box(n, 0.5, wz.Discrete([2.0 + i, 9.0])) for i, n in enumerate("abc")]
    made = wz.plan_prerequisites(boxes, {"b": ["a"], "c": ["a"]})
    forest = wz.plan([boxes[0], *(wz.Box(b.name, b.cost, b.value, after="a") for b in boxes[1:])])
    exact = wz.plan_prerequisites(boxes, {"b": ["a"], "c": ["a"]}, method="exact")
    assert made.bound == pytest.approx(forest.expected_total, rel=1e-12)
    assert exact.expected_total == pytest.approx(forest.expected_total, rel=1e-12)


def test_what_is_refused() -> None:
    boxes = [wz.Box("a", 1.0, 2.0), wz.Box("b", 1.0, 2.0)]
    with pytest.raises(wz.InvalidInputError, match="What boxes need must have no circles"):
        wz.plan_prerequisites(boxes, {"a": ["b"], "b": ["a"]})
    with pytest.raises(wz.InvalidInputError, match="What box 'a' needs must be for the boxes"):
        wz.plan_prerequisites(boxes, {"a": ["c"]})
    with pytest.raises(wz.InvalidInputError, match="The boxes that need others must be for"):
        wz.plan_prerequisites(boxes, {"c": ["a"]})
