"""What is asked for wrongly or does not combine is refused in a sentence; the face of all plans."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from weitzman.cli.box_files.read import read_boxes
from weitzman.search.rule import advance
from weitzman.search.variants.forest.rule import ForestRule

EXAMPLES = Path(__file__).parents[3] / "examples"
NORMAL = scipy.stats.norm(3, 1)
STAGES = [
    wz.Stage("call", 0.1, {"good": 0.5, "bad": 0.5}),
    wz.Stage("visit", 0.3, {"good": wz.Discrete([2]), "bad": wz.Discrete([4, 9])}),
]
STAGED = wz.Box("staged", stages=STAGES)
PLAIN = wz.Box("plain", 0.2, wz.Discrete([1, 5, 8]))
AFTER = wz.Box("after", 0.2, wz.Discrete([1, 5]), after="plain")
DRAWN = wz.Box("drawn", 0.2, wz.Draws(NORMAL))


@pytest.mark.parametrize(
    ("boxes", "settings", "sentence"),
    [
        ([PLAIN, AFTER], {"keep": 2}, "does not combine|do not combine"),
        ([PLAIN, STAGED], {"keep": 2, "discount": 0.9}, "do not combine with a discount"),
        ([PLAIN, DRAWN], {}, "do not combine with others"),
        ([DRAWN], {"keep": 2}, "does not combine with draws"),
        ([PLAIN, STAGED], {"recall": False}, "do not combine with no recall"),
        ([PLAIN], {"recall": False, "tail": 0.5}, "does not combine"),
        ([PLAIN], {"tail": 0.5, "discount": 0.5}, "does not combine with a tail"),
        ([PLAIN], {"tail": 0.0}, "above 0, at most 1"),
        ([PLAIN], {"discount": 1.5}, "above 0, at most 1"),
        ([PLAIN], {"keep": 0}, "The number of boxes to keep must be an integer"),
        ([PLAIN], {"keep": 3}, "The number of boxes to keep must be an integer"),
        ([DRAWN], {"reservation_values": [1.0]}, "must be left out"),
        ([PLAIN], {"recall": False, "reservation_values": [1.0]}, "must be left out"),
        (
            [PLAIN, AFTER],
            {"reservation_values": [1.0]},
            "be one number per row of the plan's steps, 2",
        ),
        ([PLAIN, AFTER], {"reservation_values": {"plain": 1.0}}, "be for the boxes"),
        ([PLAIN], {"discount": 0.9, "reservation_values": [-np.inf]}, "be finite with a discount"),
        ([AFTER], {}, "The box before 'after' must be one of the boxes"),
        ([wz.Box("b", 1.0, NORMAL)], {"tail": 0.5}, "have finitely many outcomes"),
        ([wz.Box("b", 1.0, NORMAL)], {"utility": abs}, "have finitely many outcomes"),
        ([wz.Box("b", 1.0, wz.Successes(2.0))], {}, "The outside option must be given"),
        ([wz.Box("b", 0.0, wz.Draws(NORMAL))], {}, "must be > 0 for a draw"),
        (
            [PLAIN, wz.Box("b", 1.0, scipy.stats.cauchy(), after="plain")],
            {},
            "finite expected excess",
        ),
        (
            [PLAIN, wz.Box("c", 0.2, NORMAL, after="c")],
            {},
            "Box 'c' must not come after itself",
        ),
        (
            [wz.Box("b", 1.0, NORMAL), wz.Box("c", 1.0, {1.0: 2.0}, after="b")],
            {},
            "since a box after it depends on them",
        ),
        (
            [wz.Box("b", stages=[wz.Stage("one", 1.0, {"good": 0.5, "bad": 0.2})] * 2)],
            {},
            "chances >= 0 of sum 1",
        ),
        (
            [wz.Box("b", stages=[STAGES[0], wz.Stage("visit", 0.3, {"good": 2.0})])],
            {},
            "The outside option must be given. Got boxes that may all end without a value",
        ),
        (
            [PLAIN, wz.Box("c", 1.0, 2.0)],
            {"keep": wz.Matroid(lambda names: len(names) != 1)},
            "What is kept must be a matroid",
        ),
    ],
)
def test_what_does_not_go_is_refused_in_a_sentence(
    boxes: list[wz.Box], settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(wz.InvalidInputError, match=sentence):
        _ = wz.plan(boxes, **settings).expected_total


def test_a_box_has_stages_or_a_value() -> None:
    with pytest.raises(wz.InvalidInputError, match="leave cost and value to its stages"):
        wz.Box("b", 1.0, 2.0, stages=STAGES)
    with pytest.raises(wz.InvalidInputError, match="be one law, or with after="):
        wz.Box("b", 1.0, {1.0: 2.0})


def test_a_signal_that_a_stage_does_not_show_changes_nothing() -> None:
    plan: Any = wz.plan([STAGED])
    search = plan.search()
    step = next(search)
    assert (step, step.stage) == ("staged", "call")
    with pytest.raises(wz.InvalidInputError, match=r"The signal of box 'staged' must be one of"):
        search.see("fine")
    search.see("good")
    assert next(search).stage == "visit"
    search.see(2.0)
    assert search.close() == wz.Outcome(("staged", "staged"), ("staged",), 2.0, 0.4, 2.4)


def test_a_signal_that_does_not_come_ends_the_box() -> None:
    search = wz.plan([STAGED], outside=20.0).search()
    assert next(search) == "staged"
    search.miss()
    assert next(search, None) is None
    assert search.close().total == 20.1


def test_a_box_after_one_whose_value_does_not_come_can_be_opened() -> None:
    search = wz.plan([PLAIN, AFTER], outside=20.0).search()
    assert next(search) == "plain"
    search.miss()
    assert next(search) == "after"


@pytest.mark.parametrize(
    "plan",
    [
        wz.plan([PLAIN, STAGED]),
        wz.plan([PLAIN, AFTER], outside=4.0, sense="max"),
        wz.plan([PLAIN, STAGED], keep=2),
        wz.plan([PLAIN], discount=0.9),
        wz.plan([PLAIN], tail=0.5),
        wz.plan([PLAIN], recall=False),
        wz.plan([DRAWN]),
        wz.plan([wz.Box("b", 1.0, wz.Successes(2.0))], outside=9.0),
        wz.plan([PLAIN]),
    ],
)
def test_every_plan_has_the_face(plan: wz.AnyPlan) -> None:
    assert plan.kind == "exact"
    assert np.isfinite(plan.expected_total)
    assert plan.expected_paid >= 0.0
    assert set(plan.open_probabilities) == set(plan.keep_probabilities)
    for name, kept in plan.keep_probabilities.items():
        assert 0.0 <= kept <= plan.open_probabilities[name] + 1e-12 <= 1.0 + 2e-12
    assert "expected" in repr(plan)
    run = plan.simulate(50, 1)
    assert run.totals.size == 50
    np.testing.assert_array_equal(run.totals, plan.simulate(50, 1).totals)


def test_a_rule_goes_on_elsewhere() -> None:
    plan: Any = wz.plan([PLAIN, AFTER, STAGED], outside=20.0)
    rule, again = plan.rule, ForestRule.restored(plan.rule.state())
    state, other = plan._begin(), plan._begin()
    while (action := advance(rule, state)) is not wz.STOP:
        assert advance(again, other) == action
        assert isinstance(action, wz.Open)
        for one in (state, other):
            one.see(action.box, 1.0 if plan.forest.nodes[action.box].labels else 7.0)
    assert again.next(other) is wz.STOP


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.json")) + sorted(EXAMPLES.glob("*.csv")))
def test_every_example_has_a_plan(file: Path) -> None:
    content = read_boxes(str(file))
    plan = wz.plan(
        content.boxes,
        sense=content.sense or "min",
        outside=content.outside if content.outside is not None else 1000.0,
        **dict(content.settings),
    )
    assert np.isfinite(plan.expected_total)


def test_trees_are_drawn() -> None:
    plan: Any = wz.plan([PLAIN, AFTER, STAGED])
    words = [text.get_text() for text in plan.plot().axes[0].texts]
    assert any("after" in word for word in words)
    assert any(word.startswith("good: visit") for word in words)


def test_the_probability_to_be_kept_at_other_reservation_values() -> None:
    """By counting: both boxes are opened in either order and ties go to the first."""
    boxes = [wz.Box("a", 1.0, wz.Discrete([1, 2])), wz.Box("b", 1.0, wz.Discrete([1, 2]))]
    plan = wz.plan(boxes, reservation_values={"a": -5.0, "b": -9.0})
    assert plan.keep_probabilities == pytest.approx({"a": 0.25, "b": 0.75})
