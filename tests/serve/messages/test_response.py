"""Every refusal says with its headers what the caller may do next."""

import json
from typing import Any

import pytest

from weitzman.errors import LedgerError
from weitzman.serve.messages import response as responses
from weitzman.serve.messages.refusal import KINDS, Refusal
from weitzman.serve.messages.response import error_response, media_headers, refusal_response

PLAIN = {
    b"content-type": b"application/problem+json",
    b"x-content-type-options": b"nosniff",
    b"cache-control": b"no-store",
}
MORE = {
    401: {b"www-authenticate": b"Bearer"},
    413: {b"connection": b"close"},
    429: {b"retry-after": b"1"},
    502: {b"x-should-retry": b"false"},
    503: {b"retry-after": b"1"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_has_the_headers_of_its_status(kind: str) -> None:
    status = KINDS[kind][0]
    answer = error_response(Refusal(kind, "No.", "boxes"), "GET /")
    assert answer.status == status
    assert dict(answer.headers) == PLAIN | MORE.get(status, {})
    assert len(answer.headers) == len(PLAIN) + len(MORE.get(status, {}))
    assert json.loads(answer.content) == {
        "type": f"urn:weitzman:{kind}",
        "title": KINDS[kind][1],
        "status": status,
        "detail": "No.",
        "field": "boxes",
    }


def test_a_wrong_method_is_told_the_right_ones() -> None:
    answer = error_response(Refusal("method", "No.", allow="GET, POST"), "PUT /")
    assert dict(answer.headers) == PLAIN | {b"allow": b"GET, POST"}


def test_a_journal_that_fails_is_not_available() -> None:
    answer = error_response(LedgerError("The disk is full."), "POST /")
    assert answer.status == 503
    assert dict(answer.headers)[b"retry-after"] == b"1"
    assert json.loads(answer.content)["detail"] == "The disk is full."


def test_a_fault_is_logged_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(responses, "log", lambda event, **more: logged.append((event, more)))
    answer = error_response(ZeroDivisionError("secret"), "GET /v1/problems")
    assert answer.status == 500
    assert dict(answer.headers) == PLAIN
    assert b"secret" not in answer.content
    error = repr(ZeroDivisionError("secret"))
    assert logged == [("fault", {"route": "GET /v1/problems", "error": error})]
    for refused in (Refusal("invalid", "No."), LedgerError("No.")):
        error_response(refused, "GET /")
    assert len(logged) == 1


def test_content_is_neither_guessed_at_nor_kept() -> None:
    assert dict(media_headers("text/html")) == PLAIN | {b"content-type": b"text/html"}
    assert refusal_response(422, b"x").content == b"x"
