"""The regressor keeps scikit-learn's contract and equals an independent solve."""

import pickle
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import weitzman as wz
from weitzman.learn.learners.estimator import ReservationValueRegressor
from weitzman.learn.loss import loss, slope

Array = NDArray[np.float64]


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        ReservationValueRegressor(),
        ReservationValueRegressor(cost=0.1, eta=10.0, fit_intercept=False, window=50),
    ]
)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def _rows(seed: int = 0, count: int = 300) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(count, 4))
    values = 2.0 + contexts @ [1.0, -2.0, 0.5, 0.0] + rng.exponential(size=count)
    return contexts, values, rng.uniform(0.1, 2.0, size=count)


def _solve(x: Array, v: Array, c: Any, eta: float) -> Array:
    """The minimiser, by scipy."""
    rows = np.column_stack([x, np.ones(len(x))])
    held = np.append(np.ones(x.shape[1]), 1.0 / 1024.0**2) / eta

    def both(w: Array) -> tuple[float, Array]:
        z = rows @ w - v
        value = loss(z, c).sum() + w @ (held * w) / 2
        return float(value), slope(z, c) @ rows + held * w

    found = minimize(both, np.zeros(rows.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-8})
    assert np.abs(both(found.x)[1]).max() < 1e-5
    return np.asarray(found.x)


def _weights(model: ReservationValueRegressor) -> Array:
    return np.append(model.coef_, model.intercept_)


@pytest.mark.parametrize("eta", [0.01, 1.0, 100.0])
def test_fit_equals_an_independent_solve(eta: float) -> None:
    x, v, c = _rows()
    np.testing.assert_allclose(
        _weights(ReservationValueRegressor(cost=0.7, eta=eta).fit(x, v)),
        _solve(x, v, 0.7, eta),
        atol=1e-7,
    )
    np.testing.assert_allclose(
        _weights(ReservationValueRegressor(eta=eta).fit(x, v, cost=c)),
        _solve(x, v, c, eta),
        atol=1e-7,
    )


def test_one_constant_is_the_reservation_value_of_the_values() -> None:
    _, v, c = _rows()
    model = ReservationValueRegressor(eta=1e8, fit_intercept=False).fit(np.ones((len(v), 1)), v, c)
    assert model.coef_[0] == pytest.approx(wz.reservation_value(wz.Empirical(v), c.mean()))
    assert model.intercept_ == 0.0


def test_equal_costs_per_row_are_the_parameter() -> None:
    x, v, _ = _rows()
    one = ReservationValueRegressor(cost=0.3).fit(x, v)
    many = ReservationValueRegressor().fit(x, v, cost=np.full(len(v), 0.3))
    np.testing.assert_array_equal(_weights(one), _weights(many))
    assert one.score(x, v) == many.score(x, v, cost=0.3)


@pytest.mark.parametrize("scale", [0.1, 1.0, 3.0])
def test_eta_goes_by_the_mean_square_of_the_rows(scale: float) -> None:
    """It is 4/(1 + mean ‖x‖²), where 1 is the square of the intercept."""
    x, v, _ = _rows()
    x = scale * x
    eta = 4.0 / (1.0 + np.mean(np.linalg.norm(x, axis=1) ** 2))
    np.testing.assert_allclose(
        _weights(ReservationValueRegressor(cost=0.7).fit(x, v)), _solve(x, v, 0.7, eta), atol=1e-6
    )


@pytest.mark.parametrize("eta", ["auto", 5.0])
def test_the_order_of_rows_does_not_matter(eta: Any) -> None:
    x, v, c = _rows()
    model = ReservationValueRegressor(eta=eta).fit(x, v, c)
    turned = ReservationValueRegressor(eta=eta).fit(x[::-1], v[::-1], c[::-1])
    np.testing.assert_allclose(_weights(turned), _weights(model), atol=1e-11)


@pytest.mark.parametrize("shift", [-1e4, 1e4])
def test_a_shift_of_the_values_shifts_the_reservation_values(shift: float) -> None:
    x, v, c = _rows(count=50)
    near = ReservationValueRegressor().fit(x, v, c)
    far = ReservationValueRegressor().fit(x, v + shift, c)
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-2)
    assert far.intercept_ - near.intercept_ == pytest.approx(shift, abs=1e-2)


@pytest.mark.parametrize("options", [{}, {"radius": 1.5}, {"forget": 0.98}, {"window": 120}])
def test_partial_fits_equal_one_fit(options: dict[str, Any]) -> None:
    x, v, c = _rows()
    whole = ReservationValueRegressor(eta=5.0, **options).fit(x, v, c)
    parts = ReservationValueRegressor(eta=5.0, **options)
    for part in (slice(0, 100), slice(100, 101), slice(101, 300)):
        parts.partial_fit(x[part], v[part], c[part])
    np.testing.assert_allclose(_weights(parts), _weights(whole), atol=1e-11)
    if "radius" in options:
        assert np.linalg.norm(whole.coef_) == pytest.approx(1.5, rel=1e-4)


