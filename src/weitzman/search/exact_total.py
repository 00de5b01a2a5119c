"""The exact expected total of Weitzman's rule at any reservation values.

Let s_1 ≤ … ≤ s_n be reservation values in opening order, o the outside option (+∞ without one), and
c_D(s) = E(s − v)⁺. Box i is opened when o and every earlier value exceed s_i, so with probability

    q_i = 1{o > s_i} · Π_{j<i} P(v_j > s_i),

and the expected total of the rule run with s is

    E[min(o, min_i max(v_i, s_i))] + Σ_i q_i (c_i − c_{D_i}(s_i)).

At the true reservation values the sum vanishes and the first term is the optimum. That term is one
integral of the survival function S(x) = 1{x < o} · Π_{i: s_i ≤ x} P(v_i > x): with r any point,
E[·] = r + ∫_r^∞ S(x) dx − ∫_{−∞}^r (1 − S(x)) dx. S is smooth between the s_i and the kinks of the
laws, and constant there if all laws are discrete. The integral ends at X = min(o, min_i max(s_i,
sup v_i)), and boxes that are reached with a probability below rounding cost nothing: with k boxes
that matter, the work is O(n log n) for the order and O(k²) for the products.

Two upper bounds on the regret against the true σ: Σ_i (q_i(σ) − q_i(s))(c_{D_i}(s_i) − c_i), the
certificate, and the paper's Σ_i |c_{D_i}(s_i) − c_i|.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.parametric import LocationScale
from weitzman.search.laws.quadrature import integrate, integrate_tail
from weitzman.search.reservation import solve_law
from weitzman.search.rule import opening_order

Question = Literal["cdf", "sf"]
# Segments and rows taken at a time: few enough to stop early, many enough for numpy.
_BLOCK = 32
_ROWS = 4096
_NEGLIGIBLE = 1e-18


class Laws:
    """The laws of n boxes, asked together: boxes of one closed family share one call."""

    def __init__(self, laws: Sequence[Distribution]) -> None:
        self.laws = list(laws)
        groups: dict[int, list[int]] = {}
        for place, law in enumerate(self.laws):
            family = law.standard if isinstance(law, LocationScale) else law
            groups.setdefault(id(family), []).append(place)
        self._groups = [(np.array(g), _stack([self.laws[i] for i in g])) for g in groups.values()]

    def __len__(self) -> int:
        return len(self.laws)

    def sorted(self, order: Sequence[int] | NDArray[np.intp]) -> "Laws":
        """Return the same laws in another order."""
        return Laws([self.laws[i] for i in order])

    def ask(self, question: Question, x: Floats, count: int) -> Floats:
        """Return the matrix of P(v_j > x_k) or P(v_j ≤ x_k), a row per x, of the first boxes."""
        matrix = np.empty((x.size, count))
        for places, law in self._groups:
            known = int(np.searchsorted(places, count))
            if known == 0:
                continue
            if isinstance(law, LocationScale) and law.shape:
                matrix[:, places[:known]] = getattr(law[:known], question)(x[:, None])
            else:
                matrix[:, places[:known]] = getattr(law, question)(x)[:, None]
        return matrix

    def _each(self, answer: Callable[[Distribution, NDArray[np.intp]], Any]) -> Floats:
        """Return one number per box, from an answer for each group and the places of its boxes."""
        result = np.empty(len(self))
        for places, law in self._groups:
            result[places] = answer(law, places)
        return result

    def cdf(self, x: Floats) -> Floats:
        """Return P(v_i ≤ x_i) of every box."""
        return self._each(lambda law, places: law.cdf(x[places]))

    def excess(self, s: Floats) -> Floats:
        """Return c_{D_i}(s_i) of every box."""
        certain = np.isneginf(s)
        at = np.where(certain, 0.0, s)
        result = self._each(lambda law, places: law.excess_below(at[places]))
        if not np.isfinite(result).all():
            law = self.laws[int(np.flatnonzero(~np.isfinite(result))[0])]
            raise InvalidInputError("The value", "have a finite expected excess", law)
        return np.where(certain, 0.0, result)

    def quantiles(self, levels: Floats) -> Floats:
        """Return the quantiles of every box, a row per box."""
        result = np.empty((len(self), levels.size))
        for places, law in self._groups:
            wide = isinstance(law, LocationScale) and law.shape
            result[places] = law.quantile(levels[:, None]).T if wide else law.quantile(levels)
        return result

    def reservation_values(self, costs: Floats) -> Floats:
        """Return σ_i with c_{D_i}(σ_i) = c_i of every box."""
        return self._each(lambda law, places: solve_law(law, costs[places], "min"))

    def means(self) -> Floats:
        """Return E v_i of every box."""
        return self._each(lambda law, _: law.mean())


def _stack(laws: list[Distribution]) -> Distribution:
    first = laws[0]
    if len(laws) == 1 or not isinstance(first, LocationScale):
        return first
    same = [law for law in laws if isinstance(law, LocationScale)]
    shapes = tuple(np.array(column) for column in zip(*(law.shapes for law in same), strict=True))
    loc, scale = (np.array([getattr(law, k) for law in same]) for k in ("loc", "scale"))
    return LocationScale(first.standard, shapes, loc, scale, first.name)


@dataclass(frozen=True)
class Evaluation:
    """Weitzman's rule run with given reservation values, smaller values better.

    ``reservation_values`` are finite or −∞; ``outside`` is +∞ if there is no outside option.
    """

    laws: Laws
    costs: Floats
    reservation_values: Floats
    outside: float = float("inf")

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The boxes by increasing reservation value."""
        return opening_order(self.reservation_values)

    @cached_property
    def excess(self) -> Floats:
        """c_{D_i}(s_i) of every box, the cost at which s_i would be its true reservation value."""
        return self.laws.excess(self.reservation_values)

    @cached_property
    def _s(self) -> Floats:
        return self.reservation_values[self.order]

    @cached_property
    def _sorted(self) -> Laws:
        return self.laws.sorted(self.order)

    @cached_property
    def open_probabilities(self) -> Floats:
        """The probability that each box is opened."""
        q = np.zeros(len(self.laws))
        reach = int(np.searchsorted(self._s, self.outside))
        for begin in range(0, reach, _BLOCK):
            end = min(begin + _BLOCK, reach)
            survival = self._sorted.ask("sf", self._s[begin:end], end)
            earlier = np.arange(end) < np.arange(begin, end)[:, None]
            q[self.order[begin:end]] = np.where(earlier, survival, 1.0).prod(axis=1)
            if q[self.order[end - 1]] == 0.0:
                break
        return q

    @cached_property
    def expected_total(self) -> float:
        """The expected total."""
        q = self.open_probabilities
        opened = q > 0.0
        correction = np.sum(q[opened] * (self.costs - self.excess)[opened])
        return self.expected_capped + float(correction)

    @cached_property
    def expected_capped(self) -> float:
        """E[min(o, min_i max(v_i, s_i))]."""
        if len(self._s) == 0 or self.outside <= self._s[0]:
            return self.outside
        if np.isfinite(self._s[0]):
            start = float(self._s[0])
            return start + self._above(start)
        start = min(float(self._sorted.laws[0].quantile(0.5)), self._end)
        return start + self._above(start) - self._below(start)

    @cached_property
    def _end(self) -> float:
        """X, where S becomes 0."""
        tops = np.array([float(law.support()[1]) for law in self._sorted.laws])
        return min(self.outside, float(np.min(np.maximum(self._s, tops))))

    def _survival(self, x: Floats) -> Floats:
        """S(x); the outside option is left to the limits of the integral."""
        return np.concatenate([rows.prod(axis=1) for rows in self._masked(x, "sf", 1.0)])

    def _complement(self, x: Floats) -> Floats:
        """1 − S(x), accurate where it is small."""
        with np.errstate(divide="ignore"):
            logs = [np.log1p(-rows).sum(axis=1) for rows in self._masked(x, "cdf", 0.0)]
        return np.asarray(-np.expm1(np.concatenate(logs)))

    def _masked(self, x: Floats, question: Question, neutral: float) -> Iterator[Floats]:
        """Yield rows of answers of the boxes with s_i ≤ x, and the neutral number for the others."""
        active = np.searchsorted(self._s, x, side="right")
        for begin in range(0, x.size, _ROWS):
            part = slice(begin, begin + _ROWS)
            count = int(active[part].max())
            rows = self._sorted.ask(question, x[part], count)
            yield np.where(np.arange(count) < active[part, None], rows, neutral)

    def _edges(self, low: float, high: float) -> Floats:
        """All points strictly between low and high where S may jump or bend, and the ends."""
        smooth = [i for i, law in enumerate(self._sorted.laws) if not law.is_step]
        points = [self._s, *(law.kinks() for law in self._sorted.laws)]
        inner = np.concatenate([*points, self._quantiles[smooth].ravel()])
        inner = inner[(inner > low) & (inner < high)]
        edges = np.unique(np.concatenate([[low], inner, [high] if np.isfinite(high) else []]))
        return edges if len(smooth) == 0 else refined(edges, self._width)

    def _above(self, start: float) -> float:
        """∫ S from start to X."""
        if self._end <= start:
            return 0.0
        edges = self._edges(start, self._end)
        step = all(law.is_step for law in self._sorted.laws)
        total, begin, block = 0.0, 0, _BLOCK
        while begin < len(edges) - 1:
            part = edges[begin : begin + block + 1]
            if step:
                total += float(np.sum(self._survival(part[:-1]) * np.diff(part)))
            else:
                total += integrate(self._survival, part, whole=total)
            left = float(self._survival(part[-1:])[0])
            if left * (edges[-1] - part[-1]) <= _NEGLIGIBLE * total:
                break
            begin, block = begin + block, 2 * block
        if np.isinf(self._end):
            total += integrate_tail(self._survival, float(edges[-1]), self._width)
        return total

    def _below(self, start: float) -> float:
        """∫ (1 − S) from −∞ to start."""
        bottoms = np.array([float(law.support()[0]) for law in self._sorted.laws])
        low = min(start, float(np.min(np.maximum(self._s, bottoms))))
        edges = self._edges(low, start)
        if np.isfinite(low):
            return integrate(self._complement, edges)
        tail = integrate_tail(lambda x: self._complement(-x), -float(edges[1]), self._width)
        return tail + integrate(self._complement, edges[1:], whole=tail)

    @cached_property
    def _quantiles(self) -> Floats:
        """Points that no panel may span unseen: where each cdf does its rising."""
        return self._sorted.quantiles(np.array([0.01, 0.25, 0.5, 0.75, 0.99]))

    @cached_property
    def _width(self) -> float:
        """The smallest scale on which a cdf changes."""
        widths = self._quantiles[:, 3] - self._quantiles[:, 1]
        return float(np.min(widths[widths > 0.0], initial=np.inf)) if (widths > 0.0).any() else 1.0


