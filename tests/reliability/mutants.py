"""Valid requests of every route as bytes, and ways to spoil them."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

PROBLEM = "/v1/problems/target"
CONTEXTS = [[1.0, 0.5], [0.2, -1.0], [0.0, 2.0]]
_NUMBERS = [
    b"NaN", b"Infinity", b"-1e999", b"1e308", b"true", b'"1.0"', b"null", b"[]", b"{}", b"-0.0", b"1e-320",
    b"99999999999999999999999", b"0x1F",
]  # fmt: skip
_HEADERS = [
    b"Transfer-Encoding: chunked\r\n", b"Content-Length: 3\r\n", b"Expect: 100-continue\r\n",
    b"Idempotency-Key: \xe9\r\n", b"Content-Encoding: gzip\r\n", b"Host: elsewhere\r\n",
    b"Upgrade: websocket\r\nConnection: Upgrade\r\n", b"Authorization: Bearer x\r\n",
]  # fmt: skip
_BYTES = [
    b"\\ud800", b"\x00", b"\xff\xfe", b"\r\n", b"\r\n\r\n", b"%00", b"../", b"//", b'"a"', b",", b":", b"[[[",
]  # fmt: skip
_PARTS = _NUMBERS + _HEADERS + _BYTES
_METHODS = [b"GET", b"POST", b"PUT", b"DELETE", b"HEAD", b"OPTIONS", b"PATCH", b"TRACE", b"CONNECT"]


def request(
    method: str, path: str, body: Any = None, kind: str = "application/json", key: str = ""
) -> tuple[bytes, bytes]:
    """Return the head, without its length and end, and the body of a request."""
    content = (
        b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    )
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close"]
    if content:
        lines.append(f"Content-Type: {kind}")
    if key:
        lines.append(f"Idempotency-Key: {key}")
    return ("\r\n".join(lines) + "\r\n").encode(), content


def whole(head: bytes, body: bytes) -> bytes:
    """Return the bytes of a request, with the length that its body has."""
    return head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


def seeds(rng: random.Random) -> Iterator[tuple[bytes, bytes]]:
    """Yield a valid request of each kind, with fresh names."""
    name = f"r{rng.getrandbits(40):x}"
    rounds = f"{PROBLEM}/rounds"
    opened = {"id": name, "contexts": CONTEXTS, "costs": [0.1, 0.2, 0.3], "outside": 1.5}
    named = {"contexts": {"a": {"0": 1.0, "1": 2.0}, "c": [0.1, 0.2]}, "costs": {"a": 1, "c": 2}}
    batch = [
        {"open": {"id": f"{name}-2", "contexts": CONTEXTS}},
        {"see": {"round": f"{name}-2", "values": {"b": 1.0, "c": None}}},
        {"close": {"round": f"{name}-2", "values": {}}},
    ]
    problem = {"name": f"p{rng.getrandbits(20):x}", "boxes": ["a"], "dimension": 1, "policy": None,
               "learner": "FTRL", "parameters": {}, "optimism": 0.5, "waiting_time": 60.0}  # fmt: skip
    yield request("POST", rounds, opened, key=f"k-{name}")
    yield request("POST", rounds, named)
    yield request("POST", f"{rounds}/known/values", {"values": {"a": 1.0}})
    yield request(
        "POST", f"{rounds}/known/values", {"values": {"b": 0.5, "c": None}}, key=f"v{name}"
    )
    yield request("POST", f"{rounds}/ended/close", {"values": {}})
    yield request("POST", f"{PROBLEM}/batch", {"commands": batch})
    yield request("POST", "/v1/problems", problem)
    yield request("POST", "/v1/keys", {"name": "me", "scope": "read"})
    yield request("DELETE", f"/v1/keys/{name}")
    yield request(
        "PUT", f"{PROBLEM}/state", b"weitzman" + rng.randbytes(64), "application/octet-stream"
    )
    parquet = b"PAR1" + rng.randbytes(64) + b"PAR1"
    yield request("POST", f"{PROBLEM}/log", parquet, "application/vnd.apache.parquet")
    for path in ("", "/rounds", "/rounds/known", "/report", "/diagnostics", "/log", "/state"):
        yield request("GET", PROBLEM + path)
    for path in ("/v1/problems", "/v1/keys", "/healthz", "/readyz", "/metrics", "/openapi.json"):
        yield request("GET", path)


def mutated(rng: random.Random, uploads: list[tuple[bytes, bytes]]) -> bytes:
    """Return a spoiled request: its body with the right length, or any of its bytes."""
    head, body = rng.choice([*seeds(rng), *uploads])
    if body and rng.random() < 0.5:
        return whole(head, _spoil(rng, body))
    content = whole(head, body)
    if rng.random() < 0.1:
        return rng.choice(_METHODS) + content[content.index(b" ") :]
    return _spoil(rng, content)


def _spoil(rng: random.Random, content: bytes) -> bytes:
    spoiled = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4, 8])):
        rng.choice(_WAYS)(rng, spoiled)
    return bytes(spoiled)


def _place(rng: random.Random, content: bytearray) -> int:
    return rng.randrange(len(content) + 1)


def _flip(rng: random.Random, content: bytearray) -> None:
    if content:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def _delete(rng: random.Random, content: bytearray) -> None:
    place = _place(rng, content)
    del content[place : place + rng.choice([1, 1, 4, 20])]


def _insert(rng: random.Random, content: bytearray) -> None:
    place = _place(rng, content)
    content[place:place] = rng.choice(_PARTS)


def _replace(rng: random.Random, content: bytearray) -> None:
    place, part = _place(rng, content), rng.choice(_PARTS)
    content[place : place + len(part)] = part


def _number(rng: random.Random, content: bytearray) -> None:
    digits = [i for i, byte in enumerate(content) if 48 <= byte < 58]
    if digits:
        place = rng.choice(digits)
        content[place : place + 1] = rng.choice(_NUMBERS)


def _repeat(rng: random.Random, content: bytearray) -> None:
    place = _place(rng, content)
    content[place:place] = content[place : place + rng.choice([2, 10, 100])] * rng.choice(
        [1, 2, 50]
    )


def _swap(rng: random.Random, content: bytearray) -> None:
    one, two, size = _place(rng, content), _place(rng, content), rng.choice([1, 5, 20])
    content[one : one + size], content[two : two + size] = (
        content[two : two + size],
        content[one : one + size],
    )


def _cut(rng: random.Random, content: bytearray) -> None:
    del content[_place(rng, content) :]


_WAYS: list[Callable[[random.Random, bytearray], None]] = [
    _flip, _flip, _delete, _insert, _insert, _replace, _number, _number, _repeat, _swap, _cut,
]  # fmt: skip
