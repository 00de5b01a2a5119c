"""What every law promises, whatever its kind."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st

import weitzman as wz
from tests.strategies import laws, steady

points = st.floats(-20, 20)


@steady
@given(laws, points)
def test_the_two_excesses_differ_by_the_distance_to_the_mean(value: Any, s: float) -> None:
    law = wz.affine(value)
    below, above, mean = float(law.excess_below(s)), float(law.excess_above(s)), float(law.mean())
    size = max(1.0, abs(s), abs(mean), below, above)
    assert below - above == pytest.approx(s - mean, abs=1e-12 * size)
    assert below >= 0.0
    assert above >= 0.0


@steady
@given(laws, points, st.floats(1e-3, 10.0))
def test_the_excess_grows_by_the_area_under_the_cdf(value: Any, s: float, step: float) -> None:
    """c_D(s + h) − c_D(s) lies between h·P(v ≤ s) and h·P(v < s + h): its slope is the cdf."""
    law = wz.affine(value)
    change = float(law.excess_below(s + step) - law.excess_below(s))
    low, high = float(law.cdf(s)), float(law.cdf(s + step))
    slack = 1e-11 * max(1.0, abs(s) + step)
    assert step * low - slack <= change <= step * high + slack


@steady
@given(laws, points)
def test_the_derivative_of_the_excess_is_the_cdf(value: Any, s: float) -> None:
    """A central difference, where the law has no atom or kink near by."""
    law = wz.affine(value)
    step = 1e-5
    if np.any(np.abs(law.kinks() - s) < 0.01):
        return
    slope = float(law.excess_below(s + step) - law.excess_below(s - step)) / (2.0 * step)
    bend = float(law.cdf(s + step) - law.cdf(s - step))
    assert slope == pytest.approx(float(law.cdf(s)), abs=1e-8 + bend)


@steady
@given(laws, points)
def test_cdf_survival_and_atom_fit_together(value: Any, x: float) -> None:
    law = wz.affine(value)
    cdf, sf, atom = float(law.cdf(x)), float(law.sf(x)), float(law.atom(x))
    assert cdf + sf == pytest.approx(1.0, abs=1e-12)
    assert 0.0 <= atom <= cdf + 1e-15
    before = float(law.cdf(math.nextafter(x, -math.inf)))
    # A steep density, as of beta(0.3, ·) at its end, changes by up to 1e-5 in one step of a float.
    assert cdf - before == pytest.approx(atom, abs=1e-4)


@steady
@given(laws, st.floats(0.001, 0.999))
def test_a_quantile_is_the_smallest_point_that_reaches_p(value: Any, p: float) -> None:
    law = wz.affine(value)
    q = float(law.quantile(p))
    assert float(law.cdf(q + 1e-9 * max(1.0, abs(q)))) >= p
    assert float(law.cdf(q - 1e-9 * max(1.0, abs(q)))) <= p


@pytest.mark.parametrize(
    ("value", "p", "smallest"),
    [
        (wz.Discrete([1, 2, 3, 4]), 0.5, 2.0),
        (wz.affine(wz.Discrete([1, 2, 3, 4]), scale=-1.0), 0.5, -3.0),
        (scipy.stats.bernoulli(0.5), 0.5, 0.0),
        (wz.affine(scipy.stats.bernoulli(0.5), scale=-1.0), 0.5, -1.0),
        (wz.affine(scipy.stats.bernoulli(0.25), scale=-1.0), 0.25, -1.0),
        (wz.Mixture([0.0, 1.0]), 0.5, 0.0),
    ],
)
def test_a_quantile_at_the_edge_of_an_atom_is_the_smallest(
    value: Any, p: float, smallest: float
) -> None:
    assert float(wz.affine(value).quantile(p)) == smallest


@steady
@given(laws, points, st.floats(-5, 5), st.floats(0.1, 5), st.booleans())
def test_affine_maps_act_on_everything(
    value: Any, x: float, shift: float, scale: float, turn: bool
) -> None:
    law = wz.affine(value)
    factor = -scale if turn else scale
    moved = law.affine(shift=shift, scale=factor)
    y = shift + factor * x
    size = max(1.0, abs(x), abs(y)) * 1e-9
    up, down = law.excess_below(x), law.excess_above(x)
    assert float(moved.excess_below(y)) == pytest.approx(
        scale * float(down if turn else up), rel=1e-9, abs=size
    )
    assert float(moved.excess_above(y)) == pytest.approx(
        scale * float(up if turn else down), rel=1e-9, abs=size
    )
    assert float(moved.mean()) == pytest.approx(
        shift + factor * float(law.mean()), rel=1e-9, abs=1e-9
    )
    low, high = sorted(shift + factor * float(e) for e in law.support())
    assert [float(e) for e in moved.support()] == pytest.approx([low, high], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    "value",
    [
        wz.Discrete([1.0, 4.0]),
        scipy.stats.norm(3.0, 2.0),
        wz.Mixture([scipy.stats.expon(), 2.0]),
        wz.Truncated(scipy.stats.norm(), -1.0, 2.0),
    ],
)
def test_a_map_leaves_alone_what_it_does_not_name(value: Any) -> None:
    law = wz.affine(value)
    x = np.array([-1.0, 0.5, 2.0, 4.0])
    same, moved, wider = law.affine(), law.affine(shift=2.0), law.affine(scale=2.0)
    assert same.cdf(x).tolist() == law.cdf(x).tolist()
    assert moved.cdf(x + 2.0) == pytest.approx(law.cdf(x), abs=1e-15)
    assert wider.cdf(2.0 * x) == pytest.approx(law.cdf(x), abs=1e-15)
    assert wz.affine(value, shift=2.0).cdf(x + 2.0) == pytest.approx(law.cdf(x), abs=1e-15)


@steady
@given(laws)
def test_at_infinity_nothing_is_left_to_gain(value: Any) -> None:
    law = wz.affine(value)
    assert float(law.excess_below(-math.inf)) == 0.0
    assert float(law.excess_above(math.inf)) == 0.0
    assert (float(law.cdf(-math.inf)), float(law.cdf(math.inf))) == (0.0, 1.0)
    assert (float(law.sf(-math.inf)), float(law.sf(math.inf))) == (1.0, 0.0)


@steady
@given(laws)
@example(scipy.stats.pareto(1.5, scale=0.5))
@example(scipy.stats.weibull_min(1.7))
def test_every_law_answers_arrays_as_it_answers_numbers(value: Any) -> None:
    """To the last bit: a round opened alone and one in a batch must not order boxes differently."""
    law = wz.affine(value)
    x = np.array([[-3.0, 0.0, 0.5], [1.0, 2.0, 7.5]])
    p = np.linspace(0.01, 0.99, 50).reshape(5, 10)
    asks = (law.cdf, law.sf, law.atom, law.excess_below, law.excess_above)
    for ask, points in [*((ask, x) for ask in asks), (law.quantile, p)]:
        together = ask(points)
        assert together.shape == points.shape
        assert together.ravel().tolist() == [float(ask(float(y))) for y in points.ravel()]


@steady
@given(laws)
def test_a_law_shows_itself(value: Any) -> None:
    assert len(repr(wz.affine(value))) > 3


def test_samples_follow_the_law_and_the_seed() -> None:
    """The Dvoretzky–Kiefer–Wolfowitz bound: false alarm 2e-7 for each law at 20,000 draws."""
    n = 20_000
    bound = math.sqrt(math.log(2.0 / 2e-7) / (2.0 * n))
    for value in (
        scipy.stats.gamma(2.0),
        wz.Mixture([scipy.stats.norm(), 1.0]),
        wz.Truncated(scipy.stats.norm(), 0.0, 2.0),
        wz.affine(scipy.stats.t(3), scale=-2.0),
        wz.affine(scipy.stats.bernoulli(0.3), scale=-2.0),
    ):
        law = wz.affine(value)
        draws = law.sample(np.random.default_rng(11), n)
        assert draws.tolist() == law.sample(np.random.default_rng(11), n).tolist()
        x = np.quantile(draws, np.linspace(0.01, 0.99, 40))
        share = np.searchsorted(np.sort(draws), x, side="right") / n
        assert np.max(np.abs(share - law.cdf(x))) < bound
