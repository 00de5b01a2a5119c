"""Judgements: estimates with intervals, shares, bounds, verdicts that claim no more than a log says."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.replays.judgement.worlds import Fixed, log_of
from weitzman.learn.policies.simple import RULES
from weitzman.logs.log import Log
from weitzman.replays.judgement.judge import Judgement, judge
from weitzman.replays.replay import replay
from weitzman.search.rule import WeitzmanRule

ROUNDS = 1200
FORCE = np.array([-np.inf, 0.8, np.inf, np.inf])
"""In force: box 0, and box 1 if it disappoints."""
RIVAL = np.array([np.inf, np.inf, -np.inf, 1.2])


def _whole(seed: int, rounds: int = ROUNDS) -> Log:
    """Return rounds of four boxes that depend on each other, all values known."""
    rng = np.random.default_rng(seed)
    common = rng.exponential(size=(rounds, 1))
    values = common * rng.uniform(0.5, 1.5, (rounds, 4)) + rng.exponential(0.5, (rounds, 4))
    return log_of(
        costs=np.tile([0.1, 0.2, 0.3, 0.1], (rounds, 1)),
        values=values,
        outside=np.full(rounds, 9.0),
        contexts=common[:, :, None] + rng.normal(size=(rounds, 4, 2)),
        features=["x_a", "x_b"],
    )


def _opened(log: Log, sigma: Any) -> Any:
    """Return what Weitzman's rule opens, in plain Python."""
    opened = np.zeros(log.values.shape, dtype=bool)
    for t, values in enumerate(log.values):
        best = 9.0 if log.outside is None else log.outside[t]
        for k in sorted(range(len(sigma)), key=lambda k: sigma[k]):
            if best <= sigma[k]:
                break
            opened[t, k] = True
            best = min(best, values[k])
    return opened


def _masked(log: Log, chance: float, seed: int, sigma: Any = FORCE) -> Log:
    """Return what is left of a log if a rule was in force, and a share of rounds was opened whole."""
    plain = _opened(log, sigma)
    drawn = np.random.default_rng(seed).random(len(log)) < chance
    opened = plain | drawn[:, None]
    return replace(
        log,
        opened=opened,
        values=np.where(opened, log.values, np.nan),
        chances=np.where(plain, 1.0, chance) if chance > 0.0 else None,
    )


def _totals(log: Log, sigma: Any) -> Any:
    opened = _opened(log, sigma)
    found = np.where(opened, log.values, 9.0).min(axis=1)
    return np.minimum(found, 9.0) + np.where(opened, log.costs, 0.0).sum(axis=1)


def _fixed(sigma: Any, name: str = "rival") -> Fixed:
    return Fixed(name, WeitzmanRule(np.asarray(sigma)))


def test_intervals_cover_the_truth_and_the_naive_mean_is_wrong() -> None:
    log = _whole(0)
    truth = float(_totals(log, RIVAL).mean())
    inside, naive = 0, []
    means: dict[str, list[float]] = {"ips": [], "doubly robust": [], "self-normalised": []}
    for seed in range(120):
        one = judge(_masked(log, 0.1, seed), [_fixed(RIVAL)]).of("rival")
        assert one.unidentified == 0.0
        inside += one.low <= truth <= one.high
        naive.append(one.estimates["naive"].mean)
        for name, found in means.items():
            found.append(one.estimates[name].mean)
    assert inside >= 114
    for found in means.values():
        error = np.std(found) / np.sqrt(len(found))
        assert abs(np.mean(found) - truth) < 3.0 * error + 1e-3
    spreads = {name: np.std(found) for name, found in means.items()}
    assert spreads["doubly robust"] < 0.8 * spreads["ips"]
    # RIVAL opens what is never in force: it is known in explored rounds alone, which are like all others
    assert abs(np.mean(naive) - truth) < 0.02


def test_the_naive_mean_is_that_of_rounds_that_are_not_like_others() -> None:
    log = _whole(1, 4000)
    rival = np.array([-np.inf, 0.8, 1.3, np.inf])
    truth = float(_totals(log, rival).mean())
    one = judge(_masked(log, 0.05, 1), [_fixed(rival)]).of("rival")
    assert one.estimates["naive"].mean < 0.8 * truth
    assert one.estimates["naive"].high < truth
    assert one.low < truth < one.high
    assert 0.5 < one.certain < 0.95
    assert one.certain + one.explored == pytest.approx(1.0)


