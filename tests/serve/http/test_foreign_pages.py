"""Pages of other sites, in a real browser on the same machine, write nothing without a key."""

import http.server
import re
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.serve.browser import chromium
from tests.serve.running import CONTEXTS, Running, running
from weitzman.serve.http.routes import ROUTES

NAMES = {"problem": "kept", "round": "open", "key": "none"}
WRITING = [
    (route.method, re.sub(r"\{(\w+)\}", lambda found: NAMES[found[1]], route.path))
    for route in ROUTES
    if route.method != "GET"
]
SEND = """
async ([method, url, kind, body]) => {
  const headers = kind === null ? {} : {"Content-Type": kind};
  const mode = kind !== null && kind.includes("json") ? "cors" : "no-cors";
  try {
    const reply = await fetch(url, {method, headers, mode, body});
    return reply.type;
  } catch (error) {
    return "refused by the browser";
  }
}
"""
SUBMIT = """
([url, kind]) => {
  const form = document.createElement("form");
  Object.assign(form, {method: "post", action: url, enctype: kind, target: "shown"});
  const field = document.createElement("input");
  Object.assign(field, {name: '{"values": {"a": 1.0}, "x": "', value: '"}'});
  form.append(field);
  document.body.append(form);
  form.submit();
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def elsewhere(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Yield a page of another site, that is another port of this machine."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "index.html").write_text("<title>x</title><iframe name=shown></iframe>")
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{site.server_address[1]}/")
        yield page
        page.close()
        site.shutdown()


@pytest.fixture(scope="module")
def kept(service: Running) -> Running:
    path = service.problem("kept")
    assert service.post(f"{path}/rounds", {"id": "open", "contexts": CONTEXTS}).status_code == 201
    return service


def _digest(service: Running) -> str:
    return str(service.get("/v1/digest").json()["digest"])


@pytest.mark.parametrize(("method", "path"), WRITING, ids=lambda part: part)
def test_no_page_of_another_site_writes(
    kept: Running, elsewhere: Page, method: str, path: str
) -> None:
    before = _digest(kept)
    url = f"http://127.0.0.1:{kept.port}{path}"
    body = '{"values": {"a": 1.0}}'
    for kind in (None, "text/plain", "application/x-www-form-urlencoded", "application/json"):
        for content in (None, body):
            elsewhere.evaluate(SEND, [method, url, kind, content])
    if method == "POST":
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            with elsewhere.expect_response(lambda reply: reply.url == url) as sent:
                elsewhere.evaluate(SUBMIT, [url, kind])
            assert sent.value.status == 403
    assert _digest(kept) == before


def test_a_local_program_writes_all_the_same(kept: Running) -> None:
    before = _digest(kept)
    own = f"http://127.0.0.1:{kept.port}"
    answer = kept.post("/v1/problems/kept/rounds", {"contexts": CONTEXTS}, origin=own)
    assert answer.status_code == 201
    assert _digest(kept) != before


@pytest.mark.parametrize("origin", ["null", "http://127.0.0.1", "http://localhost:1", "x"])
def test_reading_too_asks_for_the_own_origin(kept: Running, origin: str) -> None:
    answer = kept.get("/v1/problems", origin=origin)
    assert (answer.status_code, answer.json()["type"]) == (403, "urn:weitzman:foreign")
    assert repr(origin) in answer.json()["detail"]


def test_a_post_without_a_type_is_refused_where_keys_are_not_needed(kept: Running) -> None:
    """Older browsers send such a request without naming its origin."""
    path = "/v1/problems/kept/archive"
    for headers in ({}, {"content-type": "text/plain;charset=UTF-8"}):
        answer = kept.http.post(path, headers=headers)
        assert (answer.status_code, answer.json()["field"]) == (415, "Content-Type")


def test_a_key_may_come_from_anywhere(tmp_path: Path) -> None:
    """A browser sends a key to another site only with that site's permission."""
    file = tmp_path / "key"
    file.write_text("a" * 40, encoding="utf-8")
    with running(tmp_path / "events.db", "--key-file", str(file)) as service:
        headers = {"authorization": "Bearer " + "a" * 40, "origin": "https://proxy.example"}
        made = service.http.post(
            "/v1/problems", json={"name": "p", "boxes": ["a"], "dimension": 1}, headers=headers
        )
        assert made.status_code == 201
        archived = service.http.post("/v1/problems/p/archive", headers=headers)
        assert archived.status_code == 200
