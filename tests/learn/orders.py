"""Worlds and adversarial orders of observations, as (contexts, values, costs)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Observations = tuple[Array, Array, Array]

ROUNDS = 3000


def _ball(rng: np.random.Generator, count: int, dimension: int) -> Array:
    directions = rng.normal(size=(count, dimension))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return directions * rng.uniform(size=(count, 1)) ** (1 / dimension)


def _draw(world: str, rng: np.random.Generator, count: int) -> Observations:
    w, x, c = 4 * _ball(rng, 1, 5)[0], _ball(rng, count, 5), 1.0
    u = rng.uniform(size=count)
    if world == "orthant":
        w, x = np.abs(w), np.abs(x)
    sigma = x @ w
    if world == "shifted":
        return x, sigma - 2 * c + 2 * c * u, np.full(count, c)
    if world == "orthant":
        sigma = np.maximum(sigma, c)
    low = -(((np.sqrt(2 * c) + np.sqrt(2 * c - 4 * np.minimum(sigma, 0.0))) / 2) ** 2)
    top = np.where(sigma >= 2 * c, sigma**2 / (2 * c), np.where(sigma >= 0, 2 * (sigma - c), low))
    return x, top * u, np.full(count, c)


def signed(rng: np.random.Generator, count: int) -> Observations:
    return _draw("signed", rng, count)


def orthant(rng: np.random.Generator, count: int) -> Observations:
    return _draw("orthant", rng, count)


def shifted(rng: np.random.Generator, count: int) -> Observations:
    return _draw("shifted", rng, count)


def ascending(rng: np.random.Generator, count: int) -> Observations:
    x, v, c = signed(rng, count)
    order = np.argsort(v)
    return x[order], v[order], c


def descending(rng: np.random.Generator, count: int) -> Observations:
    x, v, c = ascending(rng, count)
    return x[::-1].copy(), v[::-1].copy(), c


def repeated(rng: np.random.Generator, count: int) -> Observations:
    x, v, c = signed(rng, 7)
    return np.resize(x, (count, 5)), np.resize(v, count), np.resize(c, count)


def alternating(rng: np.random.Generator, count: int) -> Observations:
    x, v, c = shifted(rng, count)
    signs = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    return x * signs[:, None], v * signs * 5, c


def collinear(rng: np.random.Generator, count: int) -> Observations:
    direction = rng.normal(size=5)
    return rng.normal(size=(count, 1)) * direction, rng.normal(size=count), np.full(count, 0.3)


def scales_of_features(rng: np.random.Generator, count: int) -> Observations:
    x, v, c = signed(rng, count)
    return x * 10.0 ** np.array([-6, -3, 0, 3, 6]), v, c


def scales_of_rows(rng: np.random.Generator, count: int) -> Observations:
    x, v, c = signed(rng, count)
    sizes = 10.0 ** rng.uniform(-6, 6, size=count)
    return x * sizes[:, None], v * sizes, c * sizes


def large(rng: np.random.Generator, count: int) -> Observations:
    x, v, c = signed(rng, count)
    return x * 1e6, v, c


def small(rng: np.random.Generator, count: int) -> Observations:
    x, v, c = signed(rng, count)
    return x * 1e-6, v * 1e6, c * 1e6


def changing_costs(rng: np.random.Generator, count: int) -> Observations:
    x, v, _ = shifted(rng, count)
    return x, v, rng.uniform(0.0, 3.0, size=count)


def jumping(rng: np.random.Generator, count: int) -> Observations:
    x, v, c = shifted(rng, count)
    return x, v + 20.0 * np.sign(np.sin(np.arange(count) / 20.0)), c


ORDERS: dict[str, Callable[[np.random.Generator, int], Observations]] = {
    order.__name__: order
    for order in (
        signed,
        orthant,
        shifted,
        ascending,
        descending,
        repeated,
        alternating,
        collinear,
        scales_of_features,
        scales_of_rows,
        large,
        small,
        changing_costs,
        jumping,
    )
}
