"""Replays side by side: the same from any number of processes."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import weitzman as wz
from tests.replays.logs import normal_log
from weitzman.learn.policies.portfolio.portfolio import default_policy
from weitzman.replays.cases import Case, play_cases
from weitzman.replays.diagnosis.calibration import promised
from weitzman.replays.diagnosis.residuals import residuals_of
from weitzman.replays.diagnosis.twin import twin
from weitzman.replays.replay import replay

CASES = [Case(), Case(feedback="opened", cost_scale=2.0), Case(twin="apart")]


def test_processes_change_no_bit_and_cases_are_what_replay_plays() -> None:
    log = normal_log(0.5, rounds=40, boxes=3)
    one, two = (
        play_cases(log, CASES, promises=1.0, trees=False, workers=workers) for workers in (1, 2)
    )
    assert list(one.cases) == list(two.cases) == CASES
    for case in CASES:
        np.testing.assert_array_equal(one.cases[case].totals, two.cases[case].totals)
        np.testing.assert_array_equal(one.cases[case].played, two.cases[case].played)
    for first, second in zip(one.promises, two.promises, strict=True):
        np.testing.assert_array_equal(first.sigma, second.sigma)
    policies = [default_policy(trees=False)]
    apart = replay(twin(log, residuals_of(log), "apart"), policies)
    np.testing.assert_array_equal(one.cases[CASES[2]].totals, apart.totals)
    opened = replay(log, policies, feedback="opened", cost_scale=2.0)
    np.testing.assert_array_equal(one.cases[CASES[1]].totals, opened.totals)
    assert [p.rule for p in one.promises] == [p.rule for p in promised(log, trees=False)]
    assert [r.feedback for r in one.played] == ["full", "opened"]


def test_a_log_without_values_is_refused() -> None:
    log = normal_log(0.0, rounds=5, boxes=2)
    empty = dataclasses.replace(log, values=np.full_like(log.values, np.nan))
    with pytest.raises(wz.InvalidInputError, match="a round in which a value is known"):
        play_cases(empty, [Case()], trees=False, workers=1)


def test_promises_only_if_they_are_wanted() -> None:
    found = play_cases(normal_log(0.0, rounds=15, boxes=2), [Case()], trees=False, workers=1)
    assert found.promises == []


def test_what_is_kept_of_one_policy_is_not_taken_for_another(tmp_path: Path) -> None:
    """Two portfolios may look alike as text, and differ in what their candidates do."""
    log = normal_log(0.3, rounds=25, boxes=2)
    costs = [wz.Portfolio(candidates=(wz.Weitzman(wz.Ridge(eta=eta)),)) for eta in (0.01, 10.0)]
    assert repr(costs[0]) == repr(costs[1])
    kept, fresh = (
        [play_cases(log, [Case()], policies=[p], workers=1, kept=place) for p in costs]
        for place in (tmp_path, None)
    )
    for one, other in zip(kept, fresh, strict=True):
        np.testing.assert_array_equal(one.cases[Case()].totals, other.cases[Case()].totals)
    means = [found.cases[Case()].of("portfolio").mean() for found in kept]
    assert means[0] != means[1]
