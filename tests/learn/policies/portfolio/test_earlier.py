"""A portfolio of rounds that are not prepared, under opened: judged by what is known, resumed bit for bit."""

import dataclasses

import numpy as np
import pytest

import weitzman as wz
from tests.learn.rounds import revealed, seen_in, some_rounds
from weitzman.learn.learners.parts.optimism import KAPPA
from weitzman.learn.policies.joint import Kind, Way
from weitzman.learn.policies.portfolio.earlier import EarlierOpenedPlayer
from weitzman.learn.policies.portfolio.portfolio import Portfolio, default_policy
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Floats, Round, walk
from weitzman.search.rule import WeitzmanRule

KINDS: tuple[Kind, ...] = ("past", "linear")
WAYS: tuple[Way, ...] = ("index", "greedy")
CANDIDATES: tuple[wz.Policy, ...] = (
    *(wz.Simple(rule, prepare="contexts") for rule in RULES),
    wz.Weitzman(wz.FTRL(intercept=False)),
    *(
        wz.Joint(kind, way, z, prepare="contexts")
        for kind in KINDS
        for z in (0.0, 1.0, 2.0)
        for way in WAYS
    ),
)
# Eager: the gate opens soon and much is explored
EAGER = Portfolio(
    candidates=CANDIDATES, incumbent="paper", clarity=0.5, exploration=1.0, prepare="contexts"
)


def started(policy: Portfolio, boxes: int = 4) -> EarlierOpenedPlayer:
    player = policy.start(boxes=boxes, dimension=2, feedback="opened")
    assert isinstance(player, EarlierOpenedPlayer)
    return player


def step(player: EarlierOpenedPlayer, shown: Round, values: Floats) -> list[int]:
    opened = walk(player.rule(shown), shown, values).opened
    player.learn(shown, revealed(opened, values))
    return opened


def test_totals_that_are_known_are_exact() -> None:
    player = started(EAGER)
    known = 0
    for shown, values in some_rounds(120):
        opened = walk(player.rule(shown), shown, values).opened
        seen = revealed(opened, values)
        estimate = player._candidates.estimate(shown, seen, 0)
        if estimate is not None:
            covered = ~np.isnan(player.score(shown, seen).totals)
            np.testing.assert_array_equal(
                estimate[covered], player.score(shown, values).totals[covered]
            )
            known += int(covered.sum())
        player.learn(shown, seen)
    assert known > 120


def test_explored_rounds_open_everything_and_others_follow_the_candidate() -> None:
    player = started(EAGER)
    explored = 0
    for shown, values in some_rounds(200):
        walked = walk(player.rule(shown), shown, values)
        if player.explores(shown):
            explored += 1
            assert sorted(walked.opened) == list(range(len(values)))
            assert 0.0 < player.chance(shown) <= 0.5
        else:
            followed = walk(player.favourite(shown), shown, values)
            assert seen_in(walked) == seen_in(followed)
        player.learn(shown, revealed(walked.opened, values))
    assert explored > 10


def test_nothing_is_explored_while_the_incumbent_plays_or_for_nothing() -> None:
    for policy in (
        dataclasses.replace(EAGER, clarity=100.0),
        dataclasses.replace(EAGER, exploration=0.0),
    ):
        player = started(policy)
        for shown, values in some_rounds(60):
            assert player.chance(shown) == 0.0
            step(player, shown, values)


def test_the_incumbent_is_judged_without_optimism_and_plays_with_it() -> None:
    player = started(dataclasses.replace(EAGER, clarity=100.0))
    bank = wz.FTRL(intercept=False, explore="own", prior="agreed").start(boxes=4, dimension=2)
    place, apart = player.names.index("paper"), 0
    for shown, values in some_rounds(60):
        plain, lowered = (
            walk(WeitzmanRule(sigma), shown, values)
            for sigma in (
                bank.predict(shown.contexts, shown.costs, shown.places, optimism=kappa)
                for kappa in (0.0, KAPPA)
            )
        )
        assert player.score(shown, values).totals[place] == plain.total
        assert seen_in(walk(player.rule(shown), shown, values)) == seen_in(lowered)
        apart += seen_in(plain) != seen_in(lowered)
        seen = revealed(lowered.opened, values)
        bank.update(shown.places, shown.contexts, seen, shown.costs)
        player.learn(shown, seen)
    assert apart > 3


@pytest.mark.parametrize("shared", [False, True])
def test_what_was_not_opened_is_never_used(shared: bool) -> None:
    policy = dataclasses.replace(EAGER, shared=shared)
    one, two = started(policy), started(policy)
    for shown, values in some_rounds(150):
        first = walk(one.rule(shown), shown, values).opened
        altered = np.where(np.isin(np.arange(len(values)), first), values, values - 50.0)
        assert walk(two.rule(shown), shown, altered).opened == first
        one.learn(shown, revealed(first, values))
        two.learn(shown, revealed(first, altered))
    a, b = one.state(), two.state()
    assert all(a[key].tobytes() == b[key].tobytes() for key in a)


@pytest.mark.parametrize(
    "policy",
    [EAGER, default_policy(prepare="contexts"), default_policy(shared=True, prepare="contexts")],
)
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


@pytest.mark.parametrize("lean", [1, 2, 4])
def test_a_rule_that_never_looks_is_not_started_with(lean: int) -> None:
    """Rounds that reveal everything by chance at the beginning must not settle the matter."""
    rng = np.random.default_rng(lean)
    player = started(default_policy(trees=False, prepare="contexts"))
    looked = 0
    for t in range(200):
        contexts = rng.normal(size=(4, 2))
        values = 3.0 + contexts[:, 0] + 0.2 * rng.normal(size=4)
        # In lean rounds whoever stays is best, by as much in each
        values += 5.0 if t < lean else 0.0
        shown = Round(contexts=contexts, costs=np.full(4, 0.1), outside=4.0, places=np.arange(4))
        looked += bool(step(player, shown, values))
    assert looked > 190


def test_exploration_does_not_end_with_who_never_looks() -> None:
    rng = np.random.default_rng(0)
    candidates = (wz.Simple("all", prepare="contexts"), wz.Simple("stay", prepare="contexts"))
    policy = Portfolio(candidates=candidates, incumbent="all", exploration=0.1, prepare="contexts")
    player, chances = started(policy), []
    for _ in range(200):
        contexts = rng.normal(size=(4, 2))
        shown = Round(contexts=contexts, costs=np.ones(4), outside=0.0, places=np.arange(4))
        chances.append(player.chance(shown))
        step(player, shown, 5.0 + contexts[:, 0])
    assert player.names[player.played] == "stay"
    assert chances[0] == 0.0
    assert chances[-1] == pytest.approx(0.1)
