"""A body that cannot be read is refused with the place that is wrong."""

from typing import Any

import msgspec
import pytest

from weitzman.errors import InvalidInputError
from weitzman.serve.messages.refusal import Refusal, from_input_error, unreadable
from weitzman.serve.messages.schema import BatchRequest, NewProblem, NewRound, SeeRequest


def refusal(body: bytes, wanted: Any) -> Refusal:
    """Return the refusal of a body that is not of the wanted shape."""
    try:
        msgspec.json.decode(body, type=wanted)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return unreadable(error, body, wanted)
    raise AssertionError(body)


PROBLEM = b'{"name": "p", "boxes": ["a"], "dimension": 1'


@pytest.mark.parametrize(
    ("body", "wanted", "field"),
    [
        (b'{"boxes": ["a"]}', NewProblem, "name"),
        (PROBLEM + b', "colour": 1}', NewProblem, "colour"),
        (PROBLEM + b', "cost": "1"}', NewProblem, "cost"),
        (PROBLEM + b', "sense": "up"}', NewProblem, "sense"),
        (b'{"name": "p", "boxes": ["a", 1]}', NewProblem, "boxes[1]"),
        (b'{"values": {"a": 1.0, "b": "2"}}', SeeRequest, "values.b"),
        (b'{"values": {"a": null, "b": true}}', SeeRequest, "values.b"),
        (b'{"values": {"a": 1, "b": [1]}}', SeeRequest, "values.b"),
        (b'{"values": {"a": 1, "b": {}}}', SeeRequest, "values.b"),
        (b'{"commands": [{"close": {"colour": 1, "round": "r"}}]}', BatchRequest, "commands[0].close.colour"),
        (b"[]", NewRound, None),
    ],
)  # fmt: skip
def test_what_has_another_shape_is_invalid_at_a_field(
    body: bytes, wanted: Any, field: str | None
) -> None:
    refused = refusal(body, wanted)
    assert (refused.kind, refused.status, refused.field) == ("invalid", 422, field)
    assert refused.detail.endswith(".")
    assert "`$" not in refused.detail


def test_the_words_that_a_field_may_be_are_listed() -> None:
    refused = refusal(PROBLEM + b', "sense": "up"}', NewProblem)
    assert refused.detail.endswith(" Expected one of 'min', 'max'.")
    assert "Expected one of" not in refusal(PROBLEM + b', "cost": "1"}', NewProblem).detail


@pytest.mark.parametrize(
    ("body", "wanted", "field"),
    [
        (b'{"values": {"a": 1.0, "b": NaN}}', SeeRequest, "values.b"),
        (b'{"contexts": [[1.0], [2.0, -Infinity]]}', NewRound, "contexts[1][1]"),
    ],
)
def test_numbers_that_json_has_not_are_named(body: bytes, wanted: Any, field: str) -> None:
    refused = refusal(body, wanted)
    assert (refused.kind, refused.field) == ("invalid", field)
    assert refused.detail == "Expected a finite number."


@pytest.mark.parametrize("body", [b"{", b"", b"no", b'{"values": {"a": 1,}}'])
def test_what_is_no_json_is_malformed(body: bytes) -> None:
    refused = refusal(body, SeeRequest)
    assert (refused.kind, refused.status, refused.field) == ("malformed", 400, None)


def test_what_is_no_utf_8_is_malformed() -> None:
    try:
        b"\xff".decode()
    except UnicodeDecodeError as error:
        refused = unreadable(error, b"\xff")
    assert (refused.kind, refused.detail) == ("malformed", "The body is no UTF-8.")


def test_a_refused_input_keeps_its_sentence_but_not_all_of_a_long_one() -> None:
    short = from_input_error(InvalidInputError("x", "be short", 3), "boxes")
    assert (short.kind, short.status, short.field) == ("invalid", 422, "boxes")
    assert short.detail == str(InvalidInputError("x", "be short", 3))
    for extra, cut in ((0, False), (1, True)):
        room = 500 - len(str(InvalidInputError("", "be short", 3))) + extra
        error = InvalidInputError("x" * room, "be short", 3)
        whole = str(error)
        assert len(whole) == 500 + extra
        assert from_input_error(error).detail == (f"{whole[:500]} …" if cut else whole)
