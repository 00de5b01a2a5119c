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
from functools import cached_property

import numpy as np

from weitzman.arrays import Floats
from weitzman.search.laws.quadrature import integrate_tail
from weitzman.search.laws.roots import Function, solve_excess
from weitzman.search.variants.forest.parts import Leaf, Leaves, Way

_BLOCK = 24
_EPS = float(np.finfo(np.float64).eps)


class Capped:
    """κ of one node: of its cost, its discount, and the branches that it leads to.

    ``sigma`` is given if it is known; ``chain`` are the values of a chain.
    """

    plain = False
    low: float
    top: float

    def __init__(
        self,
        cost: float,
        discount: float,
        ways: Sequence[Way],
        sigma: float | None = None,
        chain: list[Leaf] | None = None,
    ) -> None:
        self.chain = chain
        self.cost, self.discount, self.ways = cost, discount, tuple(ways)
        parts = [part for way in ways for part in way.parts]
        self._bottom = min((part.low for part in parts), default=np.inf)
        ends = [min((part.top for part in way.parts), default=np.inf) for way in ways]
        self.sigma = self._solved() if sigma is None else sigma
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
        """Return E(s − κ)⁺ = (g(s) − c)⁺, of a closed law: no other is asked for it."""
        return np.where(s > self.sigma, self._sum(s) - self.cost, 0.0)

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
    def leaves(self) -> Leaves | None:
        """The values that κ is the smallest of; None behind a signal or a discount."""
        within = self.ways[0].leaves if len(self.ways) == 1 and self.discount == 1.0 else None
        return None if within is None else [(max(self.sigma, s), law) for s, law in within]

    @cached_property
    def closed(self) -> bool:
        """Whether g is a sum of closed forms everywhere."""
        return all(way.closed for way in self.ways)

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

    def _onward(self, a: float, at_a: float, points: Floats) -> Floats:
        """Return g at sorted points beyond a, with no edge between any two; g(a) is known."""
        if self.closed:
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
                    a = float(points[over - 1])
                return self._between(a, float(points[over]), float(heights[over]) - cost)
            a, at_a = float(points[-1]), float(heights[-1])

    def _between(self, a: float, s: float, excess: float) -> float:
        """Return the root between a and s, with no edge between them: Newton's from the right.

        g is convex, so that no step passes the root.
        """
        while excess > 0.0:
            at = np.full(1, s)
            new = max(s - excess / float(self._slope(at)[0]), a)
            if s - new <= _EPS * abs(s):
                return new
            low = np.full(1, new)
            if self.closed:
                excess = float(self._sum(low)[0]) - self.cost
            else:
                gained = sum(way.chance * way.gain(low, at, self.cost)[0] for way in self.ways)
                excess -= (1.0 - self.discount) * (s - new) + self.discount * float(gained)
            s = new
        return s

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
