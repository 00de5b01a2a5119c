"""A portfolio plays its candidates, scores them all, and goes on where it was stopped."""

from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.learn.rounds import some_rounds
from weitzman.learn.policies.joint import Law
from weitzman.learn.policies.panel import Chosen
from weitzman.learn.policies.portfolio import Portfolio, default
from weitzman.learn.policies.simple import Simple
from weitzman.learn.policies.weitzman import paper
from weitzman.learn.policy import walk

SMALL = (Simple(rules=("all", "one-shot")), paper(), Law(kind="past", cautions=(0.0,)))


def test_default_has_its_candidates() -> None:
    named = default().start(boxes=3, dimension=1).names
    assert len(named) == 38
    assert len(default(standardise=False).start(boxes=3, dimension=1).names) == 37
    assert {"stay", "paper", "trees index 0", "trees+linear one-shot", "linear fixed"} <= set(named)
    alike = default(shared=True).start(boxes=3, dimension=1).names
    assert [n for n in alike if "trees" in n] == ["trees fixed", "trees one-shot"]
    assert not any("trees" in n for n in default(trees=False).start(boxes=3, dimension=1).names)


def test_a_round_is_played_by_one_candidate_and_scored_by_all() -> None:
    player = Portfolio(panels=SMALL).start(boxes=4, dimension=2)
    alone = {
        name: Chosen(panel=panel, rule=name).start(boxes=4, dimension=2)
        for panel in SMALL
        for name in panel.start(player._past).names
    }
    assert player.names == list(alone)
    used = set()
    for shown, values in some_rounds(150):
        scores = player.score(shown, values)
        walks = [walk(p.propose(shown), shown, values) for p in alone.values()]
        np.testing.assert_array_equal(scores.totals, [w.total for w in walks])
        np.testing.assert_array_equal(scores.counts, [len(w.opened) for w in walks])
        used.add(player.played)
        assert walk(player.propose(shown), shown, values) == walks[player.played]
        assert player.weights()[player.played] > 0.0
        for p in (player, *alone.values()):
            p.learn(shown, values)
    assert len(used) > 1


def test_draws_follow_the_weights() -> None:
    players = [
        Portfolio(panels=(Simple(),), incumbent=None, seed=seed).start(boxes=4, dimension=2)
        for seed in range(1600)
    ]
    gate = players[0]._gate
    while gate.is_trusted:
        # Whoever is advised is the worst
        gate.add((np.arange(8) == gate.leader).astype(float))
    weights = gate.weights()
    for player in players[1:]:
        player._gate.restore(gate.state())
    counts = np.bincount([p.played for p in players], minlength=8)
    assert weights.max() < 0.5
    assert (np.abs(counts - 1600 * weights) < 4.0 * np.sqrt(1600 * weights)).all()


def test_rounds_that_are_not_known_whole_teach_candidates_only() -> None:
    player = Portfolio(panels=SMALL, incumbent=None).start(boxes=4, dimension=2)
    shown, values = some_rounds(1)[0]
    hidden = np.where(np.arange(len(values)) == 0, np.nan, values)
    player.learn(shown, hidden)
    state = player.state()
    assert not state["gate.losses"].any()
    assert np.isnan(state["past.values"]).sum() == 4 - len(values) + 1


@pytest.mark.parametrize("policy", [Portfolio(panels=SMALL), default(), default(shared=True)])
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
        {"panels": ()},
        {"panels": (paper(), paper())},
        {"panels": SMALL, "incumbent": "no"},
    ):
        with pytest.raises(wz.InvalidInputError):
            Portfolio(**wrong).start(boxes=2, dimension=1)
