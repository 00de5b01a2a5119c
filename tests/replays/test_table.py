"""A replay that is printed: a table of its policies, and no arrays."""

import re

import pytest
from rich.console import Console

import weitzman as wz
from tests.replays.made import a_replay
from tests.replays.test_replay import a_log
from weitzman.replays.replay import Replay
from weitzman.replays.table import share_sentence


@pytest.fixture(scope="module")
def replay() -> Replay:
    policies: list[wz.Policy | str] = [wz.Weitzman(wz.Ridge()), wz.Simple("single")]
    return wz.replay(a_log(rounds=2000), policies, cost_scale=0.5)


def test_a_replay_prints_its_policies_and_no_arrays(replay: Replay) -> None:
    text = repr(replay)
    assert "array(" not in text
    verdict, _, table = text.partition(" rounds, feedback")
    assert verdict.startswith("Too few rounds to say whether Ridge or FTRL is better")
    assert len(table.splitlines()) == 3 + len(replay.rows())
    assert "2,000 rounds, feedback full, costs × 0.5" in text.splitlines()
    for name, (totals, _) in replay.shown().items():
        (line,) = [one for one in text.splitlines()[2:-1] if one.split()[0] == name]
        mean = float(re.split(r"\s{2,}", line)[1])
        assert mean == pytest.approx(totals.mean(), rel=1e-3)


def test_the_last_line_is_the_share_of_the_gap(replay: Replay) -> None:
    assert share_sentence(replay) == repr(replay).splitlines()[-1]
    better = a_replay(8.0, 10.0)
    share = (10.0 - 8.0) / (10.0 - better.hindsight.mean())
    assert share_sentence(better).startswith(f"default closes {share:.3f} ± ")


def test_what_closes_nothing_of_the_gap_is_said_in_words() -> None:
    worse = a_replay(12.0, 10.0)
    assert worse.share()[0] < 0.0
    assert share_sentence(worse) == (
        "default closes nothing of the gap between the best other rule, single, and hindsight: that rule "
        "does better."
    )
    assert "−2 " in repr(worse) and " -" not in repr(worse)


def test_rich_prints_the_same(replay: Replay) -> None:
    console = Console(width=120, color_system=None)
    with console.capture() as capture:
        console.print(replay)
    assert [line.rstrip() for line in capture.get().splitlines()] == repr(replay).splitlines()


@pytest.mark.parametrize("rounds", [2, 3])
def test_a_short_replay_prints_too(rounds: int) -> None:
    assert "hindsight" in repr(wz.replay(a_log(rounds=rounds), ["stay"]))