def refined(edges: Floats, width: float) -> Floats:
    """Return the edges, and in panels much wider than ``width`` more of them towards both ends.

    Beyond the outer quantiles of a law its tails fall off from the ends of a panel, however long the
    panel is: panels of doubling width from both ends see them.
    """
    left, right = edges[:-1], edges[1:]
    wide = np.isfinite(left) & (right - left > 4.0 * width)
    if not wide.any():
        return edges
    left, half = left[wide], 0.5 * (right - left)[wide]
    right = left + 2.0 * half
    doublings = min(1000, int(np.log2(half.max() / width)) + 2)
    steps = width * np.expm1(np.arange(1, doublings) * np.log(2.0))
    near = steps < half[:, None]
    more = [(left[:, None] + steps)[near], (right[:, None] - steps)[near], left + half]
    return np.unique(np.concatenate([edges, *more]))


def certificate(truth: Evaluation, given: Evaluation) -> float:
    """Return the certificate: an upper bound on the regret of the given reservation values."""
    gap = given.excess - given.costs
    shift = truth.open_probabilities - given.open_probabilities
    return float(np.sum(shift * gap))


def l1_bound(given: Evaluation) -> float:
    """Return the paper's upper bound on the regret of the given reservation values."""
    return float(np.sum(np.abs(given.excess - given.costs)))
