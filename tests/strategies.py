"""Hypothesis strategies of the domain: costs, laws, boxes, reservation values, whole problems.

Values are small dyadic numbers, so that atoms, ties and equalities are frequent and every float is
the number it stands for.
"""

from fractions import Fraction
from typing import Any

import scipy.stats
from hypothesis import settings
from hypothesis import strategies as st

import weitzman as wz
from tests.search.brute import ExactBox, Problem, Sense

steady = settings(deadline=None, derandomize=True, max_examples=40)
"""The settings of all property tests: the same examples on every machine, however slow."""

senses: st.SearchStrategy[Sense] = st.sampled_from(["min", "max"])


def dyadics(low: int = -8, high: int = 8, parts: int = 4) -> st.SearchStrategy[Fraction]:
    """Numbers k/parts between low and high."""
    return st.integers(low * parts, high * parts).map(lambda k: Fraction(k, parts))


costs = st.one_of(st.just(Fraction(0)), dyadics(0, 3, 8), dyadics(0, 40, 1))
reservation_values = dyadics(-10, 10, 4)
outsides = st.one_of(st.none(), dyadics())


@st.composite
def outcomes(draw: st.DrawFn, most: int = 4) -> tuple[tuple[Fraction, Fraction], ...]:
    """Up to ``most`` dyadic outcomes with rational probabilities; equal outcomes may repeat."""
    count = draw(st.integers(1, most))
    values = draw(st.lists(dyadics(), min_size=count, max_size=count))
    weights = draw(st.lists(st.integers(1, 6), min_size=count, max_size=count))
    return tuple((v, Fraction(w, sum(weights))) for v, w in zip(values, weights, strict=True))


@st.composite
def exact_boxes(draw: st.DrawFn) -> ExactBox:
    return ExactBox(draw(costs), draw(outcomes()))


@st.composite
def problems(draw: st.DrawFn, most: int = 4) -> Problem:
    """Problems that the brute force can solve."""
    boxes = draw(st.lists(exact_boxes(), min_size=1, max_size=most))
    return Problem(tuple(boxes), draw(senses), draw(outsides))


@st.composite
def problems_with_reservation_values(draw: st.DrawFn) -> tuple[Problem, tuple[Fraction, ...]]:
    problem = draw(problems())
    count = len(problem.boxes)
    s = draw(st.lists(reservation_values, min_size=count, max_size=count))
    return problem, tuple(s)


def law_of(box: ExactBox) -> wz.Discrete:
    """The law of an exact box, with probabilities rounded to floats."""
    return wz.Discrete([float(v) for v, _ in box.outcomes], [float(p) for _, p in box.outcomes])


def boxes_of(problem: Problem) -> list[wz.Box]:
    """The boxes of an exact problem, named by their position."""
    return [wz.Box(str(i), float(b.cost), law_of(b)) for i, b in enumerate(problem.boxes)]


def plan_of(problem: Problem, s: tuple[Fraction, ...] | None = None) -> wz.Plan:
    """The plan of an exact problem, at its own or at given reservation values."""
    return wz.plan(
        boxes_of(problem),
        sense=problem.sense,
        outside=None if problem.outside is None else float(problem.outside),
        reservation_values=None if s is None else [float(x) for x in s],
    )


def _positive(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


def _frozen(family: Any, *shapes: st.SearchStrategy[float]) -> st.SearchStrategy[Any]:
    return st.builds(family.freeze, *shapes, loc=st.floats(-5, 5), scale=_positive(0.1, 10))


closed_laws: st.SearchStrategy[Any] = st.one_of(
    _frozen(scipy.stats.uniform),
    _frozen(scipy.stats.norm),
    _frozen(scipy.stats.expon),
    _frozen(scipy.stats.logistic),
    _frozen(scipy.stats.gamma, _positive(0.3, 20)),
    _frozen(scipy.stats.beta, _positive(0.3, 20), _positive(0.3, 20)),
    _frozen(scipy.stats.lognorm, _positive(0.1, 1.5)),
    _frozen(scipy.stats.pareto, _positive(1.2, 8)),
    _frozen(scipy.stats.weibull_min, _positive(0.5, 6)),
    st.builds(scipy.stats.bernoulli, _positive(0, 1), loc=st.integers(-5, 5)),
)
discrete_laws: st.SearchStrategy[wz.Discrete] = exact_boxes().map(law_of)
simple_laws: st.SearchStrategy[Any] = st.one_of(
    closed_laws, discrete_laws, st.floats(-5, 5).map(float)
)
mixtures: st.SearchStrategy[Any] = st.lists(
    st.tuples(simple_laws, _positive(0.1, 3)), min_size=1, max_size=3
).map(lambda parts: wz.Mixture([v for v, _ in parts], [w for _, w in parts]))
laws: st.SearchStrategy[Any] = st.one_of(simple_laws, mixtures)
"""Values of every closed kind, and mixtures of them; all have a finite mean."""
