"""Windows, the table by option, two problems side by side, and lists with filters, in a real browser."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.serve.browser import CUT, LABELS, Tab, tab
from tests.serve.running import Running, running

BOXES = ["gpt-like-large", "sparrow-s", "wren", "eagle-2"]
ROUNDS = 70
READY = "document.querySelector('#problem').ariaBusy === 'false'"


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with two problems of the same questions, one of which counts in dollars."""
    with running(tmp_path_factory.mktemp("back") / "events.db") as service:
        told: dict[str, Any] = {"boxes": BOXES, "dimension": None, "features": ["words", "law"]}
        for name, unit in (("answers", "$"), ("answers-again", "$"), ("waits", "ms")):
            service.problem(name, unit=unit, least=0.0, **told)
            rng = np.random.default_rng(len(name))
            for number in range(ROUNDS):
                _play(service, name, number, rng)
        yield service


def _play(service: Running, problem: str, number: int, rng: np.random.Generator) -> None:
    name, path = f"question-{number:04d}", f"/v1/problems/{problem}/rounds"
    right = rng.uniform(size=4) < [0.8, 0.65, 0.5, 0.7]
    values = dict(zip(BOXES, np.where(right, 0.0, 20.0).tolist(), strict=True))
    contexts = [[float(rng.uniform(0, 3)), float(number % 2)]] * 4
    body = {"id": name, "contexts": contexts, "outside": 20.0, "costs": [2.0, 0.5, 0.3, 1.0]}
    told = service.post(path, body).json()
    # A caller who now and then goes on although nothing better can be found
    greedy = BOXES[:3] if number % 9 == 0 else []
    for box in greedy:
        told = service.post(f"{path}/{name}/values", {"values": {box: values[box]}}).json()
    while told["next"] is not None:
        box = told["next"]
        told = service.post(f"{path}/{name}/values", {"values": {box: values[box]}}).json()
    service.post(f"{path}/{name}/close")


@pytest.fixture
def seen(busy: Running, browser: Browser) -> Iterator[Tab]:
    with tab(browser, busy.port, viewport={"width": 1300, "height": 900}) as opened:
        opened.open("answers")
        yield opened
        opened.assert_clean()


def _rows(seen: Tab, body: str) -> list[list[str]]:
    script = "id => [...document.getElementById(id).rows].map((r) => [...r.cells].map((c) => c.textContent))"
    rows: list[list[str]] = seen.page.evaluate(script, body)
    return [[cell.replace("\xa0", " ").replace("\u202f", " ") for cell in row] for row in rows]


def test_the_table_by_option_is_that_of_the_service(busy: Running, seen: Tab) -> None:
    told = busy.get("/v1/problems/answers/window").json()
    rows = _rows(seen, "option-rows")
    assert [row[0] for row in rows] == [o["box"] for o in told["options"]]
    for row, option in zip(rows, told["options"], strict=True):
        for text, name in zip(row[1:4], ("first", "checked", "kept"), strict=True):
            assert float(text.strip("<>% ")) == pytest.approx(100 * option[name], abs=1.0)
        for text, name in zip(row[4:], ("paid", "value"), strict=True):
            assert text.startswith("$")
            assert float(text[1:]) == pytest.approx(option[name], rel=0.006)
    assert f"of {ROUNDS} rounds" in seen.text("options-words")


def test_a_window_changes_numbers_charts_table_and_list(busy: Running, seen: Tab) -> None:
    for number in range(ROUNDS, 131):
        _play(busy, "answers", number, np.random.default_rng(number))
    seen.page.locator("#window").select_option("100")
    seen.wait_for("document.querySelector('#window-note').textContent.startsWith('100 rounds')")
    seen.wait_for(READY)
    told = busy.get("/v1/problems/answers/window?rounds=100").json()
    assert seen.data("savings-chart")[0]["y"][-1] == told["report"]["saved_against_all"]
    assert seen.data("savings-chart")[0]["x"][-1] == 100
    assert sum(seen.data("depth-chart")[0]["y"]) == 100
    saved = float(seen.text("saved").replace("$", "").replace(",", ""))
    assert saved == pytest.approx(told["report"]["saved_against_all"], rel=1e-3)
    assert [row[0] for row in _rows(seen, "option-rows")] == [o["box"] for o in told["options"]]
    assert "100 closed rounds" in seen.text("depth-words")
    # It is part of the address
    seen.page.reload()
    seen.wait_for("document.querySelector('#window-note').textContent.startsWith('100 rounds')")
    assert seen.page.locator("#window").input_value() == "100"
    seen.page.locator("#window").select_option("hour")
    seen.wait_for("document.querySelector('#depth-words').textContent === 'All closed rounds.'")


def test_looks_after_the_best_possible_value_are_a_figure_of_health(
    busy: Running, seen: Tab
) -> None:
    told = busy.get("/v1/problems/answers/window").json()
    assert told["best_possible"] == 0.0
    assert told["beyond_best"] > 0
    entry = seen.page.locator("#health li", has_text="Looks after the best possible value")
    assert entry.locator(".count").inner_text() == str(told["beyond_best"])
    assert "$0, as was said" in entry.inner_text()


