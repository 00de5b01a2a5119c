"""The simple rules do what their names say, and their models are what brute force finds."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.learn.rounds import seen_in, some_rounds
from weitzman.learn.models.empirical import NoContext, Sorted
from weitzman.learn.models.fixed_set import greedy_set
from weitzman.learn.models.history import History
from weitzman.learn.models.means import STRENGTHS, Means, ridge_path
from weitzman.learn.models.refits import Refits
from weitzman.learn.models.ridge import eigen
from weitzman.learn.policies.portfolio.portfolio import families_of
from weitzman.learn.policies.simple import RULES, SimpleFamily
from weitzman.learn.policy import Floats, Policy, Round, walk
from weitzman.learn.preparation import CLIP


def played(rule: str, rounds: list[tuple[Round, Floats]]) -> list[tuple[int, ...]]:
    """Return the boxes that a rule opens, round by round, in the numbers of all boxes."""
    player = wz.Simple(rule, prepare="contexts").start(boxes=4, dimension=2)
    opened = []
    for shown, values in rounds:
        walked = walk(player.rule(shown), shown, values)
        opened.append(tuple(int(shown.places[row]) for row in walked.opened))
        player.learn(shown, values)
    return opened


def cheapest(shown: Round) -> tuple[int, ...]:
    return (int(shown.places[np.argmin(shown.costs)]),)


def test_stay_keeps_the_outside_option_and_all_opens_everything() -> None:
    rounds = some_rounds(30)
    for (shown, _), none, every in zip(
        rounds, played("stay", rounds), played("all", rounds), strict=True
    ):
        assert none == (() if shown.outside < math.inf else cheapest(shown))
        assert sorted(every) == shown.places.tolist()


@pytest.mark.parametrize("rule", ["single", "one-shot"])
def test_rules_of_one_look_open_the_least_expected_total_or_stay(rule: str) -> None:
    rounds = some_rounds(60)
    history = History(boxes=4, dimension=2)
    means = Means(history)
    for t, ((shown, values), opened) in enumerate(zip(rounds, played(rule, rounds), strict=True)):
        if t:
            if rule == "single":
                known = [
                    history.values[:, p][~np.isnan(history.values[:, p])] for p in shown.places
                ]
                expected = np.array([k.mean() if len(k) else 0.0 for k in known])
            else:
                expected = means.predict(shown)
            totals = expected + shown.costs
            best = int(np.argmin(totals))
            stays = shown.outside <= totals[best]
            assert opened == (() if stays else (int(shown.places[best]),))
        history.add(shown, values)


@pytest.mark.parametrize("seed", range(8))
def test_the_greedy_set_is_near_the_best_of_all_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, costs = rng.normal(5.0, 2.0, size=(30, 4)), rng.uniform(0.1, 1.0, size=(30, 4))
    outside = np.full(30, 6.0)

    def mean(chosen: tuple[int, ...]) -> float:
        found = np.column_stack([outside, values[:, list(chosen)]]).min(axis=1)
        return float((found + costs[:, list(chosen)].sum(axis=1)).mean())

    chosen = tuple(np.flatnonzero(greedy_set(costs, values, outside)).tolist())
    # No box can be added with profit, and the first is the best single one
    assert all(mean((*chosen, box)) >= mean(chosen) for box in range(4) if box not in chosen)
    sets = [s for k in range(5) for s in itertools.combinations(range(4), k)]
    assert mean(chosen) <= min(mean(s) for s in sets if len(s) <= 1) + 1e-12
    assert mean(chosen) <= 1.05 * min(mean(s) for s in sets)


def test_absent_boxes_of_a_fixed_set_cost_nothing() -> None:
    values = np.array([[1.0, np.nan], [1.0, 0.0]])
    costs = np.array([[0.5, np.nan], [0.5, 0.1]])
    np.testing.assert_array_equal(greedy_set(costs, values, np.full(2, 3.0)), [True, True])
    assert not greedy_set(costs, np.full((2, 2), np.nan), np.full(2, np.inf)).any()


@pytest.mark.parametrize("cost", [0.0, 1e-3, 0.3, 2.0, 50.0])
@pytest.mark.parametrize("ties", [False, True])
def test_no_context_solves_the_empirical_distribution(cost: float, ties: bool) -> None:
    values = np.random.default_rng(0).exponential(size=51)
    values = np.round(values, 1) if ties else values
    other = np.array([7.0, np.nan, -1.0])
    laws = Sorted([other, np.full(2, np.nan), values])
    found, unseen = laws.reservation_values(np.array([2, 1]), np.array([cost, cost]))
    assert unseen == cost
    assert found == pytest.approx(wz.reservation_value(wz.Empirical(values), cost), abs=1e-9)


@pytest.mark.parametrize("shared", [False, True])
def test_no_context_sees_the_values_of_the_box_or_of_all(shared: bool) -> None:
    history = History(boxes=4, dimension=2, shared=shared)
    rounds = some_rounds(9)
    for shown, values in rounds[:8]:
        history.add(shown, values)
    shown = rounds[8][0]
    sigma = NoContext(history).predict(shown)
    for row, place in enumerate(shown.places):
        seen = history.values.ravel() if shared else history.values[:, place]
        law = wz.Empirical(seen[~np.isnan(seen)])
        assert sigma[row] == pytest.approx(wz.reservation_value(law, float(shown.costs[row])))


def test_ridge_is_the_minimiser_and_its_residuals_leave_one_out() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(12, 3)), rng.normal(size=12)

    def solve(x: Floats, y: Floats, strength: float) -> tuple[Floats, float]:
        z = x - x.mean(axis=0)
        w = np.linalg.solve(z.T @ z + strength * np.eye(3), z.T @ (y - y.mean()))
        return w, float(y.mean() - w @ x.mean(axis=0))

    slopes, levels, residuals = ridge_path(x, y)
    for k, strength in enumerate(STRENGTHS):
        w, level = solve(x, y, strength)
        np.testing.assert_allclose(slopes[k], w, atol=1e-10)
        assert levels[k] == pytest.approx(level)
        for out in range(12):
            rest = np.arange(12) != out
            w, level = solve(x[rest], y[rest], strength)
            assert residuals[k, out] == pytest.approx(y[out] - x[out] @ w - level, rel=1e-6)


def test_shared_means_are_one_model() -> None:
    history = History(boxes=4, dimension=2, shared=True)
    for shown, values in some_rounds(20):
        history.add(shown, values)
    fit = Means(history).fit()
    assert fit is not None
    assert (fit.slopes == fit.slopes[0]).all()
    assert np.isnan(fit.residuals[np.isnan(history.values[: len(fit.residuals)])]).all()


def test_contexts_are_standardised_without_looking_ahead() -> None:
    rounds = some_rounds(30)
    history = History(boxes=4, dimension=2)
    for t, (shown, values) in enumerate(rounds):
        rows = np.concatenate([r.contexts for r, _ in rounds[: t + 1]])
        deviation = np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1.0)
        expected = np.clip((shown.contexts - rows.mean(axis=0)) / deviation, -CLIP, CLIP)
        np.testing.assert_allclose(history.prepared(shown), expected, atol=1e-9)
        history.add(shown, values)
        np.testing.assert_allclose(history.contexts[t, shown.places], expected, atol=1e-9)


def test_refits_come_after_the_past_has_grown_by_a_factor() -> None:
    refits = Refits(1.1)
    points = sorted({refits.last(count) for count in range(1, 2000)})
    steps = list(itertools.pairwise(points))
    assert all(b == max(a + 1, math.ceil(1.1 * a)) for a, b in steps)
    assert refits.last(5) == 5


POLICIES: dict[str, Policy] = {
    **{rule: wz.Simple(rule, prepare="contexts") for rule in RULES},
    "paper": wz.Weitzman(wz.FTRL(intercept=False)),
    "ridge": wz.Weitzman(wz.Ridge(intercept=False)),
}
every_policy = pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)


@every_policy
def test_a_restored_player_goes_on_bit_for_bit(policy: Any) -> None:
    rounds = some_rounds(80)
    one, two = (policy.start(boxes=4, dimension=2) for _ in range(2))
    for shown, values in rounds[:45]:
        one.learn(shown, values)
    for shown, values in rounds[60:70]:
        two.learn(shown, values)
    two.restore(one.state())
    for shown, values in rounds[45:]:
        first, second = (seen_in(walk(p.rule(shown), shown, values)) for p in (one, two))
        assert first == second
        one.learn(shown, values)
        two.learn(shown, values)
    for a, b in zip(one.state().values(), two.state().values(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("policy", [None, *POLICIES.values()], ids=["all simple rules", *POLICIES])
def test_totals_are_what_the_rules_make(policy: Any) -> None:
    history = History(boxes=4, dimension=2)
    family = SimpleFamily() if policy is None else policy.family()
    members = family.start(history, seed=0)
    assert list(members.names) == (list(RULES) if policy is None else [policy.name])
    for shown, values in some_rounds(40):
        totals, counts = members.totals(shown, values)
        for number in range(len(members.names)):
            walked = walk(members.rule(shown, number), shown, values)
            assert (walked.total, len(walked.opened)) == (totals[number], counts[number])
        members.learn(shown, values)
        history.add(shown, values)


def test_simple_rules_of_a_portfolio_are_one_family() -> None:
    (family,) = families_of([wz.Simple(rule, prepare="contexts") for rule in RULES])
    assert list(family.names) == list(RULES)
    assert (
        len(
            families_of(
                [
                    wz.Simple("all", prepare="contexts"),
                    wz.Weitzman(wz.FTRL(intercept=False)),
                    wz.Simple("stay", prepare="contexts"),
                ]
            )
        )
        == 2
    )


def test_what_is_refused() -> None:
    wrong: Any
    for wrong in (("no",), ("all", "all")):
        with pytest.raises(wz.InvalidInputError, match="simple rules"):
            SimpleFamily(wrong).start(History(boxes=2, dimension=1), seed=0)
    for wrong in ("singel", None, 3, ["all"]):
        with pytest.raises(wz.InvalidInputError, match=r"The simple rule must be one of \['stay'"):
            wz.Simple(wrong)
    with pytest.raises(wz.InvalidInputError, match="state of a history"):
        History(boxes=2, dimension=1).restore(History(boxes=3, dimension=1).state())


@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_eigenvectors_turn_a_matrix_into_its_eigenvalues(size: int) -> None:
    rng = np.random.default_rng(size)
    half = rng.normal(size=(size, max(1, size - 2)))
    matrix = half @ half.T
    values, vectors = matrix.copy(), np.empty((size, size))
    eigen(values, vectors)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(size), atol=1e-12)
    found = vectors.T @ matrix @ vectors
    np.testing.assert_allclose(found, np.diag(np.diag(values)), atol=1e-11 * np.trace(matrix))
    np.testing.assert_allclose(np.sort(np.diag(values)), np.linalg.eigvalsh(matrix), atol=1e-10)
