"""Bought looks: the exact expected total agrees with other formulas and with simulation."""

import numpy as np
import pytest
import scipy.integrate
from numpy.typing import NDArray

import weitzman as wz
from weitzman.lab.exact.expected import expected_totals
from weitzman.lab.exact.probed import probed_totals
from weitzman.lab.worlds.instance import Instance
from weitzman.search.rule import NO_BOX

Array = NDArray[np.float64]
Marks = NDArray[np.bool_]


def some(seed: int, *, rounds: int = 40, boxes: int = 5, states: int = 1) -> Instance:
    """Rounds with wide, narrow and point-mass laws; every fourth number is rounded, for ties."""
    rng = np.random.default_rng(seed)
    lower = rng.normal(scale=2.0, size=(states, rounds, boxes))
    width = rng.choice([0.0, 0.5, 3.0, 10.0], size=lower.shape)
    lower[..., ::4] = np.round(lower[..., ::4])
    upper = lower + width
    return Instance(
        contexts=np.zeros((rounds, boxes, 1)),
        costs=rng.uniform(0.1, 2.0, boxes),
        values=lower[0] + width[0] * rng.random((rounds, boxes)),
        reservation_values=np.zeros((rounds, boxes)),
        lower=lower,
        upper=upper,
        shares=np.full(states, 1.0 / states),
    )


def guesses(instance: Instance, seed: int) -> Array:
    sigma = np.random.default_rng(seed).normal(scale=3.0, size=instance.values.shape)
    sigma[:, ::2] = np.round(sigma[:, ::2])
    return sigma


def played(values: Array, costs: Array, sigma: Array, bought: Marks) -> tuple[float, float]:
    """The total of one round, and what is paid for boxes that the search left closed."""
    order = np.argsort(sigma, kind="stable")
    best, opened = np.inf, np.zeros(len(costs), dtype=bool)
    box = wz.next_box(order, sigma, 0, best)
    while box != NO_BOX:
        opened[box] = True
        best = min(best, values[box])
        box = wz.next_box(order, sigma, int(opened.sum()), best)
    every = opened | bought
    extra = costs[bought & ~opened].sum()
    return float(values[every].min() + costs[every].sum()), float(extra)


@pytest.mark.parametrize("states", [1, 3])
def test_without_bought_looks_it_is_the_rule(states: int) -> None:
    instance = some(0, states=states, rounds=300)
    sigma = guesses(instance, 1)
    totals, extra = probed_totals(instance, sigma, np.zeros(sigma.shape, dtype=bool))
    np.testing.assert_allclose(totals, expected_totals(instance, sigma), rtol=0, atol=1e-12)
    assert (extra == 0.0).all()


def test_with_all_bought_it_is_the_smallest_value_and_all_costs() -> None:
    instance = some(2)
    sigma = guesses(instance, 3)
    totals, _ = probed_totals(instance, sigma, np.ones(sigma.shape, dtype=bool))
    for t in range(len(instance)):
        low, high = instance.lower[0, t], instance.upper[0, t]

        def survival(x: float, low: Array = low, high: Array = high) -> float:
            slope = np.where(high > low, high - low, 1.0)
            return float(np.prod(np.where(high > low, np.clip((high - x) / slope, 0, 1), x < low)))

        start, end = low.min(), high.min()
        cuts = [p for p in [*low, *high] if start < p < end]
        integral = 0.0
        if end > start:
            integral = scipy.integrate.quad(survival, start, end, points=cuts or None, limit=200)[0]
        assert totals[t] == pytest.approx(start + integral + instance.costs.sum(), abs=1e-9)


def test_point_masses_are_played_exactly() -> None:
    rng = np.random.default_rng(4)
    for seed in range(20):
        instance = some(seed, states=4)
        instance = Instance(**{**vars(instance), "upper": instance.lower})
        sigma, bought = guesses(instance, seed), rng.random(instance.values.shape) < 0.4
        totals, extra = probed_totals(instance, sigma, bought)
        for t in range(len(instance)):
            worlds = [
                played(instance.lower[k, t], instance.costs, sigma[t], bought[t]) for k in range(4)
            ]
            assert (totals[t], extra[t]) == pytest.approx(np.mean(worlds, axis=0), abs=1e-12)


def test_simulation_agrees() -> None:
    """20 rounds, 2 numbers each, 10,000 draws: beyond 6 s.e. with probability < 40 × 2e-9 < 1e-6."""
    rng = np.random.default_rng(5)
    instance = some(6, rounds=20, boxes=4)
    sigma, bought = guesses(instance, 7), rng.random((20, 4)) < 0.4
    assert bought.any(axis=1).sum() > 10
    totals, extra = probed_totals(instance, sigma, bought)
    for t in range(20):
        low, high = instance.lower[0, t], instance.upper[0, t]
        values = low + (high - low) * rng.random((10_000, 4))
        drawn = np.array([played(v, instance.costs, sigma[t], bought[t]) for v in values])
        error = drawn.std(axis=0) / 100.0
        assert (np.abs(drawn.mean(axis=0) - [totals[t], extra[t]]) <= 6.0 * error + 1e-9).all()


def test_shapes_are_checked() -> None:
    instance = some(8)
    with pytest.raises(wz.InvalidInputError, match="reservation values must have the shape"):
        probed_totals(instance, np.zeros((3, 5)), np.zeros((40, 5), dtype=bool))
