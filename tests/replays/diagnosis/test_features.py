"""What features tell: against shuffles that are really made, and in a case that is known."""

import numpy as np
import pytest

from tests.replays.logs import Floats, log_of
from weitzman.learn.models.means import fit_means
from weitzman.learn.preparation import prepared
from weitzman.logs.log import Log
from weitzman.replays.diagnosis.features import telling


def a_log(*, shared: bool = False, rounds: int = 800) -> tuple[Log, Floats]:
    rng = np.random.default_rng(0)
    a, b, noise = rng.normal(size=(3, rounds, 3))
    a[:, 2] = np.nan
    values = 2.0 * np.nan_to_num(a) + noise
    values[5, 1] = np.nan
    costs = np.full(values.shape, 0.1)
    return log_of(values, costs, {"x_a": a, "x_b": b}, shared=shared), values


def test_the_feature_that_matters_comes_first() -> None:
    found = telling(a_log()[0])
    assert found is not None
    assert found.names == ["x_a", "x_b"]
    # Of 5 + 5 + 1 squares 4 + 4 are the feature's; taken from another round it errs by twice as much
    assert found.shares[0] == pytest.approx(2.0 * 8.0 / 11.0, rel=0.1)
    assert abs(found.shares[1]) < 4.0 * found.errors[1] + 0.01
    assert found.explained == pytest.approx(8.0 / 11.0, abs=0.05)


@pytest.mark.parametrize("shared", [False, True])
def test_shares_are_the_mean_over_shuffles(shared: bool) -> None:
    log, _ = a_log(shared=shared, rounds=60)
    found = telling(log)
    assert found is not None
    ready = prepared(log.contexts, ~np.isnan(log.costs))
    fit = fit_means(ready[:30], log.values[:30], shared=shared)
    values, contexts = log.values[30:], ready[30:]
    known = ~np.isnan(values)

    def squares(rows: Floats) -> float:
        return float(np.nansum((values - fit.levels - (rows * fit.slopes).sum(axis=2)) ** 2))

    middle = np.nanmean(values) if shared else np.nanmean(values, axis=0)
    whole = float(np.nansum((values - middle) ** 2))
    assert found.explained == pytest.approx(1.0 - squares(contexts) / whole, rel=1e-9)
    columns = [c for c, name in enumerate(log.features) if name.startswith("x_a")]
    rng, grown = np.random.default_rng(1), []
    for _ in range(4000):
        other = contexts.copy()
        if shared:
            cells = contexts[known][:, columns]
            block = other[:, :, columns]
            block[known] = cells[rng.integers(len(cells), size=len(cells))]
            other[:, :, columns] = block
        else:
            for box in range(3):
                there = np.flatnonzero(known[:, box])
                source = there[rng.integers(len(there), size=len(there))]
                for c in columns:
                    other[there, box, c] = contexts[source, box, c]
        grown.append((squares(other) - squares(contexts)) / whole)
    error = np.std(grown) / np.sqrt(len(grown))
    mine = float(found.shares[found.names.index("x_a")])
    assert abs(np.mean(grown) - mine) < 4.0 * error


def test_nothing_to_tell() -> None:
    values = np.random.default_rng(0).normal(size=(20, 2))
    costs = np.full(values.shape, 0.1)
    assert telling(log_of(values, costs)) is None
    assert telling(log_of(values[:3], costs[:3], {"x_a": values[:3]})) is None
