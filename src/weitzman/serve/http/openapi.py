"""The OpenAPI 3.1 document, made from the route table and the structs of the wire."""

import re
from importlib.metadata import version
from typing import Any, Final

import msgspec

from weitzman.learn.storage.registry import LEARNERS, POLICIES
from weitzman.serve.http.fields import describe
from weitzman.serve.http.route import Route
from weitzman.serve.messages import schema
from weitzman.serve.messages.keys import NewKey
from weitzman.serve.messages.refusal import KINDS

VERSION: Final = version("weitzman")

_REF: Final = "#/components/schemas/{name}"
_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key and request give the same reply, also after a restart.",
    "schema": {"type": "string", "pattern": "^[ -~]{1,200}$"},
}

# One example of every body and name that a request can carry. Together they are one small session: make a
# problem, open a round, report a value, close it; the same in a batch.
_CONTEXTS: Final = [[1.0, 0.5], [0.2, -1.0], [0.0, 2.0]]

BODIES: Final[dict[type[schema.Wire], dict[str, Any]]] = {
    schema.NewProblem: {
        "name": "prices",
        "boxes": ["a", "b", "c"],
        "dimension": 2,
        "cost": 0.5,
        "feedback": "full",
    },
    schema.ChangedProblem: {"description": "quotes for boxes", "waiting_time": 3600.0},
    schema.NewRound: {"id": "r1", "contexts": _CONTEXTS, "outside": 4.0},
    schema.SeeRequest: {"values": {"a": 3.1}},
    schema.CloseRequest: {"values": {"b": 3.5}},
    schema.BatchRequest: {
        "commands": [
            {"open": {"id": "r2", "contexts": _CONTEXTS}},
            {"see": {"round": "r2", "values": {"c": 2.5}}},
            {"close": {"round": "r2"}},
        ]
    },
    NewKey: {"name": "a reader", "scope": "read"},
}

NAMES: Final = {
    "problem": "prices",
    "round": "r1",
    "place": "0",
    "key": "0123456789ab",
    "file": "palette.css",
}


def document(routes: tuple[Route, ...]) -> dict[str, Any]:
    """Return the description of all routes."""
    kinds = {kind for r in routes for kind in (r.takes, r.gives, r.asks)} | {schema.ProblemDetails}
    wanted = sorted((k for k in kinds if k is not None), key=lambda k: k.__name__)
    refs, components = msgspec.json.schema_components(wanted, ref_template=_REF)
    schemas = dict(zip(wanted, refs, strict=True))
    describe(components)
    # The wire takes any text: which names there are is said by the registry
    new = components[schema.NewProblem.__name__]["properties"]
    new["learner"]["anyOf"] = [{"enum": sorted(LEARNERS)}, {"type": "null"}]
    new["policy"]["anyOf"] = [{"enum": ["default", *sorted(POLICIES)]}, {"type": "null"}]
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(
            route, schemas, components
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "weitzman",
            "version": VERSION,
            "description": "Which alternative to look at next, and when to stop.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}, {}],
    }


def _operation(route: Route, schemas: dict[Any, Any], components: dict[str, Any]) -> dict[str, Any]:
    names = re.findall(r"\{(\w+)\}", route.path)
    words = re.sub(r"[{}]", "", route.path.removeprefix("/v1/")).replace("/", "_")
    keyed = route.method != "GET" and route.repeatable
    text = {"type": "string", "minLength": 1}
    parameters: list[dict[str, Any]] = [
        {"name": n, "in": "path", "required": True, "schema": text, "example": NAMES[n]}
        for n in names
    ]
    if route.asks is not None:
        parameters += _questions(components[route.asks.__name__]["properties"])
    given: dict[str, Any] = {} if route.gives is None else schemas[route.gives]
    kind = route.gives_type.partition(";")[0]
    success = {"description": route.summary, "content": {kind: {"schema": given}}}
    operation: dict[str, Any] = {
        "operationId": f"{route.method.lower()}_{words.replace('.', '_')}",
        "summary": route.summary,
        "tags": [_tag(route.path)],
        "parameters": [*parameters, _KEY] if keyed else parameters,
        "responses": {str(route.status): success, **_refusals(route, schemas)},
        "x-scope": route.access,
    }
    if route.access == "open":
        operation["security"] = []
    if route.takes_type is not None:
        content: dict[str, Any] = {"schema": {}}
        if route.takes is not None:
            content = {"schema": schemas[route.takes], "example": BODIES[route.takes]}
        operation["requestBody"] = {
            "required": not route.may_be_empty,
            "content": {route.takes_type: content},
        }
    return operation


def _questions(properties: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what may stand behind the question mark, by the properties of its struct."""
    questions = []
    for name, shape in properties.items():
        kinds = [kind for kind in shape.get("anyOf", [shape]) if kind.get("type") != "null"]
        plain = {k: v for k, v in kinds[0].items() if k not in ("default", "description")}
        told = {"name": name, "in": "query", "required": False, "schema": plain}
        questions.append({**told, "description": shape["description"]})
    return questions


def _tag(path: str) -> str:
    """Return the group that a path is shown in."""
    for part, tag in (("/rounds", "rounds"), ("/batch", "rounds"), ("/problems", "problems")):
        if part in path:
            return tag
    return "keys" if "/keys" in path else "service"


def _refusals(route: Route, schemas: dict[Any, Any]) -> dict[str, Any]:
    """Return what may go wrong, by status."""
    statuses = {"unavailable"}
    if route.access != "open":
        statuses |= {"unauthenticated", "forbidden", "misdirected", "too-many"}
    if "{" in route.path:
        statuses |= {"unknown"}
    if route.asks is not None:
        statuses |= {"invalid"}
    if route.takes_type is not None:
        statuses |= {"malformed", "too-large", "media-type", "invalid", "unknown", "conflict"}
    if route.method != "GET":
        statuses |= {"invalid", "conflict"}
    if route.method == "POST":
        statuses |= {"media-type"}
    content = {"application/problem+json": {"schema": schemas[schema.ProblemDetails]}}
    titles = {str(KINDS[kind][0]): KINDS[kind][1] for kind in sorted(statuses)}
    return {status: {"description": text, "content": content} for status, text in titles.items()}
