"""Long names, ids made by the service, and a policy without reservation values: nothing is squeezed."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

import weitzman as wz
from tests.serve.browser import CUT, LABELS, Tab, tab
from tests.serve.running import Running, running

BOXES = [
    "gemini-1.5-flash-002",
    "deepseek-v2.5-0908",
    "gpt-4o-mini-2024-07-18",
    "claude-3-5-sonnet-20240620",
    "llama-3.1-405b-instruct-turbo",
    "qwen-2.5-72b",
    "mistral-large-2407",
    "phi-3",
]
WAYS = [(width, scheme) for width in (1300, 390) for scheme in ("light", "dark")]


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("long")
    features = ["prompt tokens", "topic=law", "topic=code"]
    searcher = wz.Searcher(boxes=BOXES, features=features, unit="m$")
    # In its first round, when nothing is known, it has an order
    search = searcher.open([[0.0, 1.0, 0.0]] * 8, 1.0)
    for _ in search:
        search.see(1.0)
    search.close()
    searcher.save(folder / "policy.wz")
    begun = ["--problem", f"policy={folder / 'policy.wz'}"]
    for name, policy in (("paper", wz.Weitzman(wz.FTRL())), ("rule", wz.Simple("fixed-set"))):
        saved = folder / f"{name}.wz"
        wz.Searcher(boxes=BOXES, features=features, policy=policy).save(saved)
        begun += ["--problem", f"{name}={saved}"]
    with running(folder / "events.db", *begun) as service:
        told: dict[str, Any] = {"boxes": BOXES, "dimension": None, "unit": "m$"}
        service.problem("learner", feedback="full", learner="FTRL", features=features, **told)
        rng = np.random.default_rng(0)
        for problem in ("learner", "policy"):
            for number in range(12):
                _play(service, problem, "law" if number % 4 else "cooking", rng)
        yield service


def _play(service: Running, problem: str, topic: str, rng: np.random.Generator) -> None:
    path = f"/v1/problems/{problem}/rounds"
    contexts = [{"prompt tokens": float(x), "topic": topic} for x in rng.normal(100.0, 30.0, 8)]
    costs = np.linspace(0.2, 3.0, 8).tolist()
    told = service.post(path, {"contexts": contexts, "outside": 20.0, "costs": costs}).json()
    values = dict(zip(BOXES, rng.exponential(3.0, 8).tolist(), strict=True))
    name = told["round"]
    while told["next"] is not None:
        seen = {told["next"]: values[told["next"]]}
        told = service.post(f"{path}/{name}/values", {"values": seen}).json()
    service.post(f"{path}/{name}/close", {"values": values} if problem == "learner" else {})


@pytest.fixture(params=WAYS, ids=lambda way: f"{way[0]} {way[1]}")
def seen(busy: Running, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Tab]:
    width, scheme = request.param
    with tab(
        browser, busy.port, viewport={"width": width, "height": 900}, color_scheme=scheme
    ) as opened:
        yield opened
        opened.assert_clean()


def _shown(seen: Tab, element: str) -> bool:
    return seen.page.locator(f"#{element}").is_visible()


def test_names_are_whole_and_charts_keep_their_room(seen: Tab) -> None:
    seen.open("learner")
    assert seen.overflow() <= 0
    assert seen.page.evaluate(CUT) == []
    assert seen.page.evaluate(LABELS) == []
    # A name is broken nowhere but at its ends, and the last column is there to be read
    names = seen.page.locator("#option-rows th")
    heights = [
        names.nth(k).evaluate("e => e.getClientRects()[0].height") for k in range(len(BOXES))
    ]
    assert max(heights) == min(heights)
    last = seen.page.locator("#round-rows tr").first.locator("td").last
    frame = seen.page.locator("#rounds").evaluate(
        "e => e.parentElement.getBoundingClientRect().right"
    )
    assert last.evaluate("e => e.getBoundingClientRect().right") <= frame + 1
    for chart in ("savings", "regret", "sigma"):
        element = seen.page.locator(f"#{chart}-chart")
        assert element.evaluate("e => e._fullLayout._size.h / e.clientHeight") > 0.6, chart
    key = seen.page.locator("#sigma-chart").locator("xpath=preceding-sibling::ul")
    said = key.locator("li").all_inner_texts()
    assert len(said) == 7
    assert said[-1].endswith("other boxes")
    assert all(any(name in text for name in BOXES) for text in said[:-1])


@pytest.mark.parametrize(("name", "decides"), [("paper", "FTRL"), ("rule", "fixed-set")])
def test_what_decides_has_the_name_that_a_replay_gave_it(
    seen: Tab, name: str, decides: str
) -> None:
    seen.open(name)
    assert f" · {decides} · " in seen.text("about")


def test_a_chart_without_numbers_is_left_out_and_its_words_say_why(seen: Tab) -> None:
    seen.open("policy")
    assert seen.page.evaluate(CUT) == []
    for chart in ("regret", "sigma", "calibration"):
        assert not _shown(seen, f"{chart}-chart")
        assert "after every look" in seen.text(f"{chart}-words")
    for chart in ("savings", "looks", "depth"):
        assert _shown(seen, f"{chart}-chart")
    assert "Reservation value" not in seen.text("story")
    # The same tab, another problem: what was left out is there again
    seen.open("learner")
    assert _shown(seen, "sigma-chart")
    assert "Reservation value" in seen.text("story")


def test_unknown_labels_are_a_warning_in_the_health(seen: Tab) -> None:
    seen.open("policy")
    told = seen.page.locator("#health li").filter(has_text="Unknown labels").inner_text()
    assert told.split()[:3] == ["!", "Unknown", "labels"]
    assert "3" in told.split()
    assert "topic=cooking: the problem has no such level" in told
