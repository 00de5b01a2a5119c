"""Plain Python counts as machine code does, to the last bit and to the types of what comes out."""

import math
import struct
from typing import Any, NamedTuple

import numpy as np
import pytest

from weitzman.arrays import Floats
from weitzman.compiled.decorators import checked, compiled, kernel
from weitzman.compiled.plain import plain


class Pair(NamedTuple):
    factor: float
    numbers: Floats


@compiled
def _ratio(x: float, y: float) -> float:
    return x / y


@kernel
def ratio(x: float, y: float) -> float:
    return _ratio(x, y)


@kernel
def constant_ratio(n: int) -> float:
    total = 0.0
    for k in range(n):
        total += k
    return 1.0 / total


@kernel
def functions(x: float) -> tuple[float, float, float, float, float]:
    return math.sqrt(x), math.log(x), math.exp(x), math.log1p(x), math.ldexp(x, 2000)


@kernel
def kinds(pair: Pair, n: int) -> tuple[int, float, bool, Pair]:
    pair.numbers[0] *= pair.factor
    return n + 1, pair.numbers[0], pair.numbers[1] > 0.0, Pair(2.0 * pair.factor, pair.numbers)


@kernel
def single(x: Any) -> float:
    return float(0.1 * x[0])


@checked
def mixed(x: int, seed: np.uint64) -> tuple[int, int]:
    # Both wrap around
    return int(seed * np.uint64(0x9E3779B97F4A7C15)), x // 3 + (-x) % 5


@kernel
def steps(n: int) -> int:
    return 0 if n <= 0 else 1 + steps(n - 1)


def bits(thing: Any) -> Any:
    """Return something by which any two results differ that are not the same to the last bit."""
    if isinstance(thing, tuple):
        return type(thing).__name__, [bits(one) for one in thing]
    if isinstance(thing, np.ndarray):
        return thing.dtype, thing.shape, thing.tobytes()
    if isinstance(thing, float):
        return type(thing), "nan" if math.isnan(thing) else struct.pack("d", thing)
    return type(thing), thing


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    *((ratio, pair) for pair in [(1.0, 3.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (1.0, -0.0)]),
    *((constant_ratio, (n,)) for n in (0, 1, 5)),
    *((functions, (x,)) for x in (2.0, 0.0, -0.0, -1.0, -2.0, 1e300, math.inf, math.nan)),
    *((mixed, (x, np.uint64(2**63 + 5))) for x in (7, -7)),
    (single, (np.array([0.3], dtype=np.float32),)),
    (steps, (4,)),
]


@pytest.mark.parametrize(("function", "arguments"), CASES)
@pytest.mark.filterwarnings("error")
def test_it_has_the_bits_and_types_of_machine_code(function: Any, arguments: Any) -> None:
    assert bits(plain(function)(*arguments)) == bits(function(*arguments))


def test_arrays_are_changed_in_place_and_tuples_keep_their_class() -> None:
    one, other = np.array([3.0, 1.0]), np.array([3.0, 1.0])
    given = plain(kinds)(Pair(0.1, one), 4)
    assert bits(given) == bits(kinds(Pair(0.1, other), 4))
    assert type(given[3]) is Pair
    assert given[3].numbers is one
    assert one.tobytes() == other.tobytes()


def test_the_function_itself_is_as_it_was() -> None:
    plain(ratio)(1.0, 0.0)
    with pytest.raises(ZeroDivisionError):
        ratio.py_func.__globals__["_ratio"].py_func(1.0, 0.0)  # type: ignore[attr-defined]
