"""FTRL with a memory: most points lie in a file, and the weights are those of a solve over all of them."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz
from tests.learn.orders import ORDERS
from tests.learn.reference import Problem
from weitzman.errors import InvalidInputError
from weitzman.lab.worlds import WORLDS
from weitzman.learn.learners.exact.far import distances
from weitzman.learn.learners.exact.points import ENTRIES, RIDGE, SEEN
from weitzman.learn.learners.far_bank import FarBank
from weitzman.learn.learners.ftrl import FTRL

Array = NDArray[np.float64]
LEAST = 64


def searcher_of(world: Any, **more: Any) -> wz.Searcher:
    learner = FTRL(**{"intercept": False, "memory": LEAST} | more)
    return wz.Searcher(boxes=world.boxes, dimension=world.dimension, learner=learner)


def bank_of(searcher: wz.Searcher) -> FarBank:
    bank = searcher._player.bank
    assert isinstance(bank, FarBank)
    return bank


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("eta", [1.0, 1e4])
def test_the_weights_are_those_of_a_solve_over_all_points(order: str, eta: float) -> None:
    contexts, values, costs = ORDERS[order](np.random.default_rng(6), 1500)
    bank = FTRL(eta=eta, intercept=False, memory=LEAST).start(boxes=1, dimension=contexts.shape[1])
    expected = np.zeros(contexts.shape[1])
    for t in range(len(values)):
        now = slice(t, t + 1)
        bank.update([0], contexts[now], values[now], costs[now])
        if t % 100 == 99:
            problem = Problem(
                contexts=contexts[: t + 1],
                values=values[: t + 1],
                costs=costs[: t + 1],
                weights=np.ones(t + 1),
                prior=np.zeros(contexts.shape[1]),
                ridge=float(bank.arrays.reals[0, RIDGE]),
            )
            expected = problem.solve(expected)
            predictions = problem.contexts @ expected
            least = problem.objective(expected)
            assert problem.objective(bank.arrays.weights[0]) - least <= 1e-9 * abs(least)
            apart = np.abs(problem.contexts @ bank.arrays.weights[0] - predictions).max()
            assert apart <= 1e-8 * np.abs(predictions).max()


@pytest.mark.parametrize("world", ["signed", "spread", "non-contextual", "drifting"])
def test_live_played_and_restored_rounds_have_the_same_bits(world: str) -> None:
    """Whenever rounds are cut, and wherever a box asks for points in between."""
    kind = WORLDS[world]()
    drawn = kind.draw(1200, 4)
    given = drawn.contexts, drawn.costs, drawn.values
    whole = searcher_of(kind)
    whole.play(*given)

    parts = searcher_of(kind)
    for start in range(0, 1200, 77):
        now = slice(start, start + 77)
        parts.play(drawn.contexts[now], drawn.costs, drawn.values[now])
        parts = wz.load(parts.to_bytes())

    live = searcher_of(kind)
    for t in range(1200):
        search = live.open(drawn.contexts[t], np.broadcast_to(drawn.costs, kind.boxes))
        for box in search:
            search.see(drawn.values[t, int(str(box))])
        search.close()

    assert whole.digest() == parts.digest() == live.digest()
    bank = bank_of(whole)
    assert bank.arrays.counts[:, ENTRIES].max() < bank.looks().max()


@pytest.mark.parametrize("shared", [False, True])
def test_with_a_memory_rounds_are_those_without(shared: bool) -> None:
    kind = WORLDS["signed"]()
    drawn = kind.draw(4000, 5)
    given = drawn.contexts, drawn.costs, drawn.values
    plain = searcher_of(kind, memory=None, shared=shared).play(*given)
    searcher = searcher_of(kind, shared=shared)
    found = searcher.play(*given)
    assert (found.totals == plain.totals).all()
    assert (found.chosen == plain.chosen).all()


def test_few_points_are_in_memory_and_all_in_a_state() -> None:
    kind = WORLDS["signed"]()
    searcher = searcher_of(kind)
    drawn = kind.draw(20_000, 6)
    searcher.play(drawn.contexts, drawn.costs, drawn.values)
    bank = bank_of(searcher)
    counts = bank.arrays.counts
    assert counts[:, ENTRIES].max() <= 4 * LEAST
    assert bank.arrays.points.shape[1] <= 8 * LEAST
    state = bank.state()
    assert state["every_counts"].tolist() == counts[:, SEEN].tolist()
    # Every point is there once, as it was drawn
    seen = {tuple(row) for row in np.dstack([drawn.contexts, drawn.values]).reshape(-1, 6)}
    kept = [tuple(row) for row in state["every"][:, :6]]
    assert len(set(kept)) == len(kept)
    assert set(kept) <= seen


def test_boxes_join() -> None:
    rng = np.random.default_rng(3)
    banks = [FTRL(intercept=False, memory=m).start(boxes=2, dimension=2) for m in (LEAST, None)]
    for t in range(900):
        if t == 400:
            for bank in banks:
                bank.add_boxes(2)
        boxes = np.arange(4 if t >= 400 else 2)
        contexts, values = rng.normal(size=(len(boxes), 2)), rng.normal(size=len(boxes))
        for bank in banks:
            bank.update(boxes, contexts, values, np.ones(len(boxes)))
    few, all_points = (bank.weights() for bank in banks)
    np.testing.assert_allclose(np.asarray(few), np.asarray(all_points), rtol=1e-12, atol=0.0)


def test_points_that_are_all_at_their_kinks_stay() -> None:
    """No ball has fewer of them in it; the memory grows, and the weights are right."""
    bank = FTRL(intercept=False, eta=1e9, memory=LEAST).start(boxes=1, dimension=1)
    values = np.where(np.arange(1000) % 3 == 0, 2.0, 0.0)
    for value in values:
        bank.update([0], [[1.0]], [value], 0.5)
    zeros, twos = (values == 0).sum(), (values == 2).sum()
    # Σ (w − v)⁺ = 500, with zeros active alone until w = 2
    expected = min(500.0 / zeros, 2.0)
    assert twos > 0
    assert np.asarray(bank.weights())[0, 0] == pytest.approx(expected, rel=1e-6)


def test_a_distance_is_how_far_weights_can_go() -> None:
    """Nearest weights with the other sign, in the norm ‖u ·‖, by a closed form in plain numpy."""
    rng = np.random.default_rng(8)
    points, centre, unit = (
        rng.normal(size=(50, 5)),
        rng.normal(size=3),
        np.array([0.125, 1.0, 8.0]),
    )
    points[0, :3] = 0.0
    out = np.empty(50)
    distances(points, centre, unit, out)
    exact = np.abs(points[1:, :3] @ centre - points[1:, 3])
    exact /= np.linalg.norm(points[1:, :3] / unit, axis=1)
    np.testing.assert_allclose(out[1:], exact, rtol=1e-10)
    assert (out[1:] <= exact).all()
    assert out[0] == np.inf


def test_a_memory_refuses_a_window_and_too_few_points() -> None:
    with pytest.raises(InvalidInputError, match="The memory must be left out where a window"):
        FTRL(memory=100, window=50).start(boxes=1, dimension=1)
    with pytest.raises(InvalidInputError, match="The memory must be an integer >= 64"):
        FTRL(memory=8).start(boxes=1, dimension=1)


def test_a_state_of_another_learner_is_refused_and_changes_nothing() -> None:
    bank = FTRL(intercept=False, memory=LEAST).start(boxes=1, dimension=1)
    for t in range(300):
        bank.update([0], [[1.0]], [float(t % 7)], 1.0)
    before = bank.digest()
    state = bank.state()
    for wrong in ({"every": state["every"][:-1]}, {"homes": state["homes"][:, :0].ravel()}):
        with pytest.raises(InvalidInputError, match="The state must be that of the same learner"):
            bank.restore(state | wrong)
    assert bank.digest() == before
