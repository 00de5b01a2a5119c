"""Rows of known shape: what a summary or a picture of them must show is known beforehand."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.lab.study.rows import Row, table_of

# The sum that a run has after a number of rounds, by searcher, seed and round.
Shape = Callable[[str, int, int], float]


def rows(
    shape: Shape,
    *,
    worlds: Sequence[str] = ("signed",),
    feedbacks: Sequence[str] = ("full", "opened"),
    searchers: Sequence[str] = ("cpb", "linear-regression"),
    seeds: Sequence[int] = (0, 1, 2),
    horizons: Sequence[int] = (100,),
    every: int = 10,
) -> list[Row]:
    return [
        Row(
            world=world,
            feedback=feedback,
            searcher=searcher,
            seed=seed,
            rounds=rounds,
            round=t,
            total=10.0 * t,
            expected_total=10.0 * t,
            regret=shape(searcher, seed, t),
            expected_regret=shape(searcher, seed, t),
            opened=2 * t,
            paid=2.0 * t,
            certificate=float("nan"),
        )
        for world in worlds
        for feedback in feedbacks
        for searcher in searchers
        for rounds in horizons
        for seed in seeds
        for t in range(every, rounds + 1, every)
    ]


def table(shape: Shape, **options: Any) -> dict[str, NDArray[Any]]:
    return table_of(rows(shape, **options))


def roots(searcher: str, seed: int, t: int) -> float:
    """Regret that grows like √t, more for linear regression, more for later seeds."""
    size = 1.0 if searcher == "cpb" else 2.0
    return size * (1.0 + 0.1 * seed) * float(np.sqrt(t))
