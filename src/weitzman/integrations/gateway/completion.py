"""Completions as clients read them: one object, or a stream of events."""

from collections.abc import Mapping
from typing import Any

import msgspec

from weitzman.errors import WeitzmanError
from weitzman.serve.messages.response import Headers

_encode = msgspec.json.Encoder().encode


def with_report(content: bytes, report: Mapping[str, Any]) -> bytes:
    """Return a completion with one more field, ``weitzman``: what was asked, what was paid, and why."""
    body = content.rstrip()
    if not body.endswith(b"}"):
        raise WeitzmanError("A completion ends with its brace.")
    return b'%b,"weitzman":%b}' % (body[:-1].rstrip(), _encode(report))


def headers_of(report: Mapping[str, Any]) -> Headers:
    """Return the same as headers."""
    said = {**report, "asked": ",".join(look["model"] for look in report["asked"])}
    return tuple(
        (b"x-weitzman-" + name.encode(), _shown(found))
        for name, found in said.items()
        if found is not None
    )


def _shown(found: object) -> bytes:
    text = found if isinstance(found, str) else repr(found)
    if text.isascii() and text.isprintable():
        return text.encode()
    return "".join(c if c.isprintable() else " " for c in text).encode("ascii", "replace")


def as_events(content: bytes, with_usage: bool) -> bytes:
    """Return a completion as the events of a stream: each choice as one piece, then how it ended."""
    whole: dict[str, Any] = msgspec.json.decode(content)
    kept = ("id", "created", "model", "system_fingerprint")
    head: dict[str, Any] = {key: whole[key] for key in kept if key in whole}
    head["object"] = "chat.completion.chunk"
    chunks: list[dict[str, Any]] = []
    choices = whole.get("choices", [])
    for choice in choices:
        delta = {key: value for key, value in choice["message"].items() if value is not None}
        if "tool_calls" in delta:
            delta["tool_calls"] = [
                {"index": place, **call} for place, call in enumerate(delta["tool_calls"])
            ]
        piece = {"index": choice.get("index", 0), "delta": delta, "finish_reason": None}
        chunks.append({**head, "choices": [piece]})
    for choice in choices:
        ended = {
            "index": choice.get("index", 0),
            "delta": {},
            "finish_reason": choice.get("finish_reason") or "stop",
        }
        chunks.append({**head, "choices": [ended]})
    chunks[-1]["weitzman"] = whole["weitzman"]
    if with_usage:
        chunks.append({**head, "choices": [], "usage": whole.get("usage")})
    return b"".join(b"data: %b\n\n" % _encode(chunk) for chunk in chunks) + b"data: [DONE]\n\n"
