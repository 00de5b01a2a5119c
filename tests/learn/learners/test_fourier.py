"""Random Fourier features: the kernel they stand for, their scales, and what they learn."""

import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz
from weitzman.learn.learners.fourier import FIRST, Waves, power_of_two

Array = NDArray[np.float64]


def drawn(count: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=(count, 3)) * [1.0, 100.0, 0.01]


@pytest.mark.parametrize("features", [64, 512])
@pytest.mark.parametrize("seed", range(3))
def test_scalar_products_approach_the_gaussian_kernel(features: int, seed: int) -> None:
    """Within the ε of Hoeffding's bound for all pairs at once, at a failure chance of 1e-6."""
    contexts = drawn(FIRST)
    waves = Waves(features=features, seed=seed)
    settled = waves.settle(contexts)
    found = waves.apply(settled, contexts) / settled[0, -1] * np.sqrt(2.0 / features)
    units = np.array([power_of_two(s) for s in contexts.std(axis=0)])
    apart = (contexts[:, None] - contexts[None]) / units
    distances = np.linalg.norm(apart, axis=2)
    length = power_of_two(float(np.median(distances[np.triu_indices(FIRST, 1)])))
    kernel = np.exp(-0.5 * (distances / length) ** 2)
    pairs = FIRST * (FIRST - 1) / 2
    epsilon = np.sqrt(4.0 / features * np.log(2.0 * pairs / 1e-6))
    assert np.abs(found @ found.T - kernel).max() <= epsilon
    assert np.allclose(np.diag(found @ found.T), 1.0, atol=1e-14)
    assert 0.05 < kernel[np.triu_indices(FIRST, 1)].mean() < 0.95


def test_waves_are_cosines() -> None:
    contexts = np.linspace(-50.0, 50.0, 1001)[:, None]
    waves = Waves(features=2, seed=0)
    settled = np.array([[1.0 / (2.0 * np.pi), 0.0, 1.0], [1.0 / (2.0 * np.pi), -0.25, 1.0]])
    found = waves.apply(settled, contexts)
    assert np.abs(found[:, 0] - np.cos(contexts[:, 0])).max() < 5e-14
    assert np.abs(found[:, 1] - np.sin(contexts[:, 0])).max() < 5e-14


def test_scales_do_not_depend_on_the_units_of_features() -> None:
    contexts = drawn(FIRST)
    waves = Waves(features=8, seed=1)
    one, other = (waves.settle(x) for x in (contexts, contexts * [4.0, 0.25, 1024.0]))
    shown = waves.apply(one, contexts) / one[0, -1]
    assert np.allclose(shown, waves.apply(other, contexts * [4.0, 0.25, 1024.0]) / other[0, -1])


def test_a_feature_that_is_always_the_same_has_no_part() -> None:
    contexts = drawn(FIRST)
    contexts[:, 1] = 1.0
    assert (Waves(features=8, seed=0).settle(contexts)[:, 1] == 0.0).all()


def test_it_is_linear_until_the_map_is_settled_and_then_as_if_it_had_been_from_the_start() -> None:
    rng = np.random.default_rng(0)
    contexts, costs = drawn(100), np.full(100, 0.2)
    values = np.sin(contexts[:, 0]) + rng.uniform(size=100)
    bank = wz.Fourier(features=8, intercept=False).start(boxes=1, dimension=3)
    linear = wz.FTRL(intercept=False).start(boxes=1, dimension=3)
    for k in range(FIRST - 1):
        for one in (bank, linear):
            one.update([0], contexts[[k]], values[[k]], costs[[k]])
    assert np.allclose(
        bank.predict(contexts[:1], 0.2), linear.predict(contexts[:1], 0.2), rtol=1e-12
    )
    waves = Waves(features=8, seed=0)
    settled = waves.settle(contexts[:FIRST])
    known = wz.FTRL(intercept=False).start(boxes=1, dimension=11)
    for k in range(100):
        x = np.concatenate([contexts[[k]], waves.apply(settled, contexts[[k]])], axis=1)
        known.update([0], x, values[[k]], costs[[k]])
        if k >= FIRST - 1:
            bank.update([0], contexts[[k]], values[[k]], costs[[k]])
            assert bank.predict(contexts[[k]], 0.2) == known.predict(x, 0.2)


def test_it_learns_what_is_smooth_and_not_linear() -> None:
    rng = np.random.default_rng(2)
    contexts = rng.uniform(-2.0, 2.0, size=(1500, 1, 2))
    level = 4.0 * np.cos(1.5 * contexts[:, 0, 0]) + contexts[:, 0, 1]
    values = level[:, None] + rng.uniform(size=(1500, 1))
    errors = {}
    for spec in (wz.Fourier(intercept=False), wz.FTRL(intercept=True)):
        searcher = wz.Searcher(boxes=1, dimension=2, learner=spec, feedback="full")
        played = searcher.play(contexts, 0.1, values, predictions=True)
        assert played.reservation_values is not None
        sigma = played.reservation_values[1000:, 0]
        errors[type(spec).__name__] = np.abs(sigma - level[1000:] - np.sqrt(0.2)).mean()
    assert errors["Fourier"] < 0.4 * errors["FTRL"]


def test_the_seed_is_part_of_what_is_learned() -> None:
    banks = [
        wz.Fourier(features=8, seed=s, intercept=False).start(boxes=1, dimension=3)
        for s in (0, 0, 1)
    ]
    contexts = drawn(80)
    for bank in banks:
        for x in contexts:
            bank.update([0], [x], [float(np.sin(x[0]))], 0.1)
    assert banks[0].digest() == banks[1].digest() != banks[2].digest()


@pytest.mark.parametrize("features", [0, 3, -2])
def test_a_wrong_number_of_features_is_refused(features: int) -> None:
    with pytest.raises(wz.InvalidInputError, match="number of features"):
        wz.Fourier(features=features, intercept=False).start(boxes=1, dimension=1)