def test_a_pickle_goes_on_as_the_original() -> None:
    x, v, c = _rows()
    model = ReservationValueRegressor().fit(x[:200], v[:200], c[:200])
    # What is set after the fit is for the next one
    model.set_params(eta=3.0)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    for one in (model, again):
        one.partial_fit(x[200:], v[200:], c[200:])
    np.testing.assert_array_equal(_weights(again), _weights(model))
    np.testing.assert_allclose(
        _weights(again.fit(x, v, c)), _weights(ReservationValueRegressor(eta=3.0).fit(x, v, c))
    )
    assert not hasattr(pickle.loads(pickle.dumps(clone(model))), "coef_")


def test_score_is_zero_for_the_best_constant_and_one_for_known_values() -> None:
    x, v, c = _rows()
    flat = ReservationValueRegressor(eta=1e8).fit(np.zeros((len(v), 1)), v, c)
    assert flat.score(np.zeros((len(v), 1)), v, c) == pytest.approx(0.0, abs=1e-6)
    certain = x @ [1.0, -2.0, 0.5, 0.0]
    known = ReservationValueRegressor(eta=1e8).fit(x, certain)
    assert known.score(x, certain) == pytest.approx(1.0)
    assert 0.5 < ReservationValueRegressor().fit(x, v, c).score(x, v, c) < 1.0
    assert flat.score([[0.0]], [flat.intercept_ - 1.0]) == pytest.approx(1.0)


def test_it_works_in_a_pipeline_with_other_units() -> None:
    x, v, c = _rows()
    units = np.array([1e-6, 1.0, 1e3, 1e6])
    plain = make_pipeline(StandardScaler(), ReservationValueRegressor())
    scaled = clone(plain)
    plain.fit(x, v, reservationvalueregressor__cost=c)
    scaled.fit(x * units + units, v, reservationvalueregressor__cost=c)
    np.testing.assert_allclose(scaled.predict(x * units + units), plain.predict(x), rtol=1e-9)


def _minus_loss(y_true: Array, y_pred: Array) -> float:
    return -float(np.mean(loss(y_pred - y_true, 1.0)))


@pytest.mark.parametrize("scoring", [None, make_scorer(_minus_loss)], ids=["own", "custom"])
def test_grid_search_finds_the_better_eta(scoring: Any) -> None:
    x, v, _ = _rows()
    grid = {"reservationvalueregressor__eta": [1e-6, 1.0]}
    pipe = make_pipeline(StandardScaler(), ReservationValueRegressor())
    search = GridSearchCV(pipe, grid, scoring=scoring, cv=3).fit(x, v)
    assert search.best_params_ == {"reservationvalueregressor__eta": 1.0}


def test_grid_search_cuts_costs_per_row_with_the_rows() -> None:
    x, v, c = _rows()
    search = GridSearchCV(ReservationValueRegressor(), {"eta": [0.1, 1.0]}, cv=3)
    search.fit(x, v, cost=c)
    expected = ReservationValueRegressor(**search.best_params_).fit(x, v, c)
    np.testing.assert_array_equal(search.predict(x), expected.predict(x))


@pytest.mark.parametrize(
    ("options", "cost", "match"),
    [
        ({"eta": "theorem"}, None, "eta must be"),
        ({"eta": -1.0}, None, "eta must be"),
        ({"radius": 0.0}, None, "radius must be"),
        ({"cost": -1.0}, None, "cost of row 0 must be"),
        ({}, [1.0, 2.0], "cost must be one number or have the shape"),
        ({}, np.where(np.arange(300) == 7, np.inf, 1.0), "cost of row 7 must be"),
    ],
)
def test_what_breaks_a_rule_is_refused(options: Any, cost: Any, match: str) -> None:
    x, v, _ = _rows()
    with pytest.raises(wz.InvalidInputError, match=match):
        ReservationValueRegressor(**options).fit(x, v, cost)


def test_a_million_rows_are_predicted_in_one_product() -> None:
    x, v, c = _rows()
    model = ReservationValueRegressor().fit(x, v, c)
    many = np.resize(x, (1_000_000, 4))
    start = time.perf_counter()
    found = model.predict(many)
    assert time.perf_counter() - start < 2.0
    np.testing.assert_allclose(found[:300], x @ model.coef_ + model.intercept_)


def _run(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_scikit_learn_is_loaded_only_for_the_regressor() -> None:
    modules = "weitzman, weitzman.learn.searcher, weitzman.learn.learners.parts.boosting"
    assert _run(f"import sys, {modules}; print('sklearn' in sys.modules)") == "False"
