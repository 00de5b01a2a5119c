"""Liu's algorithm with contexts against its pseudo-code: rewards in [0, 1], whole matrices, no shortcuts."""

import math
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz

Floats = NDArray[np.float64]


class Pseudo:
    """One box of the pseudo-code, for rewards whose best is 1.

    The pseudo-code knows how far rewards range and how many boxes there are. Where both are found out while
    playing, what is ``known`` of them goes into the widths of past looks when the box is looked at.
    """

    def __init__(self, dimension: int, *, horizon: int, scale: float) -> None:
        self.x, self.r = np.empty((0, dimension)), np.empty(0)
        self.horizon, self.scale = horizon, scale
        self.known = (0.0, 0)

    def fit(self) -> tuple[Any, Any, float]:
        """Return θ, V and ln det V."""
        volume = np.eye(self.x.shape[1]) + self.x.T @ self.x
        return (
            np.linalg.solve(volume, self.x.T @ self.r),
            volume,
            float(np.linalg.slogdet(volume)[1]),
        )

    def widths(self, x: Floats, known: tuple[float, int]) -> Floats:
        _, volume, logarithm = self.fit()
        reach, boxes = known
        inside = 2.0 * math.log(2.0 * boxes * self.horizon) + logarithm
        beta = math.sqrt(self.scale) * reach * (1.0 + 0.25 * math.sqrt(inside))
        return np.asarray(beta * np.sqrt(np.einsum("ij,jk,ik->i", x, np.linalg.inv(volume), x)))

    def sigma(self, x: Floats, cost: float, now: tuple[float, int]) -> float:
        m, theta = len(self.r), self.fit()[0]
        past = self.x @ theta - self.widths(self.x, self.known)
        today = float(x @ theta + self.widths(x[None], now)[0])
        z = np.sort(np.minimum(1.0, self.r - past + today))
        logarithm = self.scale * 0.5 * math.log(4.0 * now[1] * self.horizon**2)
        lower = np.maximum(0.0, np.arange(1, m + 1) / m - math.sqrt(logarithm / m))
        right, left = 1.0, cost
        for k in range(m - 1, -1, -1):
            tail = 1.0 - lower[k]
            if tail > 0.0 and tail * (right - z[k]) >= left:
                return float(right - left / tail)
            left -= tail * (right - z[k])
            right = z[k]
        return float(right - left)


@pytest.mark.parametrize("scale", [1.0, 0.025, 0.001])
def test_a_run_is_that_of_the_pseudo_code(scale: float) -> None:
    """Three boxes, 70 rounds: the same boxes are opened, and every σ agrees."""
    boxes, rounds, dimension, cost = 3, 70, 2, 0.03
    rng = np.random.default_rng(5)
    contexts = rng.uniform(0.0, 0.7, size=(rounds, boxes, dimension))
    noise = rng.beta(1.0, 3.0, size=(rounds, boxes)) * 0.4
    rewards = 0.2 + contexts @ np.array([0.3, 0.25]) + noise - 0.1
    spec = wz.OptimisticResidual(
        scale=scale, horizon=rounds, least=-1.0, refit=1.0, eta=1.0, intercept=False
    )
    searcher = wz.Searcher(boxes=boxes, dimension=dimension, learner=spec, feedback="opened")
    own = [Pseudo(dimension, horizon=rounds, scale=scale) for _ in range(boxes)]
    seen: list[float] = []
    for t in range(rounds):
        index = [math.inf] * boxes
        if t:
            now = (1.0 - min(seen), boxes)
            index = [own[i].sigma(contexts[t, i], cost, now) for i in range(boxes)]
            found = searcher.reservation_values(contexts[t], cost)
            assert (-found).tolist() == pytest.approx(index, abs=1e-9)
        best, opened = -math.inf, list[int]()
        for box in sorted(range(boxes), key=lambda i: -index[i]):
            if opened and index[box] <= best:
                break
            opened.append(box)
            best = max(best, rewards[t, box])
        search = searcher.open(contexts[t], cost)
        for asked in search:
            search.see(-rewards[t, cast("Any", asked)])
        assert list(search.close().opened) == opened
        for box in sorted(opened):
            own[box].x = np.vstack([own[box].x, contexts[t, box]])
            own[box].r = np.append(own[box].r, rewards[t, box])
            seen.append(rewards[t, box])
            # From the best value on to the worst that was seen, and the boxes that were looked at
            own[box].known = (1.0 - min(seen), sum(len(one.r) > 0 for one in own))
    assert len({len(one.r) for one in own}) > 1 or scale == 1.0


def test_seldom_refits_are_near_those_at_every_look() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 2))
    values = x @ [1.0, -2.0] + rng.exponential(size=3000)
    found = []
    for refit in (1.0, 1.1, 2.0):
        bank = wz.OptimisticResidual(refit=refit, intercept=True).start(boxes=1, dimension=2)
        for one, value in zip(x, values, strict=True):
            bank.update([0], one[None], [value], 0.2)
        found.append(bank.predict(x[:20], [0.2] * 20, [0] * 20))
    assert found[1] == pytest.approx(found[0], abs=0.02)
    assert found[2] == pytest.approx(found[0], abs=0.05)


def test_the_law_is_learned_with_its_mean() -> None:
    """Exponential noise of mean 1: E(s − ε)⁺ = s − 1 + e⁻ˢ; at cost .5, s = 1.19795…"""
    rng = np.random.default_rng(2)
    spec = wz.OptimisticResidual(scale=1e-4, intercept=True, eta=1e6)
    bank = spec.start(boxes=1, dimension=1)
    x = rng.uniform(-1.0, 1.0, size=20_000)
    for one, value in zip(x, 3.0 * x + rng.exponential(size=x.size), strict=True):
        bank.update([0], [[one]], [value], 0.5)
    s = float(bank.predict([[0.5]], [0.5])[0]) - 1.5
    assert s - 1.0 + math.exp(-s) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("refit", [0.9, math.inf, math.nan])
def test_a_wrong_refit_is_refused(refit: float) -> None:
    with pytest.raises(wz.InvalidInputError, match="refit must be"):
        wz.OptimisticResidual(refit=refit).start(boxes=1, dimension=1)
