"""FTRL against an independent full solve."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.learn.orders import ORDERS, signed
from tests.learn.reference import Problem
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.exact.points import NOW, PENALTY, RIDGE
from weitzman.learn.learners.ftrl import FTRL

Array = NDArray[np.float64]


def problem_of(bank: CompiledBank, seen: tuple[Array, Array, Array], **more: object) -> Problem:
    contexts, values, costs = seen
    size = contexts.shape[1]
    parts = {"weights": np.ones(len(values)), "prior": np.zeros(size)} | more
    ridge = float(bank.arrays.reals[0, RIDGE])
    return Problem(contexts=contexts, values=values, costs=costs, ridge=ridge, **parts)  # type: ignore[arg-type]


def follow(spec: FTRL, order: str, rounds: int, checked: set[int]) -> None:
    contexts, values, costs = ORDERS[order](np.random.default_rng(5), rounds)
    bank = spec.start(boxes=1, dimension=contexts.shape[1])
    expected = np.zeros(contexts.shape[1])
    for t in range(rounds):
        now = slice(t, t + 1)
        bank.update([0], contexts[now], values[now], costs[now])
        if t in checked:
            seen = slice(t + 1)
            problem = problem_of(bank, (contexts[seen], values[seen], costs[seen]))
            expected = problem.solve(expected)
            assert_same(problem, bank.arrays.weights[0], expected)


def assert_same(problem: Problem, weights: Array, expected: Array) -> None:
    least = problem.objective(expected)
    assert problem.objective(weights) - least <= 1e-9 * abs(least)
    predictions = problem.contexts @ expected
    spread = max(np.ptp(predictions), np.abs(predictions).max() if len(predictions) < 5 else 0.0)
    assert np.abs(problem.contexts @ weights - predictions).max() <= 1e-8 * spread
    on = problem.contexts[problem.residuals(expected) > 0]
    hessian = on.T @ on + problem.ridge * np.eye(len(expected))
    if np.linalg.cond(hessian) < 1e4:
        assert np.linalg.norm(weights - expected) <= 1e-9 * np.linalg.norm(expected)


SOME = set(range(30)) | set(range(30, 1000, 97)) | {999}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("eta", ["auto", 1.0])
def test_equals_a_full_solve(order: str, eta: float) -> None:
    follow(FTRL(eta=eta, intercept=False), order, 1000, SOME)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("eta", ["auto", 1.0, 1e6])
def test_equals_a_full_solve_in_every_round(order: str, eta: float) -> None:
    follow(FTRL(eta=eta, intercept=False), order, 3000, set(range(3000)))


@pytest.mark.parametrize("eta", [1e-6, 1e6])
def test_equals_a_full_solve_at_extreme_eta(eta: float) -> None:
    follow(FTRL(eta=eta, intercept=False), "signed", 300, SOME)


@pytest.mark.parametrize(
    ("order", "eta"),
    [
        ("jumping", 1e6),
        ("jumping", 1e12),
        ("large", 1e6),
        ("scales_of_features", 1e6),
        ("scales_of_features", 1e12),
        ("orthant", 1e12),
    ],
)
def test_equals_a_full_solve_where_the_inverse_is_lost(order: str, eta: float) -> None:
    """Few points and hardly a ridge: the matrix is singular to rounding.

    The first steps lead astray, so that the iteration begins again by conjugate gradients; in jumping
    points flip for more than four iterations on end.
    """
    follow(FTRL(eta=eta, intercept=False), order, 150, set(range(30)))


@pytest.mark.parametrize("forget", [1.0, 0.97, 0.8])
@pytest.mark.parametrize("window", [None, 1, 25])
def test_forgets_as_by_brute_force(forget: float, window: int | None) -> None:
    contexts, values, costs = signed(np.random.default_rng(2), 400)
    values[200:] += 10.0
    prior = np.array([1.0, -1.0, 0.0, 2.0, 0.5])
    spec = FTRL(forget=forget, window=window, eta=3.0, prior=prior, intercept=False)
    bank = spec.start(boxes=1, dimension=5)
    expected = prior.copy()
    for t in range(400):
        now = slice(t, t + 1)
        bank.update([0], contexts[now], values[now], costs[now])
        if t % 13 == 0:
            seen = slice(0 if window is None else max(0, t + 1 - window), t + 1)
            weights = forget ** np.arange(t, -1, -1.0)[seen]
            data = (contexts[seen], values[seen], costs[seen])
            problem = problem_of(bank, data, weights=weights, prior=prior)
            expected = problem.solve(expected)
            assert np.linalg.norm(bank.arrays.weights[0] - expected) <= 1e-10


@pytest.mark.parametrize("order", ["signed", "ascending", "alternating", "jumping", "repeated"])
def test_stays_in_the_ball(order: str) -> None:
    contexts, values, costs = ORDERS[order](np.random.default_rng(3), 400)
    radius, met = 1.5, 0
    bank = FTRL(radius=radius, eta=10.0, intercept=False).start(boxes=1, dimension=5)
    for t in range(400):
        now, seen = slice(t, t + 1), slice(t + 1)
        bank.update([0], contexts[now], values[now], costs[now])
        problem = problem_of(bank, (contexts[seen], values[seen], costs[seen]))
        weights, penalty = bank.arrays.weights[0], bank.arrays.reals[0, PENALTY]
        length = np.linalg.norm(weights)
        gradient = np.asarray(problem.gradient(weights), dtype=np.float64)
        terms = np.abs(contexts[seen]).T @ (np.abs(values[seen]) + costs[seen]) + 1.0
        assert length <= radius * (1 + 1e-12)
        assert penalty >= 0.0
        assert penalty * (radius - length) <= 1e-9 * np.max(terms)
        assert np.abs((gradient + penalty * weights) / terms).max() <= 1e-9
        met += penalty > 0.0
    assert met > 20


def test_the_ball_gives_the_minimiser_of_a_bisection() -> None:
    contexts, values, costs = ORDERS["signed"](np.random.default_rng(3), 60)
    bank = FTRL(radius=1.5, eta=10.0, intercept=False).start(boxes=1, dimension=5)
    for t in range(60):
        bank.update([0], contexts[t : t + 1], values[t : t + 1], costs[t : t + 1])
    problem = problem_of(bank, (contexts, values, costs), radius=1.5)
    expected, _ = problem.solve_in_ball(np.zeros(5))
    assert np.linalg.norm(bank.arrays.weights[0] - expected) <= 1e-9


def test_intercept_and_shared_weights_are_one_problem() -> None:
    rng = np.random.default_rng(4)
    contexts, values, costs = signed(rng, 300)
    bank = FTRL(eta=2.0, intercept=True, shared=True).start(boxes=3, dimension=5)
    for t in range(0, 300, 3):
        rows = slice(t, t + 3)
        bank.update([2, 0, 1], contexts[rows], values[rows] + 5.0, costs[rows])
    extended = np.hstack([contexts, np.ones((300, 1))])
    problem = problem_of(bank, (extended, values + 5.0, costs))
    assert_same(problem, bank.arrays.weights[0], problem.solve(np.zeros(6)))


def test_theorem_has_the_corrected_constants() -> None:
    bank = FTRL(eta="theorem", radius=4.0, horizon=200, intercept=False).start(boxes=1, dimension=2)
    bank.update([0], [[0.5, 0.5]], [1.0], 1.0)
    assert bank.arrays.reals[0, RIDGE] == pytest.approx(3.0 * 20.0 / 4.0)
    assert bank.arrays.reals[0, NOW] == 1.0


@pytest.mark.parametrize(
    "spec",
    [FTRL(intercept=False), FTRL(window=50, intercept=False), FTRL(forget=0.95, intercept=False)],
)
def test_widths_are_those_of_the_regularised_gram_matrix_of_the_active_points(spec: FTRL) -> None:
    contexts, values, costs = signed(np.random.default_rng(6), 120)
    bank = spec.start(boxes=1, dimension=5)
    assert np.isinf(bank.widths(contexts[:1]))
    for t in range(120):
        bank.update([0], contexts[t : t + 1], values[t : t + 1], costs[t : t + 1])
    kept = slice(-50, None) if spec.window else slice(None)
    x, v = contexts[kept], values[kept]
    active = x @ bank.arrays.weights[0] > v
    weights = active * spec.forget ** np.arange(len(x) - 1, -1, -1.0)
    gram = (x.T * weights) @ x + bank.arrays.reals[0, RIDGE] * np.eye(5)
    expected = np.sqrt(contexts[0] @ np.linalg.solve(gram, contexts[0]))
    assert bank.widths(contexts[:1])[0] == pytest.approx(expected, rel=1e-9)
