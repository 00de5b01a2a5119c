"""Features: encoded as the names say, standardised by the past alone, live as in a whole log."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import weitzman as wz
from tests.strategies import steady
from weitzman.learn.features import Encoding, Feature, Standardiser, standardise

Floats = NDArray[np.float64]

ENCODING = Encoding(
    features=(
        Feature(name="size", optional=True),
        Feature(name="colour", levels=("red", "blue"), optional=True),
        Feature(name="new", levels=("true", "false")),
    )
)


def _contexts(seed: int, rounds: int, boxes: int, dimension: int) -> Floats:
    """Return contexts on many scales, with boxes absent and numbers missing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rounds, boxes, dimension)) * 10.0 ** rng.integers(-9, 9, dimension)
    x += 10.0 ** rng.integers(-9, 9, dimension)
    x[rng.random(x.shape) < 0.1] = np.nan
    x[rng.random((rounds, boxes)) < 0.2] = np.nan
    x[:, :, -1] = np.where(np.isnan(x[:, :, -1]), np.nan, 0.1)
    return np.asarray(x)


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
    x = _contexts(seed, rounds, boxes, dimension)
    numeric = np.arange(dimension) != 1
    live = Standardiser(dimension=dimension, numeric=numeric)
    expected = []
    for rows in x:
        live.update(rows)
        expected.append(live.transform(rows))
    np.testing.assert_array_equal(standardise(x, numeric=numeric), expected, strict=True)


def test_long_logs_are_worked_on_in_parts_with_the_same_bits() -> None:
    x = _contexts(5, 3000, 12, 6)
    whole, parts = standardise(x), Standardiser(dimension=6)
    np.testing.assert_array_equal(np.concatenate([parts.run(x[:7]), parts.run(x[7:])]), whole)
    in_place = x.copy()
    assert Standardiser(dimension=6).run(in_place, out=in_place) is in_place
    np.testing.assert_array_equal(in_place, whole)


@steady
@given(seed=st.integers(0, 2**32 - 1), cut=st.integers(1, 29))
def test_later_rounds_do_not_change_earlier_ones(seed: int, cut: int) -> None:
    x = _contexts(seed, 30, 3, 3)
    other = x.copy()
    other[cut:] = _contexts(seed + 1, 30, 3, 3)[cut:] * 1e6
    np.testing.assert_array_equal(standardise(x)[:cut], standardise(other)[:cut])


@pytest.mark.parametrize("offset", [0.0, 1.0, -1e6, 1e9])
def test_means_and_deviations_are_those_of_all_rows_so_far(offset: float) -> None:
    x = np.random.default_rng(3).normal(offset, 2.0, size=(200, 5, 2))
    z = standardise(x)
    for t in (1, 7, 199):
        seen = x[: t + 1].reshape(-1, 2)
        expected = (x[t] - seen.mean(axis=0)) / seen.std(axis=0)
        np.testing.assert_allclose(z[t], expected, atol=1e-6)


def test_an_outlier_in_the_first_place_costs_little_precision() -> None:
    x = np.random.default_rng(4).normal(size=(500, 4, 1))
    x[0, 0] = 1e12
    seen = x.reshape(-1, 1)
    expected = (x[-1] - seen.mean()) / seen.std()
    np.testing.assert_allclose(standardise(x)[-1], expected, rtol=1e-9)


def test_what_is_constant_or_missing_becomes_zero_and_absent_boxes_stay_nan() -> None:
    nan = math.nan
    x = np.array([[[0.1, 1.0], [0.1, nan], [nan, nan]], [[0.1, 3.0], [nan, 5.0], [0.1, 3.0]]])
    z = standardise(x)
    np.testing.assert_array_equal(z[0], [[0.0, 0.0], [0.0, 0.0], [nan, nan]])
    np.testing.assert_array_equal(z[1, :, 0], [0.0, 0.0, 0.0])
    np.testing.assert_allclose(z[1, :, 1], np.array([0.0, 2.0, 0.0]) / math.sqrt(2.0))
    noise = np.array([[[0.1 + 0.2], [0.3]]])
    np.testing.assert_array_equal(standardise(noise), np.zeros((1, 2, 1)))


def test_columns_of_zero_and_one_stay_as_they_are() -> None:
    x = np.array([[[4.0, 1.0], [6.0, 0.0]]])
    np.testing.assert_array_equal(
        standardise(x, numeric=[True, False]), [[[-1.0, 1.0], [1.0, 0.0]]]
    )


def test_a_restored_standardiser_goes_on_as_if_it_had_never_stopped() -> None:
    x = _contexts(6, 50, 4, 3)
    first, second = Standardiser(dimension=3), Standardiser(dimension=3)
    first.run(x[:30])
    second.restore(first.state())
    np.testing.assert_array_equal(second.run(x[30:]), standardise(x)[30:])
    with pytest.raises(wz.InvalidInputError, match="each of length 2"):
        Standardiser(dimension=2).restore(first.state())
    with pytest.raises(wz.InvalidInputError, match="hold first"):
        second.restore({})


def test_bad_rows_are_refused_and_change_nothing() -> None:
    standardiser = Standardiser(dimension=2)
    standardiser.update([[1.0, 2.0]])
    before = standardiser.state()
    for rows in ([[1.0, math.inf]], [[1.0]], [1.0, 2.0], [["a", "b"]]):
        with pytest.raises(wz.InvalidInputError, match="The contexts must"):
            standardiser.update(rows)
    for name, array in standardiser.state().items():
        np.testing.assert_array_equal(array, before[name])
    with pytest.raises(wz.InvalidInputError, match="one flag per column, 2"):
        Standardiser(dimension=2, numeric=[True])


def test_records_become_rows() -> None:
    assert ENCODING.columns == [
        "size",
        "size?",
        "colour=red",
        "colour=blue",
        "colour?",
        "new=true",
        "new=false",
    ]
    assert ENCODING.numeric.tolist() == [True] + [False] * 6
    rows = ENCODING.rows(
        [
            {"size": 2, "colour": "blue", "new": True, "box": "a"},
            {"size": None, "colour": None, "new": np.bool_(False)},
            {"size": math.nan, "colour": "green", "new": "true"},
        ]
    )
    nan = math.nan
    expected = [[2, 0, 0, 1, 0, 1, 0], [nan, 1, 0, 0, 1, 0, 1], [nan, 1, 0, 0, 0, 1, 0]]
    np.testing.assert_array_equal(rows, expected)
    assert ENCODING.rows([]).shape == (0, 7)


def test_records_that_lack_a_feature_are_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match="feature 'new' must be given"):
        ENCODING.rows([{"size": 1.0, "colour": "red"}])
    with pytest.raises(wz.InvalidInputError, match="feature 'size' must be a finite number"):
        ENCODING.rows([{"size": "large", "colour": "red", "new": True}])
