"""State as bytes: msgpack, with arrays as they lie in memory.

Equal states give equal bytes: structs are written field by field, mappings in their order.

The rows of a learner's arrays have room for as many observations as the fullest row has, and zeros where
there are none. Zeros at the end of the rows of a large array are left out, and the lengths of the rows kept.
"""

import math
import sys
from typing import Any, Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
_KINDS: Final = frozenset({"<f8", "<i8", "|b1", "|u1"})
_LARGE: Final = 4_096
"""From how many bytes on zeros are looked for."""


class _Array(msgspec.Struct, frozen=True, array_like=True):
    kind: str
    shape: tuple[int, ...]
    content: bytes


class _Rows(_Array, frozen=True, array_like=True):
    lengths: list[int]


def _from_array(thing: Any) -> _Array:
    if not isinstance(thing, np.ndarray):
        raise NotImplementedError(f"{type(thing)} has no place in a state")
    if sys.byteorder == "big":
        thing = thing.astype(thing.dtype.newbyteorder("<"), copy=False)
    if thing.nbytes >= _LARGE and thing.ndim > 1 and thing.dtype.itemsize == 8:
        lengths = _used(thing)
        if lengths.sum() < lengths.size * thing.shape[1]:
            content = thing[np.arange(thing.shape[1]) < lengths[:, None]].tobytes()
            return _Rows(thing.dtype.str, thing.shape, content, lengths.tolist())
    return _Array(thing.dtype.str, thing.shape, thing.tobytes())


def _used(rows: NDArray[Any]) -> NDArray[np.intp]:
    """Return up to where each row holds anything but zeros; minus zero is not zero."""
    bits = np.ascontiguousarray(rows).view(np.int64).reshape(*rows.shape[:2], -1)
    used = (bits != 0).any(axis=2)
    last = rows.shape[1] - used[:, ::-1].argmax(axis=1)
    return np.where(used.any(axis=1), last, 0)


def _to_array(wanted: type, thing: Any) -> NDArray[np.generic]:
    stored = msgspec.convert(thing, _Rows if len(thing) == 4 else _Array)
    if stored.kind not in _KINDS:
        raise ValueError(f"an array of {stored.kind}")
    # A bytearray: the array can be written to
    dtype = np.dtype(stored.kind)
    flat = np.frombuffer(bytearray(stored.content), dtype=dtype)
    if isinstance(stored, _Rows):
        return _padded(stored, flat)
    if math.prod(stored.shape) != flat.size:
        raise ValueError(
            f"an array of {stored.kind} and {stored.shape} of {len(stored.content)} bytes"
        )
    return flat.reshape(stored.shape).astype(dtype.newbyteorder("="), copy=False)


def _padded(stored: _Rows, flat: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return rows with the zeros that were left out."""
    lengths = np.array(stored.lengths, dtype=np.int64)
    shape = stored.shape
    fits = len(shape) > 1 and lengths.shape == shape[:1] and 0 <= lengths.min() <= lengths.max()
    if not fits or lengths.max() > shape[1] or lengths.sum() * math.prod(shape[2:]) != flat.size:
        raise ValueError(f"an array of {shape} with rows of {stored.lengths}")
    array = np.zeros(shape, dtype=flat.dtype.newbyteorder("="))
    array[np.arange(shape[1]) < lengths[:, None]] = flat.reshape(-1, *shape[2:])
    return array


_ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=_from_array)


def pack(thing: Any) -> bytes:
    """Return structs, plain values and arrays as bytes."""
    return _ENCODER.encode(thing)


def unpack(content: bytes | memoryview, kind: type[T]) -> T:
    """Return what :func:`pack` was given; ValueError if the bytes are something else."""
    return msgspec.msgpack.Decoder(kind, dec_hook=_to_array).decode(content)
