"""Exact FTRL where no weights fit: the same minimiser, from looks at few points."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.learn.learners.exact.test_exactness import assert_same, problem_of
from tests.learn.orders import Observations, shifted
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.exact.anchor import HELD, RENEWED, SAFE, TRIED
from weitzman.learn.learners.exact.points import ANCHORED, EDGE, SEEN, WEIGHT
from weitzman.learn.learners.ftrl import FTRL

SIZE = 5


def unfit(seed: int, count: int) -> Observations:
    """Values four above what weights without an intercept can reach."""
    x, v, c = shifted(np.random.default_rng(seed), count)
    return x, v + 4.0, c


def learn(bank: CompiledBank, seen: Observations, start: int, stop: int) -> None:
    for t in range(start, stop):
        now = slice(t, t + 1)
        bank.update([0], seen[0][now], seen[1][now], seen[2][now])


def is_anchored(bank: CompiledBank) -> bool:
    return bool(bank.arrays.reals[0, EDGE] == ANCHORED)


def columns(bank: CompiledBank) -> NDArray[np.float64]:
    return np.array(bank.arrays.around[0, SIZE:])


def forget_the_anchor(bank: CompiledBank) -> None:
    bank.arrays.around[:] = 0.0


def test_equals_a_full_solve_around_an_anchor() -> None:
    seen = unfit(1, 1500)
    bank = FTRL().start(boxes=1, dimension=SIZE)
    expected, anchored = np.zeros(SIZE), 0
    for t in range(1500):
        learn(bank, seen, t, t + 1)
        if t % 37 == 0:
            anchored += is_anchored(bank)
            x, v, c = (part[: t + 1] for part in seen)
            problem = problem_of(bank, (x, v, c))
            expected = problem.solve(expected)
            assert_same(problem, bank.arrays.weights[0], expected)
    assert anchored > 20


@pytest.mark.parametrize("seed", range(4))
def test_every_point_is_known_by_its_sign(seed: int) -> None:
    """Also after all keys were computed anew, at powers of two, and the row has another anchor."""
    x, v, c = unfit(seed, 1400)
    bank = FTRL().start(boxes=1, dimension=SIZE)
    for t in range(1400):
        learn(bank, (x, v, c), t, t + 1)
        residuals = x[: t + 1] @ bank.arrays.weights[0] - v[: t + 1]
        active = bank.arrays.points[0, : t + 1, SIZE + WEIGHT] > 0.0
        clear = np.abs(residuals) > 1e-12
        assert (active == (residuals > 0.0))[clear].all(), t
    assert is_anchored(bank)


def test_no_bit_depends_on_the_anchor() -> None:
    seen = unfit(2, 1500)
    plain, forgetful = (FTRL().start(boxes=1, dimension=SIZE) for _ in range(2))
    anchored = 0
    for t in range(1500):
        learn(plain, seen, t, t + 1)
        learn(forgetful, seen, t, t + 1)
        if t % 11 == 0:
            forget_the_anchor(forgetful)
            anchored += is_anchored(plain)
        assert plain.arrays.weights.tobytes() == forgetful.arrays.weights.tobytes()
    assert anchored > 50
    one, other = plain.state(), forgetful.state()
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)


def test_no_bit_depends_on_how_many_points_there_is_room_for() -> None:
    """A restored bank has little room: what is near may not fit, and all keys are gone through."""
    seen = unfit(3, 2000)
    bank, again = (FTRL().start(boxes=1, dimension=SIZE) for _ in range(2))
    learn(bank, seen, 0, 300)
    assert is_anchored(bank)
    again.restore(bank.state())
    assert again.arrays.around.shape[1] <= bank.arrays.around.shape[1]
    for t in range(300, 2000):
        # No more room for held points than for a handful
        again.arrays = again.arrays._replace(around=np.zeros((1, SIZE + 7 + (SIZE + 3) * 4)))
        learn(bank, seen, t, t + 1)
        learn(again, seen, t, t + 1)
        assert bank.arrays.weights.tobytes() == again.arrays.weights.tobytes()


def test_a_saved_bank_goes_on_to_the_same_bits() -> None:
    seen = unfit(4, 1200)
    bank = FTRL().start(boxes=1, dimension=SIZE)
    learn(bank, seen, 0, 900)
    assert is_anchored(bank)
    again = FTRL().start(boxes=1, dimension=SIZE)
    again.restore(bank.state())
    learn(bank, seen, 900, 1200)
    learn(again, seen, 900, 1200)
    one, other = bank.state(), again.state()
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)


def test_rows_that_fit_and_rows_with_a_window_have_no_anchor() -> None:
    x, v, c = unfit(5, 1000)
    for spec, values in ((FTRL(), v - 4.0), (FTRL(window=400), v)):
        bank = spec.start(boxes=1, dimension=SIZE)
        for t in range(1000):
            learn(bank, (x, values, c), t, t + 1)
            assert not is_anchored(bank)


def test_an_update_looks_at_few_points_where_no_weights_fit() -> None:
    """By travelled distance it looks at 200 to 300 points of 8,000, and goes through 3,000 keys."""
    begin, count = 4200, 8000
    seen = unfit(6, count)
    bank = FTRL().start(boxes=1, dimension=SIZE)
    learn(bank, seen, 0, begin)
    before, looked, tried, anchors = columns(bank), 0.0, 0.0, 0
    for t in range(begin, count):
        learn(bank, seen, t, t + 1)
        assert is_anchored(bank)
        now = columns(bank)
        if now[TRIED] < before[TRIED] or now[RENEWED] != before[RENEWED]:
            looked, tried, anchors = looked + now[RENEWED], tried + now[TRIED], anchors + 1
        else:
            tried += now[TRIED] - before[TRIED]
        before = now
        assert now[SAFE] > 0.0
        assert now[HELD] <= bank.arrays.counts[0, SEEN]
    updates = count - begin
    assert looked / updates <= 45.0
    assert tried / updates <= 1700.0
    assert anchors / updates <= 0.03
