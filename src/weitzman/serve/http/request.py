"""A request on its way, and its body, which is never larger than allowed.

A body that is announced too long is not read; one that is found too long is not kept.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from weitzman.serve.http.guard import media_type
from weitzman.serve.http.route import BINARY, JSON, PARQUET, Match, Route
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.response import Response

if TYPE_CHECKING:
    from weitzman.serve.engine.engine import Engine

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

_TYPES = {
    JSON: {JSON.encode()},
    PARQUET: {PARQUET.encode(), BINARY.encode()},
    BINARY: {BINARY.encode()},
}


class ClientGoneError(Exception):
    """The caller has gone away before the end of the body."""


class Request(msgspec.Struct, kw_only=True, eq=False):
    """A request, and what becomes of it.

    ``client`` is the address that it came from, ``raw_path`` its path as it was sent, for another process,
    ``query`` what stood behind the question mark;
    ``content`` is the body, ``receive`` what gives it piece by piece. After the look-up ``match`` is its
    route with the names in its path, and ``label`` what metrics and log call it. The ``response``, which
    tells of the state of ``engine`` or of nothing, is sent once everything that it rests on is stored. It
    ``began`` at a time in seconds.
    """

    method: str
    path: str
    headers: dict[bytes, bytes]
    client: str
    raw_path: str = ""
    query: bytes = b""
    content: bytes | None = None
    receive: Receive | None = None
    match: Match | None = None
    label: str = "none"
    engine: "Engine | None" = None
    response: Response | None = None
    began: float = msgspec.field(default_factory=perf_counter)


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request, of at most so many bytes."""
    assert request.receive is not None
    announced = request.headers.get(b"content-length")
    if announced is not None and (not announced.isdigit() or int(announced) > most):
        raise _too_large(most)
    parts, length, more = [], 0, True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        parts.append(message.get("body", b""))
        length += len(parts[-1])
        if length > most:
            raise _too_large(most)
        more = message.get("more_body", False)
    return b"".join(parts)


def check_type(request: Request, route: Route) -> None:
    """Refuse a body whose announced type is not that of its route."""
    if route.takes_type is None or (not request.content and route.may_be_empty):
        return
    announced = request.headers.get(b"content-type", b"")
    if media_type(announced) not in _TYPES[route.takes_type]:
        text = f"Expected Content-Type: {route.takes_type}."
        raise Refusal("media-type", text, "Content-Type")


def _too_large(most: int) -> Refusal:
    return Refusal("too-large", f"Expected a body of at most {most} bytes.")
