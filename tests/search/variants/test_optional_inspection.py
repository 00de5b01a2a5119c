"""Optional inspection: the optimum is the optimum, the constants hold, the bound is a bound."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

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


def check(seed: int, sense: Sense, count: int, most: int) -> dict[str, list[float]]:
    """Check so many random problems; return ratios of committing, hedging and the bound to the optimum."""
    rng = np.random.default_rng([16, seed])
    ratios: dict[str, list[float]] = {"committing": [], "local hedging": [], "bound": []}
    for _ in range(count):
        boxes, outside = random_boxes(rng, most), random_outside(rng)
        limits = Limits(blind=frozenset(range(len(boxes))))
        best = float(optimum(boxes, sense, outside, limits))
        given = None if outside is None else float(outside)
        made = wz.plan(as_boxes(boxes), sense=sense, outside=given, unopened=True)
        exact = wz.plan(as_boxes(boxes), sense=sense, outside=given, unopened=True, method="exact")
        assert exact.expected_total == pytest.approx(best, abs=1e-12)
        assert exact.kind == "exact"
        for plan in (made, exact):
            total, opened, kept, _ = play_all(plan.rule, boxes, sense, outside)
            assert plan.expected_total == pytest.approx(total, abs=1e-12)
            assert list(plan.open_probabilities.values()) == pytest.approx(opened, abs=1e-12)
            assert list(plan.keep_probabilities.values()) == pytest.approx(kept, abs=1e-12)
        sign = 1.0 if sense == "min" else -1.0
        assert sign * made.bound <= sign * best + 1e-12
        assert sign * made.expected_total >= sign * best - 1e-12
        if sense == "min":
            hedged = hedging(boxes, outside)
            assert made.expected_total <= hedged + 1e-12
            assert hedged <= 4.0 / 3.0 * best + 1e-12
            if best > 0.0:
                ratios["local hedging"].append(hedged / best)
        if best > 0.0:
            ratios["committing"].append(made.expected_total / best)
            ratios["bound"].append(made.bound / best)
            lost = ratios["committing"][-1]
            assert lost >= 0.8 if sense == "max" else lost <= 4.0 / 3.0
    return ratios


def hedging(boxes: list[ExactBox], outside: Fraction | None) -> float:
    """Return the expected total of local hedging: E min over boxes, each a mixture of two laws."""
    survivals = []
    for box in boxes:
        outcomes = [(float(v), float(p)) for v, p in box.outcomes]
        cost, mean = float(box.cost), sum(v * p for v, p in outcomes)
        sigma = wz.reservation_value(wz.Discrete(*zip(*outcomes, strict=True)), cost)
        chance = 0.0
        if sigma < mean:
            chance = (mean - sigma) / (mean - sigma + cost * sigma / mean)
        law = [(max(v, sigma), p * chance) for v, p in outcomes]
        survivals.append([*law, (mean, 1.0 - chance)])
    points = sorted({v for law in survivals for v, _ in law})
    end = np.inf if outside is None else float(outside)
    total, last = 0.0, 0.0
    for point in [x for x in points if x < end] + ([end] if np.isfinite(end) else []):
        alive = [sum(p for v, p in law if v >= point) for law in survivals]
        total += (point - last) * float(np.prod(alive))
        last = point
    return total


@pytest.mark.parametrize("sense", SENSES)
def test_small_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    check(1, sense, 60, 3)


@pytest.mark.slow
@pytest.mark.parametrize("sense", SENSES)
def test_many_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    bad, good = ("low", "high") if sense == "max" else ("high", "low")
    for name, numbers in check(2, sense, 2000, 4).items():
        if numbers:
            report_ratios(
                f"optional {sense}, {name}", numbers, worst=good if name == "bound" else bad
            )


def test_no_boxes_to_take_is_the_plain_problem() -> None:
    boxes = [wz.Box("a", 0.3, scipy.stats.norm(5, 2)), wz.Box("b", 0.2, scipy.stats.expon(0, 5))]
    made, plain = wz.plan(boxes, unopened=[]), wz.plan(boxes)
    assert made.expected_total == plain.expected_total
    assert made.bound == pytest.approx(plain.expected_total, rel=1e-12)


def test_continuous_values_by_simulation() -> None:
    boxes = [
        wz.Box("wide", 1.5, scipy.stats.uniform(0, 8)),
        wz.Box("skewed", 0.4, scipy.stats.expon(0, 4)),
        wz.Box("sure", 2.0, scipy.stats.beta(30, 30, 0, 6)),
    ]
    made = wz.plan(boxes, unopened=True)
    played = made.simulate(20_000, 5)
    # Five standard errors: a false alarm in a million
    assert abs(played.mean - made.expected_total) < 5.0 * played.standard_error
    shares = played.chosen_share()
    assert shares["sure"] > 0.1
    for name, share in made.keep_probabilities.items():
        assert abs(shares[name] - share) < 5.0 * (0.25 / 20_000) ** 0.5
    assert made.bound <= made.expected_total
    assert made.kind == "guarantee ≤ 4/3"


def test_a_live_search_takes_a_box_unopened() -> None:
    made = wz.plan([wz.Box("a", 5.0, wz.Discrete([1.0, 3.0]))], unopened=True)
    search = made.search()
    assert list(search) == []
    search.see(3.0, box="a")
    outcome = search.close()
    assert (outcome.kept, outcome.opened, outcome.total) == (("a",), (), 3.0)


def test_of_negative_values_nothing_is_promised() -> None:
    boxes = [wz.Box("a", 1.0, wz.Discrete([-1.0, 3.0]))]
    assert wz.plan(boxes, sense="max", unopened=True).kind == "heuristic"


def test_what_is_refused() -> None:
    box = wz.Box("a", 1.0, scipy.stats.norm())
    with pytest.raises(wz.InvalidInputError, match="The method must be 'committing' or 'exact'"):
        wz.plan([box], unopened=True, method="best")
    with pytest.raises(wz.InvalidInputError, match="have finitely many outcomes"):
        wz.plan([box], unopened=True, method="exact")
    with pytest.raises(wz.InvalidInputError, match="The boxes that may be taken unopened must be"):
        wz.plan([box], unopened=["b"])
