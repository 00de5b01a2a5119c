"""Residual against the empirical law of what it remembers.

Where all contexts are zero and there is no intercept the regression predicts 0, so that the residuals are
the values themselves.
"""

import numpy as np
import pytest

import weitzman as wz

COSTS = (0.0, 1e-3, 0.1, 1.0, 25.0)


def expected(values: list[float], cost: float) -> float:
    """Return s with (1/k) Σ (s − v_i)⁺ = cost, by trying every number of values below s."""
    ordered = sorted(values)
    for count in range(1, len(ordered) + 1):
        s = (cost * len(ordered) + sum(ordered[:count])) / count
        if count == len(ordered) or s <= ordered[count]:
            return s
    raise AssertionError


@pytest.mark.parametrize("memory", [1, 2, 7, 1000])
@pytest.mark.parametrize("order", ["random", "rising", "falling", "tied"])
def test_sigma_is_that_of_the_last_values(memory: int, order: str) -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(size=60).tolist()
    match order:
        case "rising":
            values.sort()
        case "falling":
            values.sort(reverse=True)
        case "tied":
            values = np.round(values).tolist()
    bank = wz.Residual(memory=memory, intercept=False).start(boxes=1, dimension=2)
    for t, value in enumerate(values):
        bank.update([0], np.zeros((1, 2)), [value], [1.0])
        held = values[max(0, t + 1 - memory) : t + 1]
        for cost in COSTS:
            found = bank.predict(np.zeros((1, 2)), [cost])[0]
            assert found == pytest.approx(expected(held, cost), rel=1e-12, abs=1e-12)


def test_each_box_remembers_its_own_and_one_model_all() -> None:
    rng = np.random.default_rng(9)
    values = rng.normal(size=(40, 2))
    for shared in (False, True):
        spec = wz.Residual(memory=9, intercept=False, shared=shared)
        bank = spec.start(boxes=2, dimension=1)
        for t in range(40):
            bank.update([0, 1], np.zeros((2, 1)), values[t], [1.0, 1.0])
        found = bank.predict(np.zeros((2, 1)), [0.5, 0.5]).tolist()
        if shared:
            last = values.ravel()[-9:].tolist()
            assert found == pytest.approx([expected(last, 0.5)] * 2, rel=1e-12)
        else:
            by_box = [expected(values[-9:, box].tolist(), 0.5) for box in (0, 1)]
            assert found == pytest.approx(by_box, rel=1e-12)
