"""Small rounds with what real ones have: absent boxes, outside options now and then, correlation."""

import math
from typing import Any

import numpy as np

from weitzman.learn.policy import Floats, Round
from weitzman.search.state import RoundState


def some_rounds(count: int, seed: int = 0, boxes: int = 4) -> list[tuple[Round, Floats]]:
    rng = np.random.default_rng(seed)
    rounds = []
    for number in range(count):
        places = np.flatnonzero(rng.uniform(size=boxes) < 0.9)
        places = places if len(places) else np.arange(boxes)
        contexts = rng.normal(size=(len(places), 2))
        values = contexts @ [1.0, -1.0] + places + rng.normal() + 0.3 * rng.normal(size=len(places))
        outside = 2.0 if rng.uniform() < 0.5 else math.inf
        costs = rng.uniform(0.05, 0.3, size=len(places))
        shown = Round(contexts=contexts, costs=costs, outside=outside, places=places, number=number)
        rounds.append((shown, values))
    return rounds


def seen_in(done: RoundState) -> tuple[Any, ...]:
    """All that a round that was followed to its end has shown, to be compared."""
    return done.opened, done.values, done.kept, done.best, done.paid, done.taken


def revealed(opened: list[int], values: Floats) -> Floats:
    """The values of the opened rows, NaN for the others."""
    return np.where(np.isin(np.arange(len(values)), opened), values, np.nan)
