"""An explained round: parts that add up, in the order of the search, told in words."""

import math

import numpy as np
import pytest
from rich.console import Console

import weitzman as wz
from tests.learn.test_searcher import bank_of, every_feedback, every_learner, make, record
from weitzman.learn.explanation import BoxExplanation, Explanation

NAMES = ["north", "south", "east", "west"]


def taught(
    learner: wz.Learner | None = None, feedback: str = "opened", sense: str = "min"
) -> wz.Searcher:
    contexts, costs, values = record(60)
    searcher = make(feedback, boxes=NAMES, learner=learner, sense=sense)
    searcher.play(contexts, costs, values)
    return searcher


# Of these σ is no sum over features: a law of residuals or of values, a function that is bent
NOT_SUMS = (
    *(wz.Residual, wz.Logistic, wz.Fourier, wz.Boosted),
    *(wz.LinUCB, wz.OptimisticLaw, wz.OptimisticResidual, wz.Thompson),
)


@every_learner
@pytest.mark.parametrize("sense", ["min", "max"])
def test_contributions_add_up_to_the_prediction(learner: wz.Learner, sense: str) -> None:
    contexts, costs, _ = record(5, gaps=False, seed=1)
    searcher = taught(learner, sense=sense)
    for x, c in zip(contexts, costs, strict=True):
        for box in searcher.explain(x, c).boxes:
            if isinstance(learner, NOT_SUMS):
                assert box.contributions is None
                continue
            assert box.contributions is not None
            assert len(box.contributions) == 3 + (getattr(learner, "intercept", False) is True)
            size = sum(abs(part) for part in box.contributions)
            assert sum(box.contributions) == pytest.approx(box.prediction, abs=1e-12 * (1 + size))


def test_a_contribution_is_weight_times_feature() -> None:
    """Doubling one feature doubles its own contribution and no other."""
    contexts, costs, _ = record(1, gaps=False, seed=1)
    searcher = taught(wz.FTRL(intercept=True))
    doubled = contexts[0].copy()
    doubled[:, 1] *= 2.0
    one = {b.box: b for b in searcher.explain(contexts[0], costs[0]).boxes}
    for box in searcher.explain(doubled, costs[0]).boxes:
        before = one[box.box].contributions
        assert before is not None
        assert box.contributions == (before[0], 2 * before[1], before[2], before[3])


@pytest.mark.parametrize(("sense", "sign"), [("min", 1.0), ("max", -1.0)])
def test_what_features_do_not_add_is_the_level_and_the_cost(sense: str, sign: float) -> None:
    """Other contexts leave it as it is, and a look that costs more moves it by as much."""
    contexts, costs, _ = record(2, gaps=False, seed=1)
    searcher = taught(wz.FTRL(), feedback="full", sense=sense)
    first, other, dearer = (
        {b.box: b for b in searcher.explain(x, c).boxes}
        for x, c in (
            (contexts[0], costs[0]),
            (contexts[1], costs[0]),
            (contexts[0], costs[0] + 2.0),
        )
    )
    for name, box in first.items():
        level = (box.contributions or ())[-1]
        assert (other[name].contributions or ())[-1] == pytest.approx(level)
        assert (dearer[name].contributions or ())[-1] == pytest.approx(level + 2.0 * sign)


@every_learner
@pytest.mark.parametrize("sense", ["min", "max"])
def test_boxes_stand_in_the_order_in_which_they_are_opened(learner: wz.Learner, sense: str) -> None:
    contexts, costs, _ = record(5, gaps=False, seed=1)
    searcher = taught(learner, sense=sense)
    for x, c in zip(contexts, costs, strict=True):
        told = [b.box for b in searcher.explain(x, c).boxes]
        search = searcher.open(x, c)
        opened = []
        for box in search:
            opened.append(box)
            search.miss()
        assert opened == told


@every_feedback
@pytest.mark.parametrize("sense", ["min", "max"])
def test_numbers_are_those_of_the_search(feedback: str, sense: str) -> None:
    contexts, costs, _ = record(1, gaps=False, seed=1)
    searcher = taught(feedback=feedback, sense=sense)
    sigma = dict(zip(NAMES, searcher.reservation_values(contexts[0], costs[0]), strict=True))
    explanation = searcher.explain(contexts[0], costs[0])
    assert explanation.sense == sense
    better = 1.0 if sense == "min" else -1.0
    values = [b.reservation_value * better for b in explanation.boxes]
    assert values == sorted(values)
    for box in explanation.boxes:
        place = NAMES.index(str(box.box))
        assert box.reservation_value == sigma[str(box.box)]
        assert box.cost == costs[0][place]
        assert box.looks == bank_of(searcher).looks()[place]
        assert box.optimism >= 0.0
        assert box.prediction - better * box.optimism == pytest.approx(box.reservation_value)
        if feedback != "opened":
            assert box.optimism == 0.0


