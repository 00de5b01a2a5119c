"""A searcher, or an open search, as bytes: one line of JSON, then the arrays as they lie in memory.

::

    {"format": "weitzman.searcher", "version": 1, "settings": {…},
     "arrays": [[name, dtype, shape], …], "sha256": "…"}            (on one line)
    bytes of the arrays, little-endian, C order, one after the other

The hash covers the settings, the list and the bytes. Bytes that are cut, changed, of another format
or of a later version are refused, and the error says why; nothing in them is ever executed. A file is
written beside its place and moved there, so a crash leaves the old one whole.

Version 1 holds a learner. Versions 2 and 3, which older releases refuse, hold a policy;
version 2 described it in another way (:mod:`weitzman.learn.storage.earlier`). In version 4, which is
written where arrays are large, their bytes are compressed by zlib: looks at many boxes then take a fifth of
the space, as there is room for as many of each box, filled with zeros. The hash is of what they were.
"""

import hashlib
import json
import math
import os
import zlib
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from weitzman.arrays import Arrays
from weitzman.errors import InvalidFileError, InvalidInputError

VERSION = 3
"""What is written where arrays are small, and hold a policy."""

COMPRESSED = 4
LARGE = 1 << 20
"""From so many bytes of arrays on they are compressed: what takes milliseconds is left as it is."""

_LEVEL = 1  # the next ones take twice to four times as long for a twentieth
Thing = Literal["searcher", "search"]
# What a state is made of; anything else has no business in a file.
_KINDS = {"<f8", "<i8", "|b1", "|u1"}
_CALLED: Final = {"searcher": "a saved searcher", "search": "a saved search"}


def pack(settings: dict[str, Any], arrays: Arrays, *, thing: Thing = "searcher") -> bytes:
    """Return settings and arrays as bytes."""
    little = {
        n: np.ascontiguousarray(a.astype(a.dtype.newbyteorder("<"))) for n, a in arrays.items()
    }
    listing = [[name, a.dtype.str, list(a.shape)] for name, a in little.items()]
    body = b"".join(a.tobytes() for a in little.values())
    version = VERSION if "policy" in settings else 1
    if len(body) >= LARGE:
        version = COMPRESSED
    header = {
        "format": f"weitzman.{thing}",
        "version": version,
        "settings": settings,
        "arrays": listing,
        "sha256": _digest(version, settings, listing, body),
    }
    kept = zlib.compress(body, _LEVEL) if version == COMPRESSED else body
    return json.dumps(header).encode() + b"\n" + kept


def unpack(
    data: bytes, *, subject: str = "The bytes", thing: Thing = "searcher"
) -> tuple[dict[str, Any], Arrays]:
    """Return the settings and arrays that :func:`pack` made bytes of; errors speak of the subject."""
    line, _, body = data.partition(b"\n")
    header = _header(line, subject, thing)
    listing = header["arrays"]
    sizes = _sizes(listing)
    if header["version"] == COMPRESSED:
        body = _inflated(body, sum(sizes), subject)
    if _digest(header["version"], header["settings"], listing, body) != header["sha256"]:
        raise InvalidFileError(subject, "be as it was saved", "a file that is cut or changed")
    if sum(sizes) != len(body):
        raise InvalidFileError(subject, f"hold {sum(sizes)} bytes of arrays", len(body))
    arrays: Arrays = {}
    begin = 0
    for (name, kind, shape), length in zip(listing, sizes, strict=True):
        dtype = np.dtype(kind)
        flat = np.frombuffer(body[begin : begin + length], dtype=dtype)
        arrays[name] = flat.reshape(shape).astype(dtype.newbyteorder("="))
        begin += length
    return header["settings"], arrays


def saved_size(data: bytes) -> int:
    """Return how many bytes of arrays :func:`unpack` would make of some bytes, before it does."""
    return sum(_sizes(_header(data.partition(b"\n")[0], "The bytes", "searcher")["arrays"]))


def _sizes(listing: list[Any]) -> list[int]:
    return [np.dtype(kind).itemsize * math.prod(shape) for _, kind, shape in listing]


def _inflated(body: bytes, size: int, subject: str) -> bytes:
    """Return what was compressed, which is so many bytes and no more."""
    inflating = zlib.decompressobj()
    try:
        # One more than there are, so that more are found
        found = inflating.decompress(body, size + 1)
    except (zlib.error, OverflowError):
        found = b""
    if len(found) != size or not inflating.eof or inflating.unused_data:
        raise InvalidFileError(subject, "be as it was saved", "a file that is cut or changed")
    return found


def write_saved(path: str | os.PathLike[str], data: bytes) -> None:
    """Write bytes to a file, all or nothing."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def read_saved(source: str | os.PathLike[str] | bytes) -> tuple[bytes, str]:
    """Return bytes, those of a file if the source is its path, and what errors call them."""
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), "The bytes"
    if not isinstance(source, str | os.PathLike):
        raise InvalidInputError("What is loaded", "be the path of a file, or bytes", source)
    return Path(source).read_bytes(), f"The file {os.fspath(source)!r}"


def _header(line: bytes, subject: str, thing: Thing) -> dict[str, Any]:
    try:
        header = json.loads(line)
        known = header["format"] == f"weitzman.{thing}"
        version = header["version"]
        known = known and isinstance(version, int) and version >= 1
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        known, version, header = False, 0, {}
    if not known:
        raise InvalidFileError(subject, f"be {_CALLED[thing]}", line[:40])
    if version > COMPRESSED:
        rule = f"be of version {COMPRESSED} or earlier; a newer weitzman wrote it"
        raise InvalidFileError(subject, rule, version)
    wanted = {"settings": dict, "arrays": list, "sha256": str}
    whole = all(isinstance(header.get(k), kind) for k, kind in wanted.items())
    if not whole or not all(_is_listed(entry) for entry in header["arrays"]):
        raise InvalidFileError(subject, "be as it was saved", "a header that is cut or changed")
    return dict(header)


def _is_listed(entry: Any) -> bool:
    if not (isinstance(entry, list) and len(entry) == 3):
        return False
    name, kind, shape = entry
    sizes = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    return isinstance(name, str) and isinstance(kind, str) and kind in _KINDS and sizes


def _digest(version: int, settings: dict[str, Any], listing: list[Any], body: bytes) -> str:
    head = json.dumps([version, settings, listing], sort_keys=True).encode()
    return hashlib.sha256(head + b"\n" + body).hexdigest()
