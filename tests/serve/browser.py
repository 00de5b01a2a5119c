"""A real Chromium, and pages of it that keep account of everything they should not do."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_WATCH = """
globalThis.violations = [];
addEventListener("securitypolicyviolation", (e) => violations.push(`${e.violatedDirective} ${e.blockedURI}`));
"""

CUT = """() => ["th", "td", "dt", "dd", "h1", "h2", "select", "button"]
  .flatMap((tag) => [...document.querySelectorAll(`main ${tag}`)])
  .filter((e) => e.checkVisibility() && !e.closest("#story"))
  .flatMap((e) => {
    const box = e.closest(".scroll") ?? document.documentElement;
    const over = e.getBoundingClientRect().right - box.getBoundingClientRect().right;
    const inside = e.tagName === "SELECT" || e.closest("#rounds") ? 0 : e.scrollWidth - e.clientWidth;
    return over > 1 || inside > 1 ? [[e.textContent, over, inside]] : [];
  })"""
LABELS = """() => [...document.querySelectorAll(".chart")].flatMap((chart) => {
  const frame = chart.getBoundingClientRect(), found = [];
  const kinds = ".xtick text, .ytick text, .g-xtitle text, .g-ytitle text, .legendtext";
  const texts = [...chart.querySelectorAll(kinds)];
  const boxes = texts.map((t) => [t.textContent, t.getBoundingClientRect()]).filter(([, r]) => r.width);
  for (const [text, r] of boxes) {
    if (r.left < frame.left - 1 || r.right > frame.right + 1) found.push([chart.id, "cut", text]);
  }
  boxes.forEach(([a, r], i) => boxes.slice(i + 1).forEach(([b, q]) => {
    const beside = r.left < q.right - 1 && q.left < r.right - 1;
    if (beside && r.top < q.bottom - 2 && q.top < r.bottom - 2) found.push([chart.id, a, b]);
  }));
  return found;
})"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield Debian's Chromium, or skip; with CI set, fail."""
    place = shutil.which("chromium") or shutil.which("chromium-browser")
    if place is None:
        reason = "There is no chromium: run 'make system' or install Debian's package."
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page of a service, and what it said and asked for."""

    def __init__(self, context: BrowserContext, port: int) -> None:
        self.context = context
        self.home = f"http://127.0.0.1:{port}/"
        self.said: list[str] = []
        self.asked: list[str] = []
        context.add_init_script(_WATCH)
        self.page: Page = context.new_page()
        self.page.on("console", lambda m: self.said.append(f"{m.type}: {m.text}"))
        self.page.on("pageerror", lambda e: self.said.append(f"error: {e}"))
        self.page.on("request", lambda r: self.asked.append(r.url))

    def open(self, problem: str | None = None) -> None:
        """Open the page, and wait until it has shown everything of a problem."""
        self.page.goto(self.home + ("" if problem is None else f"#problem={problem}"))
        if problem is not None:
            self.wait_for(f"document.querySelector('#name').textContent === '{problem}'")
            self.wait_for("document.querySelector('#problem').ariaBusy === 'false'")

    def text(self, element: str) -> str:
        return self.page.locator(f"#{element}").inner_text()

    def wait_for(self, condition: str, seconds: float = 20.0) -> None:
        # Playwright's own waiting evaluates text inside the page, which its policy forbids
        end = time.monotonic() + seconds
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, (condition, self.said)
            self.page.wait_for_timeout(50)

    def data(self, chart: str) -> list[dict[str, Any]]:
        """Return what a chart shows."""
        script = "id => document.getElementById(id).data.map(({name, x, y}) => ({name, x, y}))"
        told: list[dict[str, Any]] = self.page.evaluate(script, chart)
        return told

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        script = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.page.evaluate(script))

    def assert_clean(self, *allowed: str) -> None:
        """Nothing was said to the console, no policy broken, and nobody else was asked."""
        said = [line for line in self.said if not any(part in line for part in allowed)]
        assert said == []
        assert self.page.evaluate("violations") == []
        assert {urlsplit(url).netloc for url in self.asked} == {urlsplit(self.home).netloc}


@contextmanager
def tab(browser: Browser, port: int, **options: Any) -> Iterator[Tab]:
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    try:
        yield Tab(context, port)
    finally:
        context.close()