def test_without_chances_the_covered_part_is_exact_and_the_rest_is_bounded() -> None:
    log = _whole(2)
    masked = _masked(log, 0.0, 0)
    inside = np.array([-np.inf, 1.5, np.inf, np.inf])
    found = judge(masked, [_fixed(FORCE, "force"), _fixed(inside, "inside"), _fixed(RIVAL)])
    assert found.against == "recorded"
    assert found.recorded is not None
    np.testing.assert_allclose(found.recorded, _totals(log, FORCE))
    force, least, rival = (found.of(n) for n in ("force", "inside", "rival"))
    assert force.certain == least.certain == 1.0
    np.testing.assert_allclose(force.trace.totals, _totals(log, FORCE))
    np.testing.assert_allclose(least.trace.totals, _totals(log, inside))
    assert force.verdict is not None and force.verdict.word == "the same"
    assert rival.certain == 0.0 and rival.unidentified == 1.0
    assert np.isnan(rival.estimates["ips"].mean)
    assert rival.low < float(_totals(log, RIVAL).mean()) < rival.high
    assert rival.verdict is not None and rival.verdict.word == "cannot be known"


def test_what_was_recorded_is_what_was_opened_though_more_is_known() -> None:
    log = _whole(11, 200)
    opened = _opened(log, FORCE)
    found = judge(replace(log, opened=opened), ["all"])
    assert found.recorded is not None
    np.testing.assert_allclose(found.recorded, _totals(log, FORCE))
    # Every value is there, whoever looked
    assert found.of("all").certain == 1.0


def test_verdicts_follow_the_truth_where_there_is_enough_to_see() -> None:
    log = _whole(3, 4000)
    masked = _masked(log, 0.2, 3)
    everything, nothing = np.full(4, -np.inf), np.full(4, np.inf)
    named = {"all": everything, "stay": nothing, "rival": RIVAL}
    found = judge(masked, [_fixed(s, n) for n, s in named.items()])
    force = _totals(log, FORCE).mean()
    for name, sigma in named.items():
        verdict = found.of(name).verdict
        assert verdict is not None
        apart = float(_totals(log, sigma).mean() - force)
        assert verdict.low < apart < verdict.high
        if verdict.word in ("better", "worse"):
            assert (apart < 0.0) == (verdict.word == "better")
    stay = found.of("stay").verdict
    assert stay is not None and stay.word == "worse"
    again = judge(masked, [_fixed(s, n) for n, s in named.items()], against="stay")
    assert again.of("stay").verdict is None
    every = again.of("all").verdict
    assert every is not None and every.word == "better"


def test_prefix_draws_reach_the_rule_that_they_were_made_for_and_no_other() -> None:
    log = _whole(4)
    plain, needed = _opened(log, FORCE), _opened(log, RIVAL)
    drawn = np.random.default_rng(0).random(len(log)) < 0.2
    opened = plain | (needed & drawn[:, None])
    chances = np.where(plain, 1.0, np.where(opened, 0.2, np.nan))
    masked = replace(
        log, opened=opened, values=np.where(opened, log.values, np.nan), chances=chances
    )
    whole = np.full(4, -np.inf)
    policies = [_fixed(RIVAL), _fixed(whole, "all")]
    # Nothing says what draws would have opened elsewhere: bounds for both
    blind = judge(masked, policies)
    truth = float(_totals(log, RIVAL).mean())
    for name, sigma in (("rival", RIVAL), ("all", whole)):
        one = blind.of(name)
        assert np.isnan(one.estimates["doubly robust"].mean)
        assert one.low < float(_totals(log, sigma).mean()) < one.high
    found = judge(masked, policies, explored_for="rival").of("rival")
    assert found.unidentified == 0.0
    assert found.low < truth < found.high
    assert found.high - found.low < 0.5 * (blind.of("rival").high - blind.of("rival").low)
    with pytest.raises(wz.InvalidInputError, match="The draws must open all that the policy would"):
        judge(masked, policies, explored_for=["all"])


def test_the_first_rounds_may_be_learned_from_and_the_others_judged() -> None:
    log = _whole(5, 600)
    found = judge(log, ["no-context", "single"], learn=0.5)
    assert found.rounds == 300
    assert found.against == "no-context"
    # The rule of the whole first half, on rounds that it did not learn from
    later = replace(log, values=np.where(np.arange(600)[:, None] < 300, log.values, np.nan))
    for name in ("no-context", "single"):
        player = wz.Simple(name).start(boxes=4, dimension=2, feedback="opened")
        for t in range(600):
            shown = wz.Round(
                contexts=log.contexts[t], costs=log.costs[t], outside=9.0, places=np.arange(4), number=t
            )  # fmt: skip
            if t < 300:
                player.learn(shown, later.values[t])
                continue
            state = wz.RoundState(log.costs[t].tolist(), 9.0)
            rule = player.rule(shown)
            while isinstance(action := rule.next(state), wz.Open):
                state.open(action.box)
                state.see(action.box, float(log.values[t, action.box]))
            assert found.of(name).trace.totals[t - 300] == pytest.approx(state.total, rel=1e-12)


