"""Families of bounded laws to sample from, and the true expected total of a rule, fast enough for 10⁴ draws.

The total is that of the module docstring of ``exact_total``, by Gauss' rule with tables of the laws between
reservation values. It shares no code with the library.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.stats

import weitzman as wz
from weitzman.arrays import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


@dataclass(frozen=True, eq=False)
class Family:
    """A law, the worst value that it can have, how it is drawn, and points between which it is smooth."""

    law: wz.Distribution
    worst: float
    draw: Callable[[np.random.Generator, int], Floats]
    edges: Floats

    @cached_property
    def table(self) -> tuple[Floats, Floats, Floats]:
        """Points, P(v > x) there, and E(x − v)⁺."""
        inner = [
            np.linspace(a, b, 2000) for a, b in zip(self.edges[:-1], self.edges[1:], strict=True)
        ]
        points = np.unique(np.concatenate(inner))
        return points, self.law.sf(points), self.law.excess_below(points)


def skewed(i: int) -> Family:
    """Return a beta law on 0 to 10, 11 or 12."""
    a, scale = 1 + i % 2, 10 + i % 3
    law = wz.affine(scipy.stats.beta(a, 4), scale=scale)
    return Family(law, 12.0, lambda rng, m: scale * rng.beta(a, 4, m), np.linspace(0, scale, 9))


def heavy(i: int) -> Family:
    """Return a Pareto law cut at 100."""
    b = 1.1 + 0.1 * (i % 3)
    law, all_mass = wz.Truncated(scipy.stats.pareto(b), 1, 100), 1.0 - 100.0**-b

    def draw(rng: np.random.Generator, size: int) -> Floats:
        return np.asarray((1.0 - all_mass * rng.random(size)) ** (-1.0 / b))

    return Family(law, 100.0, draw, np.geomspace(1, 100, 25))


def atoms(i: int) -> Family:
    """Return a law of four values."""
    values, chances = np.array([1.0 + i % 3, 4.0, 7.0, 10.0]), [0.15, 0.25, 0.4, 0.2]
    law = wz.Discrete(values, chances)
    return Family(law, 10.0, lambda rng, m: rng.choice(values, m, p=chances), values)


FAMILIES: dict[str, Callable[[int], Family]] = {"skewed": skewed, "heavy": heavy, "atoms": atoms}


class Truth:
    """True boxes, and the expected total on them of Weitzman's rule at any reservation values."""

    def __init__(self, families: Sequence[Family], costs: Sequence[float]) -> None:
        self.families, self.costs = list(families), np.array(costs)
        self._steps = all(family.law.is_step for family in families)
        self._edges = np.unique(np.concatenate([family.edges for family in families]))

    def total(self, sigma: Floats) -> float:
        """Return E min_i max(v_i, σ_i) + Σ q_i (c_i − E(σ_i − v_i)⁺)."""
        order = np.argsort(sigma, kind="stable")
        s, families = sigma[order], [self.families[i] for i in order]
        edges = np.unique(np.concatenate([s, self._edges[self._edges > s[0]]]))
        a, b = edges[:-1, None], edges[1:, None]
        x = 0.5 * (a + b) + 0.5 * (b - a) * (np.zeros(1) if self._steps else _NODES)
        weights = 0.5 * (b - a) * (np.full(1, 2.0) if self._steps else _WEIGHTS)
        above, reached, correction = np.ones(x.shape), 1.0, 0.0
        earlier = np.ones(s.size)
        for place, (family, at) in enumerate(zip(families, s, strict=True)):
            reached = float(earlier[place])
            saved = float(self._excess(family, at))
            correction += reached * (self.costs[order[place]] - saved)
            # One that is not open yet stands for its σ
            above *= np.where(x > at, self._sf(family, x), 1.0)
            earlier[place + 1 :] *= self._sf(family, s[place + 1 :])
        return float(s[0] + np.sum(weights * above) + correction)

    def _sf(self, family: Family, x: Floats) -> Floats:
        if self._steps:
            return family.law.sf(x)
        points, sf, _ = family.table
        return np.interp(x, points, sf)

    def _excess(self, family: Family, s: float) -> float:
        return float(family.law.excess_below(s))
