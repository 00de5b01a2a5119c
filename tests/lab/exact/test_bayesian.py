"""The Bayesian reference against quadrature over a plane of weights, by formulas of its own."""

import math
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from weitzman.lab.exact.bayesian import Bayesian
from weitzman.lab.study.contender import Contender
from weitzman.lab.study.evaluate import evaluate
from weitzman.lab.worlds import WORLDS

RADIUS, COST = 2.0, 0.6


def ends(world: str, sigma: float) -> tuple[float, float]:
    """Return the uniform law at w·x = sigma, by what its page says of the world."""
    if world in ("shifted", "agree"):
        width = (2.0 if world == "shifted" else 8.0) * COST
        return sigma - math.sqrt(2.0 * COST * width), sigma - math.sqrt(2.0 * COST * width) + width
    sigma = max(sigma, COST) if world == "orthant" else sigma
    if sigma >= 2.0 * COST:
        return 0.0, sigma**2 / (2.0 * COST)
    if sigma >= 0.0:
        # Negative below c, and then the law is between B and 0
        return min(2.0 * (sigma - COST), 0.0), max(2.0 * (sigma - COST), 0.0)
    return -(((math.sqrt(2.0 * COST) + math.sqrt(2.0 * COST - 4.0 * sigma)) / 2.0) ** 2), 0.0


def by_quadrature(world: str, looks: Any, x: Any) -> float:
    """Return the σ of the predictive law, by a sum over a grid of weights."""
    low = 0.0 if world == "orthant" else -RADIUS
    step = np.linspace(low, RADIUS, 221)
    step = 0.5 * (step[1:] + step[:-1])
    atoms = [value == 0.0 for *_, value in looks]
    density, laws = [], []
    for first in step:
        for second in step:
            if first**2 + second**2 > RADIUS**2:
                continue
            chance = 1.0
            for (one, two, value), atom in zip(looks, atoms, strict=True):
                a, b = ends(world, first * one + second * two)
                if atom:
                    chance *= float(a == b)
                else:
                    chance *= float(a <= value <= b and a < b) / max(b - a, 1e-9)
            if chance > 0.0:
                density.append(chance)
                laws.append(ends(world, first * x[0] + second * x[1]))
    weight = np.array(density) / sum(density)
    a, b = np.array(laws).T

    def excess(s: float) -> float:
        part = np.clip(s - a, 0.0, b - a) ** 2 / (2.0 * np.maximum(b - a, 1e-300))
        return float(weight @ (part + np.maximum(s - b, 0.0)))

    low, high = float(a.min()), float(b.max()) + COST
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) < COST else (low, middle)
    return low


@pytest.mark.parametrize("name", ["signed", "orthant", "shifted", "agree"])
def test_it_predicts_the_reservation_value_of_the_predictive_law(name: str) -> None:
    world: Any = WORLDS[name](boxes=1, dimension=2, cost=COST, radius=RADIUS)  # type: ignore[call-arg]
    drawn = world.draw(12, 3)
    bank = Bayesian(world=world, particles=8000, seed=1).start(boxes=1, dimension=2)
    looks: list[Any] = []
    asked = [np.array([0.5, 0.3]), np.array([0.1, 0.9])]
    for t in range(12):
        if t in (0, 1, 4):
            for x in asked:
                found = bank.predict(x[None], [COST])[0]
                assert found == pytest.approx(by_quadrature(name, looks, x), abs=0.03)
        bank.update([0], drawn.contexts[t], drawn.values[t], [COST])
        looks.append((*drawn.contexts[t, 0].tolist(), float(drawn.values[t, 0])))
    for x in asked:
        found = bank.predict(x[None], [COST])[0]
        assert found == pytest.approx(by_quadrature(name, looks, x), abs=0.03)


def test_it_plays_as_any_learner_and_goes_on_from_its_state() -> None:
    world = WORLDS["orthant"]()
    spec = Bayesian(world=world, particles=200)
    bank, drawn = spec.start(boxes=10, dimension=5), world.draw(30, 0)
    other = spec.start(boxes=10, dimension=5)
    for t in range(30):
        if t == 15:
            other.restore(bank.state())
        for one in (bank, other) if t >= 15 else (bank,):
            one.update(np.arange(10), drawn.contexts[t], drawn.values[t], drawn.costs)
    assert other.digest() == bank.digest()
    contenders = {
        "Bayesian": Contender(learner=spec, optimism=0.0),
        "ridge": Contender(learner=wz.Ridge(intercept=False)),
    }
    known, ridge = evaluate(contenders, world, 100, 0, checkpoints=[100], expected=False)
    assert known.regret < 0.5 * ridge.regret


def test_a_world_without_a_known_prior_is_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match="world of a Bayesian"):
        Bayesian(world=WORLDS["spread"]()).start(boxes=1, dimension=2)
