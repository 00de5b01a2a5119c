"""Residuals: their spread, and the correlation within rounds, against what was drawn."""

import numpy as np
import pytest

from tests.replays.logs import log_of, normal_log
from weitzman.learn.preparation import prepared
from weitzman.replays.diagnosis.residuals import Residuals, correlation, residuals_of


def test_residuals_leave_out_their_own_row() -> None:
    log = normal_log(0.3, rounds=40, boxes=2)
    found = residuals_of(log)
    x, v = prepared(log.contexts, ~np.isnan(log.costs))[:, 0, 0], log.values[:, 0]
    rest = np.arange(40) != 7
    # The strength is one for all boxes; one of the grid gives what the other 39 rows predict
    fits = []
    for strength in (0.1, 1.0, 10.0, 100.0, 1000.0, 1e9):
        # The squares of all 40 rows are penalised around the mean of all: the same point as leaving one out
        design = np.column_stack([np.ones(40), x - x.mean()])
        penalty = np.diag([0.0, strength])
        mine = design[rest]
        level, slope = np.linalg.solve(mine.T @ mine + penalty, mine.T @ v[rest])
        fits.append(v[7] - level - slope * (x[7] - x.mean()))
    assert np.abs(np.array(fits) - found.values[7, 0]).min() < 1e-9


@pytest.mark.parametrize("rho", [0.0, 0.4, 0.8])
@pytest.mark.parametrize("absent", [0.0, 0.4])
def test_the_correlation_is_the_one_drawn(rho: float, absent: float) -> None:
    found = correlation(residuals_of(normal_log(rho, rounds=1500, absent=absent)))
    assert abs(found.mean - rho) < 4.0 * found.error + 0.01
    assert found.error < 0.05
    assert np.abs(found.boxes - rho).max() < 0.1
    assert found.moves_together == (rho > 0.0)


def test_it_is_the_mean_of_the_pairs() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(500, 4)) + rng.normal(size=(500, 1)) * [1.0, 0.5, 0.0, -1.0]
    found = correlation(Residuals(values=noise, shared=False))
    pairs = np.corrcoef(noise.T)
    assert found.mean == pytest.approx((pairs.sum() - 4.0) / 12.0, rel=1e-9)
    np.testing.assert_allclose(found.boxes, (pairs.sum(axis=0) - 1.0) / 3.0, rtol=1e-9)


def test_false_alarms_are_as_rare_as_stated() -> None:
    """400 logs of 300 rounds: one in 150 beyond three errors, one in 16 beyond two, are stated."""
    rng = np.random.default_rng(1)
    away = []
    for _ in range(400):
        found = correlation(Residuals(values=rng.normal(size=(300, 4)), shared=False))
        away.append(abs(found.mean) / found.error)
    assert np.sum(np.array(away) > 3.0) <= 8
    assert np.mean(np.array(away) > 2.0) == pytest.approx(1 / 16, abs=0.04)


def test_boxes_without_history_have_one_spread() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(300, 3)) * [1.0, 2.0, 3.0]
    log = log_of(
        values, np.full(values.shape, 0.1), {"x_a": rng.normal(size=values.shape)}, shared=True
    )
    spread = residuals_of(log).spread
    assert spread.tolist() == [spread[0]] * 3
    assert spread[0] == pytest.approx(np.sqrt(14.0 / 3.0), rel=0.1)


def test_a_single_box_and_a_constant_one_say_nothing() -> None:
    alone = correlation(
        Residuals(values=np.random.default_rng(0).normal(size=(50, 1)), shared=False)
    )
    assert np.isnan(alone.mean)
    assert not alone.moves_together
    flat = correlation(Residuals(values=np.zeros((50, 2)), shared=False))
    assert flat.mean == 0.0
    assert not flat.moves_together


def test_a_log_without_features() -> None:
    values = np.random.default_rng(3).normal(size=(50, 2))
    found = residuals_of(log_of(values, np.full(values.shape, 0.1)))
    np.testing.assert_allclose(found.values, (values - values.mean(axis=0)) * 50 / 49, atol=1e-9)
