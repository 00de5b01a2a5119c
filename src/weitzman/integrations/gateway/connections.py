"""HTTP to upstreams: one request at a time on a connection that is kept for the next.

A request is written once and never sent again: what was asked may have to be paid. A connection that was idle
for longer than servers usually keep one is not used any more.
"""

import asyncio
import ssl
from collections import defaultdict
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import httptools

from weitzman.errors import InvalidInputError

_IDLE: Final = 4.0
"""For how many seconds a connection is kept that nobody uses."""
_LARGEST: Final = 67_108_864
"""The longest reply, in bytes."""


class NoReplyError(Exception):
    """No reply has come; ``was_sent`` says whether the other side may have worked."""

    def __init__(self, reason: str, *, was_sent: bool) -> None:
        super().__init__(reason)
        self.was_sent = was_sent


class HttpReply(NamedTuple):
    """What came back."""

    status: int
    content: bytes


class Address(NamedTuple):
    """Where requests for a URL go."""

    host: str
    port: int
    is_secure: bool
    path: str

    @classmethod
    def of(cls, url: str) -> "Address":
        """Return the address of a URL."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise InvalidInputError("The URL", "begin with http:// or https:// and a host", url)
        is_secure = parts.scheme == "https"
        port = parts.port or (443 if is_secure else 80)
        return cls(parts.hostname, port, is_secure, parts.path.rstrip("/"))

    def head(self, path: str, key: str | None) -> bytes:
        """Return the head of a request, up to the length of its body; a key is shown as a bearer's."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        shown = "" if key is None else f"authorization: Bearer {key}\r\n"
        return (
            f"POST {self.path}{path} HTTP/1.1\r\nhost: {host}:{self.port}\r\n{shown}"
            "content-type: application/json\r\naccept: application/json\r\n"
            "accept-encoding: identity\r\ncontent-length: "
        ).encode("latin-1")


class _Connection(asyncio.Protocol):
    """A connection, which waits for one reply at most."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[HttpReply] | None = None
        self._parser: Any = None
        self._parts: list[bytes] = []
        self._length = 0
        self._ends_with_connection = False
        self.transport: Any = None
        self.idle_since = 0.0

    @property
    def is_open(self) -> bool:
        return self.transport is not None and not self.transport.is_closing()

    async def send(self, head: bytes, body: bytes) -> HttpReply:
        """Send a request, and return its reply."""
        self._parser, self._parts = httptools.HttpResponseParser(self), []
        self._length, self._ends_with_connection = 0, True
        waiter = self._waiter = self._loop.create_future()
        self.transport.write(b"%b%d\r\n\r\n%b" % (head, len(body), body))
        try:
            reply: HttpReply = await waiter
        except asyncio.CancelledError:
            self.transport.abort()
            raise
        return reply

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self._waiter is None:
            self.transport.abort()  # nobody asked
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._fail(f"the reply is no HTTP: {error}")

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() in (b"content-length", b"transfer-encoding"):
            self._ends_with_connection = False

    def on_body(self, body: bytes) -> None:
        self._parts.append(body)
        self._length += len(body)
        if self._length > _LARGEST:
            self._fail(f"the reply is longer than {_LARGEST} bytes")

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:
            return  # the reply is still to come
        if not self._parser.should_keep_alive():
            self.transport.close()
        self._finish(status)

    def connection_lost(self, exc: Exception | None) -> None:
        waiter = self._waiter
        if waiter is None or waiter.done():
            return
        status = self._parser.get_status_code()
        if self._ends_with_connection and status >= 200 and exc is None:
            self._finish(status)
        else:
            self._fail("the connection ended before the reply did")

    def _finish(self, status: int) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(HttpReply(status, b"".join(self._parts)))

    def _fail(self, reason: str) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_exception(NoReplyError(reason, was_sent=True))
        self.transport.abort()


class Connections:
    """The connections to all upstreams."""

    def __init__(self) -> None:
        self._idle: defaultdict[tuple[str, int, bool], list[_Connection]] = defaultdict(list)
        self._tls: ssl.SSLContext | None = None

    async def post(self, address: Address, head: bytes, body: bytes, seconds: float) -> HttpReply:
        """Send a request and return its reply; NoReplyError if it does not come in time."""
        was_sent = False
        try:
            async with asyncio.timeout(None if seconds == float("inf") else seconds):
                connection = await self._taken(address)
                was_sent = True
                reply = await connection.send(head, body)
        except TimeoutError:
            reason = "no reply in time" if was_sent else "no connection in time"
            raise NoReplyError(reason, was_sent=was_sent) from None
        except OSError as error:
            raise NoReplyError(f"no connection: {error}", was_sent=was_sent) from None
        if connection.is_open:
            connection.idle_since = asyncio.get_running_loop().time()
            self._idle[address[:3]].append(connection)
        return reply

    def close(self) -> None:
        """Close the connections that nobody uses."""
        for connections in self._idle.values():
            for connection in connections:
                connection.transport.abort()
        self._idle.clear()

    async def _taken(self, address: Address) -> _Connection:
        """Return a connection that nobody uses."""
        loop = asyncio.get_running_loop()
        idle = self._idle[address[:3]]
        while idle:
            # The newest one: the others come of age meanwhile
            connection = idle.pop()
            if connection.is_open and loop.time() - connection.idle_since < _IDLE:
                return connection
            connection.transport.abort()
        if address.is_secure and self._tls is None:
            self._tls = ssl.create_default_context()
        _, connection = await loop.create_connection(
            _Connection, address.host, address.port, ssl=self._tls if address.is_secure else None
        )
        return connection
