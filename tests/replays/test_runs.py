"""Runs: under opened every rule learns from what it opened itself, and from nothing else."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

import weitzman as wz
from tests.learn.rounds import some_rounds
from weitzman.feedback import Feedback
from weitzman.learn.models.history import History
from weitzman.learn.policies.joint import Joint
from weitzman.learn.policies.portfolio.portfolio import Portfolio, default_policy, families_of
from weitzman.learn.policies.simple import RULES, Simple
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.policy import Floats, Policy, Round, walk
from weitzman.learn.record import play_known_round
from weitzman.replays.lineup import PAPER, lineup_of
from weitzman.replays.runs import Part, Piece, parts_of, play_part, put_together
from weitzman.search.state import RoundState

SIMPLE = tuple(Simple(rule) for rule in RULES)
PAST = tuple(Joint("past", way, z) for z in (0.0, 1.0, 2.0) for way in ("index", "greedy"))
SMALL = Portfolio(candidates=(*SIMPLE, Weitzman(), *PAST), incumbent="FTRL")


class Known(list[tuple[Round, Floats]]):
    """Rounds with their values, of 4 boxes and 2 features."""

    boxes, dimension = 4, 2

    def settle(self, number: int, shown: Round, done: RoundState) -> RoundState:
        """Looks cost what was expected."""
        return done


def run_of(policies: Sequence[Policy], count: int, feedback: Feedback) -> Piece:
    lineup, rounds = lineup_of(policies, shared=False), Known(some_rounds(count))
    pieces = [play_part(lineup, part, rounds, feedback) for part in parts_of(lineup, feedback)]
    return put_together(lineup, feedback, pieces)


@pytest.mark.parametrize("name", [*RULES, "FTRL"])
def test_each_simple_rule_plays_a_run_of_its_own(name: str) -> None:
    run = run_of([SMALL], 80, "opened")
    policy = Weitzman() if name == "FTRL" else Simple(name)
    player = policy.start(boxes=4, dimension=2, feedback="opened")
    for t, (shown, values) in enumerate(some_rounds(80)):
        walked = walk(player.rule(shown), shown, values)
        assert run.totals[t, run.names.index(name)] == walked.total
        assert run.opened[t, run.names.index(name)] == len(walked.opened)
        revealed = np.array([v if k in walked.opened else np.nan for k, v in enumerate(values)])
        player.learn(shown, revealed)


def test_paper_is_what_a_searcher_plays_under_opened() -> None:
    run = run_of([SMALL, Weitzman()], 120, "opened")
    searcher = wz.Searcher(boxes=4, dimension=2, learner=wz.FTRL(), feedback="opened")
    contexts, values = np.full((120, 4, 2), np.nan), np.full((120, 4), np.nan)
    costs, outside = np.zeros((120, 4)), np.empty(120)
    for t, (shown, found) in enumerate(some_rounds(120)):
        contexts[t, shown.places], values[t, shown.places] = shown.contexts, found
        costs[t, shown.places], outside[t] = shown.costs, shown.outside
    played = searcher.play(contexts, costs, values, outside=outside)
    np.testing.assert_array_equal(run.totals[:, run.names.index("FTRL")], played.totals)


class _Watched:
    """Values that change once a round is over, except those that were opened."""

    def __init__(self, policy: Portfolio, rounds: list[tuple[Round, Floats]], shift: float) -> None:
        self.player = policy.start(boxes=4, dimension=2, feedback="opened")
        self.opened = []
        for shown, values in rounds:
            walked = walk(self.player.rule(shown), shown, values)
            kept = np.isin(np.arange(len(values)), walked.opened)
            altered = np.where(kept, values, values + shift)
            again = walk(self.player.rule(shown), shown, altered)
            assert (again.opened, again.total) == (walked.opened, walked.total)
            self.player.learn(shown, np.where(kept, altered, np.nan))
            self.opened.append(walked.opened)


def test_what_was_not_opened_changes_nothing() -> None:
    rounds = some_rounds(100)
    one, two = (_Watched(SMALL, rounds, shift) for shift in (0.0, 100.0))
    assert one.opened == two.opened
    first, second = one.player.state(), two.player.state()
    assert all(first[key].tobytes() == second[key].tobytes() for key in first)


def test_the_price_of_trials_is_what_they_cost_beyond_who_plays() -> None:
    rounds = some_rounds(150)
    policy = replace(SMALL, clarity=0.5, exploration=1.0)
    run = run_of([policy], 150, "opened")
    player = policy.start(boxes=4, dimension=2, feedback="opened")
    for t, (shown, values) in enumerate(rounds):
        walked = walk(player.rule(shown), shown, values)
        would = walk(player.favourite(shown), shown, values)
        assert run.exploration[t] == pytest.approx(walked.total - would.total)
        tried = len(walked.opened) > len(would.opened)
        assert run.candidates[run.played[t]] == ("trial" if tried else player.names[player.played])
        player.learn(
            shown, np.where(np.isin(np.arange(len(values)), walked.opened), values, np.nan)
        )
    assert (run.played == 0).sum() > 5
    assert not run.exploration[run.played > 0].any()


def test_a_full_run_scores_every_candidate() -> None:
    run = run_of([SMALL], 30, "full")
    player = SMALL.start(boxes=4, dimension=2)
    assert run.candidates == ["portfolio", *player.names]
    # The rule of the paper beside the portfolio is one of its candidates
    assert run.names == run.candidates
    assert not run.exploration.any()
    for t, (shown, values) in enumerate(some_rounds(30)):
        np.testing.assert_array_equal(run.totals[t, 1:], player.score(shown, values).totals)
        assert run.totals[t, 0] == run.totals[t, run.played[t]]
        player.learn(shown, values)


def test_parts_share_no_fitted_model_and_are_all_families() -> None:
    families = families_of(default_policy().candidates)
    parts = parts_of(lineup_of(shared=False), "full")
    # The simple rules beside are candidates, and scored as such
    assert [part.alone for part in parts if part.alone] == [("FTRL",)]
    groups = [part.families for part in parts if part.families]
    assert sorted(k for group in groups for k in group) == list(range(len(families)))
    history = History(boxes=2, dimension=1)
    kinds = [{families[k].start(history, seed=0).names[0] for k in group} for group in groups]
    assert kinds == [
        {"trees index 0", "stacked index 0"},
        {"aware"},
        {"stay", "past index 0", "linear index 0"},
    ]


@pytest.mark.parametrize("policy", [SMALL, Portfolio(candidates=PAST)])
def test_under_opened_the_portfolio_and_the_rules_beside_it_are_parts(policy: Portfolio) -> None:
    first, *beside = parts_of(lineup_of([policy], shared=False), "opened")
    assert first == Part()
    assert [rule for part in beside for rule in part.alone] == [*RULES, "FTRL"]


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("policy", [SMALL, Weitzman(), Simple("mean")])
def test_every_part_tells_of_every_round(policy: Policy, feedback: Feedback) -> None:
    lineup = lineup_of([policy], shared=False)
    for part in parts_of(lineup, feedback):
        told: list[int] = []
        play_part(lineup, part, Known(some_rounds(3)), feedback, told.append)
        assert told == [1, 1, 1]


@pytest.mark.parametrize("clarity", ["auto", 0.0])
def test_hedging_afterwards_is_hedging_live(clarity: float | Literal["auto"]) -> None:
    rounds = some_rounds(200)
    policy = replace(SMALL, candidates=(Weitzman(), *PAST, *SIMPLE), clarity=clarity)
    run = run_of([policy], 200, "full")
    player = policy.start(boxes=4, dimension=2)
    for t, (shown, values) in enumerate(rounds):
        assert run.played[t] == 1 + player.played
        walked = walk(player.rule(shown), shown, values)
        assert (run.totals[t, 0], run.opened[t, 0]) == (walked.total, len(walked.opened))
        assert run.expected[t] == player.weights() @ player.score(shown, values).totals
        player.learn(shown, values)
    assert len(set(run.played.tolist())) > 1


def test_policies_may_be_named_and_what_is_compared_follows() -> None:
    lineup = lineup_of(["Ridge", Simple("mean"), "trees index 1"], shared=True)
    asked = ["Ridge", "mean", "trees index 1"]
    assert list(lineup) == [*asked, *(r for r in RULES if r != "mean"), PAPER]
    assert lineup["trees index 1"] == Joint("trees", "index", 1.0, shared=True)
    assert lineup["stay"] == Simple("stay", shared=True)
    with pytest.raises(wz.InvalidInputError, match="have distinct names"):
        lineup_of(["mean", Simple("mean")], shared=False)
    with pytest.raises(wz.InvalidInputError, match="The name of a policy must be 'default'"):
        lineup_of(["other"], shared=False)
    with pytest.raises(wz.InvalidInputError, match="be at least one"):
        lineup_of([], shared=False)


def played_alone(policy: Policy, count: int, feedback: Feedback = "full") -> list[float]:
    """Return the totals of a policy that is played round by round."""
    player = policy.start(boxes=4, dimension=2, feedback=feedback, seed=0)
    pairs = some_rounds(count)
    return [play_known_round(player, shown, values, feedback)[1].total for shown, values in pairs]


def test_a_policy_is_never_shown_by_the_totals_of_a_candidate_that_differs() -> None:
    """Within a portfolio one history serves all: a candidate may not be what it is by itself."""
    odd = Portfolio(candidates=(Simple("mean", shared=True), Weitzman(), *PAST), shared=True)
    run = run_of([odd], 60, "full")
    mine = run.totals[:, run.names.index("mean")]
    assert mine.tolist() == played_alone(Simple("mean"), 60)
    assert not np.array_equal(mine, run.totals[:, run.names.index("mean in portfolio")])
    assert run.totals[:, 0].tolist() == played_alone(odd, 60)
    assert set(run.candidates) <= set(run.names)


def test_a_portfolio_whose_candidate_is_judged_without_optimism_is_played() -> None:
    """Scores are then not what the candidate plays: hedging over them would not be the portfolio."""
    keen = Portfolio(candidates=(Weitzman(optimism=3.0),))
    run = run_of([keen], 60, "full")
    assert run.totals[:, 0].tolist() == played_alone(keen, 60)
    assert run.totals[:, 0].tolist() != played_alone(Weitzman(), 60)
