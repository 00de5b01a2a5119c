"""What stands beside the answer."""

import dataclasses

import numpy as np

from tests.replays.made import a_replay
from weitzman.replays.report.advice import advice, main_first


def test_where_a_policy_stands_among_the_others() -> None:
    found = advice([a_replay(8.0, 9.0)], rows=800)
    assert found.lines == (
        "This holds if the values of all boxes become known after every round.",
        "default is clearly better than 2 of 2 other rules, and not clearly worse than any.",
    )
    assert any("does not say what was opened" in line for line in found.cautions)


def test_beside_what_was_done_the_best_other_rule_is_named_too() -> None:
    found = advice([a_replay(8.0, 9.0, recorded=10.0)], rows=800)
    assert "default saves 11.1 % ± 0.1 % against the best other rule, single." in found.lines[-1]


def test_the_feedback_that_asks_least_comes_first_and_the_assumption_is_stated() -> None:
    both = [a_replay(8.0, 10.0), a_replay(12.0, 10.0, feedback="opened")]
    assert [r.feedback for r in main_first(both)] == ["opened", "full"]
    found = advice(both, rows=800)
    assert found.lines[0] == "This holds if only the values of opened boxes become known."
    assert found.lines[1].endswith("0 of 2 other rules, and clearly worse than all, single.")
    assert found.lines[2].startswith(
        "If the values of all boxes become known after every round, default saves"
    )


def test_other_scales_follow() -> None:
    played = [a_replay(12.0, 10.0, cost_scale=4.0), a_replay(8.0, 10.0)]
    assert [r.cost_scale for r in main_first(played)] == [1.0]
    assert advice(played, rows=800).lines[-1].startswith("Full, costs × 4, default costs 20.0 %")


def test_what_is_uncertain_is_not_called_the_same() -> None:
    noisy = a_replay(10.0, 10.01, rounds=40, feedback="opened")
    found = advice([a_replay(8.0, 10.0), noisy], rows=800).lines
    same = advice([noisy, a_replay(10.0, 10.005)], rows=800).lines[-1]
    assert "costs the same as the best other rule, single (it saves between" in same
    # The first is about the feedback that asks least, the other one is clear
    assert found[-1].endswith("default saves 20.0 % ± 0.1 % against the best other rule, single.")
    wide = dataclasses.replace(noisy, feedback="full", hindsight=noisy.hindsight + 0.9)
    said = advice([a_replay(8.0, 10.0, feedback="opened"), wide], rows=800).lines[-1]
    assert "is neither clearly better nor worse than the best other rule, single" in said


def test_cautions() -> None:
    short = dataclasses.replace(
        a_replay(8.0, 10.0, rounds=50), unknown=40, exploration=np.full(50, 0.08)
    )
    found = advice([short], rows=100)
    words = " ".join(found.cautions)
    assert "50 rounds are few" in words
    assert "0.0800 a round (1.0 % of its total) is the price of trials" in words


def test_what_the_log_does_not_show_is_said_first() -> None:
    some = dataclasses.replace(a_replay(8.0, 10.0), unknown=40)
    many = advice([some], rows=100)
    assert many.lines[0].startswith("40 of 100 values are missing (40 %)")
    assert "this replay does not see them" in many.lines[0]