@pytest.mark.parametrize(("sense", "word"), [("min", "above"), ("max", "below")])
def test_the_story_names_every_threshold(sense: str, word: str) -> None:
    contexts, costs, _ = record(1, gaps=False, seed=1)
    explanation = taught(sense=sense).explain(contexts[0], costs[0])
    lines = str(explanation).splitlines()
    assert len(lines) == 4
    assert repr(explanation.boxes[0].box) in lines[0]
    for before, box, line in zip(explanation.boxes, explanation.boxes[1:], lines[1:], strict=False):
        assert line.startswith(f"After {before.box!r}, open {box.box!r}")
        assert f"{word} {box.reservation_value:.4g}." in line
        assert f"cost {box.cost:.4g}" in line


def test_a_search_does_what_the_story_says() -> None:
    """It stops at a value on the threshold, and goes on just above it."""
    contexts, costs, _ = record(1, gaps=False, seed=1)
    searcher = taught()
    first, second = searcher.explain(contexts[0], costs[0]).boxes[:2]
    threshold = second.reservation_value
    for value, goes_on in ((threshold, False), (math.nextafter(threshold, math.inf), True)):
        search = searcher.open(contexts[0], costs[0])
        assert next(search) == first.box
        search.see(value)
        assert next(search, None) == (second.box if goes_on else None)


def test_some_boxes_can_be_explained_by_name() -> None:
    contexts, costs, _ = record(1, gaps=False, seed=1)
    searcher = taught()
    rows = [3, 1]
    told = searcher.explain(contexts[0][rows], costs[0][rows], boxes=["west", "south"]).boxes
    whole = {b.box: b for b in searcher.explain(contexts[0], costs[0]).boxes}
    assert {b.box for b in told} == {"west", "south"}
    for box in told:
        assert box.reservation_value == whole[box.box].reservation_value
        assert box.contributions == whole[box.box].contributions


def test_one_box_is_explained_in_one_line() -> None:
    searcher = wz.Searcher(boxes=["only"], dimension=1)
    assert str(searcher.explain([[1.0]], 1.0)).count("\n") == 0


def test_the_table_shows_every_box() -> None:
    contexts, costs, _ = record(1, gaps=False, seed=1)
    console = Console(
        width=200, record=True, file=None, quiet=False, stderr=False, force_terminal=False
    )
    with console.capture() as captured:
        for learner in (wz.FTRL(intercept=False), wz.Residual(intercept=False)):
            console.print(taught(learner).explain(contexts[0], costs[0]))
    assert all(captured.get().count(name) == 2 for name in NAMES)


def test_a_wrong_round_is_not_explained() -> None:
    searcher = taught()
    for contexts, costs in ((np.ones((3, 3)), 1.0), (np.full((4, 3), np.nan), 1.0)):
        with pytest.raises(wz.InvalidInputError):
            searcher.explain(contexts, costs)
    with pytest.raises(wz.InvalidInputError):
        searcher.explain(np.ones((4, 3)), -1.0)


@pytest.mark.parametrize(
    ("unit", "said"), [("€", "€{}"), ("$", "${}"), ("s", "{} s"), ("euros", "{} euros"), ("", "{}")]
)
def test_amounts_have_the_unit_of_the_searcher(unit: str, said: str) -> None:
    searcher = wz.Searcher(boxes=["a", "b"], dimension=1, learner=wz.FTRL(), least=2.0, unit=unit)
    ones, found = [[1.0], [1.0]], {"a": 7.0, "b": 9.0}
    for _ in range(5):
        search = searcher.open(ones, [1.0, 1.5])
        for box in search:
            search.see(found[str(box)])
        search.close()
    told = searcher.explain(ones, [1.0, 1.5])
    first, then = told.boxes
    cut_off, cost, best = (
        said.format(f"{then.reservation_value:.4g}"),
        said.format("1.5"),
        said.format(2),
    )
    after = (
        f"After {first.box!r}, open {then.box!r} (cost {cost}) only while the best value in hand"
    )
    lines = str(told).split("\n")
    assert (then.box, lines[1]) == ("b", f"{after} is above {cut_off}.")
    assert (
        lines[-1]
        == str(searcher.best_possible)
        == f"{best} is the best possible value, as was said."
    )
    with (console := Console(width=200)).capture() as printed:
        console.print(told)
    (row,) = (line for line in printed.get().split("\n") if "│ b " in line)
    assert [cell.strip() for cell in row.split("│")][2:4] == [cost, cut_off]
    # It goes with the file
    assert str(wz.load(searcher.to_bytes()).explain(ones, [1.0, 1.5])) == str(told)


def test_nothing_is_counted_in_an_infinite_unit_and_a_currency_stands_behind_the_sign() -> None:
    one = BoxExplanation("a", cost=1.0, reservation_value=-math.inf, prediction=-2.5)
    with (console := Console(width=200)).capture() as printed:
        console.print(Explanation((one,), "min", unit="$"))
    (row,) = (line for line in printed.get().split("\n") if "│ a " in line)
    assert [cell.strip() for cell in row.split("│")][2:5] == ["$1", "-inf", "-$2.5"]
