"""The published description is valid, complete and true."""

import json
import re

import msgspec
import pytest
from playwright.sync_api import Page

from tests.serve.browser import chromium
from tests.serve.running import CONTEXTS, Running
from weitzman.learn.storage.registry import LEARNERS, POLICIES
from weitzman.serve.http.fields import FIELDS
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


def test_every_property_is_described_and_no_description_is_left_over() -> None:
    schemas = document(ROUTES)["components"]["schemas"]
    used = set()
    for struct, schema in schemas.items():
        for name, shape in schema.get("properties", {}).items():
            assert shape["description"].endswith("."), f"{struct}.{name}"
            used.add(f"{struct}.{name}" if f"{struct}.{name}" in FIELDS else name)
    assert used == set(FIELDS)


def test_policies_and_learners_are_named() -> None:
    shown = document(ROUTES)["components"]["schemas"]["NewProblem"]["properties"]
    assert set(shown["learner"]["anyOf"][0]["enum"]) == set(LEARNERS)
    assert set(shown["policy"]["anyOf"][0]["enum"]) == {"default", *POLICIES}
    assert [kind.get("type") for kind in shown["policy"]["anyOf"]][1:] == ["null"]


def test_the_description_is_shown_by_a_browser_from_files_of_this_machine(
    service: Running,
) -> None:
    with chromium() as browser:
        for width in (1300, 390):
            page = browser.new_page(viewport={"width": width, "height": 900})
            own = f"http://127.0.0.1:{service.port}"
            asked, wrong = _watched(page)
            page.goto(f"{own}/docs")
            page.locator(".opblock").first.wait_for()
            assert page.locator(".opblock").count() == len(ROUTES)
            assert page.locator(".errors-wrapper, .info__warning").count() == 0
            page.get_by_text("/v1/problems", exact=True).first.click()
            page.get_by_text("Example Value").first.wait_for()
            assert all(url.startswith((own, "data:")) for url in asked), asked
            assert wrong == []
            # It may be wider than a phone by what Swagger UI itself needs, and by no more
            assert page.evaluate("document.documentElement.scrollWidth") <= width + 1
            page.close()


def _watched(page: Page) -> tuple[list[str], list[str]]:
    """Return what a page asks for, and what it complains of, as that happens."""
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda line: wrong.append(line.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    return asked, wrong
