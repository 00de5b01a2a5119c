"""Logistic regression: its fit against an optimiser, its σ against the law it stands for."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

import weitzman as wz
from weitzman.learn.learners.parts.logistic_steps import FITTED, SEEN

Array = NDArray[np.float64]


def draw(
    count: int, dimension: int = 3, seed: int = 0, levels: tuple[float, float] = (0.0, 20.0)
) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(count, dimension))
    success = rng.uniform(size=count) < expit(contexts @ np.linspace(-1.0, 2.0, dimension))
    return contexts, np.where(success, *levels)


def fitted(contexts: Array, shares: Array, ridge: float) -> Array:
    """The minimiser of the same objective by scipy, from another start and without its Hessian."""

    def objective(w: Array) -> tuple[float, Array]:
        z = contexts @ w
        value = np.logaddexp(0.0, z).sum() - shares @ z + 0.5 * ridge * w @ w
        return float(value), contexts.T @ (expit(z) - shares) + ridge * w

    start = np.full(contexts.shape[1], 0.1)
    found = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-9})
    return np.asarray(found.x)


def chance(bank: wz.Bank, context: Array, good: float, bad: float) -> float:
    """The p that a prediction at a cost beyond all worth stands for: σ − c = p g + (1 − p) b."""
    mean = float(bank.predict([context], 1e6, [0])[0]) - 1e6
    return (bad - mean) / (bad - good)


@pytest.mark.parametrize("eta", ["auto", 0.5, 1e3])
@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_the_weights_are_the_minimiser_at_the_counts_of_the_schedule(
    eta: object, count: int
) -> None:
    contexts, values = draw(200)
    bank = wz.Logistic(eta=eta, intercept=False).start(boxes=1, dimension=3)  # type: ignore[arg-type]
    exact = 0
    for k in range(200):
        bank.update([0], contexts[[k]], values[[k]], 1.0)
        counts = bank.state()["model.counts"][0]
        if counts[SEEN] != counts[FITTED] or len(set(values[: k + 1])) < 2 or k < count:
            continue
        exact += 1
        seen = contexts[: k + 1]
        ridge = 0.25 * np.mean(np.sum(seen**2, axis=1)) if eta == "auto" else 1.0 / float(str(eta))
        expected = fitted(seen, (values[: k + 1] == 0.0).astype(float), ridge)
        assert np.allclose(bank.state()["model.weights"][0], expected, rtol=1e-5, atol=1e-6)
    assert exact >= 5


def test_between_exact_fits_the_weights_stay_near_the_minimiser() -> None:
    contexts, values = draw(400)
    bank = wz.Logistic(intercept=False).start(boxes=1, dimension=3)
    apart, moved = [], []
    for k in range(400):
        bank.update([0], contexts[[k]], values[[k]], 1.0)
        if (
            k >= 50
            and bank.state()["model.counts"][0, SEEN] != bank.state()["model.counts"][0, FITTED]
        ):
            ridge = float(bank.state()["model.reals"][0, 4])
            best = fitted(contexts[: k + 1], (values[: k + 1] == 0.0).astype(float), ridge)
            apart.append(np.linalg.norm(bank.state()["model.weights"][0] - best))
            moved.append(np.linalg.norm(best))
    assert np.mean(apart) < 0.01 * np.mean(moved)


@pytest.mark.parametrize(("good", "bad"), [(0.0, 20.0), (-3.0, 1.5)])
def test_sigma_is_the_reservation_value_of_the_two_point_law(good: float, bad: float) -> None:
    contexts, values = draw(60, levels=(good, bad))
    bank = wz.Logistic(intercept=False).start(boxes=1, dimension=3)
    for x, v in zip(contexts, values, strict=True):
        bank.update([0], [x], [v], 1.0)
    sides = set()
    for x, cost in itertools.product(contexts[:20], [1e-3, 0.3, 1.0, 2.0, 5.0, 30.0]):
        p = chance(bank, x, good, bad)
        law = wz.Discrete([good, bad], [p, 1.0 - p])
        sigma = float(bank.predict([x], cost)[0])
        assert sigma == pytest.approx(wz.reservation_value(law, cost), rel=1e-8, abs=1e-8)
        sides.add(cost <= p * (bad - good))
    assert sides == {True, False}


def test_a_look_for_free_is_worth_the_good_level() -> None:
    contexts, values = draw(30)
    bank = wz.Logistic(intercept=False).start(boxes=1, dimension=3)
    bank.update([0], contexts[:1], values[:1], 1.0)
    for x, v in zip(contexts, values, strict=True):
        bank.update([0], [x], [v], 1.0)
    assert bank.predict(contexts[:1], 0.0)[0] == 0.0


def test_before_there_are_two_levels_sigma_is_the_value_seen_and_the_cost() -> None:
    bank = wz.Logistic(intercept=False).start(boxes=2, dimension=1)
    assert bank.predict([[1.0], [1.0]], 0.5).tolist() == [0.5, 0.5]
    bank.update([0], [[1.0]], [7.0], 0.5)
    assert bank.predict([[1.0], [1.0]], 0.5).tolist() == [7.5, 7.5]


def test_a_box_with_one_level_takes_the_levels_of_all() -> None:
    bank = wz.Logistic(eta=1.0, intercept=False).start(boxes=2, dimension=1)
    for _ in range(3):
        bank.update([0], [[1.0]], [20.0], 0.5)
    bank.update([1], [[1.0]], [0.0], 0.5)
    w = fitted(np.ones((3, 1)), np.zeros(3), 1.0)
    assert chance(bank, np.ones(1), 0.0, 20.0) == pytest.approx(float(expit(w[0])), rel=1e-6)


def test_boxes_have_levels_of_their_own() -> None:
    bank = wz.Logistic(eta=1.0, intercept=False).start(boxes=2, dimension=1)
    for low, high in ((0.0, 1.0), (0.0, 1.0), (0.0, 1.0)):
        bank.update([0, 1], [[1.0], [1.0]], [low, 10.0 + low], 0.1)
        bank.update([0, 1], [[1.0], [1.0]], [high, 10.0 + high], 0.1)
    one, other = bank.predict([[1.0], [1.0]], 0.1)
    assert other == pytest.approx(10.0 + one, rel=1e-12)


def test_a_third_level_is_a_share_of_a_success_and_sigma_a_lower_bound() -> None:
    rng = np.random.default_rng(1)
    values = rng.choice([0.0, 4.0, 10.0], size=400)
    bank = wz.Logistic(eta=1e6, intercept=False).start(boxes=1, dimension=1)
    for v in values:
        bank.update([0], [[1.0]], [v], 0.5)
    assert chance(bank, np.ones(1), 0.0, 10.0) == pytest.approx(
        1.0 - values.mean() / 10.0, abs=2e-3
    )
    for cost in (0.1, 0.5, 1.0, 2.0, 8.0):
        own = wz.reservation_value(wz.Empirical(values), cost)
        assert float(bank.predict([[1.0]], cost)[0]) <= own + 0.05


def test_a_new_extreme_changes_the_shares_of_all_earlier_values() -> None:
    contexts, values = draw(31)
    bank = wz.Logistic(eta=1.0, intercept=False).start(boxes=1, dimension=3)
    for x, v in zip(contexts[:30], values[:30], strict=True):
        bank.update([0], [x], [v], 1.0)
    bank.update([0], contexts[[30]], [-20.0], 1.0)
    all_values = np.append(values[:30], -20.0)
    expected = fitted(contexts, (20.0 - all_values) / 40.0, 1.0)
    assert np.allclose(bank.state()["model.weights"][0], expected, rtol=1e-5, atol=1e-6)


def test_levels_turn_with_the_sense() -> None:
    contexts, values = draw(50)
    rounds = contexts[:, None, :]
    low = wz.Searcher(boxes=1, dimension=3, learner=wz.Logistic(intercept=False), feedback="full")
    high = wz.Searcher(
        boxes=1, dimension=3, learner=wz.Logistic(intercept=False), feedback="full", sense="max"
    )
    a = low.play(rounds, 8.0, values[:, None], outside=20.0)
    b = high.play(rounds, 8.0, -values[:, None], outside=-20.0)
    assert np.array_equal(a.totals, -b.totals)
    assert (a.opened_count == 0).any()
    assert (a.opened_count == 1).any()


def test_it_is_better_than_linear_where_values_have_two_levels() -> None:
    """One box, stay or look: a saturating chance is no linear function."""
    rng = np.random.default_rng(5)
    contexts = rng.normal(size=(3000, 1, 2))
    p = expit(4.0 * contexts[:, 0, 0] - 2.0)
    values = np.where(rng.uniform(size=3000) < p, 0.0, 10.0)[:, None]
    totals = {}
    for learner in (wz.Logistic(intercept=True), wz.FTRL(intercept=True)):
        searcher = wz.Searcher(boxes=1, dimension=2, learner=learner, feedback="full")
        played = searcher.play(contexts, 2.0, values, outside=10.0)
        totals[type(learner).__name__] = played.totals
    best = np.where(p * 10.0 > 2.0, values[:, 0] + 2.0, 10.0)
    regret = {name: float((found - best).mean()) for name, found in totals.items()}
    assert regret["Logistic"] < 0.5 * regret["FTRL"]


@pytest.mark.parametrize("eta", ["theorem", 0.0, -1.0, np.inf])
def test_a_wrong_eta_is_refused(eta: object) -> None:
    with pytest.raises(wz.InvalidInputError, match="eta"):
        wz.Logistic(eta=eta, intercept=False).start(boxes=1, dimension=1)  # type: ignore[arg-type]


def test_the_state_of_another_eta_is_refused() -> None:
    one, other = (
        wz.Logistic(eta=eta, intercept=False).start(boxes=1, dimension=1) for eta in (1.0, 2.0)
    )
    with pytest.raises(wz.InvalidInputError, match="same learner"):
        other.restore(one.state())
