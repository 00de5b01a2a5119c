"""The best possible value: where it is known, no look is made that cannot be worth its cost."""

import math
from pathlib import Path

import numpy as np
import pytest

import weitzman as wz
from weitzman.feedback import Feedback
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Policy, Round, bounded
from weitzman.search.reservation import Sense
from weitzman.search.rule import WeitzmanRule

POLICIES: dict[str, Policy] = {
    "default": wz.default_policy(),
    "ftrl": wz.Weitzman(wz.FTRL()),
    "paper": wz.Weitzman(wz.FTRL(intercept=False)),
    "aware": wz.Aware(),
    "joint": wz.Joint("past", "greedy", 0.0),
    **{rule: wz.Simple(rule) for rule in RULES},
}
COSTS = np.array([0.3, 0.0, 1.0])


def values_of(rng: np.random.Generator) -> list[float]:
    """Right or wrong, and sometimes nearly right."""
    return [float(v) for v in rng.choice([0.0, 0.5, 20.0], size=3, p=[0.4, 0.2, 0.4])]


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("policy", POLICIES.values(), ids=list(POLICIES))
def test_no_look_is_made_that_cannot_be_worth_its_cost(
    policy: Policy, feedback: Feedback, sense: Sense
) -> None:
    rng, sign = np.random.default_rng(1), 1.0 if sense == "min" else -1.0
    searcher = wz.Searcher(
        boxes=3,
        dimension=2,
        policy=policy,
        feedback=feedback,
        sense=sense,
        least=0.0 if sense == "min" else None,
        most=None if sense == "min" else 0.0,
    )
    for _ in range(60):
        values = values_of(rng)
        search = searcher.open(rng.normal(size=(3, 2)), COSTS)
        best = math.inf
        for box in search:
            assert isinstance(box, int)
            assert best > COSTS[box]
            best = min(best, values[box])
            search.see(sign * values[box])
        search.close([sign * v for v in values] if feedback == "full" else None)


def test_no_reservation_value_is_below_what_is_possible() -> None:
    searcher = wz.Searcher(boxes=3, dimension=1, learner=wz.FTRL(intercept=False), least=5.0)
    assert (searcher.reservation_values(np.ones((3, 1)), COSTS) >= 5.0 + COSTS).all()
    loose = wz.Searcher(boxes=3, dimension=1, learner=wz.FTRL(intercept=False))
    assert (loose.reservation_values(np.ones((3, 1)), COSTS) < 5.0).all()


def test_an_outside_option_at_the_best_possible_value_is_kept() -> None:
    searcher = wz.Searcher(boxes=2, dimension=1, policy=wz.Simple("all"), least=0.0)
    assert list(searcher.open(np.ones((2, 1)), 1.0, outside=0.0)) == []


