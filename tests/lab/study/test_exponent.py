"""The growth exponent is that of the power law behind the rows."""

import numpy as np
import pytest

from tests.replays.synthetic import table
from weitzman.errors import InvalidInputError
from weitzman.lab.study.exponent import growth_exponent
from weitzman.lab.study.summary import Curve, summarise

ONE = {"feedbacks": ("full",), "searchers": ("cpb",)}


def power(a: float) -> "list[Curve]":
    shape = lambda _, seed, t: (2.0 + seed) * t**a  # noqa: E731
    return summarise(table(shape, horizons=(10_000,), every=100, **ONE))


@pytest.mark.parametrize("a", [0.1, 0.5, 0.75, 1.0])
def test_a_power_law_has_its_exponent(a: float) -> None:
    fit = growth_exponent(power(a), low=1000, high=10_000)
    # Seeds differ by a factor only, which no exponent sees
    assert (fit.exponent, fit.low, fit.high) == pytest.approx((a, a, a), abs=1e-12)
    assert (fit.rounds[0], fit.rounds[-1], fit.seeds) == (1000, 10_000, 3)


def test_a_logarithm_grows_more_slowly_than_any_shown_power() -> None:
    curves = summarise(table(lambda _s, _k, t: np.log(t), horizons=(10_000,), every=100, **ONE))
    fit = growth_exponent(curves, low=1000, high=10_000)
    # The derivative of log log t by log t is 1/log t
    assert 1.0 / np.log(10_000) < fit.exponent < 1.0 / np.log(1000)


def test_several_horizons_are_fitted_at_their_ends() -> None:
    # Within a run regret is linear; across horizons it grows like T^0.6
    made = [
        Curve(
            world="w", feedback="full", searcher="s", rounds=rounds, seeds=np.arange(2),
            at=np.array([rounds // 2, rounds]),
            sums=np.outer([1.0, 3.0], rounds**0.6 * np.array([0.5, 1.0])),
        )
        for rounds in (10_000, 300, 1000, 3000)
    ]  # fmt: skip
    fit = growth_exponent(made, low=1000, high=10_000)
    assert fit.rounds == (1000, 3000, 10_000)
    assert fit.exponent == pytest.approx(0.6, abs=1e-12)


def test_the_fit_is_that_of_polyfit() -> None:
    rng = np.random.default_rng(3)
    at = np.array([1000, 3000, 10_000])
    sums = rng.uniform(1.0, 2.0, (5, 3)) * at**0.4
    made = [
        Curve(
            world="w", feedback="full", searcher="s", rounds=int(t), seeds=np.arange(5),
            at=np.array([t]), sums=sums[:, [i]],
        )
        for i, t in enumerate(at)
    ]  # fmt: skip
    slope = np.polyfit(np.log(at), np.log(sums.mean(axis=0)), 1)[0]
    fit = growth_exponent(made, low=1000, high=10_000)
    assert fit.exponent == pytest.approx(slope, rel=1e-12)
    assert fit.low < slope < fit.high


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """400 draws of 20 seeds; nominal 95 %, less 5 % as the bootstrap is short of few seeds.

    With a coverage of 90 %, fewer than 320 of 400 have probability 8e-10; with one of 95 %, all 400
    have 1e-9.
    """
    rng, at, inside = np.random.default_rng(0), np.array([1000, 10_000]), 0
    for _ in range(400):
        sums = rng.gamma(4.0, 0.25, (20, 2)) * at**0.5
        curves = [
            Curve(
                world="w", feedback="full", searcher="s", rounds=int(t), seeds=np.arange(20),
                at=np.array([t]), sums=sums[:, [i]],
            )
            for i, t in enumerate(at)
        ]  # fmt: skip
        fit = growth_exponent(curves, low=1000, high=10_000, resamples=400)
        inside += fit.low <= 0.5 <= fit.high
    assert 320 <= inside < 400


def test_regret_that_is_not_positive_has_no_exponent() -> None:
    curves = summarise(
        table(lambda _s, seed, t: t**0.5 * (1 if seed else -5), horizons=(1000,), **ONE)
    )
    fit = growth_exponent(curves, low=100, high=1000)
    assert np.isnan(fit.exponent)
    assert fit.low == -np.inf


def test_too_few_points_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="at least two checkpoints"):
        growth_exponent(power(0.5), low=20_000, high=30_000)
    with pytest.raises(InvalidInputError, match="at least two checkpoints"):
        growth_exponent([], low=1, high=10)


def test_horizons_with_different_seeds_are_refused() -> None:
    made = [
        Curve(
            world="w", feedback="full", searcher="s", rounds=rounds, seeds=np.arange(count),
            at=np.array([rounds]), sums=np.ones((count, 1)),
        )
        for rounds, count in ((10, 2), (20, 3))
    ]  # fmt: skip
    with pytest.raises(InvalidInputError, match="same seeds at every horizon"):
        growth_exponent(made, low=1, high=30)
