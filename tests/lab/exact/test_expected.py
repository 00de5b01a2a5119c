"""Exact expected totals and certificates, against the search room, by playing, and by simulation."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz
from tests.lab.instances import boxes_of, hoeffding, instance_of
from tests.strategies import dyadics, steady
from weitzman.lab.exact.expected import certificates, expected_totals
from weitzman.lab.exact.kernels import play_rounds
from weitzman.lab.worlds.instance import Instance


@st.composite
def rounds_with_sigma(draw: st.DrawFn) -> tuple[Instance, np.ndarray]:
    """A round of dyadic laws and σ, so that point masses, ties and equalities are frequent."""
    boxes = draw(st.integers(1, 5))

    def numbers(source: st.SearchStrategy[Fraction]) -> list[float]:
        return [float(x) for x in draw(st.lists(source, min_size=boxes, max_size=boxes))]

    lower = np.array(numbers(dyadics(-4, 4, 2)))
    width = np.array(numbers(st.one_of(st.just(Fraction(0)), dyadics(0, 4, 2))))
    costs = numbers(dyadics(1, 3, 4))
    sigma = np.array(numbers(dyadics(-6, 9, 2)))
    instance = instance_of(costs=costs, lower=lower[None, None], upper=(lower + width)[None, None])
    return instance, sigma[None]


@steady
@given(rounds_with_sigma())
def test_totals_and_certificates_are_those_of_the_search_room(
    case: tuple[Instance, np.ndarray],
) -> None:
    instance, sigma = case
    plan = wz.plan(boxes_of(instance, 0), reservation_values=sigma[0])
    assert expected_totals(instance, sigma)[0] == pytest.approx(plan.expected_total, abs=1e-12)
    assert certificates(instance, sigma)[0] == pytest.approx(plan.certificate, abs=1e-11)


@pytest.mark.parametrize("boxes", [1, 2, 7, 10, 40])
def test_any_number_of_boxes(boxes: int) -> None:
    rng = np.random.default_rng(boxes)
    lower = rng.normal(size=(1, 20, boxes))
    instance = instance_of(
        costs=rng.uniform(0.01, 1.0, boxes),
        lower=lower,
        upper=lower + rng.exponential(3.0, (1, 20, boxes)),
    )
    sigma = rng.normal(1.0, 2.0, (20, boxes))
    found, bounds = expected_totals(instance, sigma), certificates(instance, sigma)
    for t in range(20):
        plan = wz.plan(boxes_of(instance, t), reservation_values=sigma[t])
        assert found[t] == pytest.approx(plan.expected_total, abs=1e-11)
        assert bounds[t] == pytest.approx(plan.certificate, abs=1e-11)


def test_point_masses_cost_what_playing_them_costs() -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(-4, 5, (1, 2000, 4)) / 2
    instance = instance_of(costs=[0.5, 1.0, 1.0, 0.25], lower=values, upper=values)
    sigma = rng.integers(-6, 7, (2000, 4)) / 2
    played, _ = play_rounds(sigma, instance.costs, values[0])
    assert np.abs(expected_totals(instance, sigma) - played).max() < 1e-12


def test_states_are_averaged() -> None:
    rng = np.random.default_rng(6)
    lower = rng.normal(size=(3, 5, 4))
    shares = [0.5, 0.2, 0.3]
    instance = instance_of(
        costs=[0.1, 0.2, 0.3, 0.4], lower=lower, upper=lower + 2.0, shares=shares
    )
    sigma = rng.normal(size=(5, 4))
    found = expected_totals(instance, sigma)
    for t in range(5):
        totals = [wz.expected_total(boxes_of(instance, t, k), sigma[t]) for k in range(3)]
        assert found[t] == pytest.approx(np.dot(shares, totals), abs=1e-12)
    assert np.isnan(certificates(instance, sigma)).all()


def test_simulation_agrees() -> None:
    # Hoeffding's bound: a false alarm has probability 1e-6
    rounds, costs = 400_000, np.array([0.3, 0.5, 0.2])
    low, high = np.array([-1.0, 0.0, 0.5]), np.array([3.0, 1.0, 0.5])
    sigma = np.broadcast_to([0.4, 0.1, 0.9], (rounds, 3)).copy()
    values = np.random.default_rng(7).uniform(low, high, (rounds, 3))
    totals, _ = play_rounds(sigma, costs, values)
    instance = instance_of(costs=costs, lower=low[None, None], upper=high[None, None])
    spread = high.max() + costs.sum() - low.min()
    error = abs(totals.mean() - expected_totals(instance, sigma[:1])[0])
    assert error < hoeffding(spread, rounds)


def test_reservation_values_far_from_all_values_lose_no_digits() -> None:
    rng = np.random.default_rng(8)
    lower = rng.normal(size=(1, 50, 3))
    instance = instance_of(costs=[0.5, 0.4, 0.3], lower=lower, upper=lower + 1.5)
    near = np.tile([-50.0, 60.0, -51.0], (50, 1))
    far = np.tile([-1e300, 1e300, -2e300], (50, 1))
    assert np.abs(expected_totals(instance, near) - expected_totals(instance, far)).max() < 1e-13
    one = np.tile([1e300, 2e300, 3e300], (50, 1))
    first = lower[0, :, 0] + 0.75 + 0.5
    assert np.abs(expected_totals(instance, one) - first).max() < 1e-13


def test_the_certificate_bounds_what_is_lost() -> None:
    rng = np.random.default_rng(9)
    lower = rng.normal(size=(1, 50, 6))
    instance = instance_of(
        costs=rng.uniform(0.05, 1.0, 6), lower=lower, upper=lower + rng.exponential(2.0, (1, 50, 6))
    )
    best = expected_totals(instance, instance.reservation_values)
    for scale in (0.01, 0.3, 3.0):
        sigma = instance.reservation_values + scale * rng.normal(size=(50, 6))
        lost = expected_totals(instance, sigma) - best
        assert (lost > -1e-12).all()
        assert (lost <= certificates(instance, sigma) + 1e-12).all()


@pytest.mark.parametrize("bad", [np.zeros((2, 3)), np.full((1, 3), np.nan), [["a", "b", "c"]]])
def test_wrong_reservation_values_are_refused(bad: object) -> None:
    instance = instance_of(costs=[1.0] * 3, lower=np.zeros((1, 1, 3)), upper=np.ones((1, 1, 3)))
    for function in (expected_totals, certificates):
        with pytest.raises(wz.InvalidInputError, match="The reservation values must"):
            function(instance, bad)  # type: ignore[arg-type]
