"""Weitzman's rule over a learner: alone as in a portfolio, prepared as the preparation says, and probing."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.learn.rounds import revealed, seen_in, some_rounds
from tests.learn.test_searcher import record
from weitzman.feedback import Feedback
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.parts.optimism import KAPPA
from weitzman.learn.policies.weitzman import WeitzmanPlayer
from weitzman.learn.policy import walk
from weitzman.learn.preparation import Preparation, with_constant
from weitzman.learn.probing import Bought, probes
from weitzman.learn.record import Played, checked_record, play_record
from weitzman.learn.revealed import sigma_of
from weitzman.search.rule import STOP, Open, WeitzmanRule
from weitzman.search.state import RoundState

LEARNERS: dict[str, wz.Learner] = {
    "FTRL": wz.FTRL(intercept=False),
    "Ridge, shared": wz.Ridge(shared=True, intercept=False),
    "Residual": wz.Residual(memory=12, intercept=False),
    "Logistic": wz.Logistic(intercept=False),
}
every_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
both_feedbacks = pytest.mark.parametrize("feedback", ["full", "opened"])
as_it_is_or_not = pytest.mark.parametrize("prepare", ["nothing", "contexts"])


@every_learner
@both_feedbacks
@as_it_is_or_not
def test_alone_it_is_the_candidate_of_a_portfolio(
    learner: wz.Learner, feedback: Feedback, prepare: Any
) -> None:
    """The same reservation values, round after round, to the last bit."""
    policy = wz.Weitzman(learner, prepare=prepare)
    portfolio = wz.Portfolio(
        candidates=(wz.Simple("all"), policy), incumbent=policy.name, prepare="contexts"
    )
    alone = policy.start(boxes=4, dimension=2, feedback=feedback, seed=0)
    player = portfolio.start(boxes=4, dimension=2, feedback=feedback)
    assert player.names == ["all", policy.name]
    for shown, values in some_rounds(60):
        rule = alone.rule(shown)
        own, candidate = sigma_of(rule), sigma_of(player._candidates.rule(shown, 1))
        assert own is not None
        assert candidate is not None
        assert own.tobytes() == candidate.tobytes()
        done = walk(rule, shown, values)
        known = values if feedback == "full" else revealed(done.opened, values)
        alone.learn(shown, known)
        player.learn(shown, known)


@every_learner
@both_feedbacks
@as_it_is_or_not
def test_sigma_is_what_the_bank_predicts(
    learner: wz.Learner, feedback: Feedback, prepare: Any
) -> None:
    """Against a bank that is given [1, z] by hand; judged without optimism, played with it."""
    if isinstance(learner, wz.FTRL):
        # What it is left to the policy to choose is said
        learner = replace(learner, explore="between")
    policy = wz.Weitzman(learner, prepare=prepare)
    player: Any = policy.start(boxes=4, dimension=2, feedback=feedback, seed=0)
    bank, preparation = (
        learner.start(boxes=4, dimension=2 + (prepare == "contexts")),
        Preparation(2),
    )
    kappa = KAPPA if feedback == "opened" else 0.0
    members: Any = wz.Portfolio(candidates=(policy,), prepare="contexts").start(
        boxes=4, dimension=2, feedback=feedback
    )
    for shown, values in some_rounds(50):
        rows = with_constant(preparation.rows(shown)) if prepare == "contexts" else shown.contexts
        plain, lowered = (
            bank.predict(
                rows, shown.costs, shown.places, optimism=one, outside=float(shown.outside)
            )
            for one in (0.0, kappa)
        )
        rule = player.rule(shown)
        assert isinstance(rule, WeitzmanRule)
        np.testing.assert_array_equal(rule.sigma, lowered)
        judged = walk(WeitzmanRule(plain), shown, values)
        assert members.score(shown, values).totals[0] == judged.total
        known = revealed(walk(rule, shown, values).opened, values)
        known = values if feedback == "full" else known
        for one in (player, members):
            one.learn(shown, known)
        bank.update(shown.places, rows, known, shown.costs)
        preparation.add(shown)


@both_feedbacks
def test_prepared_contexts_have_no_units(feedback: str) -> None:
    """Powers of two leave the same bits, and so the same choices."""
    contexts, costs, values = record(80, gaps=False)
    one, other = (
        wz.Searcher(
            boxes=4,
            dimension=3,
            policy=wz.Weitzman(wz.FTRL(intercept=False), prepare="contexts"),
            feedback=feedback,  # type: ignore[arg-type]
        )
        for _ in range(2)
    )
    plain = one.play(contexts, costs, values, outside=1.0, predictions=True)
    scaled = other.play(
        contexts * [2.0**40, 2.0**-30, 1.0], costs, values, outside=1.0, predictions=True
    )
    np.testing.assert_array_equal(scaled.totals, plain.totals)
    assert plain.reservation_values is not None
    assert scaled.reservation_values is not None
    assert scaled.reservation_values.tobytes() == plain.reservation_values.tobytes()


def test_a_missing_feature_counts_as_zero_where_contexts_are_as_they_are() -> None:
    shown, values = some_rounds(1)[0]
    holed = shown.contexts.copy()
    holed[0, 1] = np.nan
    gaps, zero = shown._replace(contexts=holed, gaps=True), np.nan_to_num(holed)
    filled = shown._replace(contexts=zero)
    for policy in (wz.Weitzman(wz.FTRL(intercept=False)), wz.Aware(wz.FTRL(intercept=False))):
        one, other = (policy.start(boxes=4, dimension=2, feedback="full", seed=0) for _ in range(2))
        one.learn(gaps, values)
        other.learn(filled, values)
        ends = [seen_in(walk(p.rule(r), r, values)) for p, r in ((one, gaps), (other, filled))]
        assert ends[0] == ends[1]
        for name, array in one.state().items():
            assert array.tobytes() == other.state()[name].tobytes(), name


# Larger is better


@pytest.mark.parametrize("learner", [wz.FTRL, wz.Ridge, wz.NewtonStep])
@as_it_is_or_not
def test_a_prior_is_turned_where_larger_is_better(learner: Any, prepare: Any) -> None:
    prior = np.array([0.5, -1.0, 2.0, 0.25][: 3 + (prepare == "contexts")])
    policy = wz.Weitzman(learner(prior=prior), prepare=prepare)
    mirrored = wz.Weitzman(learner(prior=-prior), prepare=prepare)
    contexts, costs, values = record(40)
    large = wz.Searcher(boxes=4, dimension=3, policy=policy, feedback="full", sense="max")
    small = wz.Searcher(boxes=4, dimension=3, policy=mirrored, feedback="full")
    most = large.play(contexts, costs, values, outside=0.5)
    least = small.play(contexts, costs, -values, outside=-0.5)
    np.testing.assert_array_equal(most.totals, -least.totals)
    assert large.digest() == small.digest()
    # What it was given stays as it is: that is what is saved
    assert large.policy is policy
    loaded = wz.load(large.to_bytes())
    assert loaded.digest() == large.digest()
    x = np.nan_to_num(contexts[0])
    np.testing.assert_array_equal(
        loaded.reservation_values(x, costs[0]), large.reservation_values(x, costs[0])
    )


@pytest.mark.parametrize("prior", ["boxes", "agreed"])
def test_what_boxes_are_held_to_needs_no_turning(prior: Any) -> None:
    policy = wz.Weitzman(wz.FTRL(intercept=False, prior=prior))
    contexts, costs, values = record(40)
    large = wz.Searcher(boxes=4, dimension=3, policy=policy, feedback="full", sense="max")
    small = wz.Searcher(boxes=4, dimension=3, policy=policy, feedback="full")
    most = large.play(contexts, costs, values, outside=0.5)
    least = small.play(contexts, costs, -values, outside=-0.5)
    np.testing.assert_array_equal(most.totals, -least.totals)


def test_a_prior_is_turned_in_a_portfolio_too() -> None:
    prior = (0.5, -1.0, 2.0)
    contexts, costs, values = record(40)

    def played(weights: tuple[float, ...], sense: Any, sign: float) -> Played:
        candidates = (
            wz.Weitzman(wz.FTRL(prior=weights, intercept=False)),
            wz.Simple("all", prepare="contexts"),
        )
        policy = wz.Portfolio(candidates=candidates, incumbent="paper", prepare="contexts")
        searcher = wz.Searcher(boxes=4, dimension=3, policy=policy, feedback="full", sense=sense)
        return searcher.play(contexts, costs, sign * values, outside=sign * 0.5)

    most, least = played(prior, "max", 1.0), played(tuple(-w for w in prior), "min", -1.0)
    np.testing.assert_array_equal(most.totals, -least.totals)
    np.testing.assert_array_equal(most.chosen, least.chosen)


# Looks that are bought


def test_a_bought_look_comes_after_the_rule_has_stopped() -> None:
    rule = Bought(WeitzmanRule(np.array([1.0, 5.0, 0.0])), [0, 1])
    state = RoundState([1.0, 2.0, 4.0])
    said = []
    for value in (3.0, 0.5, 9.0):
        action = rule.next(state)
        assert rule.next(state) == action
        assert isinstance(action, Open)
        said.append(action.box)
        state.open(action.box)
        state.see(action.box, value)
    # Row 2, then row 0, which is bought too and paid once; then the rule stops, and row 1 is bought
    assert said == [2, 0, 1]
    assert rule.next(state) is STOP
    assert (state.paid, state.best, state.kept) == (7.0, 0.5, 0)
    np.testing.assert_array_equal(rule.state()["sigma"], [1.0, 5.0, 0.0])


@pytest.mark.parametrize("feedback", ["probe", "opened+probe"])
@pytest.mark.parametrize(
    "learner",
    [wz.FTRL(intercept=False), wz.Ridge(shared=True, intercept=False)],
    ids=["FTRL", "Ridge"],
)
@pytest.mark.parametrize("block", [1, 4])
@pytest.mark.parametrize("outside", [np.inf, 0.25])
def test_bought_looks_are_those_of_compiled_play(
    feedback: Feedback, learner: wz.Learner, block: int, outside: float
) -> None:
    """The rule of every round, followed in Python, is the compiled loop to the last bit."""
    contexts, costs, values = record(90)
    rounds = checked_record(
        4, 3, contexts=contexts, costs=costs, values=values, outside=np.array(outside)
    )
    policy = wz.Weitzman(learner, block=block)
    compiled, plain = (
        policy.player(boxes=4, dimension=3, feedback=feedback, seed=5) for _ in range(2)
    )
    assert isinstance(compiled.bank, CompiledBank)
    fast = compiled.play(rounds, first=17, predictions=True)
    slow = play_record(plain, rounds, feedback=feedback, first=17, predictions=True)
    for name in ("totals", "paid", "chosen", "opened_count", "reservation_values"):
        assert getattr(fast, name).tobytes() == getattr(slow, name).tobytes(), name
    assert compiled.bank.digest() == plain.bank.digest()


@pytest.mark.parametrize("feedback", ["probe", "opened+probe"])
@as_it_is_or_not
def test_what_is_bought_depends_on_the_number_of_the_round(
    feedback: Feedback, prepare: Any
) -> None:
    policy = wz.Weitzman(wz.FTRL(intercept=False), block=3, prepare=prepare)
    player = policy.start(boxes=4, dimension=2, feedback=feedback, seed=8)
    marks = probes(seed=8, block=3, first=0, rounds=12, boxes=4)
    for number, (shown, _) in enumerate(some_rounds(12)):
        rule = player.rule(shown._replace(number=number))
        assert isinstance(rule, Bought)
        bought = [int(shown.places[row]) for row in rule.rows]
        assert bought == [box for box in shown.places.tolist() if marks[number, box]]


@pytest.mark.parametrize("feedback", ["probe", "opened+probe"])
@as_it_is_or_not
def test_bought_looks_live_are_those_of_a_record(feedback: Any, prepare: Any) -> None:
    contexts, costs, values = record(40, gaps=False)
    policy = wz.Weitzman(wz.FTRL(intercept=False), block=3, prepare=prepare)
    live, whole = (
        wz.Searcher(boxes=4, dimension=3, policy=policy, feedback=feedback, rng=6) for _ in range(2)
    )
    played = whole.play(contexts, costs, values, outside=0.5)
    for t in range(40):
        search = live.open(contexts[t], costs[t], outside=0.5)
        for box in search:
            search.see(values[t, int(str(box))])
        outcome = search.close()
        assert (outcome.total, outcome.paid) == (played.totals[t], played.paid[t])
    assert live.digest() == whole.digest()
    assert wz.load(live.to_bytes()).digest() == live.digest()


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        (wz.Weitzman(wz.FTRL(intercept=False)), "paper"),
        (
            wz.Weitzman(wz.FTRL(shared=True, intercept=False), prepare="contexts"),
            "paper standardised",
        ),
        (wz.Weitzman(wz.Ridge(intercept=False)), "Ridge"),
        (wz.Weitzman(wz.Residual(intercept=False), prepare="contexts"), "Residual standardised"),
    ],
)
def test_names_are_those_of_the_learners(policy: wz.Weitzman, name: str) -> None:
    assert policy.name == name
    assert list(policy.family().names) == [name]


def test_a_searcher_over_a_learner_is_a_searcher_over_the_policy() -> None:
    short = wz.Searcher(boxes=2, dimension=1, learner=wz.Ridge(intercept=False), optimism=0.5)
    assert short.policy == wz.Weitzman(wz.Ridge(intercept=False), optimism=0.5)
    assert isinstance(short._player, WeitzmanPlayer)
    assert wz.Searcher(boxes=2, dimension=1, optimism=0.5).policy == wz.Weitzman(
        wz.FTRL(), optimism=0.5
    )
    assert wz.Searcher(boxes=2, dimension=1, feedback="probe", block=3).policy == wz.Weitzman(
        wz.FTRL(), block=3
    )
    assert wz.Searcher(boxes=2, dimension=1).policy == wz.default_policy()
