"""Instances made by hand, and the boxes of the search room that they stand for."""

from typing import Any

import numpy as np
import scipy.stats
from numpy.typing import ArrayLike

import weitzman as wz
from weitzman.lab.worlds.instance import Instance


def instance_of(
    *, costs: ArrayLike, lower: Any, upper: Any, shares: ArrayLike = (1.0,), rng: int = 0
) -> Instance:
    """An instance with these laws, lower and upper K×T×n; its contexts say nothing.

    Of more than 50 rounds the first 50 must recur: their true reservation values do.
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    states, rounds, boxes = low.shape
    generator = np.random.default_rng(rng)
    share = np.asarray(shares, dtype=float)
    state = generator.choice(states, size=rounds, p=share)
    at = np.arange(rounds)
    values = generator.uniform(low[state, at], high[state, at])
    price = np.asarray(costs, dtype=float)
    sigma = np.array(
        [
            [
                wz.reservation_value(mixture(low[:, t, i], high[:, t, i], share), price[i])
                for i in range(boxes)
            ]
            for t in range(min(rounds, 50))
        ]
    )
    return Instance(
        contexts=np.ones((rounds, boxes, 1)),
        costs=price,
        values=values,
        reservation_values=np.resize(sigma, (rounds, boxes)),
        lower=low,
        upper=high,
        shares=share,
    )


def law(low: float, high: float) -> Any:
    """A uniform law, or a number for a point mass."""
    return scipy.stats.uniform(low, high - low) if high > low else float(low)


def mixture(low: Any, high: Any, shares: Any) -> Any:
    laws = [law(a, b) for a, b in zip(low, high, strict=True)]
    return wz.Mixture(laws, shares) if len(laws) > 1 else laws[0]


def boxes_of(instance: Instance, t: int, state: int = 0) -> list[wz.Box]:
    """The boxes of round t, given the state."""
    return [
        wz.Box(str(i), float(cost), law(low, high))
        for i, (cost, low, high) in enumerate(
            zip(instance.costs, instance.lower[state, t], instance.upper[state, t], strict=True)
        )
    ]


def hoeffding(spread: float, count: int, alarm: float = 1e-6) -> float:
    """How far a mean of independent numbers in a range may be off, but for this probability."""
    return float(spread * np.sqrt(np.log(2.0 / alarm) / (2.0 * count)))
