"""Gittins indices of arms that pay at every pull, by the R package `gittins`, from discounted stages.

Whoever pulls an arm of expected reward μ in place of a reward of at most K pays K − μ now; a reward λ for
ever is worth a value of (K − λ)/(1 − γ) kept. So a bandit that is pulled at most N times is a box of N stages
with a discount γ, whose signals are its states and whose last stage shows (K − μ)/(1 − γ), and its index is
λ = K − (1 − γ)σ. The package brackets the index by bisection from two bounds; its printed digits are the
middle of the last bracket, which the exact index determines.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weitzman as wz

TOLERANCE = 1e-4


def index(
    stages: list[dict[Any, dict[Any, float]]],
    rewards: Callable[[int, Any], float],
    most: float,
    discount: float,
) -> float:
    """Return the index of an arm: for each pull its states and where they lead, and the rewards.

    ``most`` is at least every reward, so that no cost is negative.
    """
    made = []
    for t, leads in enumerate(stages):
        costs = {state: most - rewards(t, state) for state in leads}
        shows: Any = leads
        if t == 0:
            (first,) = leads
            costs, shows = costs[first], leads[first]  # type: ignore[assignment]
        made.append(wz.Stage(f"pull {t}", costs, shows))
    last = len(stages)
    ends = {state for leads in stages[-1].values() for state in leads}
    values = {state: (most - rewards(last, state)) / (1.0 - discount) for state in ends}
    made.append(wz.Stage("end", 0.0, {s: wz.Discrete([v]) for s, v in values.items()}, time=0.0))
    plan: Any = wz.plan([wz.Box("arm", stages=made)], discount=discount)
    return most - (1.0 - discount) * float(plan.reservation_values["arm"])


def bisected(below: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Return the bracket that is left of one, by halves."""
    while high - low > TOLERANCE:
        middle = low + (high - low) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low, high


def bernoulli(a: int, n: int, pulls: int, discount: float) -> float:
    """Return the index of an arm with a successes in n pulls seen so far."""
    stages = []
    for t in range(pulls):
        leads = {}
        for s in range(t + 1):
            p = (a + s) / (n + t)
            leads[s] = {s: 1.0 - p, s + 1: p}
        stages.append(leads)
    return index(stages, lambda t, s: (a + s) / (n + t), 1.0, discount)


def test_bernoulli_rewards() -> None:
    a, n, discount = 3, 5, 0.8
    found = bernoulli(a, n, 20, discount)
    # Knowledge gradient and GI+, the bounds from which the package starts
    mean, ahead = a / n, discount / (1.0 - discount)
    low = (mean + ahead * mean * (a + 1) / (n + 1)) / (1.0 + ahead * mean)

    def plus(reward: float) -> bool:
        law = scipy.stats.beta(a + 1, n - a)
        best = law.expect(lambda x: x, reward, 1.0) + reward * law.cdf(reward)
        later = ahead * (mean * best + (1.0 - mean) * reward)
        return bool(mean + later - reward / (1.0 - discount) > 0.0)

    _, high = bisected(plus, mean, 1.0)
    assert low < found < high
    assert np.mean(bisected(lambda x: x < found, low, high)) == pytest.approx(0.67143994, abs=5e-9)


@pytest.mark.parametrize(("a", "n"), [(1, 2), (2, 5), (7, 8)])
def test_more_pulls_ahead_never_lower_the_index(a: int, n: int) -> None:
    found = [bernoulli(a, n, pulls, 0.9) for pulls in (1, 2, 5, 15)]
    assert found == sorted(found)
    assert found[0] > a / n


def test_normal_rewards() -> None:
    """The package takes means on a grid from 0 up, and no more is learned beyond three deviations."""
    n, tau, discount, pulls, xi, delta = 1.0, 1.0, 0.8, 30, 3.0, 0.1
    means = np.arange(0.0, xi + 1.0 + 1e-9, delta)
    learned = len(np.arange(0.0, xi + 1e-9, delta)) - 1
    # What is below the grid counts as its first point, what is above it as its last
    edges = np.concatenate([[-np.inf], means[:-1] + delta / 2, [np.inf]])
    stages = []
    for t in range(pulls):
        weight, leads = n + t * tau, {}
        spread = np.sqrt(1.0 / weight - 1.0 / (weight + tau))
        for i, mean in enumerate(means.tolist()):
            chances = np.diff(scipy.stats.norm.cdf(edges, mean, spread))
            stays = i >= learned
            leads[i] = {i: 1.0} if stays else dict(enumerate(chances.tolist()))
        stages.append(leads if t else {0: leads[0]})
    found = index(stages, lambda _, i: float(means[i]), float(means[-1]), discount)
    ahead = discount / (1.0 - discount)

    def gradient(reward: float) -> bool:
        spread = np.sqrt(1.0 / n - 1.0 / (n + tau))
        z = -reward / spread
        gain = spread * (z * scipy.stats.norm.cdf(z) + scipy.stats.norm.pdf(z))
        return bool(gain * ahead - reward > 0.0)

    def plus(reward: float) -> bool:
        density, reached = scipy.stats.norm.pdf(reward), scipy.stats.norm.cdf(reward)
        return bool(discount * density / (1.0 - discount * reached) - reward > 0.0)

    (low, _), (_, high) = (bisected(bound, 0.0, ahead) for bound in (gradient, plus))
    assert low < found < high
    assert np.mean(bisected(lambda x: x < found, low, high)) == pytest.approx(0.50552724, abs=5e-9)
