"""Every plan of a hard problem has the one face of plans, and its figures belong together."""

from collections.abc import Callable

import numpy as np
import pytest

import weitzman as wz
from tests.search.brute import Sense

LAWS = {
    "a": wz.Discrete([1.0, 6.0, 9.0], [0.25, 0.5, 0.25]),
    "b": wz.Discrete([2.0, 5.0], [0.5, 0.5]),
    "c": wz.Discrete([0.0, 4.0, 8.0], [0.25, 0.25, 0.5]),
}
COSTS = {"a": 0.5, "b": 0.75, "c": 0.25}
BOXES = [wz.Box(name, COSTS[name], law) for name, law in LAWS.items()]
FRAME = {"a": [1.0, 9.0, 6.0, 6.0], "b": [2.0, 2.0, 5.0, 5.0], "c": [0.0, 8.0, 8.0, 4.0]}
PARTIAL = [
    wz.PartialBox(
        name, COSTS[name], 0.1, {"good": (0.5, law), "bad": (0.5, wz.affine(law, shift=2))}
    )
    for name, law in LAWS.items()
]
NEEDS = {"c": ["a", "b"]}

PLANS: dict[str, Callable[[Sense, float], wz.AnyPlan]] = {
    "optional": lambda s, o: wz.plan_optional_inspection(BOXES, sense=s, outside=o),
    "cap": lambda s, o: wz.plan_limited(BOXES, most=2, sense=s, outside=o),
    "budget": lambda s, o: wz.plan_limited(BOXES, budget=1.0, sense=s, outside=o),
    "batches": lambda s, o: wz.plan_batches(BOXES, size=2, price=0.25, sense=s, outside=o),
    "needs": lambda s, o: wz.plan_prerequisites(BOXES, NEEDS, sense=s, outside=o),
    "scenarios": lambda s, o: wz.plan_scenarios(FRAME, COSTS, sense=s, outside=o),
    "partial": lambda s, o: wz.plan_partial(PARTIAL, sense=s, outside=o),
    "arrivals": lambda _, o: wz.plan_arrivals(BOXES, outside=o),
}


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("name", PLANS)
def test_the_figures_of_a_plan_belong_together(name: str, sense: Sense) -> None:
    plan = PLANS[name](sense, 3.0)
    assert list(plan.open_probabilities) == list(plan.keep_probabilities) == ["a", "b", "c"]
    assert plan.expected_opened == pytest.approx(sum(plan.open_probabilities.values()))
    assert 0.0 <= sum(plan.keep_probabilities.values()) <= 1.0 + 1e-12
    played = plan.simulate(4000, 11)
    # Five standard errors: a false alarm in a million
    assert abs(played.mean - plan.expected_total) <= 5.0 * played.standard_error
    assert abs(played.paid.mean() - plan.expected_paid) <= 5.0 * np.std(played.paid) / 4000**0.5
    shares = played.chosen_share()
    for box, share in plan.keep_probabilities.items():
        assert abs(shares[box] - share) < 5.0 * (0.25 / 4000) ** 0.5
    assert plan.kind in repr(plan)


@pytest.mark.parametrize("name", PLANS)
def test_a_live_search_can_be_closed(name: str) -> None:
    plan, found = PLANS[name]("max", 3.0), {"a": 6.0, "b": 5.0, "c": 8.0}
    search = plan.search()
    for box in search:
        partial = isinstance(box, wz.Step) and box.stage == "partial"
        answer: object = "good" if partial else found[box]
        search.see(answer)  # type: ignore[arg-type]
    outcome = search.close()
    assert outcome.total == pytest.approx(outcome.value - outcome.paid)
    assert len(outcome.kept) <= 1


@pytest.mark.parametrize("name", [name for name in PLANS if name not in {"scenarios", "partial"}])
def test_boxes_with_stages_do_not_combine(name: str) -> None:
    staged = wz.Box(
        "a", stages=[wz.Stage("test", 1.0, {"good": 1.0}), wz.Stage("trial", 1.0, {"good": 2.0})]
    )
    calls: dict[str, Callable[[], object]] = {
        "optional": lambda: wz.plan_optional_inspection([staged]),
        "cap": lambda: wz.plan_limited([staged], most=1),
        "budget": lambda: wz.plan_limited([staged], budget=1.0),
        "batches": lambda: wz.plan_batches([staged], size=1, price=0.0),
        "needs": lambda: wz.plan_prerequisites([staged], {}),
        "arrivals": lambda: wz.plan_arrivals([staged]),
    }
    with pytest.raises(wz.InvalidInputError, match="Box 'a' must be plain"):
        calls[name]()
