"""``eta="noise"``: how strongly a box is held, against a computation from all its looks in plain Python."""

import numpy as np
import pytest

import weitzman as wz
from tests.learn.reference import Problem
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.exact.points import RIDGE

WIDTHS = (1.0, 3.0, 10.0, 100.0)


class Box:
    """The looks at a box: contexts, ψ and whether each was active at the prediction made before it."""

    def __init__(self) -> None:
        self.contexts: list[np.ndarray] = []
        self.slopes: list[float] = []
        self.active: list[float] = []

    def means(self) -> tuple[float, float]:
        """Return mean ψ² and the share of active points, the k-th look with a weight of k."""
        weights = np.arange(1.0, len(self.slopes) + 1.0)
        squares = np.square(self.slopes)
        return float(np.average(squares, weights=weights)), float(
            np.average(self.active, weights=weights)
        )


def ridge_of(boxes: list[Box], k: int) -> float:
    """Return 1/η of a box that has just been looked at."""
    auto = float(np.mean([x @ x for x in boxes[k].contexts])) / 4.0
    seen = [box for box in boxes if box.slopes]
    if len(seen) < 3:
        return auto
    squares, active = np.mean([box.means() for box in seen], axis=0)
    noise = {}
    for box in seen:
        m, (own, share) = len(box.slopes), box.means()
        noise[id(box)] = (m * own + 2.0 * squares) / (m * share + 2.0 * active + 0.25)
    all_ = np.array(list(noise.values()))
    usual = np.sqrt(all_.mean() / np.mean(1.0 / all_))
    return float(auto * max(1.0, noise[id(boxes[k])] / usual))


@pytest.mark.parametrize("memory", [None, 64])
def test_a_box_is_held_by_its_noise_and_its_weights_are_the_minimiser(memory: int | None) -> None:
    rng = np.random.default_rng(8)
    bank = wz.FTRL(eta="noise", intercept=False, memory=memory).start(boxes=4, dimension=2)
    boxes, held = [Box() for _ in WIDTHS], [0.0] * 4
    values: list[list[float]] = [[] for _ in WIDTHS]
    stronger = 0
    for t in range(600):
        k = int(rng.integers(4)) if t >= 20 else t % 2
        x, cost = np.append(rng.uniform(-1.0, 1.0), 1.0), 1.0
        value = float(x[0] + WIDTHS[k] * rng.random())
        sigma = float(bank.predict([x], cost, boxes=[k])[0])
        boxes[k].contexts.append(x)
        boxes[k].slopes.append(max(sigma - value, 0.0) - cost)
        boxes[k].active.append(float(sigma > value))
        values[k].append(value)
        bank.update([k], [x], [value], cost)
        looks = len(values[k])
        if looks & (looks - 1) == 0:
            held[k] = ridge_of(boxes, k)
            stronger += held[k] > 1.5 * np.mean([c @ c for c in boxes[k].contexts]) / 4.0
        assert bank.arrays.reals[k, RIDGE] == pytest.approx(held[k], rel=1e-12)
        if t % 40 == 39:
            problem = Problem(
                contexts=np.array(boxes[k].contexts),
                values=np.array(values[k]),
                costs=np.ones(looks),
                ridge=held[k],
                weights=np.ones(looks),
                prior=np.zeros(2),
            )
            assert bank.arrays.weights[k] == pytest.approx(problem.solve(np.zeros(2)), abs=1e-9)
    assert stronger > 5


def test_units_of_values_change_nothing() -> None:
    """By powers of two, which computers multiply by without rounding."""
    rng = np.random.default_rng(1)
    contexts = rng.normal(size=(200, 4, 2))
    values = rng.normal(size=(200, 4)) * WIDTHS
    chosen = []
    for unit in (1.0, 1024.0):
        searcher = wz.Searcher(boxes=4, dimension=2, learner=wz.FTRL(eta="noise", intercept=False))
        played = searcher.play(contexts, np.full(4, unit), unit * values)
        chosen.append((played.chosen.tolist(), played.opened_count.tolist()))
    assert chosen[0] == chosen[1]


def test_looks_that_are_free_and_find_nothing_have_no_noise() -> None:
    bank = wz.FTRL(eta="noise", intercept=False).start(boxes=3, dimension=1)
    for _ in range(8):
        bank.update([0, 1, 2], [[1.0]] * 3, [5.0, 6.0, 7.0], 0.0)
    assert bank.arrays.reals[:, RIDGE].tolist() == [0.25] * 3


def test_it_is_refused_where_it_cannot_be() -> None:
    with pytest.raises(InvalidInputError, match="'auto', 'noise' or 'theorem'"):
        wz.FTRL(eta="nois").start(boxes=2, dimension=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="'explore' must be 'own' or None"):
        wz.FTRL(eta="noise", explore="between").start(boxes=2, dimension=1)
    with pytest.raises(InvalidInputError, match="eta"):
        wz.LinearisedFTRL(eta="noise").start(boxes=2, dimension=1)  # type: ignore[arg-type]
