"""A portfolio under opened: the duel of the incumbent and its nominees, and the trials that settle it."""

import dataclasses

import numpy as np
import pytest

import weitzman as wz
from tests.learn.rounds import revealed, seen_in, some_rounds
from weitzman.learn.policies.portfolio.both import Both
from weitzman.learn.policies.portfolio.opened import OpenedPlayer
from weitzman.learn.policies.portfolio.portfolio import Portfolio, default_policy
from weitzman.learn.policy import Floats, Round, walk
from weitzman.learn.storage.rules import rule_from, rule_state
from weitzman.search.state import RoundState

PLAIN = default_policy(trees=False)
# Soon left, and much is spent on trials
EAGER = dataclasses.replace(PLAIN, clarity=0.5, exploration=1.0)


def started(policy: Portfolio, boxes: int = 4, dimension: int = 2) -> OpenedPlayer:
    player = policy.start(boxes=boxes, dimension=dimension, feedback="opened")
    assert isinstance(player, OpenedPlayer)
    return player


def step(player: OpenedPlayer, shown: Round, values: Floats) -> list[int]:
    opened = walk(player.rule(shown), shown, values).opened
    player.learn(shown, revealed(opened, values))
    return opened


def alone(player: OpenedPlayer, number: int, shown: Round, values: Floats) -> RoundState:
    return walk(player._candidates.rule(shown, number), shown, values)


def test_a_trial_opens_what_both_would_have_opened_and_no_more() -> None:
    player, trials, apart = started(EAGER), 0, 0
    for shown, values in some_rounds(200):
        walked = walk(player.rule(shown), shown, values)
        mine, other = (
            alone(player, number, shown, values) for number in (player.played, player.rival)
        )
        if player.explores(shown):
            trials += 1
            apart += len(walked.opened) > len(mine.opened)
            assert walked.opened[: len(mine.opened)] == mine.opened
            assert set(walked.opened) == set(mine.opened) | set(other.opened)
        else:
            assert seen_in(walked) == seen_in(mine)
        player.learn(shown, revealed(walked.opened, values))
    assert trials > apart > 10


def test_after_a_trial_both_totals_are_known() -> None:
    """Of candidates without optimism: that of an incumbent with it is what it would be without."""
    candidates = (wz.Simple("all"), wz.Simple("single"), wz.Joint("linear", "greedy", 0.0))
    player = started(Portfolio(candidates=candidates, incumbent="all", exploration=1.0))
    checked = 0
    for shown, values in some_rounds(150):
        walked = walk(player.rule(shown), shown, values)
        seen = revealed(walked.opened, values)
        scores = player._candidates.estimate(shown, seen, 0)
        if player.explores(shown) and scores is not None:
            for number in (player.played, player.rival):
                assert scores[number] == alone(player, number, shown, values).total
                checked += 1
        player.learn(shown, seen)
    assert checked > 100


@pytest.mark.parametrize("share", [0.01, 0.1])
def test_what_trials_cost_is_limited(share: float) -> None:
    """At most by what one round costs beyond the budget, which is drawn on before its cost is known."""
    player = started(dataclasses.replace(PLAIN, exploration=share))
    paid = spent = largest = 0.0
    rng = np.random.default_rng(7)
    for number in range(1, 301):
        # Features say nothing and looks are expensive, so trials do not pay for themselves
        contexts, values = rng.normal(size=(4, 2)), rng.normal(size=4)
        shown = Round(contexts=contexts, costs=np.ones(4), outside=np.inf, places=np.arange(4))
        mine = alone(player, player.played, shown, values)
        walked = walk(player.rule(shown), shown, values)
        paid, cost = paid + walked.paid, walked.total - mine.total
        spent, largest = spent + cost, max(largest, cost)
        player.learn(shown, revealed(walked.opened, values))
        assert spent <= (share * number + 0.5) * paid / number + largest
    assert spent > 0.0


def test_trials_do_not_end_with_who_never_looks() -> None:
    """Staying is best at first, and later by far the worst."""
    candidates = (wz.Simple("all"), wz.Simple("stay"))
    player = started(Portfolio(candidates=candidates, incumbent="all", exploration=0.05))
    rng, late = np.random.default_rng(0), 0
    for number in range(400):
        contexts = rng.normal(size=(4, 2))
        shown = Round(contexts=contexts, costs=np.ones(4), outside=0.0, places=np.arange(4))
        late += number >= 300 and player.names[player.played] == "all"
        step(player, shown, rng.normal(size=4) + (5.0 if number < 50 else -50.0))
    assert late == 100


