"""Runs: under opened every rule learns from what it opened itself, and from nothing else."""

from typing import Literal

import numpy as np
import pytest
from weitzman.learn.policies.panel import Chosen

import weitzman as wz
from tests.learn.rounds import some_rounds
from weitzman.learn.models.history import Past
from weitzman.learn.policies.joint import Law
from weitzman.learn.policies.portfolio import Portfolio, default
from weitzman.learn.policies.simple import RULES, Simple
from weitzman.learn.policies.weitzman import paper
from weitzman.learn.policy import Floats, Round, walk
from weitzman.replays.runs import Part, Run, Size, parts_of, play_part, put_together

PANELS = (Simple(), paper(), Law(kind="past"))
SIZE = Size(boxes=4, dimension=2)


def run_of(policy: Portfolio, rounds: list[tuple[Round, Floats]]) -> Run:
    pieces = [play_part(policy, part, rounds, SIZE) for part in parts_of(policy)]
    return put_together(policy, pieces)


def opened_portfolio(shared: bool = False) -> Portfolio:
    return Portfolio(panels=PANELS, shared=shared, feedback="opened")


@pytest.mark.parametrize("name", [*RULES, "paper"])
def test_each_simple_rule_plays_a_run_of_its_own(name: str) -> None:
    rounds = some_rounds(80)
    run = run_of(opened_portfolio(), rounds)
    panel = paper() if name == "paper" else Simple()
    player = Chosen(panel=panel, rule=name, feedback="opened").start(boxes=4, dimension=2)
    for t, (shown, values) in enumerate(rounds):
        walked = walk(player.propose(shown), shown, values)
        assert run.totals[t, run.names.index(name)] == walked.total
        assert run.opened[t, run.names.index(name)] == len(walked.opened)
        revealed = np.array([v if k in walked.opened else np.nan for k, v in enumerate(values)])
        player.learn(shown, revealed)


def test_paper_is_what_a_searcher_plays_under_opened() -> None:
    rounds = some_rounds(120)
    run = run_of(opened_portfolio(), rounds)
    searcher = wz.Searcher(boxes=4, dimension=2, feedback="opened")
    contexts, values = np.full((120, 4, 2), np.nan), np.full((120, 4), np.nan)
    costs, outside = np.zeros((120, 4)), np.empty(120)
    for t, (shown, found) in enumerate(rounds):
        contexts[t, shown.places], values[t, shown.places] = shown.contexts, found
        costs[t, shown.places], outside[t] = shown.costs, shown.outside
    played = searcher.play(contexts, costs, values, outside=outside)
    np.testing.assert_allclose(run.totals[:, run.names.index("paper")], played.totals, rtol=1e-12)


class _Watched:
    """Values that change once a round is over, except those that were opened."""

    def __init__(self, policy: Portfolio, rounds: list[tuple[Round, Floats]], shift: float) -> None:
        self.player = policy.start(boxes=4, dimension=2)
        self.opened = []
        for shown, values in rounds:
            walked = walk(self.player.propose(shown), shown, values)
            kept = np.isin(np.arange(len(values)), walked.opened)
            altered = np.where(kept, values, values + shift)
            again = walk(self.player.propose(shown), shown, altered)
            assert again == walked
            self.player.learn(shown, np.where(kept, altered, np.nan))
            self.opened.append(walked.opened)


def test_what_was_not_opened_changes_nothing() -> None:
    rounds = some_rounds(100)
    one, two = (_Watched(opened_portfolio(), rounds, shift) for shift in (0.0, 100.0))
    assert one.opened == two.opened
    first, second = one.player.state(), two.player.state()
    assert all(first[key].tobytes() == second[key].tobytes() for key in first)


def test_what_exploration_cost_is_told() -> None:
    rounds = some_rounds(150)
    policy = Portfolio(panels=PANELS, clarity=0.5, exploration=1.0, feedback="opened")
    run = run_of(policy, rounds)
    player = policy.start(boxes=4, dimension=2)
    for t, (shown, values) in enumerate(rounds):
        walked = walk(player.propose(shown), shown, values)
        would = walk(player.favourite(shown), shown, values)
        assert run.exploration[t] == pytest.approx(walked.total - would.total)
        assert run.candidates[run.played[t]] == (
            "explore" if player.explores(shown) else player.names[player.played]
        )
        player.learn(
            shown, np.where(np.isin(np.arange(len(values)), walked.opened), values, np.nan)
        )
    assert (run.played == 0).sum() > 5
    assert not run.exploration[run.played > 0].any()


def test_a_full_run_scores_every_candidate() -> None:
    rounds = some_rounds(30)
    policy = Portfolio(panels=PANELS)
    run = run_of(policy, rounds)
    player = policy.start(boxes=4, dimension=2)
    assert run.names == run.candidates == ["default", *player.names]
    assert not run.exploration.any()
    for t, (shown, values) in enumerate(rounds):
        np.testing.assert_array_equal(run.totals[t, 1:], player.score(shown, values).totals)
        assert run.totals[t, 0] == run.totals[t, run.played[t]]
        player.learn(shown, values)


def test_parts_share_no_fitted_model_and_are_all_panels() -> None:
    policy = default()
    panels = [part.panels for part in parts_of(policy)]
    assert sorted(k for group in panels for k in group) == list(range(len(policy.panels)))
    kinds = [
        {policy.panels[k].start(Past(boxes=2, dimension=1)).names[0] for k in g} for g in panels
    ]
    assert kinds == [
        {"trees index 0", "trees+linear index 0"},
        {"paper", "paper standardised"},
        {"stay", "past index 0", "linear index 0"},
    ]


def test_under_opened_the_portfolio_and_the_rules_beside_it_are_parts() -> None:
    first, *beside = parts_of(opened_portfolio())
    assert first == Part()
    assert [rule for part in beside for rule in part.rules] == [*RULES, "paper"]
    assert parts_of(Portfolio(panels=(Law(kind="past"),), incumbent=None, feedback="opened")) == [
        Part()
    ]


@pytest.mark.parametrize("policy", [Portfolio(panels=PANELS), opened_portfolio()])
def test_every_part_tells_of_every_round(policy: Portfolio) -> None:
    for part in parts_of(policy):
        told: list[int] = []
        play_part(policy, part, some_rounds(3), SIZE, told.append)
        assert told == [1, 1, 1]


@pytest.mark.parametrize("clarity", ["auto", 0.0])
def test_hedging_afterwards_is_hedging_live(clarity: float | Literal["auto"]) -> None:
    rounds = some_rounds(200)
    policy = Portfolio(panels=(*PANELS[1:], PANELS[0]), clarity=clarity, seed=3)
    run = run_of(policy, rounds)
    player = policy.start(boxes=4, dimension=2)
    for t, (shown, values) in enumerate(rounds):
        assert run.played[t] == 1 + player.played
        walked = walk(player.propose(shown), shown, values)
        assert (run.totals[t, 0], run.opened[t, 0]) == (walked.total, len(walked.opened))
        assert run.expected[t] == player.weights() @ player.score(shown, values).totals
        player.learn(shown, values)
    assert len(set(run.played.tolist())) > 1
