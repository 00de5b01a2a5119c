"""What every world promises: draws that continue each other, exact reservation values, true laws."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.lab.instances import hoeffding, mixture
from weitzman.lab.exact.clairvoyant import clairvoyant
from weitzman.lab.worlds import WORLDS
from weitzman.lab.worlds.drawing import BLOCK
from weitzman.lab.worlds.instance import Instance

ROUND = ("contexts", "values", "reservation_values")
LINEAR = ["signed", "shifted", "spread", "agree", "adversarial", "correlated", "bandit"]


@pytest.fixture(params=list(WORLDS), name="make")
def _make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return WORLDS[request.param]


def _same(a: Instance, b: Instance) -> bool:
    rounds = all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ROUND)
    return rounds and np.array_equal(a.lower, b.lower) and np.array_equal(a.upper, b.upper)


def test_names_are_those_of_the_classes() -> None:
    assert all(world.name == name for name, world in WORLDS.items())
    assert len(WORLDS) == 11


def test_a_longer_draw_begins_with_the_shorter_one_and_start_continues_it(
    make: Callable[..., Any],
) -> None:
    world = make()
    whole = world.draw(3 * BLOCK, 7)
    assert len(whole) == 3 * BLOCK
    assert _same(world.draw(300, 7), whole.part(0, 300))
    for start, rounds in [(0, 1), (255, 2), (256, 256), (100, 500), (700, 68)]:
        assert _same(world.draw(rounds, 7, start=start), whole.part(start, start + rounds))


def test_a_draw_is_a_function_of_the_seed(make: Callable[..., Any]) -> None:
    world = make()
    assert _same(world.draw(40, 3), make().draw(40, 3))
    # Two seeds that agree in their lower 32 bits are two seeds
    for other in (4, 3 + 2**32):
        assert (world.draw(40, other).values != world.draw(40, 3).values).any()


def test_blocks_differ(make: Callable[..., Any]) -> None:
    instance = make().draw(2 * BLOCK, 3)
    assert (instance.values[:BLOCK] != instance.values[BLOCK:]).any()


def test_shapes(make: Callable[..., Any]) -> None:
    world = make()
    instance = world.draw(17, 0)
    n, d, k = world.boxes, world.dimension, len(instance.shares)
    assert instance.contexts.shape == (17, n, d)
    assert instance.costs.tolist() == [world.cost] * n
    assert instance.values.shape == instance.reservation_values.shape == (17, n)
    assert instance.lower.shape == instance.upper.shape == (k, 17, n)
    assert instance.shares.sum() == 1.0
    assert all(np.isfinite(getattr(instance, name)).all() for name in ROUND)


def test_reservation_values_are_exact(make: Callable[..., Any]) -> None:
    # The excess is integrated here over the parts of the interval, not by the formulas of the world
    for changed in ({}, {"cost": 0.3}):
        instance = make(**changed).draw(2 * BLOCK, 5)
        excess = np.zeros(instance.values.shape)
        for share, low, high in zip(instance.shares, instance.lower, instance.upper, strict=True):
            reach = np.clip(instance.reservation_values, low, high)
            mean_gap = instance.reservation_values - 0.5 * (low + reach)
            part = np.where(high > low, (reach - low) / np.where(high > low, high - low, 1.0), 1.0)
            excess += share * part * np.where(instance.reservation_values > low, mean_gap, 0.0)
        assert np.abs(excess - instance.costs).max() < 1e-9


def test_reservation_values_are_those_of_the_search_room(make: Callable[..., Any]) -> None:
    instance = make().draw(8, 6)
    for t in range(8):
        for i in range(instance.values.shape[1]):
            low, high = instance.lower[:, t, i], instance.upper[:, t, i]
            exact = wz.reservation_value(mixture(low, high, instance.shares), instance.costs[i])
            assert instance.reservation_values[t, i] == pytest.approx(exact, abs=1e-9)


def test_values_have_their_laws(make: Callable[..., Any]) -> None:
    # The inequality of Dvoretzky, Kiefer and Wolfowitz: a false alarm has probability 1e-6 per world
    instance = make().draw(8 * BLOCK, 8)
    inside = (instance.lower <= instance.values) & (instance.values <= instance.upper)
    assert (inside.sum(axis=0) == 1).all()
    assert (inside.all(axis=2).sum(axis=0) == 1).all()
    state = inside.all(axis=2).argmax(axis=0)
    at = np.arange(len(instance))
    low, high = instance.lower[state, at], instance.upper[state, at]
    wide = high > low
    place = np.sort((instance.values - low)[wide] / (high - low)[wide])
    steps = np.arange(place.size + 1) / max(place.size, 1)
    if place.size:
        distance = max((steps[1:] - place).max(), (place - steps[:-1]).max())
        assert distance < np.sqrt(np.log(2e6) / (2.0 * place.size))
    for k, share in enumerate(instance.shares):
        assert abs((state == k).mean() - share) <= hoeffding(1.0, len(instance))


def test_the_clairvoyant_gets_what_it_expects(make: Callable[..., Any]) -> None:
    # Rounds are independent given the contexts. Hoeffding: a false alarm has probability 1e-6
    instance = make().draw(8 * BLOCK, 9)
    found = clairvoyant(instance)
    most = instance.upper.max(axis=(0, 2)) + instance.costs.sum()
    spread = most - instance.lower.min(axis=(0, 2))
    allowed = np.sqrt(np.log(2e6) * (spread**2).sum() / 2.0)
    assert abs((found.totals - found.expected_totals).sum()) <= allowed


@pytest.mark.parametrize("name", [*LINEAR, "non-contextual"])
def test_realizable_worlds_are_linear(name: str) -> None:
    assert _misfit(WORLDS[name]().draw(8 * BLOCK, 2)) < 1e-9


@pytest.mark.parametrize("name", sorted(set(WORLDS) - {*LINEAR, "non-contextual"}))
def test_the_others_are_not(name: str) -> None:
    assert _misfit(WORLDS[name]().draw(8 * BLOCK, 2)) > 0.1


def _misfit(instance: Instance) -> float:
    """How far σ* is from the nearest linear function of the context, at worst."""
    worst = 0.0
    for i in range(instance.values.shape[1]):
        x, sigma = instance.contexts[:, i], instance.reservation_values[:, i]
        weights = np.linalg.lstsq(x, sigma, rcond=None)[0]
        worst = max(worst, float(np.abs(x @ weights - sigma).max()))
    return worst


def test_what_makes_no_world_is_refused(make: Callable[..., Any]) -> None:
    for bad in ({"boxes": 0}, {"dimension": 0}, {"cost": 0.0}, {"cost": np.inf}, {"cost": "1"}):
        (field,) = bad
        with pytest.raises(
            wz.InvalidInputError, match=f"The {field} of world '{make().name}' must"
        ):
            make(**bad).draw(1, 0)
    world = make()
    for call in ({"rounds": 0}, {"rng": -1}, {"rng": 1.5}, {"start": -1}):
        with pytest.raises(wz.InvalidInputError, match=f"The .*{next(iter(call))} must"):
            world.draw(**{"rounds": 1, "rng": 0, **call})


def test_all_other_numbers_are_checked_too(make: Callable[..., Any]) -> None:
    known = {"boxes", "dimension", "cost"}
    for field in dataclasses.fields(make()):
        if field.name not in known:
            with pytest.raises(wz.InvalidInputError, match=f"The {field.name} of world"):
                make(**{field.name: -1.0}).draw(1, 0)
