"""Capped laws of nodes behind which all values have finitely many outcomes: exact, without quadrature."""

import math
from collections.abc import Sequence

import numpy as np

from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.distribution import Distribution
from weitzman.search.variants.forest.parts import Part, Way


class Outcomes(Part):
    """κ of a node behind which all values have finitely many outcomes: exact.

    Either the cost is given or ``sigma``, and the cost is the one that it is the reservation value at.
    """

    def __init__(
        self, cost: float | None, discount: float, ways: Sequence[Way], sigma: float = math.nan
    ) -> None:
        laws = [_lowest([part.law for part in way.parts if isinstance(part, Part)]) for way in ways]
        points = np.concatenate([law.values for law in laws])
        chances = [way.chance for way in ways]
        mass = np.concatenate([p * law.probabilities for p, law in zip(chances, laws, strict=True)])
        reached = Discrete.of_masses(points, mass)
        if cost is None:
            self.sigma, self.cost = sigma, _height(reached, sigma, discount)
        else:
            self.sigma, self.cost = _root(reached, cost, discount), cost
        values, mass = np.maximum(reached.values, self.sigma), reached.probabilities
        if discount < 1.0:
            values, mass = np.append(values, self.sigma), np.append(discount * mass, 1.0 - discount)
        super().__init__(Discrete.of_masses(values, mass))
        self.leaves = [(self.sigma, self.law)]


def has_outcomes(ways: Sequence[Way]) -> bool:
    """Return whether all that some branches lead to has finitely many outcomes."""
    parts = [part for way in ways for part in way.parts]
    return all(isinstance(part, Part) and isinstance(part.law, Discrete) for part in parts)


def _lowest(laws: Sequence[Distribution]) -> Discrete:
    """Return the law of the smallest of independent values with finitely many outcomes."""
    if len(laws) == 1 and isinstance(laws[0], Discrete):
        return laws[0]
    points = np.unique(np.concatenate([[np.inf], *(law.kinks() for law in laws)]))
    above = np.prod([law.sf(points) for law in laws], axis=0) if laws else np.zeros(1)
    return Discrete.of_masses(points, -np.diff(above, prepend=1.0))


def _height(reached: Discrete, s: float, discount: float) -> float:
    """Return g(s)."""
    if np.isneginf(s):
        return 0.0
    return (1.0 - discount) * s + discount * float(reached.excess_below(s))


def _root(reached: Discrete, cost: float, discount: float) -> float:
    """Return σ: g is linear between the outcomes."""
    if discount == 1.0:
        return float(reached.solve_below(cost))
    points = reached.values[np.isfinite(reached.values)]
    if not points.size:
        return cost / (1.0 - discount)
    heights = (1.0 - discount) * points + discount * reached.excess_below(points)
    place = int(np.searchsorted(heights, cost, side="right")) - 1
    if place < 0:
        return float(points[0] + (cost - heights[0]) / (1.0 - discount))
    slope = (1.0 - discount) + discount * float(reached.cdf(points[place]))
    return float(points[place] + (cost - heights[place]) / slope)
