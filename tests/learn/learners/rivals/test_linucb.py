"""LinUCB against plain matrices: the same boxes are opened, and every σ agrees."""

import math
from typing import Any, cast

import numpy as np
import pytest

import weitzman as wz


def residual_value(residuals: list[float], cost: float) -> float:
    """Return s with E(s − ε)⁺ = c, by trying every number of residuals below s."""
    ordered = sorted(residuals)
    for count in range(1, len(ordered) + 1):
        s = (cost * len(ordered) + sum(ordered[:count])) / count
        if count == len(ordered) or s <= ordered[count]:
            return s
    raise AssertionError


@pytest.mark.parametrize("scale", [1.0, 0.01])
@pytest.mark.parametrize("noise", [None, (-0.2, 0.0, 0.3)])
def test_a_run_is_that_of_the_formula(noise: tuple[float, ...] | None, scale: float) -> None:
    boxes, rounds, d, cost, rng = 3, 60, 2, 0.05, np.random.default_rng(4)
    contexts = rng.uniform(-0.7, 0.7, size=(rounds, boxes, d))
    values = contexts @ [0.5, -0.3] + rng.choice([-0.2, 0.0, 0.3], size=(rounds, boxes))
    spec = wz.LinUCB(noise=noise, scale=scale, horizon=rounds, eta=1.0, intercept=False)
    searcher = wz.Searcher(boxes=boxes, dimension=d, learner=spec, feedback="opened")
    x: list[Any] = [np.empty((0, d)) for _ in range(boxes)]
    v: list[Any] = [np.empty(0) for _ in range(boxes)]
    residuals: list[list[float]] = [[] for _ in range(boxes)]

    def fit(box: int) -> tuple[Any, Any]:
        volume = np.eye(d) + x[box].T @ x[box]
        return np.linalg.solve(volume, x[box].T @ v[box]), volume

    for t in range(rounds):
        index = [-math.inf] * boxes
        if t:
            every = np.concatenate(v)
            reach = every.max() - every.min()
            for box in range(boxes):
                theta, volume = fit(box)
                inside = 2.0 * math.log(2.0 * boxes * rounds) + np.linalg.slogdet(volume)[1]
                beta = math.sqrt(scale) * reach * (1.0 + math.sqrt(inside) / 4.0)
                one = contexts[t, box]
                width = math.sqrt(one @ np.linalg.inv(volume) @ one)
                law = list(noise) if noise else residuals[box]
                index[box] = one @ theta - beta * width + residual_value(law, cost)
            found = searcher.reservation_values(contexts[t], cost)
            assert found.tolist() == pytest.approx(index, abs=1e-9)
        best, opened = math.inf, list[int]()
        for box in sorted(range(boxes), key=lambda i: index[i]):
            if opened and best <= index[box]:
                break
            opened.append(box)
            best = min(best, values[t, box])
        search = searcher.open(contexts[t], cost)
        for asked in search:
            search.see(values[t, cast("Any", asked)])
        assert list(search.close().opened) == opened
        for box in opened:
            residuals[box].append(values[t, box] - contexts[t, box] @ fit(box)[0])
            x[box] = np.vstack([x[box], contexts[t, box]])
            v[box] = np.append(v[box], values[t, box])
    assert len({len(own) for own in v}) > 1


def test_a_known_law_turns_with_the_sense() -> None:
    policy = wz.Weitzman(wz.LinUCB(noise=[-1.0, 3.0]))
    assert policy.prepares == "nothing"
    turned: Any = policy.turned().learner
    assert turned.noise.tolist() == [1.0, -3.0]
    kept = {}
    for sense, sign in (("min", 1.0), ("max", -1.0)):
        rng = np.random.default_rng(0)
        law = [sign * e for e in (-1.0, 3.0)]
        learner = wz.LinUCB(noise=law, intercept=True)
        searcher = wz.Searcher(
            boxes=2, dimension=1, learner=learner, feedback="opened", sense=cast("Any", sense)
        )
        contexts = rng.normal(size=(40, 2, 1))
        values = sign * (contexts[..., 0] + rng.choice([-1.0, 3.0], size=(40, 2)))
        kept[sense] = searcher.play(contexts, np.full(2, 0.2), values).chosen.tolist()
    assert kept["min"] == kept["max"]


@pytest.mark.parametrize("noise", [[], [math.nan], [[1.0]]])
def test_a_law_that_is_none_is_refused(noise: Any) -> None:
    with pytest.raises(wz.InvalidInputError, match="noise must be finite numbers"):
        wz.LinUCB(noise=noise).start(boxes=1, dimension=1)
