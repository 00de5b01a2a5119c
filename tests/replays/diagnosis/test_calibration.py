"""Calibration: true reservation values are called calibrated, and biased ones are not."""

import numpy as np
import pytest

import weitzman as wz
from tests.replays.logs import log_of
from weitzman.replays.diagnosis.calibration import Promise, calibration, promised


def uniform(seed: int, *, rounds: int = 600, boxes: int = 4) -> Promise:
    """Values uniform on [a, a + b] with σ* = a + √(2 b c), which is exact for c ≤ b/2."""
    rng = np.random.default_rng(seed)
    low, width = rng.normal(size=(rounds, boxes)), rng.uniform(1.0, 3.0, (rounds, boxes))
    costs = rng.uniform(0.05, 0.4, (rounds, boxes))
    sigma = low + np.sqrt(2.0 * width * costs)
    values = low + width * rng.uniform(size=(rounds, boxes))
    values[rng.uniform(size=values.shape) < 0.1] = np.nan
    return Promise(rule="true", sigma=sigma, values=values, costs=costs)


def test_the_truth_is_rarely_called_off() -> None:
    """200 logs: half an alarm of the whole and two of the boxes are expected."""
    found = [calibration(uniform(seed)) for seed in range(200)]
    assert sum(not one.holds for one in found) <= 4
    assert sum(bool(one.off) for one in found) <= 8
    assert np.mean([one.ratio for one in found]) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("bias", [-0.25, 0.25])
def test_what_is_biased_is_flagged(bias: float) -> None:
    truth = uniform(0)
    off = Promise(rule="off", sigma=truth.sigma + bias, values=truth.values, costs=truth.costs)
    found = calibration(off)
    assert not found.holds
    assert (found.ratio > 1.0) == (bias > 0.0)
    assert found.off == [0, 1, 2, 3]
    assert found.shift == pytest.approx(bias, rel=0.5)


def test_one_bad_box_is_named() -> None:
    truth = uniform(1)
    sigma = truth.sigma.copy()
    sigma[:, 2] += 0.4
    found = calibration(Promise(rule="x", sigma=sigma, values=truth.values, costs=truth.costs))
    assert found.off == [2]


def test_ratios_are_those_of_sums_overall_per_box_and_per_bin() -> None:
    p = uniform(2)
    known = ~np.isnan(p.values)
    excess = np.where(known, np.maximum(p.sigma - p.values, 0.0), 0.0)
    costs = np.where(known, p.costs, 0.0)
    found = calibration(p)
    assert found.ratio == pytest.approx(excess.sum() / costs.sum(), rel=1e-12)
    np.testing.assert_allclose(found.boxes, excess.sum(axis=0) / costs.sum(axis=0), rtol=1e-12)
    edges = np.quantile(p.sigma[known], np.arange(9) / 8)
    first = known & (p.sigma <= edges[1])
    assert found.bins[0] == pytest.approx(excess[first].sum() / costs[first].sum(), rel=1e-9)
    assert found.at[0] == pytest.approx(p.sigma[first].mean())
    assert len(found.bins) == 8


def test_infinite_and_constant_reservation_values() -> None:
    p = uniform(3, rounds=50)
    never = np.full_like(p.sigma, np.inf)
    found = calibration(Promise(rule="stay", sigma=never, values=p.values, costs=p.costs))
    assert np.isnan(found.ratio)
    assert found.at.size == 0
    same = calibration(
        Promise(rule="x", sigma=np.full_like(p.sigma, 1.0), values=p.values, costs=p.costs)
    )
    assert same.at.tolist() == [1.0]


def test_promises_are_the_learners_own_on_the_second_half() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    values = 3.0 + x + rng.normal(size=x.shape)
    values[50, 1] = np.nan
    log = log_of(values, np.full(x.shape, 0.2), {"x_a": x})
    told: list[int] = []
    found = {p.rule: p for p in promised(log, cost_scale=2.0, trees=False, progress=told.append)}
    assert list(found) == ["FTRL", "no-context", "linear fixed"]
    assert sum(told) == 60
    paper = found["FTRL"]
    assert paper.sigma.shape == (30, 3)
    assert np.isnan(paper.sigma[20, 1])
    assert np.nanmin(paper.costs) == np.nanmax(paper.costs) == 0.4
    policy = wz.Weitzman()
    searcher = wz.Searcher(boxes=3, dimension=1, policy=policy, feedback="full")
    contexts = np.where(np.isnan(log.values)[:, :, np.newaxis], np.nan, log.contexts)
    played = searcher.play(contexts, np.full((60, 3), 0.4), log.values, predictions=True)
    assert played.reservation_values is not None
    np.testing.assert_array_equal(paper.sigma, played.reservation_values[30:])
