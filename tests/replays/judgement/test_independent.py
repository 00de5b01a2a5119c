"""Independent boxes: exact totals on weighted marginals, right where they are, biased where they are not."""

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.replays.judgement.worlds import Fixed, log_of
from weitzman.logs.log import Log
from weitzman.replays.judgement.independent import Independent
from weitzman.replays.judgement.seen import seen_of
from weitzman.search.rule import WeitzmanRule

COSTS = np.array([0.25, 0.5, 0.125])
RIVAL = np.array([3.0, -np.inf, 2.0])


def _fixed(sigma: Any = RIVAL) -> Fixed:
    return Fixed("rival", WeitzmanRule(np.asarray(sigma)))


def _rounds(values: Any, chance: float, seed: int, contexts: Any = None) -> Log:
    """Return what is left if box 0 is in force, box 1 if it is above 2, and draws open everything."""
    rounds = len(values)
    plain = np.zeros(values.shape, dtype=np.bool_)
    plain[:, 0] = True
    plain[:, 1] = values[:, 0] > 2.0
    opened = plain | (np.random.default_rng(seed).random((rounds, 1)) < chance)
    given = {} if contexts is None else {"contexts": contexts, "features": ["x_a"]}
    return log_of(
        costs=np.tile(COSTS, (rounds, 1)), values=np.where(opened, values, np.nan),
        outside=np.full(rounds, 6.0), opened=opened, chances=np.where(plain, 1.0, chance), **given,
    )  # fmt: skip


def _total(sigma: Any, values: Any) -> float:
    """Return what a rule pays in one round, in plain Python."""
    best, paid = 6.0, 0.0
    for box in sorted(range(3), key=lambda k: sigma[k]):
        if best <= sigma[box]:
            break
        best, paid = min(best, values[box]), paid + float(COSTS[box])
    return best + paid


@pytest.mark.parametrize(
    "sigma",
    [RIVAL, [-np.inf] * 3, [np.inf] * 3, [1.0, 1.0, 1.0], [-np.inf, 4.5, 2.5], [np.inf, 0.5, -1.0]],
)
def test_it_is_the_exact_expectation_of_independent_draws_from_what_was_seen(sigma: Any) -> None:
    values = np.random.default_rng(5).integers(0, 6, (24, 3)).astype(float)
    seen = seen_of(replace(_rounds(values, 0.0, 0), values=values, opened=None, chances=None))
    found = Independent.of(seen, 0, shared=False).estimate(np.tile(np.asarray(sigma), (24, 1)))
    laws = [[(x, Fraction(1, 24)) for x in values[:, box]] for box in range(3)]
    exact = sum(
        (_total(sigma, [x for x, _ in draw]) * float(np.prod([float(p) for _, p in draw])))
        for draw in itertools.product(*laws)
    )
    assert found.mean == pytest.approx(exact, rel=1e-9)


def test_it_is_right_for_independent_boxes_and_surer_than_weights_of_rounds() -> None:
    inside, means, robust = [], [], []
    rng = np.random.default_rng(0)
    truth = np.mean([_total(RIVAL, v) for v in rng.exponential([2.0, 3.0, 2.5], (200_000, 3))])
    for seed in range(60):
        values = np.random.default_rng([seed, 1]).exponential([2.0, 3.0, 2.5], (800, 3))
        found = wz.judge(_rounds(values, 0.1, seed), [_fixed()], independent=True)
        one = found.of("rival").estimates
        inside.append(one["independent"].low <= truth <= one["independent"].high)
        means.append(one["independent"].mean)
        robust.append(one["doubly robust"].mean)
        assert (
            found.correlation is not None and abs(found.correlation.mean) < 5 * found.correlation.se
        )
    # Of 60 intervals that cover 95 %, fewer than 51 in one case of 1,400
    assert sum(inside) >= 51
    assert abs(np.mean(means) - truth) < 4.0 * np.std(means) / np.sqrt(60) + 0.01
    assert np.std(means) < 0.9 * np.std(robust)


def test_it_is_biased_where_boxes_have_a_common_state_and_the_correlation_says_so() -> None:
    def drawn(seed: int, rounds: int) -> Any:
        rng = np.random.default_rng([seed, 2])
        return rng.choice([0.0, 4.0], (rounds, 1)) + rng.exponential(0.7, (rounds, 3))

    truth = np.mean([_total(RIVAL, v) for v in drawn(999, 100_000)])
    found = [
        wz.judge(_rounds(drawn(seed, 800), 0.1, seed), [_fixed()], independent=True)
        for seed in range(20)
    ]
    means = [one.of("rival").estimates["independent"].mean for one in found]
    robust = [one.of("rival").estimates["doubly robust"].mean for one in found]
    error = np.std(means) / np.sqrt(20)
    assert abs(np.mean(means) - truth) > 10.0 * error
    assert abs(np.mean(robust) - truth) < 4.0 * np.std(robust) / np.sqrt(20)
    for one in found:
        check = one.correlation
        assert check is not None and check.mean > 0.5 and check.mean > 3.0 * check.se
        assert "so do not use the line above" in repr(one)


def test_contexts_may_be_what_boxes_have_in_common() -> None:
    rng = np.random.default_rng(3)
    state = rng.normal(3.0, 1.0, (3000, 1))
    values = state + rng.normal(0.0, 0.4, (3000, 3))
    contexts = np.repeat(state[:, :, None], 3, axis=1)
    log = _rounds(values, 0.1, 3, contexts)
    truth = np.mean([_total(RIVAL, v) for v in values])
    apart = {}
    for name, one in (("seen", log), ("hidden", _rounds(values, 0.1, 3))):
        found = wz.judge(one, [_fixed()], independent=True)
        best, check = found.of("rival").estimates["independent"], found.correlation
        assert check is not None
        apart[name] = abs(best.mean - truth)
        assert (abs(check.mean) > 3.0 * check.se) == (name == "hidden")
    assert apart["seen"] < 0.05 < apart["hidden"]


def test_draws_of_each_box_that_cover_hardly_a_round_are_enough() -> None:
    rng = np.random.default_rng(4)
    values = rng.exponential([2.0, 3.0, 2.5], (4000, 3))
    opened = rng.random((4000, 3)) < 0.1
    log = log_of(
        costs=np.tile(COSTS, (4000, 1)), values=np.where(opened, values, np.nan),
        outside=np.full(4000, 6.0), opened=opened, chances=np.full((4000, 3), 0.1), draws="box",
    )  # fmt: skip
    every = _fixed([-np.inf] * 3)
    one = wz.judge(log, [every], independent=True).of("rival").estimates
    truth = np.mean([_total([-np.inf] * 3, v) for v in values])
    assert one["independent"].se < 0.2 * one["ips"].se
    assert one["independent"].low < truth < one["independent"].high


def test_a_rule_whose_order_depends_on_values_has_no_such_total() -> None:
    values = np.random.default_rng(6).exponential(2.0, (100, 3))
    found = wz.judge(_rounds(values, 0.3, 6), ["ski-rental", "single"], independent=True)
    rows = found.rows()
    assert rows[0]["independent"] is None and rows[1]["independent"] is not None
    assert rows[0]["correlation"] == rows[1]["correlation"] is not None
    assert "independent" not in wz.judge(_rounds(values, 0.3, 6), ["single"]).rows()[0]
