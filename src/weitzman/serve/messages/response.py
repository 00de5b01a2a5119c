"""A response: status, content and headers; and which one an error gets."""

from typing import Final, NamedTuple

from weitzman.errors import LedgerError
from weitzman.serve.logs import log
from weitzman.serve.messages.refusal import Refusal

Headers = tuple[tuple[bytes, bytes], ...]

_SAFE: Final[Headers] = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
_MORE: Final[dict[int, Headers]] = {
    401: ((b"www-authenticate", b"Bearer"),),
    413: ((b"connection", b"close"),),
    429: ((b"retry-after", b"1"),),
    # Clients of language models ask again by themselves, and would pay again
    502: ((b"x-should-retry", b"false"),),
    503: ((b"retry-after", b"1"),),
}


class Response(NamedTuple):
    """What is sent, but for the length of the content."""

    status: int
    content: bytes
    headers: Headers


def media_headers(media_type: str) -> Headers:
    """Return the headers of content that is neither guessed at nor kept."""
    return ((b"content-type", media_type.encode()), *_SAFE)


_PROBLEM: Final = media_headers("application/problem+json")


def refusal_response(status: int, content: bytes) -> Response:
    """Return the response with a refusal of this status."""
    return Response(status, content, (*_PROBLEM, *_MORE.get(status, ())))


def error_response(error: Exception, label: str) -> Response:
    """Return the response to a request that could not be carried out; a fault is logged with the label."""
    if isinstance(error, LedgerError):
        error = Refusal("unavailable", str(error))
    elif not isinstance(error, Refusal):
        log("fault", route=label, error=repr(error))
        error = Refusal("broken", "The fault is in the log of the service.")
    response = refusal_response(error.status, error.to_bytes())
    if error.allow is not None:
        response = response._replace(headers=(*response.headers, (b"allow", error.allow.encode())))
    return response