def test_units_stand_in_numbers_and_axes(busy: Running, seen: Tab) -> None:
    assert seen.text("total").startswith("$")
    title = "document.querySelector('#{}-chart').layout.yaxis.title.text"
    assert seen.page.evaluate(title.format("savings")) == "saved in all, $"
    seen.open("waits")
    assert " ms" in seen.text("total").replace("\xa0", " ")
    assert seen.page.evaluate(title.format("sigma")) == "reservation value, ms"
    seen.page.locator("#manage summary").click()
    seen.page.locator("[name=unit]").fill("s")
    seen.page.get_by_role("button", name="Save", exact=True).click()
    seen.wait_for("document.querySelector('#total').textContent.includes('\xa0s')")
    assert busy.get("/v1/problems/waits").json()["unit"] == "s"
    busy.http.patch("/v1/problems/waits", json={"unit": "ms"})


def test_two_problems_stand_side_by_side(busy: Running, seen: Tab) -> None:
    seen.page.locator("#beside").select_option("answers-again")
    seen.wait_for("!document.querySelector('#compare').hidden")
    seen.wait_for(READY)
    both = [busy.get(f"/v1/problems/{n}/window").json() for n in ("answers", "answers-again")]
    rows = {row[0]: row[1:] for row in _rows(seen, "compare-rows")}
    for place, told in enumerate(both):
        assert rows["Rounds"][place] == str(told["rounds"])
        mean = told["report"]["means"]["total"]["mean"]
        assert float(rows["Total a round"][place].split()[0][1:]) == pytest.approx(mean, rel=0.01)
    means = [told["report"]["means"]["total"] for told in both]
    gap, error = rows["Total a round"][2].replace("−", "-").replace("$", "").split(" ± ")
    assert float(gap) == pytest.approx(means[1]["mean"] - means[0]["mean"], abs=0.01)
    assert float(error) == pytest.approx(np.hypot(means[0]["error"], means[1]["error"]), rel=0.06)
    tables = [_rows(seen, f"compare-{side}-rows") for side in ("left", "right")]
    for table, told in zip(tables, both, strict=True):
        assert [row[0] for row in table] == [o["box"] for o in told["options"]]
    assert len(seen.data("compare-chart")) == 2
    # In other units totals are not compared
    seen.page.locator("#beside").select_option("waits")
    seen.wait_for("document.querySelector('#compare-words').textContent.includes('another unit')")
    assert {row[0]: row[3] for row in _rows(seen, "compare-rows")}["Total a round"] == ""
    seen.page.locator("#beside").select_option("")
    seen.wait_for("document.querySelector('#compare').hidden")


def test_rounds_are_filtered_and_turned_over(busy: Running, seen: Tab) -> None:
    seen.open("answers-again")
    every = [r["round"] for r in busy.get("/v1/problems/answers-again/rounds").json()["closed"]]
    assert [row[0] for row in _rows(seen, "round-rows")] == every[:50]
    seen.page.locator("#rounds-older").click()
    seen.wait_for(f"document.querySelector('#round-rows tr th').textContent === '{every[50]}'")
    assert [row[0] for row in _rows(seen, "round-rows")] == every[50:]
    assert seen.page.locator("#rounds-older").is_disabled()
    assert seen.text("rounds-page") == "page 2"
    seen.page.locator("#rounds-newer").click()
    seen.wait_for(f"document.querySelector('#round-rows tr th').textContent === '{every[0]}'")
    seen.page.locator("#rounds-kept").select_option("=wren")
    seen.wait_for("document.querySelector('#rounds-found').textContent.endsWith('found')")
    kept = busy.get("/v1/problems/answers-again/closed?kept=wren").json()
    assert [row[0] for row in _rows(seen, "round-rows")] == [r["round"] for r in kept["rounds"]]
    seen.page.locator("#rounds-id").fill("no such id")
    seen.wait_for("document.querySelector('#rounds-found').textContent === '0 rounds found'")
    assert _rows(seen, "round-rows") == []
    assert seen.page.locator("#rounds-id").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 390])
def test_nothing_is_cut_and_no_labels_overlap(
    busy: Running, browser: Browser, width: int, scheme: Any
) -> None:
    with tab(
        browser, busy.port, viewport={"width": width, "height": 900}, color_scheme=scheme
    ) as seen:
        seen.page.goto(f"{seen.home}#problem=answers&beside=answers-again&window=100")
        seen.wait_for("!document.querySelector('#compare').hidden")
        seen.wait_for(READY)
        seen.page.wait_for_timeout(300)
        assert seen.overflow() <= 0
        assert seen.page.evaluate(CUT) == []
        assert seen.page.evaluate(LABELS) == []
        seen.assert_clean()
