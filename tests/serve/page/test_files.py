"""The files of the page: whole, packed, kept by the browser, and under a policy that lets nothing else in."""

import gzip
import re
from pathlib import Path

from tests.serve.running import Running
from weitzman.serve.page.files import FILES

STRICT = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


def test_files_are_whole_and_come_with_a_strict_policy(service: Running) -> None:
    for name in ("", *(f"page/{name}" for name in FILES)):
        answer = service.get(f"/{name}")
        assert answer.status_code == 200, name
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        kept = {key: answer.headers[key] for key in STRICT}
        assert kept == STRICT
        again = service.get(f"/{name}", if_none_match=answer.headers["etag"])
        assert (again.status_code, again.content) == (304, b"")
        plain = service.get(f"/{name}", accept_encoding="identity")
        assert "content-encoding" not in plain.headers
        assert plain.content == answer.content
    with service.http.stream("GET", "/page/plotly.js", headers={"accept-encoding": "gzip"}) as sent:
        raw = b"".join(sent.iter_raw())
    assert len(raw) < 0.4 * len(gzip.decompress(raw))
    html = service.get("/").text
    assert not re.search(r"<style|<script(?![^>]* src=)|\son\w+=|\sstyle=|https?://", html)
    named = re.findall(r'(?:src|href)="page/([^"]+)"', html)
    assert set(named) <= FILES.keys()
    scripts = Path(__file__).parents[3] / "src/weitzman/serve/page/static"
    for script in scripts.glob("*.js"):
        text = script.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", text)
