"""What Schemathesis is told of the service: its names, bodies that are no JSON; and a watch on refusals."""

import http.client
import json
import os
import random
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import strategies as st

_SEEN: dict[str, Any] = {}


def _uploads(kind: str) -> st.SearchStrategy[bytes]:
    """Return anything, and a file that the service would take, whole and cut."""
    whole = (Path(os.environ["WEITZMAN_UPLOADS"]) / kind).read_bytes()
    cut = st.integers(0, len(whole)).map(lambda n: whole[:n])
    return st.just(whole) | cut | st.binary(max_size=200)


schemathesis.openapi.media_type("application/vnd.apache.parquet", _uploads("log"))
schemathesis.openapi.media_type("application/octet-stream", _uploads("state"))


# One connection for all digests: opening one takes longer than the digest
_DIGESTS = http.client.HTTPConnection(
    os.environ["WEITZMAN_URL"].removeprefix("http://"), timeout=30.0
)


def _digest() -> Any:
    try:
        _DIGESTS.request("GET", "/v1/digest")
        reply = _DIGESTS.getresponse()
    except http.client.RemoteDisconnected:
        # The service ends a connection that was idle for five seconds, as while others were judged
        _DIGESTS.close()
        _DIGESTS.request("GET", "/v1/digest")
        reply = _DIGESTS.getresponse()
    return json.loads(reply.read())


_RANDOM = random.Random(1)
_KNOWN = {
    "problem": ["target", "target", "wins", "nobody"],
    "round": ["known", "known", "ended", "r1", "nothing"],
    "place": ["0", "1", "7"],
}
_CONTEXTS = [[1.0, 0.5], [0.2, -1.0], [0.0, 2.0]]


def _at_home(thing: Any) -> Any:
    """Return a body that speaks of boxes, rounds and sizes which are there."""
    if isinstance(thing, list):
        return [_at_home(part) for part in thing]
    if not isinstance(thing, dict):
        return thing
    body = {name: _at_home(part) for name, part in thing.items()}
    if "contexts" in body:
        body["contexts"] = _CONTEXTS
        body.pop("boxes", None)
        body.pop("costs", None)
    if isinstance(body.get("values"), dict):
        body["values"] = dict(zip("abc", body["values"].values(), strict=False))
    if "round" in body:
        body["round"] = _RANDOM.choice(_KNOWN["round"])
    return body


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Lead two requests of three that are valid and stand alone to things that are there."""
    alone = case.meta is not None and case.meta.phase.name.value != "stateful"
    if not alone or not case.meta.generation.mode.is_positive or _RANDOM.random() < 1 / 3:
        return
    for name in case.path_parameters or {}:
        if name in _KNOWN:
            case.path_parameters[name] = _RANDOM.choice(_KNOWN[name])
    if case.path.endswith("/archive"):
        case.path_parameters["problem"] = _RANDOM.choice(["ending", "nobody"])
    for name in case.headers or {}:
        if name.lower() == "idempotency-key":
            case.headers[name] = (
                f"k{_RANDOM.getrandbits(64):x}"  # otherwise one comes again and again
            )
    if isinstance(case.body, dict):
        case.body = _at_home(case.body)


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    """Note of every call its operation, phase and status, and whether a refused one changed the digest."""
    now = _digest()
    changed = response.status_code >= 400 and now != _SEEN.get("digest", now)
    _SEEN["digest"] = now
    phase = "" if case.meta is None else case.meta.phase.name.value
    what = case.formatted_path if changed else ""
    with Path(os.environ["WEITZMAN_REPORT"]).open("a", encoding="utf-8") as lines:
        told = [case.operation.label, phase, response.status_code, changed, what]
        lines.write(json.dumps(told) + "\n")
