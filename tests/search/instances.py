"""Random exact problems in bulk, solved by brute force and by the library, side by side."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

import weitzman as wz
from tests.search import brute
from tests.search.brute import ExactBox, Problem
from tests.strategies import law_of

CHUNKS, PER_CHUNK = 10, 1000
"""10 × 1,000 instances, fixed by their seeds."""


@dataclass(frozen=True)
class Case:
    """A problem, arbitrary reservation values s, and both answers."""

    problem: Problem
    s: tuple[Fraction, ...]
    sigma: tuple[Fraction, ...]
    """The library's reservation values, as the exact numbers that the floats are."""
    optimum: Fraction
    at_s: brute.Run
    at_sigma: brute.Run
    given: wz.Plan


@cache
def cases(seed: int) -> tuple[Case, ...]:
    """Return one chunk of solved instances."""
    rng = np.random.default_rng([2, seed])
    return tuple(_case(rng) for _ in range(PER_CHUNK))


def all_cases() -> list[Case]:
    """Return all solved instances."""
    return [case for seed in range(CHUNKS) for case in cases(seed)]


def _problem(rng: np.random.Generator) -> Problem:
    count = int(rng.integers(1, 5))
    parts = int(rng.choice([1, 1, 2, 4]))
    boxes = tuple(_box(rng, parts) for _ in range(count))
    outside = Fraction(int(rng.integers(-6 * parts, 6 * parts + 1)), parts)
    return Problem(
        boxes, "min" if rng.random() < 0.5 else "max", outside if rng.random() < 0.5 else None
    )


def _box(rng: np.random.Generator, parts: int) -> ExactBox:
    size = int(rng.choice([1, 2, 2, 3, 3, 3]))
    values = rng.integers(-5 * parts, 5 * parts + 1, size=size)
    weights = rng.integers(1, 6, size=size)
    cost = Fraction(int(rng.integers(0, 17)), 8) if rng.random() < 0.9 else Fraction(9)
    total = int(weights.sum())
    return ExactBox(
        cost,
        tuple(
            (Fraction(int(v), parts), Fraction(int(w), total))
            for v, w in zip(values, weights, strict=True)
        ),
    )


def _reservation_values(rng: np.random.Generator, problem: Problem) -> tuple[Fraction, ...]:
    """Values around the true ones, outcomes themselves, or anything: ties are frequent."""
    kind = rng.random()
    result = []
    for box in problem.boxes:
        if kind < 0.4:
            near = round(4 * brute.reservation_value(box, problem.sense))
            s = Fraction(near + int(rng.integers(-3, 4)), 4)
        elif kind < 0.7:
            s = box.outcomes[int(rng.integers(len(box.outcomes)))][0]
        else:
            s = Fraction(int(rng.integers(-7, 8)))
        result.append(s)
    return tuple(result)


def _case(rng: np.random.Generator) -> Case:
    problem = _problem(rng)
    s = _reservation_values(rng, problem)
    boxes = [wz.Box(str(i), float(b.cost), law_of(b)) for i, b in enumerate(problem.boxes)]
    outside = None if problem.outside is None else float(problem.outside)
    given = wz.plan(
        boxes, sense=problem.sense, outside=outside, reservation_values=[float(x) for x in s]
    )
    sigma = tuple(
        Fraction(wz.reservation_value(b.law, b.expected_cost, sense=problem.sense)) for b in boxes
    )
    return Case(
        problem,
        s,
        sigma,
        brute.optimal_total(problem),
        brute.run_rule(problem, s),
        brute.run_rule(problem, sigma),
        given,
    )
