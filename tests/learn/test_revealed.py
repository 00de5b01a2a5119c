"""Feedback ``chosen`` and ``total``: what is known of closed and open boxes, and what is learned from it."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from tests.learn.test_searcher import columns, live_round, record
from weitzman.feedback import Feedback
from weitzman.learn.bank_input import hash_of
from weitzman.learn.checks.policy import CHECKS
from weitzman.learn.learners.rivals.optimistic_law import Mass
from weitzman.learn.policy import Policy
from weitzman.learn.revealed import bounds_of, revealed
from weitzman.search.rule import WeitzmanRule, follow
from weitzman.search.state import RoundState

GRID = (0.0, 1.0, 2.0, 3.0)
CHOSEN: dict[str, Policy] = {
    "ftrl": wz.Weitzman(wz.FTRL()),
    "ftrl-given": wz.Weitzman(wz.FTRL(intercept=False)),
    "ftrl standardised": wz.Weitzman(wz.FTRL(), prepare="contexts"),
    "linearised": wz.Weitzman(wz.LinearisedFTRL(intercept=False)),
    "newton": wz.Weitzman(wz.NewtonStep(intercept=False)),
    "law": wz.Weitzman(wz.OptimisticLaw()),
    "law, shared": wz.Weitzman(wz.OptimisticLaw(mass="none", shared=True)),
    "explore then commit": wz.ExploreThenCommit(),
}
BOTH: list[tuple[Policy, Feedback]] = [
    *((policy, "chosen") for policy in CHOSEN.values()),
    (wz.ExploreThenCommit(), "total"),
    (wz.ExploreThenCommit(horizon=30), "total"),
]
NAMES = [f"{name}, chosen" for name in CHOSEN] + ["doubled, total", "horizon, total"]
bounded = pytest.mark.parametrize(("policy", "feedback"), BOTH, ids=NAMES)


def searched(sigma: Any, values: Any, outside: float) -> RoundState:
    costs = [0.5] * len(values)
    return follow(WeitzmanRule(np.array(sigma)), RoundState(costs, outside), values)


@pytest.mark.parametrize("outside", [math.inf, 0.0, 1.0, 2.5])
def test_what_is_seen_is_exactly_that_values_are_above_their_bounds(outside: float) -> None:
    """All 64 rounds of three boxes, for 80 rules: the rounds that look alike are those of the bounds."""
    checked = 0
    for sigma in itertools.product(
        (-0.5, 1.0, 1.5, 2.0, math.inf), (0.5, 1.0, 2.5, 3.5), (0.5, 1.0, 1.5, 2.0)
    ):
        rule = WeitzmanRule(np.array(sigma))
        alike: dict[Any, set[tuple[float, ...]]] = {}
        for values in itertools.product(GRID, repeat=3):
            done = searched(sigma, values, outside)
            if done.best < math.inf:
                alike.setdefault((tuple(done.opened), done.kept, done.best), set()).add(values)
        for (opened, kept, _), found in alike.items():
            for values in found:
                done = searched(sigma, values, outside)
                bounds = bounds_of(rule, done, "chosen")
                said = revealed(rule, done, np.array(values), "chosen")
                assert np.flatnonzero(~np.isnan(said)).tolist() == [] if kept is None else [kept]
                allowed = [
                    [values[row]]
                    if row == kept
                    else [v for v in GRID if row not in opened or v > bounds[row]]
                    for row in range(3)
                ]
                assert set(itertools.product(*allowed)) == found
                checked += 1
    assert checked > 1000


def test_a_bound_is_where_the_box_would_have_been_kept_and_not_below_its_own_sigma() -> None:
    """Continuous values: with all else as it is, box l is kept exactly if its value is below its bound."""
    rng, hidden = np.random.default_rng(0), 0
    for _ in range(400):
        sigma, values = rng.normal(size=4), rng.normal(size=4)
        outside = math.inf if rng.uniform() < 0.5 else float(rng.normal())
        done = searched(sigma, values, outside)
        if done.best == math.inf:
            continue
        bounds = bounds_of(WeitzmanRule(sigma), done, "chosen")
        for row in done.opened:
            if row == done.kept:
                assert math.isnan(bounds[row])
                continue
            hidden += 1
            assert sigma[row] <= bounds[row] < values[row]
            for apart in (-1.0, -1e-3, -1e-9, 1e-9, 1e-3, 1.0):
                other = values.copy()
                other[row] = bounds[row] + apart
                assert (searched(sigma, other, outside).kept == row) == (apart < 0.0)
    assert hidden > 200


def test_a_value_that_came_late_did_not_let_the_search_go_on() -> None:
    rule, state = WeitzmanRule(np.array([0.0, 5.0, 9.0])), RoundState([1.0] * 3)
    state.open(0)
    state.miss()
    state.open(1)
    state.see(0, 4.0)
    state.see(1, 3.0)
    # The second box was opened at 5 without the 4, which is above the 3 that was kept and no more
    assert 2.99 < bounds_of(rule, state, "chosen")[0] < 3.0


def test_in_another_order_than_the_rule_s_only_the_kept_value_bounds() -> None:
    state = follow(WeitzmanRule(np.array([1.0, 2.0, 9.0])), RoundState([1.0] * 3), [7.0, 1.5, 0.0])
    assert bounds_of(WeitzmanRule(np.array([1.0, 2.0, 9.0])), state, "chosen")[0] == 2.0
    assert bounds_of(WeitzmanRule(np.array([3.0, 2.0, 9.0])), state, "chosen")[0] == 1.5


def test_a_total_is_a_value_only_where_one_box_is_opened_whatever_it_holds() -> None:
    alone = WeitzmanRule(np.array([math.inf, -math.inf]))
    state = follow(alone, RoundState([1.0, 1.0], 5.0), [2.0, 3.0])
    assert revealed(alone, state, np.array([2.0, 3.0]), "total").tolist()[1] == 3.0
    beaten = follow(alone, RoundState([1.0, 1.0], 2.5), [2.0, 3.0])
    assert np.isnan(revealed(alone, beaten, np.array([2.0, 3.0]), "total")).all()
    assert bounds_of(alone, beaten, "total")[1] == math.nextafter(2.5, 0.0)
    # Stopped after one box, because of what it held
    rule = WeitzmanRule(np.array([4.0, 1.0]))
    stopped = follow(rule, RoundState([1.0, 1.0], 5.0), [2.0, 3.0])
    assert stopped.opened == [1]
    for found in (
        revealed(rule, stopped, np.array([2.0, 3.0]), "total"),
        bounds_of(rule, stopped, "total"),
    ):
        assert np.isnan(found).all()


@bounded
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_keeps_the_contract(
    policy: Policy, feedback: Feedback, check: Callable[[Policy, Feedback], None]
) -> None:
    check(policy, feedback)


@bounded
@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("outside", [None, 0.25])
def test_play_is_the_rounds_one_by_one_also_after_a_restart(
    policy: Policy, feedback: Feedback, sense: Any, outside: float | None
) -> None:
    contexts, costs, values = record(40)
    given: dict[str, Any] = {"boxes": 4, "dimension": 3, "feedback": feedback, "sense": sense}
    whole, single = (wz.Searcher(policy=policy, **given) for _ in range(2))
    played = whole.play(contexts, costs, values, outside=outside)
    rounds = []
    for t, row in enumerate(zip(contexts, costs, values, strict=True)):
        if t == 23:
            single = wz.load(single.to_bytes())
        rounds.append(live_round(single, *row, outside))
    assert columns(played) == tuple(list(column) for column in zip(*rounds, strict=True))
    assert whole.digest() == single.digest()
    assert single.feedback == feedback


@pytest.mark.parametrize("policy", CHOSEN.values(), ids=CHOSEN)
def test_what_was_opened_and_not_kept_leaves_no_trace(policy: Policy) -> None:
    """The values that were not kept are others, and the search is the same: so is all that is learned."""
    rng = np.random.default_rng(5)
    one, other = (
        wz.Searcher(boxes=4, dimension=2, policy=policy, feedback="chosen") for _ in range(2)
    )
    changed = 0
    for _ in range(60):
        contexts, values = rng.normal(size=(4, 2)), rng.normal(size=4) + 3.0
        searches = [searcher.open(contexts, 0.1) for searcher in (one, other)]
        for box in searches[0]:
            searches[0].see(values[int(str(box))])
        kept = searches[0].close().kept[0]
        for box in searches[1]:
            row = int(str(box))
            away = 0.0 if row == kept else 100.0
            changed += away > 0.0
            searches[1].see(values[row] + away)
        assert searches[1].close().kept[0] == kept
        assert one.digest() == other.digest()
    assert changed > 20


def test_tangents_lose_nothing_when_only_the_kept_value_is_seen() -> None:
    """Without optimism the gradient is known at the σ that was played: the same weights, bit for bit."""
    rng = np.random.default_rng(1)
    contexts, noise = rng.uniform(size=(400, 5, 3)), rng.exponential(size=(400, 5))
    values = contexts @ np.array([1.0, 2.0, 0.5]) + noise
    learner = wz.LinearisedFTRL(eta=0.05, intercept=False)
    banks, totals = [], []
    for feedback in ("opened", "chosen"):
        policy = wz.Weitzman(learner, optimism=0.0, prepare="nothing")
        searcher = wz.Searcher(boxes=5, dimension=3, policy=policy, feedback=feedback)
        totals.append(searcher.play(contexts, 0.2, values).totals)
        banks.append(searcher._player.bank.weights())
    np.testing.assert_array_equal(totals[0], totals[1])
    np.testing.assert_array_equal(banks[0], banks[1])
    assert np.abs(banks[0]).min() > 0.1


@pytest.mark.parametrize("mass", ["none", "uniform", "bernstein"])
def test_a_law_without_bounds_is_the_optimistic_law(mass: Mass) -> None:
    learner, rng = wz.OptimisticLaw(mass=mass, horizon=200), np.random.default_rng(2)
    exact, censored = (
        learner.start(boxes=2, dimension=1),
        learner.start_bounded(boxes=2, dimension=1),
    )
    x = np.ones((2, 1))
    for _ in range(45):
        values = np.round(rng.normal(size=2), 1)
        for bank in (exact, censored):
            bank.update([0, 1], x, values, 0.3)
        for cost in (0.0, 0.01, 0.3, 5.0):
            np.testing.assert_allclose(
                censored.predict(x, cost), exact.predict(x, cost), atol=1e-12
            )


def _laws(rounds: int) -> tuple[Any, list[Any], np.ndarray[Any, Any], list[np.ndarray[Any, Any]]]:
    laws = [scipy.stats.expon(), scipy.stats.norm(1.0, 0.5), scipy.stats.uniform(0.0, 2.0)]
    rng = np.random.default_rng(0)
    values = np.stack([law.rvs(size=rounds, random_state=rng) for law in laws], axis=1)
    learner = wz.OptimisticLaw()
    searcher = wz.Searcher(boxes=3, dimension=1, learner=learner, feedback="chosen")
    played = searcher.play(np.ones((rounds, 3, 1)), 0.05, values)
    kept = [values[played.chosen == box, box] for box in range(3)]
    return searcher._player.bank, laws, values, kept


@pytest.mark.parametrize(
    ("rounds", "close"), [(20_000, 0.03), pytest.param(200_000, 0.01, marks=pytest.mark.slow)]
)
def test_laws_come_back_from_kept_values_alone(rounds: int, close: float) -> None:
    """At five quantiles each; the law of the kept values alone is far off."""
    bank, laws, _, kept = _laws(rounds)
    for box, law in enumerate(laws):
        points = law.ppf([0.05, 0.1, 0.25, 0.5, 0.75])
        assert np.abs(bank.law(box).cdf(points) - law.cdf(points)).max() < close
        naive = np.array([(kept[box] <= point).mean() for point in points])
        assert np.abs(naive - law.cdf(points)).max() > 0.15
        assert bank.predict(np.ones((3, 1)), 0.05)[box] == pytest.approx(
            wz.reservation_value(law, 0.05), abs=5.0 * close
        )


def test_explore_then_commit_is_its_description() -> None:
    """Every box alone N times, then the rule at the empirical laws; later rounds change nothing."""
    rng, rounds, cost = np.random.default_rng(3), 216, 0.1
    values = rng.normal([1.0, 1.2, 0.9], [0.1, 1.0, 0.4], size=(rounds, 3))
    each = math.ceil(3 ** (-1 / 3) * rounds ** (2 / 3))
    searcher = wz.Searcher(
        boxes=3, dimension=1, feedback="total", policy=wz.ExploreThenCommit(horizon=rounds)
    )
    played = searcher.play(np.ones((rounds, 3, 1)), cost, values)
    first = 3 * each
    assert (played.opened_count[:first] == 1).all()
    assert np.bincount(played.chosen[:first]).tolist() == [each] * 3
    sigma = []
    for box in range(3):
        seen = values[:first][played.chosen[:first] == box, box]
        sigma.append(wz.reservation_value(wz.Empirical(seen), cost))
    for t in range(first, rounds):
        done = searched(sigma, values[t], math.inf)
        assert (len(done.opened), done.kept) == (played.opened_count[t], played.chosen[t])
        assert played.totals[t] == pytest.approx(done.best + cost * len(done.opened))
    assert wz.Searcher(boxes=3, dimension=1, feedback="total").policy == wz.ExploreThenCommit()


def test_values_beyond_an_outside_option_are_bounds_for_explore_then_commit() -> None:
    searcher = wz.Searcher(boxes=1, dimension=1, feedback="total")
    for value in (1.0, 4.0):
        search = searcher.open([[1.0]], 0.5, outside=3.0)
        for _ in search:
            search.see(value)
        search.close()
    law = searcher._player._bank.law(0)
    assert law.values.tolist() == [1.0, math.nextafter(3.0, 0.0)]


@pytest.mark.parametrize("feedback", ["chosen", "total"])
@pytest.mark.parametrize(
    "decides",
    [
        {"policy": "default"},
        {"policy": "aware"},
        {"policy": "one-shot"},
        {"policy": "ski-rental"},
        {"policy": wz.Joint("linear", "index")},
        {"learner": wz.Ridge()},
        {"learner": wz.Thompson()},
        {"learner": wz.FTRL(), "explore": 0.1},
        {"policy": wz.Exploring(wz.Weitzman(wz.FTRL()), share=0.1)},
    ],
    ids=str,
)
def test_what_cannot_learn_from_bounds_is_refused(feedback: Any, decides: Any) -> None:
    with pytest.raises(wz.InvalidInputError, match="The feedback must be"):
        wz.Searcher(boxes=2, dimension=1, feedback=feedback, **decides)


def test_a_learner_is_refused_under_totals_and_values_at_the_end_of_a_round() -> None:
    with pytest.raises(wz.InvalidInputError, match="ExploreThenCommit"):
        wz.Searcher(boxes=2, dimension=1, feedback="total", learner=wz.FTRL())
    searcher = wz.Searcher(boxes=2, dimension=1, feedback="chosen")
    assert searcher.policy == wz.Weitzman(wz.FTRL())
    search = searcher.open([[1.0], [1.0]], 0.1, outside=9.0)
    boxes = [next(search)]
    search.miss()
    for box in search:
        boxes.append(box)
        search.see(1.0)
    with pytest.raises(wz.InvalidInputError, match="only under feedback 'full'"):
        search.close(values={0: 1.0})
    search.close()
    with pytest.raises(wz.SearchStateError, match="not part of the feedback"):
        search.late(boxes[0], 0.5)


def test_the_hash_of_a_state_knows_bounds_from_values() -> None:
    banks = [wz.OptimisticLaw().start_bounded(boxes=1, dimension=1) for _ in range(2)]
    nothing, one = np.array([np.nan]), np.array([1.0])
    for bank, (values, bounds) in zip(banks, [(one, nothing), (nothing, one)], strict=True):
        bank.update_bounded(
            boxes=np.array([0]), contexts=np.ones((1, 1)), values=values, bounds=bounds, costs=one
        )
    assert hash_of(banks[0].state()) != hash_of(banks[1].state())