def test_there_are_no_trials_for_nothing() -> None:
    player = started(dataclasses.replace(EAGER, exploration=0.0))
    for shown, values in some_rounds(60):
        assert player.chance == 0.0
        assert not isinstance(player.rule(shown), Both)
        step(player, shown, values)


def test_a_worse_incumbent_is_left_and_a_better_one_is_not() -> None:
    """Three boxes alike: it is best to open one of them."""
    candidates = (wz.Simple("all"), wz.Simple("single"))
    for incumbent in ("all", "single"):
        player = started(Portfolio(candidates=candidates, incumbent=incumbent), boxes=3)
        rng, late = np.random.default_rng(0), 0
        for number in range(200):
            contexts = rng.normal(size=(3, 2))
            shown = Round(contexts=contexts, costs=np.ones(3), outside=np.inf, places=np.arange(3))
            late += number >= 100 and player.names[player.played] == "single"
            step(player, shown, rng.normal(size=3) * 0.1)
        assert late == 100


def test_nothing_but_what_was_opened_is_used() -> None:
    one, two = started(EAGER), started(EAGER)
    for shown, values in some_rounds(150):
        first = walk(one.rule(shown), shown, values).opened
        altered = np.where(np.isin(np.arange(len(values)), first), values, values - 50.0)
        assert walk(two.rule(shown), shown, altered).opened == first
        one.learn(shown, revealed(first, values))
        two.learn(shown, revealed(first, altered))
    a, b = one.state(), two.state()
    assert all(a[key].tobytes() == b[key].tobytes() for key in a)


@pytest.mark.parametrize("policy", [EAGER, default_policy(shared=True)], ids=["named", "shared"])
def test_a_restored_portfolio_goes_on_bit_for_bit(policy: Portfolio) -> None:
    rounds = some_rounds(90)
    one, two = started(policy), started(policy)
    for shown, values in rounds[:50]:
        step(one, shown, values)
    for shown, values in rounds[60:65]:
        step(two, shown, values)
    two.restore(one.state())
    for shown, values in rounds[50:]:
        assert step(one, shown, values) == step(two, shown, values)
    a, b = one.state(), two.state()
    assert all(a[key].tobytes() == b[key].tobytes() for key in a)


def test_the_rule_of_a_trial_goes_on_in_another_process() -> None:
    player, trials = started(EAGER), 0
    for shown, values in some_rounds(80):
        rule = player.rule(shown)
        if isinstance(rule, Both):
            again = rule_from(rule_state(rule))
            assert seen_in(walk(again, shown, values)) == seen_in(walk(rule, shown, values))
            trials += 1
        step(player, shown, values)
    assert trials > 20


def test_the_rule_of_a_trial_goes_by_what_the_round_has_shown_and_by_nothing_else() -> None:
    """Asked of other rounds in between, and of values that came late, it answers as a new one does."""
    rng, asked = np.random.default_rng(5), 0
    player = started(EAGER)
    for shown, values in some_rounds(60):
        rule = player.rule(shown)
        for _ in range(6):
            if not isinstance(rule, Both):
                break
            state = RoundState(shown.costs.tolist(), shown.outside)
            for row in rng.permutation(len(values))[: rng.integers(0, len(values) + 1)].tolist():
                state.open(row)
                if rng.random() < 0.7:
                    state.see(row, float(values[row] + rng.integers(0, 2)))
                fresh = Both(rule.first, rule.second, rule.least)
                assert rule.next(state) == fresh.next(state)
                asked += 1
        step(player, shown, values)
    assert asked > 100


def test_no_trial_looks_on_after_the_best_possible_value() -> None:
    player, trials = started(EAGER), 0
    for shown, values in some_rounds(120):
        bounded = shown._replace(least=float(values.min()))
        walked = walk(player.rule(bounded), bounded, values)
        trials += player.explores(bounded)
        assert values.argmin() not in walked.opened[:-1]
        player.learn(bounded, revealed(walked.opened, values))
    assert trials > 20


def test_a_round_that_somebody_else_played_is_learned_too() -> None:
    """Rounds that overlap are closed by a candidate that did not open them."""
    player = started(EAGER)
    rounds = some_rounds(60)
    for shown, values in rounds[:30]:
        step(player, shown, values)
    rules = [player.rule(shown) for shown, _ in rounds[30:]]
    for rule, (shown, values) in zip(rules, rounds[30:], strict=True):
        player.learn(shown, revealed(walk(rule, shown, values).opened, values))
    assert player._rounds == 60
    assert np.isfinite(player._sums).all()
