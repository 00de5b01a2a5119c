"""A portfolio plays its candidates, scores them all, and goes on where it was stopped."""

from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.learn.rounds import seen_in, some_rounds
from weitzman.learn.policies.portfolio.portfolio import Portfolio, default_policy, policy_name
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Policy, walk

SMALL: tuple[Policy, ...] = (
    wz.Simple("all", prepare="contexts"),
    wz.Simple("one-shot", prepare="contexts"),
    wz.Weitzman(wz.FTRL(intercept=False)),
    wz.Joint("past", "index", caution=0.0, prepare="contexts"),
    wz.Joint("past", "greedy", caution=0.0, prepare="contexts"),
)
PAPER = Portfolio(candidates=SMALL, incumbent="paper", prepare="contexts")


def test_default_has_its_candidates() -> None:
    named = default_policy(prepare="contexts").start(boxes=3, dimension=1).names
    assert len(named) == 37
    assert {"stay", "trees index 0", "trees+linear one-shot", "linear fixed"} <= set(named)
    assert default_policy(prepare="contexts").incumbent == "paper standardised"
    assert [n for n in named if "paper" in n] == ["paper standardised"]
    raw = default_policy(prepare="nothing")
    assert raw.incumbent == "paper"
    plain = raw.start(boxes=3, dimension=1).names
    assert plain == [n.replace("paper standardised", "paper") for n in named]
    alike = default_policy(shared=True, prepare="contexts").start(boxes=3, dimension=1).names
    assert [n for n in alike if "trees" in n] == ["trees fixed", "trees one-shot"]
    without = default_policy(trees=False, prepare="contexts").start(boxes=3, dimension=1).names
    assert not any("trees" in n for n in without)
    assert set(without) < set(named)


def test_the_default_policy_has_a_name() -> None:
    for policy in (
        default_policy(prepare="contexts"),
        default_policy(shared=True, prepare="contexts"),
        default_policy(trees=False, prepare="contexts"),
    ):
        assert policy_name(policy) == "default"
    assert policy_name(PAPER) == "portfolio"
    assert repr(PAPER) == "Portfolio(5 candidates, incumbent 'paper')"


def test_a_round_is_played_by_one_candidate_and_scored_by_all() -> None:
    player = PAPER.start(boxes=4, dimension=2)
    size: Any = {"boxes": 4, "dimension": 2, "feedback": "full", "seed": 0}
    alone = {policy_name(policy): policy.start(**size) for policy in SMALL}
    assert player.names == list(alone)
    used = set()
    for shown, values in some_rounds(150):
        scores = player.score(shown, values)
        walks = [walk(p.rule(shown), shown, values) for p in alone.values()]
        np.testing.assert_array_equal(scores.totals, [w.total for w in walks])
        np.testing.assert_array_equal(scores.counts, [len(w.opened) for w in walks])
        used.add(player.played)
        done = walk(player.rule(shown), shown, values)
        assert seen_in(done) == seen_in(walks[player.played])
        assert player.weights()[player.played] > 0.0
        for p in (player, *alone.values()):
            p.learn(shown, values)
    assert len(used) > 1


def test_draws_follow_the_weights() -> None:
    policy = Portfolio(candidates=[wz.Simple(rule) for rule in RULES], prepare="contexts")
    players = [policy.start(boxes=4, dimension=2, seed=seed) for seed in range(1600)]
    gate = players[0]._gate
    while gate.is_trusted:
        # Whoever is advised is the worst
        gate.add((np.arange(len(RULES)) == gate.leader).astype(float))
    weights = gate.weights()
    for player in players[1:]:
        player._gate.restore(gate.state())
    counts = np.bincount([p.played for p in players], minlength=len(RULES))
    assert weights.max() < 0.5
    assert (np.abs(counts - 1600 * weights) < 4.0 * np.sqrt(1600 * weights)).all()


def test_rounds_that_are_not_known_whole_teach_candidates_only() -> None:
    player = Portfolio(candidates=SMALL, prepare="contexts").start(boxes=4, dimension=2)
    shown, values = some_rounds(1)[0]
    hidden = np.where(np.arange(len(values)) == 0, np.nan, values)
    player.learn(shown, hidden)
    state = player.state()
    assert not state["gate.losses"].any()
    assert np.isnan(state["past.values"]).sum() == 4 - len(values) + 1


@pytest.mark.parametrize(
    "policy",
    [PAPER, default_policy(prepare="contexts"), default_policy(shared=True, prepare="contexts")],
)
def test_a_restored_portfolio_goes_on_bit_for_bit(policy: Portfolio) -> None:
    rounds = some_rounds(60)
    one, two = (policy.start(boxes=4, dimension=2) for _ in range(2))
    for shown, values in rounds[:40]:
        one.learn(shown, values)
    for shown, values in rounds[50:55]:
        two.learn(shown, values)
    state = one.state()
    assert all(
        isinstance(array, np.ndarray) and array.dtype.kind in "fib" for array in state.values()
    )
    two.restore(state)
    for shown, values in rounds[40:]:
        first, second = one.score(shown, values), two.score(shown, values)
        assert first.totals.tobytes() == second.totals.tobytes()
        assert one.played == two.played
        one.learn(shown, values)
        two.learn(shown, values)


def test_what_is_refused() -> None:
    wrong: Any
    for wrong in (
        {"candidates": ()},
        {
            "candidates": (
                wz.Weitzman(wz.FTRL(intercept=False)),
                wz.Weitzman(wz.FTRL(intercept=False)),
            )
        },
        {"candidates": SMALL, "incumbent": "no"},
        {
            "candidates": (
                wz.Simple("all", prepare="contexts"),
                wz.Simple("all", prepare="contexts"),
            )
        },
    ):
        with pytest.raises(wz.InvalidInputError):
            Portfolio(**wrong).start(boxes=2, dimension=1)
