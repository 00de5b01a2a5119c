"""The list of points to look at: nothing is lost from it, and nothing is in it twice."""

from typing import Any

import numba
import numpy as np
import pytest

from tests.learn.orders import ORDERS
from weitzman.learn.learners.exact import near
from weitzman.learn.learners.exact.points import EDGE, ENTRIES, NEAR, SEEN, TRAVELLED
from weitzman.learn.learners.ftrl import FTRL

njit: Any = numba.njit


@njit  # type: ignore[untyped-decorator]
def parted(keys: Any, ids: Any, size: int, horizon: float, places: Any) -> int:
    return near.part(keys, ids, size, horizon, places)


@njit  # type: ignore[untyped-decorator]
def removed(keys: Any, ids: Any, close: int, size: int, place: int) -> None:
    near.remove(keys, ids, close, size, place)


@njit  # type: ignore[untyped-decorator]
def due(keys: Any, size: int, distance: float, places: Any) -> int:
    return near.find_due(keys, size, distance, places)


@njit  # type: ignore[untyped-decorator]
def gap_after(gap: float, size: int, work: int) -> float:
    return near.next_gap(gap, size, work)


def entries(rng: np.random.Generator, size: int) -> tuple[Any, Any, Any]:
    """Return keys, of which some are equal, their ids, and room for places."""
    room = size + 5
    return np.round(rng.random(room), 1), rng.permutation(room), np.zeros(room, dtype=np.int64)


@pytest.mark.parametrize("size", [0, 1, 2, 31, 32, 33, 64, 200])
@pytest.mark.parametrize("horizon", [-1.0, 0.0, 0.3, 0.5, 1.0])
def test_parting_moves_what_is_near_to_the_front(size: int, horizon: float) -> None:
    keys, ids, places = entries(np.random.default_rng(size), size)
    before = dict(zip(ids.tolist(), keys.tolist(), strict=True))
    behind = keys[size:].tolist(), ids[size:].tolist()
    found = due(keys, size, horizon, places)
    assert places[:found].tolist() == np.flatnonzero(keys[:size] <= horizon).tolist()
    close = parted(keys, ids, size, horizon, places)
    assert close == found
    assert (keys[:close] <= horizon).all()
    assert (keys[close:size] > horizon).all()
    assert dict(zip(ids.tolist(), keys.tolist(), strict=True)) == before
    assert (keys[size:].tolist(), ids[size:].tolist()) == behind


@pytest.mark.parametrize(("close", "size"), [(1, 1), (1, 6), (4, 4), (4, 5), (4, 20), (20, 20)])
def test_removing_takes_out_one_near_entry_and_leaves_near_and_far(close: int, size: int) -> None:
    for place in range(close):
        keys, ids, _ = entries(np.random.default_rng(place), size)
        pairs = list(zip(ids.tolist(), keys.tolist(), strict=True))
        removed(keys, ids, close, size, place)
        left = list(zip(ids.tolist(), keys.tolist(), strict=True))
        assert sorted(left[: close - 1]) == sorted(p for p in pairs[:close] if p != pairs[place])
        assert sorted(left[close - 1 : size - 1]) == sorted(pairs[close:size])


def test_the_gap_follows_the_pace_of_the_weights() -> None:
    assert gap_after(2.0, 100, 99) == 2.0
    assert gap_after(2.0, 100, 399) == 1.0
    assert gap_after(2.0, 100, 24) == 4.0
    assert gap_after(2.0, 100, 10**9) == 0.5
    assert gap_after(2.0, 10**9, 0) == 8.0


@pytest.mark.parametrize("window", [1, 2, 7, 25, 60])
@pytest.mark.parametrize("order", ["signed", "jumping", "alternating"])
def test_every_point_of_a_window_is_looked_for_once(window: int, order: str) -> None:
    """A point that has left the window may stay in the list until its turn comes."""
    contexts, values, costs = ORDERS[order](np.random.default_rng(3), 400)
    bank = FTRL(window=window, intercept=False).start(boxes=1, dimension=contexts.shape[1])
    for t in range(400):
        bank.update([0], contexts[t : t + 1], values[t : t + 1], costs[t : t + 1])
        reals, counts = bank.arrays.reals[0], bank.arrays.counts[0]
        held, close, seen = (int(counts[which]) for which in (ENTRIES, NEAR, SEEN))
        keys, ids = bank.arrays.keys[0], bank.arrays.ids[0]
        assert 0 <= close <= held
        assert len(set(ids[:held].tolist())) == held
        assert set(range(max(0, seen - window), seen)) <= set(ids[:held].tolist())
        assert (keys[close:held] > reals[EDGE]).all()
        assert (keys[:held] > reals[TRAVELLED]).all()
