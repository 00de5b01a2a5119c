"""The recommendation, in cases that are clear."""

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

from weitzman.learn.policy import Feedback
from weitzman.replays.replay import Replay
from weitzman.replays.report.advice import advice, saving

Floats = NDArray[np.float64]


def a_replay(
    default: float,
    single: float,
    *,
    recorded: float | None = None,
    feedback: Feedback = "full",
    cost_scale: float = 1.0,
    rounds: int = 400,
) -> Replay:
    """Totals with these means and noise of 0.2 that is not common to the policies."""
    rng = np.random.default_rng(0)
    noise = 0.2 * rng.normal(size=(rounds, 4))
    noise -= noise.mean(axis=0)
    totals = np.array([default, single, single + 1.0]) + noise[:, :3]
    counts = np.ones(rounds, dtype=np.int64)
    return Replay(
        names=["default", "single", "all"],
        totals=totals,
        opened=np.ones((rounds, 3), dtype=np.int64),
        expected=totals[:, 0],
        hindsight=np.full(rounds, min(default, single) - 1.0),
        hindsight_opened=np.ones(rounds, dtype=np.bool_),
        candidates=["default", "single", "all"],
        played=counts,
        exploration=np.zeros(rounds),
        others=[],
        has_outside=False,
        recorded=None if recorded is None else recorded + noise[:, 3],
        recorded_opened=None if recorded is None else counts,
        unknown=0,
        empty=0,
        feedback=feedback,
        cost_scale=cost_scale,
    )


def test_a_clear_win_against_what_was_done() -> None:
    found = advice([a_replay(8.0, 9.0, recorded=10.0)], rows=800)
    assert found.verdict == "saves"
    assert found.headline == (
        "Turn on default: it would have saved 20.0 % ± 0.1 % against what was done, if the values of all "
        "boxes become known after every round."
    )
    assert (
        found.lines[0]
        == "It is clearly cheaper than 2 of 2 other rules, and more expensive than none."
    )
    assert "default saves 11.1 % ± 0.1 % against the best other rule, single." in found.lines[1]


def test_a_tie_with_what_was_done() -> None:
    found = advice([a_replay(10.0, 11.0, recorded=10.005)], rows=800)
    assert found.verdict == "same"
    assert found.headline.startswith("Do not bother: default costs the same as what was done")


def test_a_loss_against_what_was_done() -> None:
    found = advice([a_replay(10.0, 11.0, recorded=8.0)], rows=800)
    assert found.verdict == "costs"
    assert found.headline.startswith(
        "Do not turn on default: it would have cost 25.0 % ± 0.2 % more"
    )


@pytest.mark.parametrize(
    ("default", "verdict", "begins"),
    [
        (
            8.0,
            "saves",
            "Turn on default: it would have saved 20.0 % ± 0.1 % against the best other",
        ),
        (10.0, "same", "Turn on default if you do not know which rule is best"),
        (
            12.0,
            "costs",
            "Do not bother with default: it would have cost 20.0 % ± 0.1 % more than single",
        ),
    ],
)
def test_without_a_record_the_rival_is_the_best_simple_rule(
    default: float, verdict: str, begins: str
) -> None:
    found = advice([a_replay(default, 10.0)], rows=800)
    assert found.verdict == verdict
    assert found.headline.startswith(begins)
    assert any("does not say what was opened" in line for line in found.cautions)


def test_the_feedback_that_asks_least_comes_first_and_the_assumption_is_stated() -> None:
    both = [a_replay(8.0, 10.0), a_replay(12.0, 10.0, feedback="opened")]
    found = advice(both, rows=800)
    assert found.verdict == "costs"
    assert found.headline.endswith("if only the values of opened boxes become known.")
    assert found.lines[0].endswith(
        "0 of 2 other rules, and clearly more expensive than all, single."
    )
    assert found.lines[1].startswith(
        "If the values of all boxes become known after every round, default saves"
    )


def test_other_scales_follow() -> None:
    played = [a_replay(8.0, 10.0), a_replay(12.0, 10.0, cost_scale=4.0)]
    found = advice(played, rows=800)
    assert found.verdict == "saves"
    assert found.lines[1].startswith("Full, costs × 4, default costs 20.0 %")


def test_cautions() -> None:
    short = dataclasses.replace(
        a_replay(8.0, 10.0, rounds=50), unknown=40, exploration=np.full(50, 0.08)
    )
    found = advice([short], rows=100)
    words = " ".join(found.cautions)
    assert "50 rounds are few" in words
    assert "0.08 a round (1.0 % of its total) is the price of trials" in words


def test_what_the_log_does_not_show_qualifies_the_headline() -> None:
    some = dataclasses.replace(a_replay(8.0, 10.0), unknown=40)
    many = advice([some], rows=100)
    assert many.headline.startswith("As far as the log shows, turn on default: it would have")
    assert many.lines[0].startswith("40 of 100 values are missing (40 %)")
    assert "this replay does not see them" in many.lines[0]
    few = advice([some], rows=1000)
    assert few.headline.startswith("Turn on default")
    assert few.lines[0].startswith("40 of 1,000 values are missing (4 %)")


def test_a_rule_that_is_cheaper_still_is_in_the_headline() -> None:
    found = advice([a_replay(9.0, 8.0, recorded=10.0)], rows=800)
    assert found.headline.startswith("Turn on default: it would have saved 10.0 %")
    assert found.headline.endswith(
        "But single alone is clearly cheaper still: default costs 12.5 % ± 0.1 % more."
    )


def test_what_comes_to_the_same_has_a_range() -> None:
    found = saving(a_replay(10.0, 10.005), "single")
    assert found.verdict == "same"
    low, high = (found.saved + z * found.error for z in (-2.0, 2.0))
    other = found.saved / found.share
    told = f"between {100 * low / other:+.1f} % and {100 * high / other:+.1f} %"
    assert found.range == told.replace("-", "−")
    turned = saving(a_replay(-2.0, -2.0), "single").range
    assert turned.startswith("between −0.0") and turned.endswith(" a round")


def test_totals_that_are_not_positive_have_no_percentage() -> None:
    found = saving(a_replay(-2.0, -1.0), "single")
    assert np.isnan(found.share)
    assert found.amount.endswith("a round")
    assert found.verdict == "saves"
    assert found.saved == pytest.approx(1.0)
    # The noise of two policies over 400 rounds
    assert found.error == pytest.approx(0.2 * np.sqrt(2.0 / 400.0), rel=0.25)
