"""Exponentials in plain arithmetic are those of the library, to the last digits."""

import numpy as np

from weitzman.compiled.exponential import exponentials


def test_exponentials_are_right_to_the_last_digits() -> None:
    rng = np.random.default_rng(0)
    parts = [-rng.exponential(size=20_000), -700.0 * rng.uniform(size=20_000)]
    x = np.concatenate([*parts, -np.log(2.0) * np.arange(0.0, 1000.0, 0.5), [0.0, -0.0, -1e-300]])
    wanted = np.exp(np.maximum(x, -700.0))
    exponentials(x, np.empty(len(x)))
    assert np.abs(x / wanted - 1.0).max() < 1e-15
    assert x[-3:].tolist() == [1.0, 1.0, 1.0]


def test_what_is_too_small_is_as_good_as_zero() -> None:
    x = np.array([-701.0, -1e300, -np.inf])
    exponentials(x, np.empty(3))
    assert (x == x[0]).all()
    assert 0.0 < x[0] < 1e-300
