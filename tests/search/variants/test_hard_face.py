"""Every plan of a hard problem has the one face of plans, and its figures belong together."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

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
AFTER = [*BOXES[:2], replace(BOXES[2], after=["a", "b"])]

PLANS: dict[str, Callable[[Sense, float], wz.AnyPlan]] = {
    "optional": lambda s, o: wz.plan(BOXES, unopened=True, sense=s, outside=o),
    "cap": lambda s, o: wz.plan(BOXES, most=2, sense=s, outside=o),
    "budget": lambda s, o: wz.plan(BOXES, budget=1.0, sense=s, outside=o),
    "batches": lambda s, o: wz.plan(BOXES, at_once=2, price=0.25, sense=s, outside=o),
    "needs": lambda s, o: wz.plan(AFTER, sense=s, outside=o),
    "scenarios": lambda s, o: wz.plan(scenarios=FRAME, costs=COSTS, sense=s, outside=o),
    "partial": lambda s, o: wz.plan(PARTIAL, sense=s, outside=o),
    "arrivals": lambda _, o: wz.plan(BOXES, sense="max", outside=o, arrivals=True),
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
def test_the_picture_has_a_bar_for_what_happens_to_each_box(name: str) -> None:
    plan = PLANS[name]("max", 3.0)
    figure = plan.plot()
    figure.canvas.draw()
    (axes,) = figure.axes
    drawn = {str(bars.get_label()): [bar.get_width() for bar in bars] for bars in axes.containers}
    wanted = {"opened": plan.open_probabilities, "kept": plan.keep_probabilities}
    if name == "partial":
        looks = zip(plan.steps, plan.step_probabilities, strict=True)  # type: ignore[attr-defined]
        wanted["looked at partially"] = {str(s): p for s, p in looks if s.stage == "partial"}
    assert set(drawn) == set(wanted)
    for what, chances in wanted.items():
        assert drawn[what] == pytest.approx([100.0 * p for p in chances.values()])
    assert f"{plan.expected_total:.4g} ({plan.kind})" in figure.get_suptitle()
    assert axes.get_ylim()[0] > axes.get_ylim()[1]


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


STAGED = wz.Box(
    "a", stages=[wz.Stage("test", 1.0, {"good": 1.0}), wz.Stage("trial", 1.0, {"good": 2.0})]
)
CALLS: dict[str, dict[str, Any]] = {
    "optional": {"unopened": True},
    "cap": {"most": 1},
    "budget": {"budget": 1.0},
    "batches": {"at_once": 2},
    "arrivals": {"sense": "max", "outside": 0.0, "arrivals": True},
}


@pytest.mark.parametrize("name", CALLS)
def test_boxes_with_stages_do_not_combine(name: str) -> None:
    with pytest.raises(wz.InvalidInputError, match="Box 'a' must be plain"):
        wz.plan([STAGED], **CALLS[name])
    with pytest.raises(wz.InvalidInputError, match="keep must be left out: it does not combine"):
        wz.plan(BOXES, keep=2, **CALLS[name])
    with pytest.raises(wz.InvalidInputError, match="Box 'c' must be plain"):
        wz.plan(AFTER, most=2)


def test_stages_do_not_combine_with_several_prerequisites() -> None:
    with pytest.raises(wz.InvalidInputError, match="Box 'a' must be plain: stages do not combine"):
        wz.plan([STAGED, BOXES[1], AFTER[2]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"most": 1, "price": 1.0}, "price must be left out: it does not combine with a cap"),
        ({"arrivals": True}, "The sense must be 'max' for boxes that arrive"),
        ({"method": "best"}, "The method must be 'exact'"),
        ({"most": 1, "method": "best"}, "The method must be 'subset' or 'exact'"),
        ({"scenarios": FRAME, "costs": COSTS}, "The boxes must be left out with scenarios="),
        ({"costs": COSTS}, "costs must be left out where boxes are given"),
        ({"worst": 9.0}, "worst must be left out without confidence="),
        ({"unopened": "a"}, "The boxes that may be taken unopened must be True, or a list"),
        ({"unopened": 3}, "The boxes that may be taken unopened must be True, or a list"),
        ({"sense": "max", "arrivals": True}, "The outside option must be a number >= 0"),
        ({"most": True}, "The largest number of boxes must be an integer"),
        ({"budget": -1.0}, "The budget must be a finite number >= 0"),
        ({"at_once": 2, "price": float("inf")}, "The price of a batch must be a finite number"),
        ({"unopened": True, "reservation_values": [1.0, 2.0, 3.0]}, "reservation_values must be"),
    ],
)
def test_what_does_not_go_together_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=message):
        wz.plan(BOXES, **settings)


# What no type checker would let pass
PLAN: Any = wz.plan
PARTIAL_BOX: Any = wz.PartialBox
BOX: Any = wz.Box


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PLAN(PARTIAL, confidence=0.9), "partial looks do not combine with samples"),
        (
            lambda: PLAN(PARTIAL, keep=2),
            "keep must be left out: it does not combine with partial",
        ),
        (
            lambda: PLAN(scenarios=FRAME, costs=COSTS, confidence=0.9),
            "confidence must be left out: it does not combine with scenarios",
        ),
        (
            lambda: PLAN(scenarios=[[1.0]], costs=COSTS),
            "The scenarios must be a mapping or a data",
        ),
        (lambda: PARTIAL_BOX("a", 1.0, 0.5, [1.0]), "The signals of box 'a' must be a mapping"),
        (lambda: PARTIAL_BOX("", 1.0, 0.5, {}), "The name of a box must be a text"),
        (lambda: BOX("a", 1.0, 2.0, after=3), "The box before 'a' must be one name or several"),
        (lambda: PLAN([], most=1), "The boxes must be at least one"),
    ],
)
def test_what_is_of_the_wrong_kind_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=message):
        call()


@pytest.mark.parametrize(
    "settings", [{"most": 1}, {"budget": 0.0}, {"at_once": 2}, {"unopened": True}]
)
@pytest.mark.parametrize("method", [None, "exact"])
def test_one_box_that_is_free(settings: dict[str, Any], method: str | None) -> None:
    made = wz.plan([wz.Box("a", 0.0, wz.Discrete([1.0, 5.0]))], method=method, **settings)
    assert made.expected_total == 3.0
    assert made.most_lost == 0.0


@pytest.mark.parametrize("method", ["committing", "index", "turning", "whittle", "exact"])
def test_partial_looks_that_are_free(method: str) -> None:
    a = wz.PartialBox("a", 0.0, 0.0, {"u": (0.5, 2.0), "v": (0.5, wz.Discrete([1.0, 2.0]))})
    made = wz.plan([a, wz.PartialBox("b", 1.0, 0.0, {"u": (1.0, 2.0)})], method=method)
    assert made.expected_total == 1.75
