"""The body of a request: whole, up to its limit to the byte, whatever pieces it comes in."""

import asyncio
from typing import Any

import pytest

from weitzman.serve.http.request import ClientGoneError, Request, read_body
from weitzman.serve.messages.refusal import Refusal


def read(
    pieces: list[bytes], most: int, *, announced: str | None = None, gone: bool = False
) -> bytes:
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": piece, "more_body": True} for piece in pieces
    ]
    if gone:
        messages.append({"type": "http.disconnect"})
    elif messages:
        del messages[-1]["more_body"]
    else:
        messages.append({"type": "http.request"})

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    headers = {} if announced is None else {b"content-length": announced.encode()}
    request = Request(method="POST", path="/", headers=headers, client="here", receive=receive)
    return asyncio.run(read_body(request, most))


@pytest.mark.parametrize("pieces", [[b"12345"], [b"1", b"", b"234", b"5"], [b"12345", b""]])
def test_a_body_reaches_to_its_limit(pieces: list[bytes]) -> None:
    for most in (5, 6):
        for announced in (None, "5"):
            assert read(list(pieces), most, announced=announced) == b"12345"
    with pytest.raises(Refusal, match="at most 4 bytes") as caught:
        read(list(pieces), 4)
    assert caught.value.kind == "too-large"


def test_no_body_is_an_empty_one_even_where_none_is_taken() -> None:
    assert read([], 0) == b""


@pytest.mark.parametrize("announced", ["6", "1000000", "-1", "five", "", "5.0"])
def test_a_length_that_is_too_large_or_none_is_refused_before_the_body_comes(
    announced: str,
) -> None:
    with pytest.raises(Refusal, match="at most 5 bytes"):
        read([], 5, announced=announced, gone=True)


def test_a_client_that_goes_away_has_sent_nothing() -> None:
    with pytest.raises(ClientGoneError):
        read([b"123"], 5, gone=True)
