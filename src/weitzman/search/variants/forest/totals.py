"""The expected sum of the k smallest capped values, and of the outside option in place of the worse.

With N(x) the number of κ_i ≤ x and o the outside option (+∞ without one),

    E Σ_{j ≤ k} min(o, κ_(j)) = k r + ∫_r^o E(k − N(x))⁺ dx − ∫_{−∞}^r E min(k, N(x)) dx

for any r ≤ o. For k = 1 the first integrand is Π P(κ_i > x); else N is a sum of independent events,
whose law up to k takes O(n k) for each x. The integrals end where k of the κ are certain.
"""

from collections.abc import Callable, Sequence

import numpy as np

from weitzman.arrays import Floats
from weitzman.search.exact_total import refined
from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.quadrature import integrate, integrate_tail
from weitzman.search.variants.forest.capped import Capped
from weitzman.search.variants.forest.parts import Part

_BLOCK = 32
_NEGLIGIBLE = 1e-18

Rank = Callable[[Sequence[Floats]], Floats]
"""Of the chances of independent events to the expected rank of the set of those that happen."""


def expected_count(most: int) -> Rank:
    """Return E min(k, N), N the number of independent events that happen."""

    def rank(chances: Sequence[Floats]) -> Floats:
        if most == 1:
            with np.errstate(divide="ignore"):
                return np.asarray(-np.expm1(sum(np.log1p(-p) for p in chances)))
        return most - shortfall(most, chances)

    return rank


def shortfall(most: int, chances: Sequence[Floats], *, steps: int | None = None) -> Floats:
    """Return E(k − N)⁺, N the number of independent events that happen; cut at so many steps."""
    law = np.zeros((most, *chances[0].shape))
    law[0] = 1.0
    for p in chances:
        moved = law[:-1] * p
        law *= 1.0 - p
        law[1:] += moved
    weights = np.minimum(np.arange(most, 0.0, -1.0), most if steps is None else steps)
    return np.asarray(np.tensordot(weights, law, axes=1))


class Integral:
    """The expected weight of the best basis of independent capped values.

    ``rank`` is the expected rank of random sets, ``most`` the rank of all: with R(x) the expected
    rank of {i: κ_i ≤ x}, the weight is most·r + ∫_r^o (most − R(x)) dx − ∫_{−∞}^r R(x) dx.
    """

    def __init__(
        self,
        parts: Sequence[Part | Capped],
        most: int = 1,
        rank: Rank | None = None,
    ) -> None:
        self._parts = list(parts)
        self._order = np.argsort([part.low for part in parts], kind="stable")
        self._lows = np.array([parts[i].low for i in self._order])
        self._most, self._rank = most, rank or expected_count(most)
        self._plain = rank is None
        tops = sorted(part.top for part in parts)
        certain = most if self._plain else len(tops)
        self._end = tops[certain - 1] if 0 < certain <= len(tops) else np.inf

    def below(self, outside: float) -> float:
        """Return the expected weight, with an outside option for every place; +∞: none."""
        if not self._parts or outside <= self._lows[0]:
            return self._most * outside
        end = min(self._end, outside)
        edges = self._edges(end)
        start = float(self._lows[0]) if np.isfinite(self._lows[0]) else float(edges[0])
        edges = edges[edges >= start]
        total = self._most * start + self._above(start, end, edges)
        return total if np.isfinite(self._lows[0]) else total - self._far(start)

    def _edges(self, end: float) -> Floats:
        near = [part for part in self._parts if part.low <= end]
        inner = np.unique(np.concatenate([part.edges for part in near]))
        inner = inner[np.isfinite(inner) & (inner < end)]
        return np.append(inner, end) if np.isfinite(end) else inner

    def _chances(self, x: Floats, question: str) -> list[Floats]:
        """Return P(κ_i ≤ x) or P(κ_i > x) of all that can matter, in the order of the parts."""
        count = int(np.searchsorted(self._lows, x.max(), side="right"))
        active = self._order[:count] if self._plain else range(len(self._parts))
        return [getattr(self._parts[i], question)(x) for i in active]

    def _missing(self, x: Floats) -> Floats:
        """Return most − R(x)."""
        if self._plain and self._most == 1:
            return np.asarray(np.prod(self._chances(x, "sf"), axis=0))
        if self._plain:
            return shortfall(self._most, self._chances(x, "cdf"))
        return np.asarray(self._most - self._rank(self._chances(x, "cdf")))

    def _above(self, start: float, end: float, edges: Floats) -> float:
        steps = all(isinstance(p, Part) and isinstance(p.law, Discrete) for p in self._parts)
        if not steps:
            edges = refined(edges, self._width(edges))
        total, begin, block = 0.0, 0, _BLOCK
        while begin < len(edges) - 1:
            part = edges[begin : begin + block + 1]
            if steps:
                total += float(np.sum(self._missing(part[:-1]) * np.diff(part)))
            else:
                total += integrate(self._missing, part, whole=total)
            left = float(self._missing(part[-1:])[0])
            if left * (edges[-1] - part[-1]) <= _NEGLIGIBLE * total:
                break
            begin, block = begin + block, 2 * block
        if np.isinf(end) and not steps:
            total += integrate_tail(self._missing, float(edges[-1]), self._width(edges))
        return total

    def _far(self, start: float) -> float:
        """Return ∫ R from −∞ to start."""
        width = self._width(self._edges(self._end))
        return integrate_tail(lambda x: self._rank(self._chances(-x, "cdf")), -start, width)

    def _width(self, edges: Floats) -> float:
        """Return a scale on which the integrand changes."""
        gaps = np.diff(edges)
        return float(np.median(gaps)) if gaps.size else 1.0
