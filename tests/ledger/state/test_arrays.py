"""States as bytes: every bit comes back, and rows that end in zeros take no room for them."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from weitzman.ledger.state.arrays import pack, unpack

State = dict[str, NDArray[np.generic]]


@given(st.lists(st.integers(0, 200), min_size=1, max_size=8), st.sampled_from([(), (3,), (2, 2)]))
def test_rows_of_any_length_come_back(lengths: list[int], rest: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(lengths))
    array = np.zeros((len(lengths), 250, *rest))
    for row, length in enumerate(lengths):
        array[row, :length] = rng.normal(size=(length, *rest))
    (back,) = unpack(pack({"a": array}), State).values()
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()
    assert back.flags.writeable
    room = 8 * sum(lengths) * int(np.prod(rest, dtype=int))
    assert len(pack({"a": array})) <= room + 100 + 6 * len(lengths) or array.nbytes < 4_096


@pytest.mark.parametrize("odd", [-0.0, np.nan, 5e-324, -np.inf])
def test_what_only_looks_like_zero_is_kept(odd: float) -> None:
    array = np.zeros((4, 300))
    array[2, 299] = odd
    (back,) = unpack(pack({"a": array}), State).values()
    assert back.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3)[:, ::-1],
        np.asfortranarray(np.arange(6_000.0).reshape(60, 100)),
        np.zeros((0, 5)),
        np.zeros((600, 5)),
        np.array([True, False]),
        np.arange(2_000, dtype=np.int64).reshape(2, 1_000),
        np.zeros((30, 200, 0)),
        np.ones((3, 2_000), dtype=np.uint8),
    ],
)
def test_any_array_comes_back(array: NDArray[np.generic]) -> None:
    (back,) = unpack(pack({"a": array}), State).values()
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


@pytest.mark.parametrize(
    "told",
    [
        ["<f8", [2, 3], bytes(40)],
        ["<f4", [2, 3], bytes(24)],
        ["<f8", [2, 3], bytes(24), [3]],
        ["<f8", [2, 3], bytes(24), [4, -1]],
        ["<f8", [2, 3], bytes(32), [4, 0]],
        ["<f8", [2, 3], bytes(24), [1, 1]],
        ["<f8", [3], bytes(24), [1, 1, 1]],
        ["<f8", [0, 3], b"", []],
        ["|O", [1], bytes(8)],
    ],
)
def test_bytes_that_are_no_array_are_refused(told: list[object]) -> None:
    with pytest.raises(ValueError, match=r"array|buffer"):
        unpack(msgspec.msgpack.encode({"a": told}), State)
