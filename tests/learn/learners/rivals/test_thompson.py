"""Thompson sampling: its draws against the posterior by quadrature, and what a draw depends on."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import weitzman as wz
from weitzman.compiled.decorators import entry
from weitzman.learn.learners.rivals.thompson import student

ETA = 0.7


def posterior_cdf(x: Any, v: Any, at: float) -> tuple[Any, Any]:
    """Return points and the posterior's distribution function of w·at, by a sum over w and log s.

    The prior is w ~ N(0, s² η) and 1/s² for s²: both are integrated by brute force.
    """
    # Wider than where anything is
    w = np.linspace(-60.0, 60.0, 24_001)
    density = np.zeros_like(w)
    misfit = ((v[:, None] - x[:, None] * w) ** 2).sum(axis=0) + w * w / ETA
    for log_s in np.linspace(-6.0, 8.0, 2801):
        # ds²/s² is 2 d log s; the prior of w has one more factor 1/s
        density += np.exp(-0.5 * misfit * np.exp(-2.0 * log_s) - (len(v) + 1) * log_s)
    total = np.cumsum(density)
    return w * at, total / total[-1]


@pytest.mark.parametrize("looks", [3, 4, 9])
def test_draws_are_from_the_posterior(looks: int) -> None:
    rng = np.random.default_rng(looks)
    x = rng.uniform(0.5, 1.5, size=looks)
    v = 2.0 * x + rng.normal(size=looks)
    # A memory of one residual makes s + cost of it: draws are of the mean but for a constant
    bank = wz.Thompson(eta=ETA, memory=1, intercept=False, seed=8).start(boxes=1, dimension=1)
    for one, value in zip(x, v, strict=True):
        bank.update([0], [[one]], [value], 1.0)
    volume = 1.0 / ETA + x @ x
    before = 1.0 / ETA + x[:-1] @ x[:-1]
    last = v[-1] - x[-1] * (x[:-1] @ v[:-1]) / before
    at = 1.3
    # Contexts that differ in their last bits, each with a draw of its own
    contexts = at + 1e-12 * np.arange(6000.0)[:, None]
    draws = bank.predict(contexts, [0.0] * 6000, [0] * 6000) - last
    points, total = posterior_cdf(x, v, at)
    test = stats.kstest(draws, lambda y: np.interp(y, points, total))
    assert test.pvalue > 0.001
    assert np.median(draws) == pytest.approx(at * (x @ v) / volume, abs=0.1)


@entry
def _fill(keys: Any, freedom: float, out: Any) -> None:
    for k in range(keys.shape[0]):
        out[k] = student(keys[k], freedom)


@pytest.mark.parametrize("freedom", [1.0, 2.0, 3.0, 10.0, 30_000.0])
def test_student_numbers_have_students_law(freedom: float) -> None:
    keys = np.random.default_rng(11).integers(0, 2**63, size=20_000, dtype=np.uint64)
    out = np.empty(len(keys))
    _fill(keys, freedom, out)
    assert stats.kstest(out, "t", args=(freedom,)).pvalue > 0.001


def test_a_draw_changes_with_seed_looks_box_and_context_only() -> None:
    def started(seed: int) -> wz.Bank:
        bank: wz.Bank = wz.Thompson(seed=seed, intercept=False).start(boxes=2, dimension=1)
        for value in (1.0, 2.0, 4.0):
            bank.update([0, 1], [[1.0], [1.0]], [value, value], 1.0)
        return bank

    bank, asked = started(0), ([[0.5], [0.5]], 1.0)
    first = bank.predict(*asked)
    assert bank.predict(*asked).tolist() == first.tolist()
    assert first[0] != first[1]
    assert started(1).predict(*asked)[0] != first[0]
    assert bank.predict([[0.25]], 1.0, [0])[0] != 0.5 * first[0]
    bank.update([1], [[1.0]], [2.0], 1.0)
    # Box 0 has learned nothing and is drawn again
    assert bank.predict(*asked)[0] != first[0]


def test_it_mostly_returns_to_a_box_whose_first_looks_were_bad() -> None:
    """5 for sure against 0 or 100: a few hundreds in a row make the posterior too sure."""
    starved = 0
    for seed in range(40):
        risky = 100.0 * np.random.default_rng(seed).integers(0, 2, size=2000)
        values = np.stack([np.full(2000, 5.0), risky], axis=1)
        learner = wz.Thompson(seed=seed, intercept=False)
        searcher = wz.Searcher(boxes=2, dimension=1, learner=learner, feedback="opened")
        played = searcher.play(np.ones((2000, 2, 1)), np.ones(2), values)
        starved += not (played.chosen[1000:] == 1).any()
    assert 0 < starved <= 10
