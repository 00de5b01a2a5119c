"""The report in a real browser, on a desk and on a telephone, light and dark: all can be read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.replays.logs import log_of
from tests.serve.browser import CUT, LABELS, chromium
from weitzman.replays.cases import Case, play_cases
from weitzman.replays.report.findings import find
from weitzman.replays.report.report import replay_page

WAYS = [(width, scheme) for width in (1300, 390) for scheme in ("light", "dark")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 5))
    values = 5.0 + np.arange(5) + x + rng.normal(size=x.shape) + rng.normal(size=(120, 1))
    log = log_of(values, np.full(x.shape, 0.2), {"x_prompt_tokens": x}, outside=20.0)
    names = ["gemini-1.5-flash-002", "gpt-4o-mini-2024-07-18", "claude-3-5-sonnet-20240620"]
    log.boxes[:3] = names
    cases = [Case(feedback=f) for f in ("full", "opened")]
    cases += [Case(twin="together"), Case(twin="apart")]
    played = play_cases(log, cases, promises=1.0, trees=False, workers=1, progress=False)
    file = tmp_path_factory.mktemp("report") / "index.html"
    file.write_text(replay_page(find(log, played)), encoding="utf-8")
    return file


@pytest.mark.parametrize(("width", "scheme"), WAYS)
def test_nothing_is_cut_and_no_labels_overlap(
    browser: Browser, report: Path, width: int, scheme: Any
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    )
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda m: said.append(m.text))
    page.on("pageerror", lambda e: said.append(str(e)))
    page.goto(report.as_uri())
    page.wait_for_function("document.querySelectorAll('.plot .main-svg').length > 20")
    page.wait_for_timeout(300)
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(sideways) <= 0
    assert page.evaluate(CUT) == []
    assert page.evaluate(LABELS.replace('".chart"', '".plot"')) == []
    ground, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    light = [sum(map(int, colour[4:-1].split(",")[:3])) for colour in (ground, ink)]
    assert (light[0] > light[1]) == (scheme == "light")
    assert said == []
    context.close()
