"""Costly search by brute force, in rational arithmetic, from the definition of the problem alone.

:func:`optimal_total` is the exact dynamic programme over (opened set, best value in hand): in every
state stop, if there is something to keep, or open any closed box. It knows nothing of reservation values.
:func:`run_rule` plays Weitzman's rule on every combination of values. All numbers are
:class:`~fractions.Fraction`; inside, everything is brought to integers over common denominators.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal

Sense = Literal["min", "max"]


@dataclass(frozen=True)
class ExactBox:
    """A box: its cost, and its outcomes as (value, probability)."""

    cost: Fraction
    outcomes: tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class Problem:
    """Boxes, a sense, and an outside option or none."""

    boxes: tuple[ExactBox, ...]
    sense: Sense = "min"
    outside: Fraction | None = None

    @property
    def sign(self) -> int:
        return 1 if self.sense == "min" else -1


@dataclass(frozen=True)
class Run:
    """What a rule gives: its expected total and each box's probability to be opened."""

    total: Fraction
    open_probabilities: tuple[Fraction, ...]


@dataclass(frozen=True)
class _Integers:
    """A problem with smaller values better, values in units of 1/unit, weights of sum ``weight``."""

    unit: int
    costs: tuple[int, ...]
    outcomes: tuple[tuple[tuple[int, int], ...], ...]
    weights: tuple[int, ...]
    outside: int | None


def _integers(problem: Problem, more: Sequence[Fraction] = ()) -> _Integers:
    sign, boxes = problem.sign, problem.boxes
    numbers = [b.cost for b in boxes] + [v for b in boxes for v, _ in b.outcomes] + list(more)
    if problem.outside is not None:
        numbers.append(problem.outside)
    unit = math.lcm(*(x.denominator for x in numbers))
    weights = tuple(math.lcm(*(p.denominator for _, p in b.outcomes)) for b in boxes)
    return _Integers(
        unit,
        tuple(int(b.cost * unit) for b in boxes),
        tuple(
            tuple((sign * int(v * unit), int(p * w)) for v, p in b.outcomes)
            for b, w in zip(boxes, weights, strict=True)
        ),
        weights,
        None if problem.outside is None else sign * int(problem.outside * unit),
    )


def optimal_total(problem: Problem, *, first: int | None = None) -> Fraction:
    """Return the best expected total of all policies; ``first`` is a box they must open first."""
    z = _integers(problem)
    count = len(z.costs)
    # The value of a state is kept times the weights of the boxes still closed in it.
    scale = [
        math.prod(z.weights[j] for j in range(count) if not mask >> j & 1)
        for mask in range(1 << count)
    ]
    known: dict[tuple[int, int | None], int] = {}

    def opening(mask: int, best: int | None, box: int) -> int:
        after = mask | 1 << box
        return z.costs[box] * scale[mask] + sum(
            w * value(after, v if best is None or v < best else best) for v, w in z.outcomes[box]
        )

    def value(mask: int, best: int | None) -> int:
        found = known.get((mask, best))
        if found is not None:
            return found
        choices = [opening(mask, best, i) for i in range(count) if not mask >> i & 1]
        if best is not None:
            choices.append(best * scale[mask])
        known[mask, best] = result = min(choices)
        return result

    whole = value(0, z.outside) if first is None else opening(0, z.outside, first)
    return problem.sign * Fraction(whole, scale[0] * z.unit)


def rule_order(problem: Problem, s: Sequence[Fraction]) -> list[int]:
    """Return the boxes from the most to the least promising; equal ones by position."""
    return sorted(range(len(s)), key=lambda i: (problem.sign * s[i], i))


def run_rule(problem: Problem, s: Sequence[Fraction]) -> Run:
    """Return what Weitzman's rule at s gives, over all combinations of values."""
    z = _integers(problem, s)
    sigma = [problem.sign * int(x * z.unit) for x in s]
    order = rule_order(problem, s)
    total, opened = 0, [0] * len(sigma)
    for values in product(*z.outcomes):
        weight = math.prod(w for _, w in values)
        best, paid = z.outside, 0
        for i in order:
            if best is not None and best <= sigma[i]:
                break
            v = values[i][0]
            paid += z.costs[i]
            opened[i] += weight
            best = v if best is None or v < best else best
        assert best is not None
        total += weight * (best + paid)
    everything = math.prod(z.weights)
    return Run(
        Fraction(problem.sign * total, everything * z.unit),
        tuple(Fraction(q, everything) for q in opened),
    )


def excess(box: ExactBox, s: Fraction, sense: Sense = "min") -> Fraction:
    """Return E(s − v)⁺, or E(v − s)⁺ for ``max``."""
    sign = 1 if sense == "min" else -1
    return sum((p * max(sign * (s - v), Fraction(0)) for v, p in box.outcomes), Fraction(0))


def reservation_value(box: ExactBox, sense: Sense = "min") -> Fraction:
    """Return the σ whose expected excess is the cost; at cost 0 the best outcome."""
    sign = 1 if sense == "min" else -1
    outcomes = sorted((sign * v, p) for v, p in box.outcomes if p > 0)
    below, area, last = Fraction(0), Fraction(0), outcomes[0][0]
    for v, p in outcomes:
        if below > 0 and area + below * (v - last) >= box.cost:
            break
        area, last, below = area + below * (v - last), v, below + p
        if box.cost == 0:
            return sign * last
    return sign * (last + (box.cost - area) / below)


def excess_loss(box: ExactBox, sigma: Fraction, sense: Sense = "min") -> Fraction:
    """Return E H_c(σ − v), with H_c(z) = ½(z⁺)² − cz and v turned round for ``max``."""
    sign = 1 if sense == "min" else -1
    total = Fraction(0)
    for v, p in box.outcomes:
        z = sign * (sigma - v)
        total += p * (max(z, Fraction(0)) ** 2 / 2 - box.cost * z)
    return total
