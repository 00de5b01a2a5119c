"""The verdict of a replay, where it is clear what it must be."""

import dataclasses

import numpy as np
import pytest

from tests.replays.made import a_replay
from weitzman.replays.verdict import FEW, saving, verdict


def test_a_clear_win_is_switched_on() -> None:
    found = verdict(a_replay(8.0, 10.0))
    assert (found.kind, found.advised, found.saving.against) == ("switch on", "default", "single")
    assert found.sentence == "switch default on."
    assert found.saving.amount == "20.0 % ± 0.1 %"


def test_what_is_simpler_and_the_same_is_used() -> None:
    replay = a_replay(10.0, 10.005)
    found = verdict(replay)
    assert (found.kind, found.advised) == ("same", "single")
    assert found.sentence.startswith(
        "the same as single, which is simpler: use that (default saves"
    )
    alike = verdict(dataclasses.replace(replay, simpler=()))
    assert (alike.kind, alike.advised) == ("same", "default")
    assert alike.sentence.startswith("the same as single: use either (default saves between −")


def test_a_clear_loss_advises_the_other() -> None:
    found = verdict(a_replay(12.0, 10.0))
    assert (found.kind, found.advised) == ("switch on", "single")
    assert found.sentence == "use single, which is clearly better than default (16.7 % ± 0.1 %)."
    # The same share as in the numbers beside it
    assert found.saving.amount == "16.7 % ± 0.1 %"


def test_what_is_uncertain_is_open_and_says_its_interval() -> None:
    replay = a_replay(10.0, 10.01)
    # The interval is the same, what was to be had is less
    narrow = dataclasses.replace(replay, hindsight=replay.hindsight + 0.98)
    found = verdict(narrow)
    assert (found.kind, found.advised) == ("open", "default")
    low, high = (100.0 * x / 10.01 for x in found.best.interval)
    assert found.sentence == (
        "too few rounds to say whether default or single is better: default saves between "
        f"−{-low:.1f} % and +{high:.1f} %."
    )


@pytest.mark.parametrize("rounds", [1, 2, FEW - 1])
def test_few_rounds_decide_nothing(rounds: int) -> None:
    found = verdict(a_replay(8.0, 10.0, rounds=rounds))
    said = "one round" if rounds == 1 else f"{rounds} rounds"
    assert (found.kind, found.advised) == ("open", "default")
    assert found.sentence == f"too few rounds to say: {said}, and {FEW} are the least."
    assert verdict(a_replay(8.0, 10.0, recorded=20.0, rounds=rounds)).kind == "open"
    assert verdict(a_replay(8.0, 10.0, rounds=FEW)).kind == "switch on"


@pytest.mark.parametrize(
    ("default", "single", "kind", "advised", "begins"),
    [
        (8.0, 9.0, "switch on", "default", "switch default on."),
        (9.0, 8.0, "switch on", "single", "switch single on. It is clearly better than default"),
        (12.0, 13.0, "worse", "default", "leave it as it is: default is clearly worse"),
        (10.0, 10.5, "same", "default", "leave it as it is: default is the same (it saves"),
    ],
)
def test_beside_what_was_done(
    default: float, single: float, kind: str, advised: str, begins: str
) -> None:
    found = verdict(a_replay(default, single, recorded=10.0))
    assert (found.kind, found.advised, found.saving.against) == (kind, advised, "recorded")
    assert found.sentence.startswith(begins)


def test_the_best_of_many_rules_has_to_be_better_than_chance() -> None:
    """Eight rules that are as good as the policy: the best of them is not advised by chance."""
    advised = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        totals = 10.0 + rng.normal(size=(200, 9))
        names = [
            "default",
            "all",
            "single",
            "cheapest",
            "fixed-set",
            "one-shot",
            "mean",
            "mean+cost",
        ]
        replay = dataclasses.replace(
            a_replay(8.0, 10.0, rounds=200),
            names=[*names, "no-context"],
            totals=totals,
            opened=np.ones(totals.shape, dtype=np.int64),
            hindsight=np.full(200, 9.9),
        )
        advised += verdict(replay).advised != "default"
    # A bar of two standard errors would give way in one of eight
    assert advised <= 4


def test_the_interval_is_two_standard_errors() -> None:
    found = saving(a_replay(10.0, 10.005), "single")
    assert found.kind == "same"
    low, high = (found.saved + z * found.error for z in (-2.0, 2.0))
    assert found.interval == (low, high)
    other = found.saved / found.share
    told = f"between {100 * low / other:+.1f} % and {100 * high / other:+.1f} %"
    assert found.range == told.replace("-", "−")
    turned = saving(a_replay(-2.0, -2.0), "single").range
    assert turned.startswith("between −0.0") and turned.endswith(" a round")


@pytest.mark.parametrize("zero", ["mean", "values"])
def test_without_a_natural_zero_there_is_no_percentage(zero: str) -> None:
    replay = a_replay(-2.0, -1.0) if zero == "mean" else a_replay(1.0, 2.0)
    replay = dataclasses.replace(replay, ratios=zero == "mean", unit="s")
    found = saving(replay, "single")
    assert np.isnan(found.share)
    assert found.amount.startswith("1 ± 0.0") and found.amount.endswith(" s")
    assert found.kind == "saves"
    assert found.saved == pytest.approx(1.0)
    # The noise of two policies over 400 rounds
    assert found.error == pytest.approx(0.2 * np.sqrt(2.0 / 400.0), rel=0.25)


def test_where_larger_values_are_better_shares_are_of_what_the_user_sees() -> None:
    replay = dataclasses.replace(a_replay(-12.0, -10.0), sense="max")
    found = saving(replay, "single")
    assert found.kind == "saves"
    assert found.saved == pytest.approx(2.0)
    assert found.share == pytest.approx(0.2)
    assert [row["mean_total"] for row in replay.rows()] == pytest.approx([9.0, 10.0, 12.0, 13.0])
