"""Policies in a searcher: live rounds, recorded rounds, both senses, and what is refused."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz
from tests.learn.own import Thrifty
from tests.learn.rounds import some_rounds
from tests.learn.test_searcher import columns, live_round, record
from weitzman.learn.policies.joint import Kind, Way
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Policy, walk
from weitzman.learn.record import first_sigma
from weitzman.learn.storage.registry import named_policy
from weitzman.search.reservation import Sense
from weitzman.search.rule import STOP, Action
from weitzman.search.state import RoundState

Array = NDArray[np.float64]

KINDS: tuple[Kind, ...] = ("past", "linear")
WAYS: tuple[Way, ...] = ("index", "greedy")
SIMPLE: tuple[Policy, ...] = tuple(wz.Simple(rule, prepare="contexts") for rule in RULES)
SMALL: tuple[Policy, ...] = (
    *SIMPLE,
    wz.Weitzman(wz.FTRL(intercept=False)),
    *(
        wz.Joint(kind, way, z, prepare="contexts")
        for kind in KINDS
        for z in (0.0, 1.0, 2.0)
        for way in WAYS
    ),
    wz.Joint("linear", "fixed", prepare="contexts"),
)
POLICIES: dict[str, Policy] = {
    "one shot": wz.Simple("one-shot", prepare="contexts"),
    "paper": wz.Weitzman(wz.FTRL(intercept=False)),
    "paper standardised": wz.Weitzman(wz.FTRL(intercept=False), prepare="contexts"),
    "law": wz.Joint("linear", "index", caution=1.0, prepare="contexts"),
    "aware": wz.Aware(wz.FTRL(intercept=False)),
    "ski rental": wz.SkiRental(),
    "ski rental, shared": wz.SkiRental(shared=True),
    "explore then commit": wz.ExploreThenCommit(),
    "portfolio": wz.Portfolio(candidates=SMALL, prepare="contexts"),
    "portfolio, shared": wz.Portfolio(
        candidates=(*SIMPLE, wz.Weitzman(wz.FTRL(shared=True, intercept=False))),
        incumbent="paper",
        shared=True,
        prepare="contexts",
    ),
    "exploring": wz.Exploring(wz.Aware(wz.FTRL(intercept=False)), share=0.2),
    "exploring for another": wz.Exploring(
        wz.Simple("single"), share=0.2, needs=wz.Joint("linear", "index")
    ),
}
every_policy = pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
both_feedbacks = pytest.mark.parametrize("feedback", ["full", "opened"])


def make(policy: Any, feedback: str = "full", **settings: Any) -> wz.Searcher:
    given: dict[str, Any] = {"boxes": 4, "dimension": 3, "feedback": feedback} | settings
    return wz.Searcher(policy=policy, **given)


@pytest.mark.parametrize("name", ["default", "paper", "aware", "single", "Ridge", "linear fixed"])
def test_a_searcher_takes_the_names_that_a_replay_takes(name: str) -> None:
    searcher, other = make(name), make(named_policy(name, shared=False))
    assert searcher.policy == other.policy
    given = record(12)
    assert columns(searcher.play(*given)) == columns(other.play(*given))
    assert wz.load(searcher.to_bytes()).policy == other.policy


@every_policy
@both_feedbacks
@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("outside", [None, 0.25])
def test_play_is_the_rounds_one_by_one(
    policy: Policy, feedback: str, sense: str, outside: float | None
) -> None:
    contexts, costs, values = record(40)
    if feedback == "full" and outside is None:
        # A live round that shows nothing cannot be closed, whatever the other boxes hold
        values = np.where(np.isnan(values), 1.0, values)
    whole, single = (make(policy, feedback, sense=sense) for _ in range(2))
    played = whole.play(contexts, costs, values, outside=outside)
    rounds = [live_round(single, *r, outside) for r in zip(contexts, costs, values, strict=True)]
    assert columns(played) == tuple(list(column) for column in zip(*rounds, strict=True))
    assert whole.digest() == single.digest()
    assert whole.rounds == single.rounds == len(values)


@every_policy
@both_feedbacks
def test_larger_is_better_is_the_mirror_image(policy: Policy, feedback: str) -> None:
    contexts, costs, values = record(40)
    small, large = (make(policy, feedback, sense=sense) for sense in ("min", "max"))
    least = small.play(contexts, costs, values, outside=0.5)
    most = large.play(contexts, costs, -values, outside=-0.5)
    np.testing.assert_array_equal(most.totals, -least.totals)
    np.testing.assert_array_equal(most.chosen, least.chosen)
    np.testing.assert_array_equal(most.opened_count, least.opened_count)


@every_policy
def test_a_searcher_plays_what_its_policy_does(policy: Policy) -> None:
    searcher = wz.Searcher(boxes=4, dimension=2, policy=policy, feedback="full")
    player = policy.start(boxes=4, dimension=2, feedback="full", seed=0)
    for shown, values in some_rounds(50):
        walked = walk(player.rule(shown), shown, values)
        outside = None if np.isinf(shown.outside) else shown.outside
        boxes = shown.places.tolist()
        search = searcher.open(shown.contexts, shown.costs, outside=outside, boxes=boxes)
        for box in search:
            search.see(values[boxes.index(box)])
        outcome = search.close(values)
        assert outcome.opened == tuple(boxes[row] for row in walked.opened)
        assert outcome.total == walked.total
        player.learn(shown, values)


def test_several_searches_may_be_open_at_once() -> None:
    contexts, costs, values = record(30, gaps=False)
    searcher = make(POLICIES["portfolio"])
    searcher.play(contexts[:27], costs[:27], values[:27], outside=1.0)
    later = [searcher.open(contexts[t], costs[t], outside=1.0) for t in (27, 28, 29)]
    for t, search in zip((27, 28, 29), later, strict=True):
        for box in search:
            search.see(values[t][int(str(box))])
    before = searcher.digest()
    assert [
        search.close(values[t]).paid >= 0.0 for t, search in zip((27, 28, 29), later, strict=True)
    ]
    assert searcher.digest() != before
    assert searcher.rounds == 30


def test_a_value_that_did_not_come_is_not_learned() -> None:
    contexts, costs, values = record(3, gaps=False)
    searcher = make(wz.Simple("all", prepare="contexts"), "opened")
    for t in range(3):
        search = searcher.open(contexts[t], costs[t])
        for box in search:
            search.miss() if box == 1 else search.see(values[t][int(str(box))])
        search.close()
    learned = searcher._player.state()["past.values"]
    assert np.isnan(learned).tolist() == [[False, True, False, False]] * 3


def test_late_values_are_refused() -> None:
    contexts, costs, _ = record(1, gaps=False)
    search = make(POLICIES["one shot"], "opened").open(contexts[0], costs[0], outside=-9.0)
    search.close()
    with pytest.raises(wz.SearchStateError, match="a policy learns a round once"):
        search.late(0, 1.0)


def test_the_default_policy_is_called_by_name() -> None:
    searcher = make("default", "full", rng=7)
    assert searcher.policy == wz.default_policy()
    assert searcher._player._seed == searcher.rng == 7
    contexts, costs, values = record(30)
    assert np.isfinite(searcher.play(contexts, costs, values, outside=0.5).totals).all()
    count = len(wz.default_policy().candidates)
    assert f"Portfolio({count} candidates, incumbent 'aware')" in repr(searcher)
    assert len(repr(searcher)) < 130
    assert "30 rounds" in repr(searcher)


def test_reservation_values_where_there_are_some() -> None:
    contexts, costs, values = record(20, gaps=False)
    index, ready, simple, other = (
        make(policy, sense="max")
        for policy in (
            POLICIES["paper"],
            POLICIES["paper standardised"],
            wz.Simple("mean", prepare="contexts"),
            POLICIES["law"],
        )
    )
    plain = wz.Searcher(
        boxes=4, dimension=3, feedback="full", sense="max", learner=wz.FTRL(intercept=False)
    )
    for searcher in (plain, other):
        searcher.play(contexts, costs, values)
    for searcher in (index, ready, simple):
        played = searcher.play(contexts, costs, values, predictions=True)
        assert played.reservation_values is not None
        assert np.isfinite(played.reservation_values).all()
        found = searcher.reservation_values(contexts[0], costs[0])
        explained = searcher.explain(contexts[0], costs[0])
        assert [b.reservation_value for b in explained.boxes] == sorted(found, reverse=True)
        assert "only while the best value in hand is below" in str(explained)
    # The same learner, on contexts as they are
    np.testing.assert_array_equal(
        index.reservation_values(contexts[0], costs[0]),
        plain.reservation_values(contexts[0], costs[0]),
    )
    assert index.digest() == plain.digest()
    never = other.play(contexts, costs, values, predictions=True).reservation_values
    assert never is not None
    assert np.isnan(never).all()


@pytest.mark.parametrize(
    "policy",
    [
        wz.Aware(),
        wz.Joint("linear", "index", caution=0.0),
        wz.Joint("past", "index", caution=0.0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_rule_that_looks_again_says_what_it_goes_by_before_the_first_look(
    policy: Policy, sense: Sense
) -> None:
    """Against what the rule does: a look is worth it while the outside option is worse than some σ."""
    contexts, costs, values = record(40, gaps=False)
    searcher = wz.Searcher(boxes=4, dimension=3, policy=policy, feedback="full", sense=sense)
    searcher.play(contexts, costs, values)
    worse = 1.0 if sense == "min" else -1.0
    for shown, prices in zip(contexts[:10], costs[:10], strict=True):
        sigma = searcher.reservation_values(shown, prices)
        best = float(worse * (worse * sigma).min())
        for apart in (-1e-6, 1e-6):
            opened = list(islice(searcher.open(shown, prices, outside=best + worse * apart), 1))
            explained = searcher.explain(shown, prices, outside=best + worse * apart)
            assert explained.looks_again
            assert explained.searches == bool(opened) == (apart > 0.0)
            if opened:
                assert explained.boxes[0].box == opened[0] == int((worse * sigma).argmin())
                assert "After every look the rule decides again" in str(explained)
            else:
                assert str(explained).startswith("Open nothing")
        assert [box.reservation_value for box in explained.boxes] == sorted(
            sigma.tolist(), reverse=sense == "max"
        )


def test_a_rule_without_reservation_values_is_refused_by_its_name() -> None:
    class Never:
        def next(self, state: RoundState) -> Action:
            return STOP

        def state(self) -> dict[str, Any]:
            return {}

    with pytest.raises(wz.InvalidInputError, match=r"a rule that has them.*'Never'"):
        first_sigma(Never())


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"learner": wz.FTRL(intercept=False)}, "policy or a learner, not both"),
        ({"policy": POLICIES["one shot"], "feedback": "probe"}, "'full' or 'opened'"),
        ({"policy": POLICIES["portfolio"], "feedback": "opened+probe"}, "'full' or 'opened'"),
        ({"policy": "default", "feedback": "probe"}, "'full' or 'opened'"),
        ({"feedback": "probe"}, "The block must fit the feedback 'probe'"),
        (
            {"policy": wz.Weitzman(wz.FTRL(intercept=False), block=3)},
            "The block must fit the feedback 'opened'",
        ),
        ({"policy": wz.Weitzman(wz.FTRL(intercept=False), optimism=-1.0)}, "The optimism must be"),
        ({"feedback": "none"}, "The feedback must be one of"),
        ({"feedback": "probe", "block": 3}, "left to the policy"),
        ({"optimism": 0.5}, "left to the policy"),
        ({"policy": "ridge"}, r"The name of a policy must be 'default'.*'Ridge'.*Got 'ridge'"),
        ({"policy": wz.FTRL(intercept=False)}, "be a policy, such as"),
        ({"policy": wz.Simple("all", prepare="contexts").family()}, "be a policy, such as"),
        ({"policy": wz.Portfolio}, "be a policy, such as"),
        ({"policy": 3}, "be a policy, such as"),
    ],
    ids=str,
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, Any], text: str) -> None:
    given: dict[str, Any] = {"boxes": 2, "dimension": 1, "policy": POLICIES["paper"]}
    with pytest.raises(wz.InvalidInputError, match=text):
        wz.Searcher(**(given | settings))


@pytest.mark.parametrize(
    ("contexts", "costs"),
    [
        (np.full((4, 3), np.nan), 1.0),
        (np.full((4, 3), 1e300), 1.0),
        (np.ones((4, 2)), 1.0),
        (np.ones((4, 3)), -1.0),
        (np.ones((4, 3)), np.inf),
        (np.ones((4, 3)), [1.0, 2.0]),
    ],
)
def test_rounds_that_are_none_are_refused_and_change_nothing(contexts: Any, costs: Any) -> None:
    searcher = make(POLICIES["portfolio"])
    before = searcher.digest()
    with pytest.raises(wz.InvalidInputError):
        searcher.open(contexts, costs)
    assert searcher.digest() == before


def test_a_close_with_a_value_that_is_none_changes_nothing() -> None:
    contexts, costs, values = record(1, gaps=False)
    searcher = make(POLICIES["portfolio"])
    search = searcher.open(contexts[0], costs[0], outside=-9.0)
    before = searcher.digest()
    with pytest.raises(wz.InvalidInputError):
        search.close([1.0, np.inf, 2.0, 3.0])
    assert searcher.digest() == before
    search.close(values[0])
    assert searcher.digest() != before


def test_boxes_cannot_join_a_policy() -> None:
    with pytest.raises(wz.InvalidInputError, match="be there from the start"):
        make(POLICIES["portfolio"]).add_boxes(["late"])


# A policy of somebody else's


@both_feedbacks
@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_policy_of_ones_own_runs_in_a_searcher(feedback: Any, sense: Any) -> None:
    contexts, costs, values = record(60, gaps=False, seed=3)
    sign = 1.0 if sense == "min" else -1.0
    outside = np.where(np.arange(60) % 3, sign * np.inf, 0.5)
    live, recorded = (make(Thrifty(), feedback, sense=sense) for _ in range(2))
    played = recorded.play(contexts, costs, values, outside=outside)
    taken = 0
    for t in range(60):
        hand = float(outside[t]) if np.isfinite(outside[t]) else None
        search = live.open(contexts[t], costs[t], outside=hand)
        for box in search:
            search.see(values[t, int(str(box))])
        row = search._state.taken
        if row is not None:
            # Kept unopened: it costs nothing, and its value comes when the round is over
            search.see(values[t, row], box=row)
            taken += 1
        outcome = search.close(values[t]) if feedback == "full" else search.close()
        assert outcome.total == played.totals[t]
        assert outcome.paid == played.paid[t]
        assert outcome.total == outcome.value + sign * outcome.paid
        assert outcome.chosen == (None if played.chosen[t] < 0 else played.chosen[t])
        assert len(outcome.opened) == played.opened_count[t]
        assert row is None or (outcome.chosen == row and row not in outcome.opened)
    assert taken > 10
    assert live.digest() == recorded.digest()


def test_a_policy_of_ones_own_is_a_candidate_of_a_portfolio() -> None:
    portfolio = wz.Portfolio(
        candidates=[wz.Simple("all"), Thrifty()], incumbent="Thrifty", prepare="contexts"
    )
    player = portfolio.start(boxes=4, dimension=2)
    alone = Thrifty().start(boxes=4, dimension=2, feedback="full", seed=0)
    assert player.names == ["all", "Thrifty"]
    taken = 0
    for shown, values in some_rounds(120):
        done = walk(alone.rule(shown), shown, values)
        scores = player.score(shown, values)
        assert (scores.totals[1], scores.counts[1]) == (done.total, len(done.opened))
        taken += done.taken is not None
        # What it opens or takes is known, or it is not scored
        if done.opened or done.taken is not None:
            assert np.isnan(player.score(shown, np.full(len(values), np.nan)).totals[1])
        player.learn(shown, values)
        alone.learn(shown, values)
        np.testing.assert_array_equal(player.state()["panel1.seen"], alone.seen)
    assert taken > 10


@both_feedbacks
def test_a_portfolio_with_a_policy_of_ones_own_runs_in_a_searcher(feedback: str) -> None:
    contexts, costs, values = record(60)
    portfolio = wz.Portfolio(
        candidates=[*SIMPLE, Thrifty()], incumbent="Thrifty", prepare="contexts"
    )
    whole, parts = make(portfolio, feedback), make(portfolio, feedback)
    played = whole.play(contexts, costs, values, outside=0.5)
    assert np.isfinite(played.totals).all()
    for begin in range(0, 60, 20):
        now = slice(begin, begin + 20)
        parts.play(contexts[now], costs[now], values[now], outside=0.5)
    assert parts.digest() == whole.digest()
