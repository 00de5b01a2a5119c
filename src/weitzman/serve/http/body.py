"""The body of a request, never larger than allowed: told too long it is not read, found too long not kept."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from weitzman.serve.http.route import BINARY, JSON, PARQUET, Route
from weitzman.serve.messages.refusal import Refusal

__all__ = ["check_type", "read_body"]

_TYPES = {JSON: {JSON}, PARQUET: {PARQUET, BINARY}, BINARY: {BINARY}}


async def read_body(
    headers: dict[bytes, bytes],
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
    route: Route,
    most: int,
) -> bytes | None:
    """Return the body; None if the caller went away before its end."""
    told = headers.get(b"content-length")
    if told is not None and (not told.isdigit() or int(told) > most):
        raise _too_large(most)
    message = await receive()
    content: bytes = message.get("body", b"")
    if message.get("more_body"):
        content = await _rest(receive, content, most) or b""
        if not content:
            return None
    elif message["type"] == "http.disconnect":
        return None
    if len(content) > most:
        raise _too_large(most)
    check_type(headers, route, content)
    return content


async def _rest(
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]], first: bytes, most: int
) -> bytes | None:
    parts, length, more = [first], len(first), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        length += len(parts[-1])
        if length > most:
            raise _too_large(most)
        more = message.get("more_body", False)
    return b"".join(parts)


def check_type(headers: dict[bytes, bytes], route: Route, content: bytes) -> None:
    """Refuse a body that is not told to be of the type of its route."""
    if not content and route.may_be_empty:
        return
    # A page from elsewhere cannot send this type without asking first, and is not answered
    assert route.takes_type is not None
    told = headers.get(b"content-type", b"")
    kind = told.partition(b";")[0].strip().lower().decode("latin-1")
    if kind not in _TYPES[route.takes_type]:
        text = f"Expected Content-Type: {route.takes_type}."
        raise Refusal("media-type", text, "Content-Type")


def _too_large(most: int) -> Refusal:
    return Refusal("too-large", f"Expected a body of at most {most} bytes.")
