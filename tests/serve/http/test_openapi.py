"""The published description is valid, complete and true."""

import json
import re

import msgspec
import pytest

from tests.serve.running import CONTEXTS, Running
from weitzman.serve.http.openapi import BODIES, NAMES, document
from weitzman.serve.http.routes import ROUTES
from weitzman.serve.messages.schema import BatchRequest


def test_the_document_is_published_and_has_every_route(service: Running) -> None:
    told = service.get("/openapi.json").json()
    assert told["openapi"] == "3.1.0"
    listed = {(m.upper(), p) for p, methods in told["paths"].items() for m in methods}
    assert listed == {(r.method, r.path) for r in ROUTES}
    assert told == json.loads(msgspec.json.encode(document(ROUTES)))


def test_operations_have_distinct_names() -> None:
    operations = [o for p in document(ROUTES)["paths"].values() for o in p.values()]
    names = [o["operationId"] for o in operations]
    assert len(set(names)) == len(names) == len(ROUTES)


def test_contents_are_named_by_their_type_alone() -> None:
    """What comes behind the semicolon of a header, such as a version, is no part of a media type."""
    operations = [o for p in document(ROUTES)["paths"].values() for o in p.values()]
    kinds = {k for o in operations for r in o["responses"].values() for k in r.get("content", {})}
    assert {"application/json", "text/plain", "text/html"} <= kinds
    assert all(re.fullmatch(r"[a-z*]+/[a-z.+*-]+", kind) for kind in kinds), kinds


def test_references_resolve() -> None:
    told = document(ROUTES)
    text = json.dumps(told)
    schemas = told["components"]["schemas"]
    for part in text.split('"#/components/schemas/')[1:]:
        assert part.split('"')[0] in schemas


def test_answers_are_as_described(service: Running) -> None:
    jsonschema_rs = pytest.importorskip("jsonschema_rs")
    told = service.get("/openapi.json").json()
    path = service.problem("described", shadow=True)
    service.post(f"{path}/rounds", {"id": "r1", "contexts": CONTEXTS, "outside": 3.0})
    service.post(f"{path}/rounds/r1/values", {"values": {"a": 1.0}})
    service.post(f"{path}/rounds/r1/close")
    for route in ROUTES:
        if route.method != "GET" or route.gives is None:
            continue
        url = route.path.replace("{problem}", "described").replace("{round}", "r1")
        url = url.replace("{place}", "0")
        answer = service.get(url)
        assert answer.status_code == 200, url
        schema = told["paths"][route.path]["get"]["responses"]["200"]["content"]
        whole = {**schema["application/json"]["schema"], "components": told["components"]}
        jsonschema_rs.Draft202012Validator(whole).validate(answer.json())


def test_the_examples_are_a_story_that_the_service_takes(service: Running) -> None:
    told = service.get("/openapi.json").json()
    shown = {
        (path, method): operation["requestBody"]["content"]["application/json"]["example"]
        for path, operations in told["paths"].items()
        for method, operation in operations.items()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    }
    assert len(shown) == sum(r.takes is not None for r in ROUTES)
    for (path, method), body in shown.items():
        named = re.sub(r"\{(\w+)\}", lambda m: NAMES[m[1]], path)
        answer = service.http.request(method, named, json=body)
        assert answer.status_code in (200, 201), answer.text
    results = service.post("/v1/problems/prices/batch", BODIES[BatchRequest]).json()["results"]
    assert [result["status"] for result in results] == [201, 200, 200]
    assert service.get(f"/page/{NAMES['file']}").status_code == 200
