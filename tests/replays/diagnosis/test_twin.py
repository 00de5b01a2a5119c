"""Twins keep what each box is, and the correlation only where residuals stay together."""

import numpy as np
import pytest

from tests.replays.logs import log_of, normal_log
from weitzman.replays.diagnosis.residuals import correlation, residuals_of
from weitzman.replays.diagnosis.twin import TWINS, Twin, twin


@pytest.mark.parametrize("kind", TWINS)
@pytest.mark.parametrize("absent", [0.0, 0.4])
@pytest.mark.parametrize("shared", [False, True])
def test_every_box_keeps_its_predictions_and_residuals(
    kind: Twin, absent: float, shared: bool
) -> None:
    log = normal_log(0.6, absent=absent)
    residuals = residuals_of(log)
    if shared:
        log = log_of(log.values, log.costs, {"x_a": log.contexts[:, :, 0]}, shared=True)
        residuals = residuals_of(log)
    other = twin(log, residuals, kind)
    moved = other.values - (log.values - residuals.values)
    np.testing.assert_array_equal(np.isnan(other.values), np.isnan(log.values))
    pools = [slice(None)] if shared else list(range(log.values.shape[1]))
    for pool in pools:
        before, after = residuals.values[:, pool], moved[:, pool]
        np.testing.assert_allclose(
            np.sort(after[~np.isnan(after)]), np.sort(before[~np.isnan(before)]), atol=1e-12
        )
    if not shared:
        np.testing.assert_allclose(
            np.nanmean(other.values, axis=0), np.nanmean(log.values, axis=0), rtol=1e-12
        )
    assert other.costs is log.costs
    assert other.contexts is log.contexts
    # Most residuals are those of another round
    assert np.nanmean(moved == residuals.values) < 0.05


def test_together_keeps_the_correlation_and_apart_removes_it() -> None:
    log = normal_log(0.6, rounds=1500)
    residuals = residuals_of(log)
    drawn = correlation(residuals).mean
    kept, gone = (correlation(residuals_of(twin(log, residuals, kind))) for kind in TWINS)
    assert kept.mean == pytest.approx(drawn, abs=0.02)
    assert abs(gone.mean) < max(4.0 * gone.error, 0.02)
    assert not gone.moves_together


def test_a_twin_is_the_same_every_time() -> None:
    log = normal_log(0.5, rounds=30)
    residuals = residuals_of(log)
    for kind in TWINS:
        first, second = (twin(log, residuals, kind).values for _ in range(2))
        np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, twin(log, residuals, "apart", rng=1).values)
