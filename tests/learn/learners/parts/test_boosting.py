"""The boosting objective has the derivatives of the loss, and boosting with it finds σ."""

import pickle
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lightgbm import LGBMRegressor
from numpy.typing import NDArray
from sklearn.base import clone

import weitzman as wz
from weitzman.learn.learners.parts.boosting import objective
from weitzman.learn.loss import loss

Array = NDArray[np.float64]
EXAMPLE = Path(__file__).parents[4] / "examples" / "boosting.py"
TREES: dict[str, Any] = {"n_estimators": 60, "num_leaves": 15, "verbosity": -1, "n_jobs": 1}


@pytest.mark.parametrize("cost", [0.3, np.linspace(0.0, 2.0, 201)], ids=["one", "per row"])
def test_gradient_and_hessian_are_those_of_the_loss(cost: Any) -> None:
    rng = np.random.default_rng(0)
    values, sigma = rng.normal(size=201), rng.normal(size=201)
    gradient, hessian = objective(cost, floor=0.01)(values, sigma)
    step, z = 1e-6, sigma - values
    slopes = (loss(z + step, cost) - loss(z - step, cost)) / (2 * step)
    np.testing.assert_allclose(gradient, slopes, atol=1e-8)
    step = 1e-4
    assert np.abs(z).min() > step
    bends = (loss(z + step, cost) - 2 * loss(z, cost) + loss(z - step, cost)) / step**2
    np.testing.assert_allclose(hessian, np.maximum(bends, 0.01), atol=1e-6)


def test_weights_multiply_both_under_the_names_of_both_libraries() -> None:
    values, sigma, weights = np.array([1.0, 2.0]), np.array([3.0, 1.0]), np.array([2.0, 5.0])
    plain = objective(0.5)(values, sigma)
    # LightGBM hands the weights over by position, XGBoost by name
    for weighted in (
        objective(0.5)(values, sigma, weights),
        objective(0.5)(values, sigma, sample_weight=weights),
    ):
        np.testing.assert_array_equal(weighted, np.array(plain) * weights)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.9])
@pytest.mark.parametrize("rate", [0.05, 0.3, 1.0])
def test_a_step_with_the_floor_at_the_learning_rate_never_passes_the_reservation_value(
    share: float, rate: float
) -> None:
    values = np.random.default_rng(1).exponential(size=500)
    right = wz.reservation_value(wz.Empirical(values), 0.2)
    fobj = objective(0.2, floor=rate)
    for start in (values.min() - 5.0, share * right, right + 1e-3, 40.0):
        sigma = start
        for _ in range(200):
            gradient, hessian = fobj(values, np.full(500, sigma))
            after = sigma - rate * gradient.sum() / hessian.sum()
            assert abs(after - right) <= abs(sigma - right) + 1e-12
            assert (after - right) * (start - right) >= -1e-12
            sigma = after


@pytest.mark.parametrize(("cost", "floor"), [(-1.0, 0.1), (np.nan, 0.1), (1.0, 0.0), (1.0, 2.0)])
def test_what_breaks_a_rule_is_refused(cost: float, floor: float) -> None:
    with pytest.raises(wz.InvalidInputError, match="must be"):
        objective(cost, floor=floor)


def test_costs_of_another_length_are_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match="cost must be one number or have the shape"):
        objective([1.0, 2.0])([1.0], [1.0])


def _rows(rng: np.random.Generator, count: int) -> tuple[Array, Array, Array]:
    """Contexts, values uniform on [σ − 2c, σ], and their true σ for the cost c in the last column."""
    contexts = rng.uniform(size=(count, 3))
    contexts[:, 2] = rng.choice([0.2, 1.0], size=count)
    sigma = 20.0 + 2.0 * np.sin(6.0 * contexts[:, 0]) + 3.0 * (contexts[:, 1] > 0.5)
    return contexts, sigma - 2.0 * contexts[:, 2] * rng.uniform(size=count), sigma


def test_boosting_recovers_reservation_values_with_a_cost_per_row() -> None:
    rng = np.random.default_rng(2)
    contexts, values, _ = _rows(rng, 4000)
    fresh, _, truth = _rows(rng, 1000)
    costs = contexts[:, 2]
    constant = wz.reservation_value(wz.Empirical(values), costs.mean())
    model = LGBMRegressor(objective=objective(costs), **TREES).fit(contexts, values - constant)
    found = constant + np.asarray(model.predict(fresh))
    error = np.sqrt(np.mean((found - truth) ** 2))
    assert error < 0.15 * np.sqrt(np.mean((constant - truth) ** 2))

    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(fresh), model.predict(fresh))
    refitted = clone(model).fit(contexts, values - constant)
    np.testing.assert_array_equal(refitted.predict(fresh), model.predict(fresh))


def test_lightgbm_hands_over_the_sample_weights() -> None:
    rng = np.random.default_rng(3)
    contexts, values, _ = _rows(rng, 400)
    weights = rng.integers(0, 3, size=400).astype(np.float64)
    constant = values.mean()
    options = {**TREES, "min_child_samples": 1, "min_child_weight": 1.0}
    weighted = LGBMRegressor(objective=objective(0.5), **options)
    repeated = LGBMRegressor(objective=objective(0.5), **options)
    weighted.fit(contexts, values - constant, sample_weight=weights)
    copies = np.repeat(np.arange(400), weights.astype(int))
    plain = LGBMRegressor(objective=objective(0.5), **options)
    repeated.fit(contexts[copies], values[copies] - constant)
    plain.fit(contexts, values - constant)

    def apart(model: LGBMRegressor) -> float:
        here, there = (np.asarray(m.predict(contexts)) for m in (model, weighted))
        return float(np.mean((here - there) ** 2))

    # Equal but for the bins, which do not see the weights
    assert apart(repeated) < 0.25 * apart(plain)


def test_the_example_shows_that_boosted_reservation_values_win() -> None:
    totals = runpy.run_path(str(EXAMPLE))["main"](rows=5000, rounds=60)
    order = ["true", "boosted", "boosted mean", "linear", "one constant"]
    assert sorted(totals, key=totals.__getitem__) == order
    assert totals["boosted"] - totals["true"] < 0.2 * (totals["linear"] - totals["true"])
