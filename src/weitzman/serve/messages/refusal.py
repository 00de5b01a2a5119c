"""Refusals: the errors that a caller sees, in one shape."""

import json
import math
import re
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.serve.messages.schema import ProblemDetails

KINDS: Final[dict[str, tuple[int, str]]] = {
    "malformed": (400, "The body is no JSON"),
    "no-http": (400, "The request is no HTTP"),
    "unauthenticated": (401, "A valid key is needed"),
    "spent": (402, "The budget is spent"),
    "forbidden": (403, "The key does not reach this far"),
    "foreign": (403, "Not from another site's page"),
    "unknown": (404, "There is no such thing"),
    "method": (405, "Not with this method"),
    "conflict": (409, "It contradicts what is stored"),
    "too-large": (413, "The body is too large"),
    "media-type": (415, "The body has another type"),
    "misdirected": (421, "Not under this host name"),
    "invalid": (422, "The request breaks a rule"),
    "key-reused": (422, "The idempotency key belongs to another request"),
    "too-many": (429, "Too many requests"),
    "broken": (500, "The service has a fault"),
    "no-answer": (502, "No model has answered"),
    "unavailable": (503, "Not available now"),
}
"""The kinds of refusals: status and title."""

_ENCODER = msgspec.json.Encoder()


class Refusal(Exception):  # noqa: N818  an answer, not a fault
    """A request that is not carried out; nothing has changed. ``allow`` names the methods of its path."""

    def __init__(
        self, kind: str, detail: str, field: str | None = None, allow: str | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.title = KINDS[kind]
        self.kind, self.detail, self.field, self.allow = kind, detail, field, allow

    def details(self) -> ProblemDetails:
        """Return what the caller sees."""
        return ProblemDetails(
            type=f"urn:weitzman:{self.kind}",
            title=self.title,
            status=self.status,
            detail=self.detail,
            field=self.field,
        )

    def to_bytes(self) -> bytes:
        """Return what the caller sees, as JSON."""
        return _ENCODER.encode(self.details())


def from_input_error(error: InvalidInputError, field: str | None = None) -> Refusal:
    """Return the refusal of something that the rooms below do not take."""
    text = str(error)
    return Refusal("invalid", text if len(text) <= 500 else f"{text[:500]} …", field)


def unreadable(
    error: msgspec.DecodeError | UnicodeDecodeError, body: bytes, wanted: Any = None
) -> Refusal:
    """Return the refusal of a body that is no JSON, or not of the wanted shape, with the field."""
    if isinstance(error, UnicodeDecodeError):
        return Refusal("malformed", "The body is no UTF-8.")
    text = str(error)
    if isinstance(error, msgspec.ValidationError):
        at = re.search(r" - at `\$\.?(.*)`$", text)
        rule = text[: at.start()] if at else text
        named = re.search(r"(?:unknown|missing required) field `(.*)`", rule)
        path = _named(at.group(1), rule, body) if at else ""
        if named:
            path = f"{path}.{named.group(1)}" if path else named.group(1)
        return Refusal("invalid", f"{rule}.{_choices(wanted, path)}", path or None)
    try:
        # Python's reader takes NaN and infinities, which JSON has not
        found = first_infinite(json.loads(body))
    except (ValueError, RecursionError):
        found = None
    if found is not None:
        return Refusal("invalid", "Expected a finite number.", found[0])
    return Refusal("malformed", f"{text}.")


def _choices(wanted: Any, field: str) -> str:
    """Return the words that a field may be, as a sentence; nothing if it may be others too."""
    hint = get_type_hints(wanted).get(field) if isinstance(wanted, type) else None
    words = get_args(hint) if get_origin(hint) is Literal else ()
    return f" Expected one of {', '.join(map(repr, words))}." if words else ""


_NAMES: Final = {str: "str", bool: "bool", int: "int", float: "float", type(None): "null"}
_NAMES[list], _NAMES[dict] = "array", "object"


def _named(path: str, rule: str, body: bytes) -> str:
    """Return a path with the name of the entry that breaks the rule in place of the decoder's ``[...]``.

    >>> _named("values[...]", "Expected `float | null`, got `str`", b'{"values": {"a": 1.0, "b": "2"}}')
    'values.b'
    """
    begin, dots, rest = path.partition("[...]")
    got = re.search(r"got `(.*)`", rule)
    if not dots or rest:
        return path
    try:
        thing = json.loads(body)
        for part in begin.split("."):
            thing = thing[part] if part else thing
        entries = thing.items()
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return path
    for name, value in entries:
        is_number = isinstance(value, float) and not math.isfinite(value)
        if is_number or (got is not None and _NAMES.get(type(value)) == got.group(1)):
            return f"{begin}.{name}" if begin else str(name)
    return path


def first_infinite(thing: Any, path: str = "") -> tuple[str, float] | None:
    """Return the path of the first NaN or infinity and the number itself; None if there is none.

    >>> first_infinite({"values": {"a": 1.0, "b": [2.0, math.inf]}})
    ('values.b[1]', inf)
    """
    if isinstance(thing, np.ndarray | np.generic):
        thing = thing.tolist()
    if isinstance(thing, float):
        return None if math.isfinite(thing) else (path, thing)
    if isinstance(thing, dict):
        parts = ((f"{path}.{k}" if path else str(k), v) for k, v in thing.items())
    elif isinstance(thing, list | tuple):
        parts = ((f"{path}[{i}]", v) for i, v in enumerate(thing))
    else:
        return None
    return next((p for k, v in parts if (p := first_infinite(v, k)) is not None), None)
