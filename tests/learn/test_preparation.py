"""Preparation: by the past alone, live as in a whole log, bit for bit, whatever the units."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import weitzman as wz
from tests.strategies import steady
from weitzman.learn.models.history import History
from weitzman.learn.policy import Floats, Round
from weitzman.learn.preparation import CLIP, Preparation, prepared, with_constant


def many_scales(seed: int, rounds: int, boxes: int, dimension: int) -> Floats:
    """Contexts on many scales, with boxes absent, numbers missing and a column that never changes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rounds, boxes, dimension)) * 10.0 ** rng.integers(-9, 9, dimension)
    x += 10.0 ** rng.integers(-9, 9, dimension)
    x[rng.random(x.shape) < 0.1] = np.nan
    x[rng.random((rounds, boxes)) < 0.2] = np.nan
    x[:, :, -1] = np.where(np.isnan(x[:, :, -1]), np.nan, 0.1)
    return np.asarray(x)


def present(x: Floats) -> NDArray[np.bool_]:
    return np.asarray(~np.isnan(x).all(axis=2))


def whole(x: Floats) -> Floats:
    return prepared(x, present(x))


def rounds_of(x: Floats) -> list[Round]:
    shown = []
    for rows in x:
        there = np.flatnonzero(~np.isnan(rows).all(axis=1))
        costs, gaps = np.ones(len(there)), bool(np.isnan(rows[there]).any())
        shown.append(Round(contexts=rows[there], costs=costs, outside=9.0, places=there, gaps=gaps))
    return shown


def assert_is(shown: Round, found: Floats, recorded: Floats) -> None:
    """The rows of a round are those of the whole log, to the last bit."""
    assert found.tobytes() == recorded[shown.places].tobytes()


@steady
@given(
    seed=st.integers(0, 2**32 - 1),
    rounds=st.integers(1, 40),
    boxes=st.integers(1, 20),
    dimension=st.integers(1, 4),
)
def test_a_whole_log_is_its_rounds_one_by_one_bit_for_bit(
    seed: int, rounds: int, boxes: int, dimension: int
) -> None:
    x = many_scales(seed, rounds, boxes, dimension)
    z, live = whole(x), Preparation(dimension)
    history = History(boxes=boxes, dimension=dimension)
    for t, shown in enumerate(rounds_of(x)):
        assert_is(shown, live.rows(shown), z[t])
        assert_is(shown, live.rows(shown), z[t])
        assert_is(shown, live.add(shown), z[t])
        assert_is(shown, history.prepared(shown), z[t])
        history.add(shown, np.zeros(len(shown.places)))
    np.testing.assert_array_equal(history.contexts, z)
    np.testing.assert_array_equal(history.state()["scale"], live.state()["scale"])


def test_absent_boxes_stay_nan_and_nothing_else_is() -> None:
    x = many_scales(1, 30, 5, 3)
    np.testing.assert_array_equal(np.isnan(whole(x)), np.repeat(~present(x)[:, :, None], 3, axis=2))


@steady
@given(seed=st.integers(0, 2**32 - 1), cut=st.integers(1, 29))
def test_later_rounds_do_not_change_earlier_ones(seed: int, cut: int) -> None:
    x = many_scales(seed, 30, 3, 3)
    other = x.copy()
    other[cut:] = many_scales(seed + 1, 30, 3, 3)[cut:] * 1e6
    np.testing.assert_array_equal(whole(x)[:cut], whole(other)[:cut])


@pytest.mark.parametrize("offset", [0.0, 1.0, -1e6, 1e9])
def test_means_and_deviations_are_those_of_all_rows_so_far(offset: float) -> None:
    x = np.random.default_rng(3).normal(offset, 2.0, size=(200, 5, 2))
    z = whole(x)
    for t in (1, 7, 199):
        seen = x[: t + 1].reshape(-1, 2)
        expected = (x[t] - seen.mean(axis=0)) / seen.std(axis=0)
        np.testing.assert_allclose(z[t], np.clip(expected, -CLIP, CLIP), atol=1e-6)


def test_an_outlier_in_the_first_place_costs_little_precision() -> None:
    x = np.random.default_rng(4).normal(size=(500, 4, 1))
    x[0, 0] = 1e12
    seen = x.reshape(-1, 1)
    expected = (x[-1] - seen.mean()) / seen.std()
    np.testing.assert_allclose(whole(x)[-1], expected, rtol=1e-9)


