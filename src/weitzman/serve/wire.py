"""HTTP as bytes: what is no HTTP is refused in the one shape of errors, and never in place of another answer.

Bytes that are no request may follow a whole request on the same connection. That request is carried out, so
its answer is the one to be sent; the connection ends after it.
"""

import logging

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from weitzman.serve.logs import log
from weitzman.serve.refusal import Refusal

__all__ = ["LogLines", "Protocol"]

_HEAD = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\n"
    b"cache-control: no-store\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
)


class Protocol(HttpToolsProtocol):
    """One connection."""

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are no request, unless an answer to a whole one is still to come."""
        cycle = self.cycle
        whole = cycle is not None and not (cycle.response_complete or cycle.more_body)
        if whole or self.pipeline:
            self.pipeline.clear()
            cycle.keep_alive = False
            return
        content = Refusal("no-http", msg).to_bytes()
        self.transport.write(_HEAD % len(content) + content)
        self.transport.close()


class LogLines(logging.Handler):
    """What the server logs, as lines like all others."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        error = record.exc_info[1] if record.exc_info else None
        more = {} if error is None else {"error": repr(error)}
        log("server", level=record.levelname.lower(), text=record.getMessage(), **more)
