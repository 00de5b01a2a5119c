"""The recursion of capped laws, which solves every exact variant.

Smaller values are better. Opening a node costs c and leads to the *reached* value M: on each branch
the smallest of the value found and of what the nodes behind it are worth. The node itself is worth
the *capped* value

    κ = max(σ, M),      E(σ − M)⁺ = c,

and a search over nodes that are open to it costs E min(outside, κ_1, κ_2, …): an opened node is
never worth more than its σ, because it was opened only when nothing better was in hand [Weitzman
1979; Kleinberg 2016; Dumitriu 2003 for chains; Boodaghians 2020 for trees].

With a discount β between paying c and seeing what is there, the node at which opening and keeping σ
are worth the same has σ = c + β E min(σ, M), that is

    g(σ) = c,    g(s) = (1 − β) s + β E(s − M)⁺,

and κ is max(σ, M) with chance β and σ with chance 1 − β: E min(s, κ) = s − (g(s) − c)⁺, so that the
derivative of the optimal cost in the outside option is Π P(κ_i > s), Whittle's formula for
discounted bandits [Whittle 1980].

A branch with one part has E(s − M)⁺ in closed form, since E(s − κ)⁺ = (g(s) − c)⁺: a chain needs
no quadrature. Several parts have their minimum's, the area under 1 − Π P(part > x). If everything
behind a node has finitely many outcomes, so has κ, and all is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weitzman.arrays import Floats
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.quadrature import areas, integrate_tail
from weitzman.search.laws.roots import Function, solve_excess

# Points that no panel may span unseen: where a cdf does its rising
_LEVELS = np.array([0.01, 0.25, 0.5, 0.75, 0.99])
_BLOCK = 24


class Part:
    """The law of a value as the recursion needs it: here of a value that is found."""

    def __init__(self, law: Distribution) -> None:
        self.law = law
        self.low, self.top = (float(end) for end in law.support())

    def sf(self, x: Floats) -> Floats:
        """Return P(v > x)."""
        return self.law.sf(x)

    def cdf(self, x: Floats) -> Floats:
        """Return P(v ≤ x)."""
        return self.law.cdf(x)

    def excess(self, s: Floats) -> Floats:
        """Return E(s − v)⁺."""
        return self.law.excess_below(s)

    @cached_property
    def edges(self) -> Floats:
        """Points where the cdf may jump or bend, and where it rises."""
        if self.law.is_step:
            return self.law.kinks()
        marks = np.concatenate([self.law.kinks(), np.ravel(self.law.quantile(_LEVELS))])
        return np.unique(marks[np.isfinite(marks)])


@dataclass(frozen=True, eq=False)
class Way:
    """One branch: its chance, and the parts of which the smallest is reached; none: nothing is."""

    chance: float
    parts: tuple["Part | Capped", ...]

    @cached_property
    def floor(self) -> float:
        """Up to it at most one part matters."""
        return sorted(part.low for part in self.parts)[1] if len(self.parts) > 1 else np.inf

    def sf(self, x: Floats) -> Floats:
        """Return P(M > x) on this branch."""
        result = np.ones(x.shape)
        for part in self.parts:
            result = result * part.sf(x)
        return result

    def cdf(self, x: Floats) -> Floats:
        """Return P(M ≤ x) on this branch, accurate where it is small."""
        if len(self.parts) == 1:
            return self.parts[0].cdf(x)
        logs = np.zeros(x.shape)
        with np.errstate(divide="ignore"):
            for part in self.parts:
                logs = logs + np.log1p(-part.cdf(x))
        return np.asarray(-np.expm1(logs))

    def excess(self, s: Floats) -> Floats:
        """Return E(s − M)⁺ up to the floor."""
        return np.asarray(sum((part.excess(s) for part in self.parts), np.zeros(s.shape)))

    def gain(self, a: Floats, b: Floats, whole: float) -> Floats:
        """Return E(b − M)⁺ − E(a − M)⁺ for panels from a to b that the floor does not divide."""
        alone = b <= self.floor
        result = np.zeros(a.shape)
        if alone.any():
            result[alone] = self.excess(b[alone]) - self.excess(a[alone])
        if not alone.all():
            result[~alone] = areas(self.cdf, a[~alone], b[~alone], whole=whole)
        return result


class Capped:
    """κ of one node: of its cost, its discount, and the branches that it leads to."""

    low: float
    top: float

    def __init__(self, cost: float, discount: float, ways: Sequence[Way]) -> None:
        self.cost, self.discount, self.ways = cost, discount, tuple(ways)
        parts = [part for way in ways for part in way.parts]
        self._bottom = min((part.low for part in parts), default=np.inf)
        ends = [min((part.top for part in way.parts), default=np.inf) for way in ways]
        self.sigma = self._solved()
        self.low, self.top = self.sigma, max(self.sigma, *ends)

    def sf(self, x: Floats) -> Floats:
        """Return P(κ > x)."""
        inside = x >= self.sigma
        result = np.ones(x.shape)
        if inside.any():
            y = x[inside]
            result[inside] = self.discount * sum(way.chance * way.sf(y) for way in self.ways)
        return result

    def cdf(self, x: Floats) -> Floats:
        """Return P(κ ≤ x)."""
        inside = x >= self.sigma
        result = np.zeros(x.shape)
        if inside.any():
            result[inside] = self._slope(x[inside])
        return result

    def excess(self, s: Floats) -> Floats:
        """Return E(s − κ)⁺ = (g(s) − c)⁺."""
        flat = np.ravel(s)
        inner = self._marks[(self._marks > self._start) & (self._marks < flat.max(initial=-np.inf))]
        points = np.unique(np.concatenate([inner, flat[flat > self._start]]))
        heights = np.concatenate([[0.0], self._g(points)])
        result = heights[np.searchsorted(points, flat, side="right")]
        for i in np.flatnonzero(flat <= self._start):
            result[i] = self._left(float(flat[i]))
        return np.reshape(np.where(flat > self.sigma, result - self.cost, 0.0), np.shape(s))

    @cached_property
    def edges(self) -> Floats:
        """Points where P(κ ≤ x) may jump or bend, and where it rises; σ is the least."""
        least = [self.sigma] if np.isfinite(self.sigma) else []
        return np.concatenate([least, self._marks[self._marks > self.sigma]])

    @cached_property
    def _marks(self) -> Floats:
        parts = [part.edges for way in self.ways for part in way.parts]
        marks = np.unique(np.concatenate([*parts, [self._bottom]]))
        return np.asarray(marks[np.isfinite(marks)])

    @cached_property
    def _closed(self) -> bool:
        """Whether g is a sum of closed forms everywhere."""
        return all(len(way.parts) < 2 for way in self.ways)

    @cached_property
    def _start(self) -> float:
        """The first edge: up to it M is at most one part on each branch, or has a plain tail."""
        return float(self._marks[0]) if self._marks.size else 0.0

    @cached_property
    def _at_start(self) -> float:
        return self._left(self._start)

    def _slope(self, x: Floats) -> Floats:
        """g'(x) = (1 − β) + β P(M ≤ x)."""
        reached = sum(way.chance * way.cdf(x) for way in self.ways)
        return np.asarray((1.0 - self.discount) + self.discount * reached)

    def _sum(self, s: Floats) -> Floats:
        """g(s) where no branch has more than one part that matters."""
        inner = sum((way.chance * way.excess(s) for way in self.ways), np.zeros(s.shape))
        return np.asarray((1.0 - self.discount) * s + self.discount * inner)

    def _left(self, s: float) -> float:
        """g(s) at or below the first edge."""
        at = np.full(1, s)
        if all(s <= way.floor for way in self.ways):
            return float(self._sum(at)[0])
        width = max(self.cost, float(np.ptp(self._marks)) / 64.0, 1e-9)
        inner = 0.0
        for way in self.ways:
            if s <= way.floor:
                inner += way.chance * float(way.excess(at)[0])
            else:
                inner += way.chance * integrate_tail(_turned(way), -s, width)
        return (1.0 - self.discount) * s + self.discount * inner

    def _g(self, points: Floats) -> Floats:
        """Return g at sorted points beyond the first edge, all edges below the last among them."""
        return self._onward(self._start, self._at_start, points)

    def _onward(self, a: float, at_a: float, points: Floats) -> Floats:
        """Return g at sorted points beyond a, with no edge between any two; g(a) is known."""
        if self._closed:
            return self._sum(points)
        ends = np.concatenate([[a], points])
        panels = [way.gain(ends[:-1], ends[1:], self.cost) for way in self.ways]
        gained = sum(way.chance * panel for way, panel in zip(self.ways, panels, strict=True))
        return np.asarray(
            at_a + (1.0 - self.discount) * (points - a) + self.discount * np.cumsum(gained)
        )

    def _solved(self) -> float:
        """σ, the root of g(σ) = c."""
        cost = self.cost
        if self.discount == 1.0 and (cost == 0.0 or self._bottom == np.inf):
            return self._bottom
        if self._at_start >= cost:
            return self._solved_left()
        a, at_a = self._start, self._at_start
        spread = float(np.ptp(self._marks)) if self._marks.size else 0.0
        width, rest = max(cost, spread / 8.0, 1e-300), self._marks[1:]
        while True:
            if rest.size:
                points, rest = rest[:_BLOCK], rest[_BLOCK:]
            else:
                points, width = a + width * np.arange(1.0, 5.0), 8.0 * width
            heights = self._onward(a, at_a, points)
            over = int(np.searchsorted(heights, cost))
            if over < heights.size:
                if over:
                    a, at_a = float(points[over - 1]), float(heights[over - 1])
                return self._between(a, at_a, float(points[over]))
            a, at_a = float(points[-1]), float(heights[-1])

    def _between(self, a: float, at_a: float, b: float) -> float:
        """Return the root between two points without an edge between them, g(a) < c ≤ g(b)."""
        short, low, high = (np.full(1, x) for x in (self.cost - at_a, a, b))
        found = solve_excess(
            lambda s: self._onward(a, at_a, s) - at_a, self._slope, short, high, low
        )
        return float(found[0])

    def _solved_left(self) -> float:
        """Return the root at or below the first edge."""

        def above(s: Floats) -> Floats:
            return np.full(1, self._left(float(s[0])) - at)

        upper, lower, at = np.full(1, self._start), np.full(1, self._bottom), 0.0
        if self.discount < 1.0:
            step = max(abs(self._start), self.cost, 1.0)
            while (at := self._left(self._start - step)) >= self.cost:
                step *= 2.0
            lower = upper - step
        return float(solve_excess(above, self._slope, np.full(1, self.cost - at), upper, lower)[0])


def _turned(way: Way) -> Function:
    return lambda x: way.cdf(-x)