def test_numbers_far_from_the_mean_are_cut_off() -> None:
    x = np.zeros((1, 100, 1))
    x[0, 0], x[0, 1] = 1.0, -1.0
    z = whole(x)[0, :, 0]
    assert (z[0], z[1], CLIP) == (4.0, -4.0, 4.0)
    assert not z[2:].any()


def test_what_is_constant_or_missing_becomes_zero_and_absent_boxes_stay_nan() -> None:
    nan = math.nan
    x = np.array([[[0.1, 1.0], [0.1, nan], [nan, nan]], [[0.1, 3.0], [nan, 5.0], [0.1, 3.0]]])
    z = whole(x)
    np.testing.assert_array_equal(z[0], [[0.0, 0.0], [0.0, 0.0], [nan, nan]])
    np.testing.assert_array_equal(z[1, :, 0], [0.0, 0.0, 0.0])
    np.testing.assert_allclose(z[1, :, 1], np.array([0.0, 2.0, 0.0]) / math.sqrt(2.0))
    noise = np.array([[[0.1 + 0.2], [0.3]]])
    np.testing.assert_array_equal(whole(noise), np.zeros((1, 2, 1)))


def test_a_missing_feature_is_no_part_of_the_figures() -> None:
    x = many_scales(2, 40, 6, 3)
    scale = Preparation(3)
    for shown in rounds_of(x):
        scale.add(shown)
    count, mean, squares = scale.state()["scale"]
    for k in range(3):
        known = x[:, :, k][~np.isnan(x[:, :, k])]
        assert count[k] == len(known)
        assert mean[k] == pytest.approx(known.mean(), rel=1e-9)
        rounding = len(known) * (1e-12 * known.mean()) ** 2
        assert squares[k] == pytest.approx(known.var() * len(known), rel=1e-9, abs=rounding)


def test_columns_of_zero_and_one_are_prepared_as_any_other() -> None:
    x = np.array([[[4.0, 1.0], [6.0, 0.0]]])
    np.testing.assert_array_equal(whole(x), [[[-1.0, 1.0], [1.0, -1.0]]])


def test_asking_changes_nothing_and_taking_in_changes_what_is_asked_next() -> None:
    x = many_scales(7, 3, 4, 2)
    first, second, third = rounds_of(x)
    live = Preparation(2)
    live.add(first)
    before, asked = live.state()["scale"], live.rows(third).copy()
    np.testing.assert_array_equal(live.state()["scale"], before)
    live.add(second)
    assert not np.array_equal(live.rows(third), asked)
    assert_is(third, live.rows(third), whole(x)[2])


def test_a_restored_preparation_goes_on_as_if_it_had_never_stopped() -> None:
    x = many_scales(6, 50, 4, 3)
    z, rounds = whole(x), rounds_of(x)
    one, other = Preparation(3), Preparation(3)
    for shown in rounds[:30]:
        one.add(shown)
    # What was asked before is no part of what is asked after
    other.rows(rounds[30])
    state = one.state()
    other.restore(state)
    state["scale"][:] = 7.0
    for t in range(30, 50):
        assert_is(rounds[t], other.rows(rounds[t]), z[t])
        assert_is(rounds[t], other.add(rounds[t]), z[t])


def test_the_state_of_something_else_is_refused_and_changes_nothing() -> None:
    preparation = Preparation(2)
    preparation.add(rounds_of(many_scales(1, 1, 5, 2))[0])
    before = preparation.state()["scale"]
    for wrong in ({}, Preparation(3).state(), {"scale": np.zeros((2, 2))}, {"first": before}):
        with pytest.raises(wz.InvalidInputError, match="The state of a preparation must have"):
            preparation.restore(wrong)
    np.testing.assert_array_equal(preparation.state()["scale"], before)


def test_a_state_is_an_array_of_its_own() -> None:
    preparation = Preparation(2)
    preparation.state()["scale"][:] = 5.0
    assert not preparation.state()["scale"].any()


def test_the_constant_comes_first() -> None:
    z = many_scales(3, 4, 5, 2)
    ready = with_constant(z)
    assert ready.shape == (4, 5, 3)
    assert (ready[..., 0] == 1.0).all()
    np.testing.assert_array_equal(ready[..., 1:], z)