def test_a_rule_with_reservation_values_is_bounded_and_others_are_left_alone() -> None:
    shown = Round(np.ones((2, 1)), np.ones(2), math.inf, np.arange(2))
    rule = WeitzmanRule(np.array([-math.inf, 3.0]))
    assert bounded(rule, shown) is rule
    known = bounded(rule, shown._replace(least=1.0))
    assert isinstance(known, WeitzmanRule)
    assert known.sigma.tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"most": 3.0}, "'most' must be left out where smaller values are better.*Got 3.0"),
        ({"least": 1, "sense": "max"}, "'least' must be left out where larger values are better"),
        ({"least": math.inf}, "'least' must be a number"),
        ({"least": "0"}, "'least' must be a number"),
        ({"most": 1e60, "sense": "max"}, "'most' must be a number"),
    ],
)
def test_a_bound_that_does_not_fit_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=message):
        wz.Searcher(boxes=2, dimension=1, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_value_beyond_the_bound_is_refused_by_its_box(sense: Sense) -> None:
    sign = 1.0 if sense == "min" else -1.0
    searcher = wz.Searcher(
        boxes=["a"],
        dimension=1,
        feedback="full",
        sense=sense,
        least=2.0 if sense == "min" else None,
        most=None if sense == "min" else -2.0,
    )
    search = searcher.open([[1.0]], 1.0)
    next(search)
    words = r">= 2, the least" if sense == "min" else r"<= -2, the most"
    message = f"The value of box 'a' must be {words} that a box can hold, as was said. Got {sign}"
    with pytest.raises(wz.InvalidInputError, match=message):
        search.see(sign)
    search.see(sign * 2.0)
    for given in ({"a": sign}, [sign], np.array([sign])):
        with pytest.raises(wz.InvalidInputError, match=message):
            search.close(given)  # type: ignore[arg-type]
    assert search.close([sign * 4.0]).value == sign * 2.0
    with pytest.raises(wz.InvalidInputError, match="The value of box 0 in round 1 must be"):
        searcher.play(np.ones((2, 1, 1)), 1.0, [[sign * 3.0], [sign]])


def test_it_is_saved_and_a_file_without_it_knows_none(tmp_path: Path) -> None:
    searcher = wz.Searcher(boxes=2, dimension=1, sense="max", most=7)
    searcher.save(tmp_path / "one")
    again = wz.load(tmp_path / "one")
    assert (again.least, again.most, again.bound) == (None, 7.0, -7.0)
    search = searcher.open([[1.0], [2.0]], 1.0)
    box = next(search)
    other = again.reopen(search.to_bytes())
    with pytest.raises(wz.InvalidInputError, match="<= 7, the most"):
        other.see(8.0, box=box)


def taught(sense: Sense, policy: Policy, values: list[tuple[float, float]]) -> wz.Searcher:
    searcher = wz.Searcher(boxes=2, dimension=1, policy=policy, feedback="full", sense=sense)
    searcher.play(np.ones((len(values), 2, 1)), 0.1, np.array(values))
    return searcher


@pytest.mark.parametrize("policy", [wz.default_policy(), wz.Weitzman(wz.FTRL()), wz.Aware()])
def test_a_pile_of_values_is_told(policy: Policy) -> None:
    ones = [(3.0, 4.0), (1.0, 9.0), (1.0, 1.0), (5.0, 1.0), (2.0, 1.0)]
    told = taught("min", policy, ones).best_possible
    assert (
        str(told)
        == "1 is taken for the best possible value: it was seen 5 times and nothing below it."
    )
    fives = [(3.0, 1.0), (5.0, 5.0), (5.0, 2.0), (1.0, 5.0), (5.0, 5.0)]
    told = taught("max", policy, fives).best_possible
    assert told is not None
    assert (told.value, told.times) == (5.0, 6)
    assert str(told).endswith("nothing above it.")
    # Too few; a smaller one came
    for few in (ones[:-1], [*ones, (0.5, 9.0)]):
        assert taught("min", policy, few).best_possible is None


def test_what_was_said_counts_before_what_was_seen() -> None:
    searcher = wz.Searcher(boxes=1, dimension=1, feedback="full", least=-1.0)
    searcher.play(np.ones((9, 1, 1)), 0.1, np.ones((9, 1)))
    assert str(searcher.best_possible) == "-1 is the best possible value, as was said."


@pytest.mark.parametrize("policy", [wz.Weitzman(wz.FTRL(intercept=False)), wz.Simple("all")])
def test_an_explanation_says_it_and_stays_within_it(policy: Policy) -> None:
    searcher = wz.Searcher(boxes=2, dimension=1, policy=policy, least=3.0)
    explanation = searcher.explain(np.ones((2, 1)), [0.5, 0.25])
    assert [(b.box, b.reservation_value) for b in explanation.boxes] == [(1, 3.25), (0, 3.5)]
    assert str(explanation).splitlines()[-1] == "3 is the best possible value, as was said."
    searcher = wz.Searcher(boxes=2, dimension=1, policy=policy)
    unknown = searcher.explain(np.ones((2, 1)), [0.5, 0.25])
    assert unknown.best_possible is None
    assert "possible" not in str(unknown)
