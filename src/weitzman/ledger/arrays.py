"""State as bytes: msgpack, with arrays as they lie in memory.

Equal states give equal bytes: structs are written field by field, mappings in their order.
"""

import math
from typing import Any, Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

__all__ = ["pack", "unpack"]

T = TypeVar("T")
_KINDS: Final = frozenset({"<f8", "<i8", "|b1", "|u1"})


class _Array(msgspec.Struct, frozen=True, array_like=True):
    kind: str
    shape: tuple[int, ...]
    content: bytes


def _from_array(thing: Any) -> _Array:
    if not isinstance(thing, np.ndarray):
        raise NotImplementedError(f"{type(thing)} has no place in a state")
    little = np.ascontiguousarray(thing.astype(thing.dtype.newbyteorder("<"), copy=False))
    return _Array(little.dtype.str, little.shape, little.tobytes())


def _to_array(wanted: type, thing: Any) -> NDArray[np.generic]:
    told = msgspec.convert(thing, _Array)
    size = math.prod(told.shape) * np.dtype(told.kind).itemsize if told.kind in _KINDS else -1
    if size != len(told.content):
        raise ValueError(f"an array of {told.kind} and {told.shape} of {len(told.content)} bytes")
    # A bytearray: the array can be written to
    flat = np.frombuffer(bytearray(told.content), dtype=np.dtype(told.kind))
    return flat.reshape(told.shape).astype(np.dtype(told.kind).newbyteorder("="), copy=False)


_ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=_from_array)


def pack(thing: Any) -> bytes:
    """Return structs, plain values and arrays as bytes."""
    return _ENCODER.encode(thing)


def unpack(content: bytes, kind: type[T]) -> T:
    """Return what :func:`pack` was given; ValueError if the bytes are something else."""
    return msgspec.msgpack.Decoder(kind, dec_hook=_to_array).decode(content)
