"""HTTP as bytes, on uvicorn's reading of it.

What is no HTTP is refused in the one shape of errors, and never in place of another answer: bytes that are
no request may follow a whole request on the same connection. That request is carried out, so its answer is
the one to be sent; the connection ends after it.

A request with a small body, as nearly all are, needs no task and no scope: when it is whole it is carried out
where it is read, and its answer is one write. Those with a large body or one of unknown length, and those
that need more than a command, go uvicorn's way through ASGI, which reads a body piece by piece.
"""

import asyncio
import logging
import math
from functools import lru_cache
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from weitzman.errors import LedgerError
from weitzman.serve.http.app import App
from weitzman.serve.http.request import Request
from weitzman.serve.logs import log
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.response import Headers, error_response

_NEVER: Final = asyncio.Event()
_SMALL: Final = 65_536
"""The largest body that is waited for here, in bytes."""


@lru_cache(maxsize=4_096)
def _head(status: int, headers: Headers, length: int, *, keep_alive: bool) -> bytes:
    """Return the head of an answer: few have others than many before them."""
    lines = b"".join(b"%b: %b\r\n" % pair for pair in headers)
    end = b"" if keep_alive else b"connection: close\r\n"
    return b"%b%bcontent-length: %d\r\n%b\r\n" % (STATUS_LINE[status], lines, length, end)


class _Cycle:
    """A request on its direct way, with what uvicorn wants to know of one."""

    __slots__ = (
        "_app",
        "_connection",
        "_request",
        "disconnected",
        "keep_alive",
        "response_complete",
    )

    more_body = False
    message_event = _NEVER  # nobody waits for more of it

    def __init__(
        self, connection: "Protocol", app: App, request: Request, *, keep_alive: bool
    ) -> None:
        self._connection, self._app, self._request = connection, app, request
        self.keep_alive = keep_alive
        self.disconnected = self.response_complete = False

    def answer_when_stored(self) -> None:
        """Send the answer as soon as what it rests on is stored, or cannot be."""
        engine = self._request.engine
        try:
            waits = engine is not None and engine.after(self.answer)
        except LedgerError as error:
            self.answer(error)
            return
        if not waits:
            self.answer(None)

    def answer(self, error: LedgerError | None) -> None:
        """Send the answer: what it rests on is stored, or cannot be."""
        status, content, headers = self._app.settle(self._request, error)
        del self._request  # the cycle stays until the next request comes
        self.response_complete = True
        transport = self._connection.transport
        if transport.is_closing():
            return
        head = _head(status, headers, len(content), keep_alive=self.keep_alive)
        transport.write(head + content)
        if not self.keep_alive:
            transport.close()
        self._connection.on_response_complete()


class Protocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._app = self.config.app if isinstance(self.config.app, App) else None
        # The head of a request is here, and uvicorn does not know of it yet
        self._is_headed = False
        self._content = b""
        self._idle_since = 0.0

    def data_received(self, data: bytes) -> None:
        """Read on; if the rest of a request is not soon to come, it goes the long way."""
        super().data_received(data)
        if self._is_headed and not self._is_small():
            self._go_the_long_way()

    def on_message_begin(self) -> None:
        self.url = b""
        self.headers = []
        self.expect_100_continue = False

    def on_headers_complete(self) -> None:
        """Keep the head until it is clear which way the request goes."""
        self._is_headed = True
        self._content = b""

    def on_body(self, body: bytes) -> None:
        if self._is_headed:
            self._content = self._content + body if self._content else body
        else:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Carry out a request that is whole, directly if that is all it needs."""
        if self._is_headed:
            if self._is_free() and self._go_directly():
                return
            self._go_the_long_way()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with a request that has come meanwhile, or wait for one."""
        if self.pipeline or self.timeout_keep_alive_task is None:
            super().on_response_complete()
        else:
            self.server_state.total_requests += 1
            self.flow.resume_reading()
        self._idle_since = self.loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._is_headed = False
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()

    def _unset_keepalive_if_required(self) -> None:
        """Leave the timer, which looks for itself how long nobody has asked: somebody does now."""
        self._idle_since = math.inf

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection if nobody has asked for long; look again later if somebody has."""
        self.timeout_keep_alive_task = None
        if self.transport.is_closing():
            return
        left = self._idle_since + self.timeout_keep_alive - self.loop.time()
        if not self._is_free():
            left = math.inf
        if left <= 0.0:
            self.transport.close()
        else:
            left = min(left, self.timeout_keep_alive)
            later = self.loop.call_later(left, self.timeout_keep_alive_handler)
            self.timeout_keep_alive_task = later

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are no request, unless an answer to a whole one is still to come."""
        self._is_headed = False
        cycle = self.cycle
        whole = cycle is not None and not (cycle.response_complete or cycle.more_body)
        if whole or self.pipeline:
            self.pipeline.clear()
            cycle.keep_alive = False
            return
        status, content, headers = error_response(Refusal("no-http", msg), "none")
        self.transport.write(_head(status, headers, len(content), keep_alive=False) + content)
        self.transport.close()

    def _is_free(self) -> bool:
        """Whether no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    def _is_small(self) -> bool:
        """Whether the request that has begun will have a small body, and sends it without being asked to."""
        length = dict(self.headers).get(b"content-length", b"")
        return not self.expect_100_continue and length.isdigit() and int(length) <= _SMALL

    def _go_directly(self) -> bool:
        """Carry out the request that is here; False if it needs the long way."""
        url, parser = self.url, self.parser
        plain = (
            url[:1] == b"/" and url.isascii() and not (b"%" in url or b"?" in url or b"#" in url)
        )
        if self._app is None or self.expect_100_continue or not plain or self.flow.write_paused:
            return False
        method, headers = parser.get_method(), dict(self.headers)
        if method == b"HEAD" or parser.should_upgrade():
            return False
        # Without this header what is not 1.1 ends the connection, here as there
        if b"connection" in headers and parser.get_http_version() != "1.1":
            return False
        client = self.client[0] if self.client else ""
        request = Request(
            method=method.decode("ascii"),
            path=url.decode("ascii"),
            headers=headers,
            client=client,
            content=self._content,
        )
        if not self._app.direct(request):
            return False
        self._is_headed = False
        keep_alive = parser.should_keep_alive()
        cycle = _Cycle(self, self._app, request, keep_alive=keep_alive)
        self.cycle = cycle  # type: ignore[assignment]
        cycle.answer_when_stored()
        return True

    def _go_the_long_way(self) -> None:
        """Tell uvicorn of the request as far as it is here."""
        self._is_headed = False
        url, headers = self.url, self.headers
        expects, content = self.expect_100_continue, self._content
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects
        self.headers += headers  # the list that is in the scope
        super().on_headers_complete()
        if content:
            super().on_body(content)


class LogLines(logging.Handler):
    """What the server logs, as lines like all others."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        more = {} if error is None else {"error": repr(error)}
        log("server", level=record.levelname.lower(), text=record.getMessage(), **more)
