"""Recorded rounds: the worlds of the reading notes, and Weitzman's rule on one round.

A world draws a weight vector per box (uniform in the ball of radius 4), contexts (uniform in the
unit ball) and values whose reservation value at cost 1 is σ = w·x:

- ``signed``: v uniform between 0 and B(σ), where B may be negative;
- ``orthant``: the same with |w|, |x| and σ = max(w·x, c), so that values are never negative;
- ``shifted``: v uniform on [σ − 2c, σ].
"""

from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

World = Literal["signed", "orthant", "shifted"]
Feedback = Literal["full", "opened"]
Floats = NDArray[np.float64]

WORLDS: tuple[World, ...] = ("signed", "orthant", "shifted")
FEEDBACKS: tuple[Feedback, ...] = ("full", "opened")
COST = 1.0
RADIUS = 4.0


@dataclass(frozen=True)
class Rounds:
    """T recorded rounds of n boxes with d features; ``sigma`` holds the true reservation values."""

    contexts: Floats  # (T, n, d)
    values: Floats  # (T, n)
    costs: Floats  # (n,)
    sigma: Floats  # (T, n)

    def __len__(self) -> int:
        return len(self.values)

    def part(self, start: int, stop: int) -> "Rounds":
        """Rounds start to stop (exclusive)."""
        cut = slice(start, stop)
        return Rounds(self.contexts[cut], self.values[cut], self.costs, self.sigma[cut])


def draw(world: World, *, rounds: int, boxes: int, dimension: int, seed: int) -> Rounds:
    """Draw the rounds of a world; the same arguments give the same arrays."""
    rng = np.random.default_rng(seed)
    weights = RADIUS * _ball(rng, (boxes, dimension))
    contexts = _ball(rng, (rounds, boxes, dimension))
    share = rng.random((rounds, boxes))
    if world == "orthant":
        weights, contexts = np.abs(weights), np.abs(contexts)
    sigma: Floats = np.einsum("tnd,nd->tn", contexts, weights)
    if world == "orthant":
        sigma = np.maximum(sigma, COST)
    values = sigma - 2 * COST * share if world == "shifted" else share * far_end(sigma, COST)
    return Rounds(contexts, values, np.full(boxes, COST), sigma)


def far_end(sigma: Floats, cost: float) -> Floats:
    """The B for which v uniform between 0 and B has E(σ − v)⁺ = cost."""
    root = np.sqrt(2 * cost - 4 * np.minimum(sigma, 0))
    below = -(((np.sqrt(2 * cost) + root) / 2) ** 2)
    middle = 2 * (sigma - cost)
    above = sigma**2 / (2 * cost)
    return np.where(sigma < 0, below, np.where(sigma < 2 * cost, middle, above))


def search(scores: list[float], values: list[float], costs: list[float]) -> tuple[list[int], float]:
    """Weitzman's rule; returns the opened boxes and best value + cost paid. Spoils ``scores``.

    Boxes by increasing score (equal scores by position), until the best value ≤ the next score.
    The next box is found by ``min`` and not by a sort: few boxes are opened in a round.
    """
    box = scores.index(min(scores))
    opened, best, paid = [box], values[box], costs[box]
    for _ in range(len(scores) - 1):
        scores[box] = inf
        lowest = min(scores)
        if best <= lowest:
            break
        box = scores.index(lowest)
        opened.append(box)
        paid += costs[box]
        best = min(best, values[box])
    return opened, best + paid


def clairvoyant(rounds: Rounds) -> Floats:
    """Totals of the rule that knows σ."""
    costs = rounds.costs.tolist()
    pairs = zip(rounds.sigma.tolist(), rounds.values.tolist(), strict=True)
    return np.array([search(sigma, values, costs)[1] for sigma, values in pairs])


def _ball(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Points uniform in the unit ball of the last axis."""
    points = rng.standard_normal(shape)
    radius = rng.random((*shape[:-1], 1)) ** (1 / shape[-1])
    return np.asarray(points * (radius / np.linalg.norm(points, axis=-1, keepdims=True)))