def test_a_log_without_gaps_is_judged_as_it_is_replayed() -> None:
    log = replace(_whole(6, 400), outside=None)
    # Both see every value: "all" teaches as much as full information does
    found = judge(log, ["all", "stay", "cheapest"], cost_scale=2.0)
    played = replay(log, ["all", "stay", "cheapest"], feedback="opened", cost_scale=2.0)
    for name in ("all", "stay"):
        np.testing.assert_array_equal(found.of(name).trace.totals, played.of(name))
        assert found.of(name).certain == 1.0


def test_processes_change_no_bit() -> None:
    log = _masked(_whole(7, 200), 0.2, 7)
    names = ["single", "no-context", "all", "mean", "fixed-set", "FTRL"]
    ticks: list[tuple[int, int]] = []
    one = judge(log, names, progress=lambda done, count: ticks.append((done, count)))
    two = judge(log, names, workers=2)
    assert ticks[-1] == (400, 400)
    assert one.rows() == two.rows()


@pytest.mark.parametrize("learn", [None, 0.5])
@pytest.mark.parametrize("least", [None, 0.0])
def test_simple_rules_over_one_history_decide_as_each_over_its_own(
    learn: float | None, least: float | None
) -> None:
    log = replace(_masked(_whole(10, 300), 0.2, 10), least=least, shared=least is not None)
    # A box is absent now and then, and a feature is missing
    absent = np.random.default_rng(0).random((300, 4)) < 0.1
    absent[absent.all(axis=1)] = False
    costs, contexts = np.where(absent, np.nan, log.costs), log.contexts.copy()
    contexts[5, 1, 0], contexts[absent] = np.nan, np.nan
    values = np.where(absent, np.nan, log.values)
    log = replace(log, costs=costs, contexts=contexts, values=values)
    together = judge(log, list(RULES), learn=learn)
    for name in RULES:
        alone = judge(log, [name], learn=learn)
        for column, series in vars(alone.of(name).trace).items():
            np.testing.assert_array_equal(getattr(together.of(name).trace, column), series, column)


def test_what_looks_really_cost_counts() -> None:
    log = replace(_whole(8, 300), paid=np.where(np.arange(4) < 2, 5.0, np.nan) * np.ones((300, 1)))
    total = judge(log, [_fixed(np.full(4, -np.inf), "all")]).of("all").trace.totals
    np.testing.assert_allclose(total, np.minimum(log.values.min(axis=1), 9.0) + 10.4)


def test_a_judgement_is_a_table_and_rows() -> None:
    found: Judgement = wz.judge(_masked(_whole(9, 300), 0.2, 9), ["single", _fixed(RIVAL)])
    text = repr(found)
    assert "300 rounds, compared with recorded" in text and "rival" in text
    row = found.rows()[1]
    assert row["policy"] == "rival" and row["against"] == "recorded"
    assert row["verdict"] in ("better", "worse", "too few rounds")
    with pytest.raises(wz.InvalidInputError, match="The rule must be one of"):
        found.of("other")


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"learn": 1.5}, "The share of rounds to learn from must be a number from 0 to 1"),
        ({"learn": 1.0}, "leaves rounds to be judged"),
        ({"against": "nobody"}, "What others are compared with must be one of"),
        ({"explored_for": "nobody"}, "must be some of those that are judged"),
        ({"cost_scale": 0.0}, "The cost scale must be a finite number > 0"),
        ({"policies": ["nobody"]}, "The name of a policy must be"),
        ({"policies": []}, "The policies must be at least one"),
        ({"policies": ["single", "single"]}, "distinct names"),
        ({"workers": 0}, "The number of workers"),
        ({"log": "calls.csv"}, "The log must be a Log"),
    ],
)
def test_what_cannot_be_judged_is_refused(wrong: dict[str, Any], text: str) -> None:
    asked: dict[str, Any] = {"log": _whole(0, 20), "policies": ["single"], **wrong}
    with pytest.raises(wz.InvalidInputError, match=text):
        judge(asked.pop("log"), asked.pop("policies"), **asked)
