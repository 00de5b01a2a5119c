"""The page in a real browser, over a real service that is driven through its own routes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.serve.browser import Tab, tab
from tests.serve.running import Running, running
from weitzman.ledger.bodies import Created, encode
from weitzman.ledger.event import Draft
from weitzman.ledger.sqlite.journal import SqliteJournal

CHARTS = ["savings", "regret", "looks", "depth", "sigma", "calibration"]
BOXES = ["north", "south", "web"]
HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>'


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with a problem of each kind of feedback, and one that nobody has used."""
    with running(tmp_path_factory.mktemp("page") / "events.db") as service:
        told = {"boxes": BOXES, "dimension": None, "features": ["size", "rush"], "cost": 0.4}
        for name, feedback in (("quotes", "opened"), ("known", "full"), ("plans", "opened")):
            service.problem(name, feedback=feedback, **told)
        service.problem("hostile", boxes=[HOSTILE, "b"], description=HOSTILE)
        rng = np.random.default_rng(1)
        for number in range(40):
            _play(service, "quotes", f"q{number}", rng.uniform(1, 4, 3), rng.uniform(0, 2))
            _play(
                service, "known", f"k{number}", rng.uniform(1, 4, 3), rng.uniform(0, 2), full=True
            )
        service.post("/v1/problems/hostile/rounds", {"id": "h", "contexts": [[0, 0]] * 2})
        service.post("/v1/problems/hostile/rounds/h/values", {"values": {HOSTILE: 1.0}})
        service.post("/v1/problems/hostile/rounds/h/close")
        yield service


@pytest.fixture(scope="module")
def shared(busy: Running, browser: Browser) -> Iterator[Tab]:
    with tab(browser, busy.port, color_scheme="light", has_touch=True) as opened:
        yield opened


@pytest.fixture
def seen(shared: Tab) -> Iterator[Tab]:
    """A tab of the busy service on a desk, in light colours, that must have behaved in the end."""
    shared.page.set_viewport_size({"width": 1280, "height": 900})
    shared.page.emulate_media(color_scheme="light")
    yield shared
    shared.assert_clean()


def _play(
    service: Running, problem: str, name: str, values: Any, size: float, *, full: bool = False
) -> None:
    path = f"/v1/problems/{problem}/rounds"
    body = {"id": name, "contexts": [[size, 0.0]] * 3, "outside": 5.0}
    told = service.post(path, body).json()
    shown = dict(zip(BOXES, map(float, values), strict=True))
    while told["next"] is not None:
        box = told["next"]
        told = service.post(f"{path}/{name}/values", {"values": {box: shown.pop(box)}}).json()
    service.post(f"{path}/{name}/close", {"values": shown} if full else None)


@pytest.mark.parametrize("problem", ["quotes", "known"])
def test_it_shows_what_the_service_reports(busy: Running, seen: Tab, problem: str) -> None:
    report = busy.get(f"/v1/problems/{problem}/report").json()
    seen.open(problem)
    listed = seen.page.locator("#problems button").all_inner_texts()
    assert [entry.split()[0] for entry in listed] == ["hostile", "known", "plans", "quotes"]
    full = problem == "known"
    saved = report["saved_against_everything" if full else "saved_against_all"]
    assert float(seen.text("saved")) == pytest.approx(saved, rel=1e-3)
    lost = report["regret" if full else "shortfall"]
    assert float(seen.text("regret").replace("−", "-")) == pytest.approx(lost, rel=1e-3)
    assert seen.text("regret-label") == ("Regret" if full else "Regret estimate")
    mean = report["means"]["looks"]["mean"]
    assert float(seen.text("looks").split(" ")[0]) == pytest.approx(mean, abs=0.01)
    assert "±" in seen.text("looks")
    assert "±" in seen.text("total")
    savings = {line["name"]: line["y"][-1] for line in seen.data("savings-chart")}
    assert savings["against opening every box" if full else "looks not made"] == saved
    assert savings["against the outside option"] == report["saved_against_outside"]
    assert ("against the best single box" in savings) == full
    words = seen.text("savings-words")
    assert ("every value is known here" in words) == full
    assert seen.data("regret-chart")[0]["y"][-1] == pytest.approx(lost)
    assert sum(seen.data("depth-chart")[0]["y"]) == report["rounds_closed"]
    looks = seen.data("looks-chart")[0]
    assert np.mean(looks["y"]) == pytest.approx(mean)
    points = [n for line in seen.data("sigma-chart") for n in line["y"]]
    assert len(points) == 3 * report["rounds_closed"]
    looked = [b["box"] for b in report["boxes"] if b["calibration"] is not None]
    assert seen.data("calibration-chart")[0]["y"] == looked
    for chart in CHARTS:
        element = seen.page.locator(f"#{chart}-chart")
        assert element.locator("svg.main-svg").count() > 0
        assert len(element.get_attribute("aria-label") or "") > 20


def test_a_new_round_appears_without_a_reload_and_tells_its_story(busy: Running, seen: Tab) -> None:
    seen.open("quotes")
    seen.page.evaluate("globalThis.kept = document.querySelector('#savings-chart .main-svg')")
    before = len(seen.asked)
    path = "/v1/problems/quotes/rounds"
    told = busy.post(path, {"id": "live", "contexts": [[1.0, 0.0]] * 3}).json()
    seen.wait_for("document.querySelector('#round-rows').textContent.includes('live')")
    seen.page.get_by_role("button", name="live", exact=True).click()
    seen.wait_for("document.querySelector('#story-title').textContent === 'Round live'")
    assert f"the rule would open {told['next']} next" in seen.text("story-state")
    busy.post(f"{path}/live/values", {"values": {told["next"]: -50.0}})
    seen.wait_for("document.querySelectorAll('#steps li').length === 2")
    assert f"Opened {told['next']} for 0.4, saw -50." in seen.text("steps")
    busy.post(f"{path}/live/close")
    seen.wait_for("document.querySelectorAll('#steps li').length === 3")
    assert "Stopped because every other reservation value is higher" in seen.text("steps")
    assert f"Kept {told['next']} at −50, paid 0.4: −49.6 in total." in seen.text("story-state")
    seen.wait_for("document.querySelector('#about').textContent.includes('41 rounds')")
    seen.wait_for("document.querySelector('#savings-chart').data[0].x.at(-1) === 41")
    # Neither the page nor its charts were made anew
    assert seen.page.evaluate("document.querySelector('#savings-chart').contains(kept)")
    assert not any(url.endswith((".js", ".css")) for url in seen.asked[before:])
    seen.page.reload()
    seen.wait_for("document.querySelector('#story-title').textContent === 'Round live'")


def test_a_feature_is_chosen_by_keyboard(busy: Running, seen: Tab) -> None:
    seen.open("known")
    assert seen.page.get_by_label("against", exact=True).input_value() == "0"
    seen.page.get_by_label("against", exact=True).focus()
    seen.page.keyboard.press("ArrowDown")
    seen.wait_for("document.querySelector('#sigma-chart').layout.xaxis.title.text === 'rush'")
    assert {x for line in seen.data("sigma-chart") for x in line["x"]} == {0}
    seen.page.get_by_role("button", name="quotes").focus()
    seen.page.keyboard.press("Enter")
    seen.wait_for("document.querySelector('#name').textContent === 'quotes'")
    seen.page.wait_for_timeout(1_300)
    focused = seen.page.evaluate("document.activeElement.textContent")
    assert focused.startswith("quotes")
    labels = """[...document.querySelectorAll('input, select, button')].filter((e) =>
        !(e.labels?.length || e.ariaLabel || e.textContent.trim()))"""
    assert seen.page.evaluate(f"{labels}.length") == 0


_CONTRAST = """() => {
  const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor; if (!c.endsWith(", 0)")) return c; } };
  const found = [];
  for (const e of document.querySelectorAll("h1, h2, h3, p, dt, dd, li, td, th, button, figcaption, small")) {
    if (!e.checkVisibility() || !e.textContent.trim()) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), e.tagName, e.textContent.slice(0, 20)]);
  }
  return found.sort((x, y) => x[0] - y[0]); }"""


def test_light_and_dark_are_both_readable_and_change_at_once(busy: Running, seen: Tab) -> None:
    grounds, inks = [], []
    seen.open("quotes")
    for scheme in ("light", "dark"):
        seen.page.emulate_media(color_scheme=scheme)
        ink = "document.querySelector('#savings-chart').layout.font.color"
        seen.wait_for(
            f"{ink} === getComputedStyle(document.documentElement).getPropertyValue('--faint').trim()"
        )
        least = seen.page.evaluate(_CONTRAST)
        assert len(least) > 50
        assert least[0][0] >= 4.5, least[0]
        grounds.append(seen.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        inks.append(seen.page.evaluate(ink))
    assert grounds[0] != grounds[1]
    assert inks[0] != inks[1]


def test_a_telephone_shows_everything_without_scrolling_sideways(busy: Running, seen: Tab) -> None:
    seen.page.set_viewport_size({"width": 390, "height": 844})
    seen.open("quotes")
    assert seen.overflow() <= 0
    wide = "[...document.querySelectorAll('.chart .main-svg')].map((c) => c.getBoundingClientRect().right)"
    seen.wait_for(f"Math.max(...{wide}) <= 390")
    for chart in CHARTS:
        box = seen.page.locator(f"#{chart}-chart .main-svg").first.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    seen.page.get_by_role("button", name="known").tap()
    seen.wait_for("document.querySelector('#name').textContent === 'known'")
    assert seen.overflow() <= 0


def test_names_are_never_read_as_markup(busy: Running, seen: Tab) -> None:
    seen.open("hostile")
    assert seen.text("description") == HOSTILE
    assert f"Opened {HOSTILE} for 0.5, saw 1." in seen.text("steps")
    shown = seen.page.locator("#calibration-chart .ytick text").all_text_contents()
    assert [text.replace("\xa0", " ") for text in shown] == [HOSTILE]
    assert seen.page.locator("img[src=x], svg b").count() == 0


def test_a_problem_without_rounds_tells_how_to_open_one(busy: Running, seen: Tab) -> None:
    seen.open("plans")
    seen.wait_for("document.querySelector('#curl-first').textContent !== ''")
    assert "/v1/problems/plans/rounds" in seen.text("curl-first")
    assert not seen.page.locator("#charts").is_visible()


def test_from_a_key_over_the_first_problem_to_a_server_that_is_away(
    browser: Browser, tmp_path: Path
) -> None:
    file, key = tmp_path / "key", "s3cret" * 8
    file.write_text(key, encoding="utf-8")
    with (
        running(tmp_path / "events.db", "--key-file", str(file)) as service,
        tab(browser, service.port) as seen,
    ):
        seen.open()
        _asks_for_a_key(seen, key)
        _begins_with_nothing(seen)
        service.http.headers["authorization"] = f"Bearer {key}"
        service.problem("first")
        seen.wait_for("document.querySelector('#name').textContent === 'first'")
        assert "Authorization: Bearer $KEY" in seen.text("curl-first")
        _finds_one_of_many(seen, service)
        seen.assert_clean("401")
        _tells_that_the_server_is_away(seen, service)
        seen.assert_clean("401", "net::ERR_")


def _asks_for_a_key(seen: Tab, key: str) -> None:
    asks = seen.page.get_by_role("heading", name="This service asks for a key")
    asks.wait_for()
    seen.page.get_by_label("Key with scope").fill("wrong")
    seen.page.keyboard.press("Enter")
    seen.wait_for("document.querySelector('#ask-error').textContent !== ''")
    assert "not valid" in seen.text("ask-error")
    for _ in range(2):
        seen.page.get_by_label("Key with scope").fill(key)
        seen.page.get_by_role("button", name="Open").click()
        seen.page.get_by_role("button", name="Forget key").click()
        asks.wait_for()
        assert seen.page.evaluate("sessionStorage.length") == 0
    seen.page.get_by_label("Key with scope").fill(key)
    seen.page.keyboard.press("Enter")
    seen.page.get_by_role("heading", name="No problems yet").wait_for()
    seen.page.reload()
    assert seen.page.evaluate("localStorage.length") == 0
    assert not any(key in url for url in seen.asked)


def _begins_with_nothing(seen: Tab) -> None:
    seen.page.get_by_role("heading", name="No problems yet").wait_for()
    assert f"{seen.home}v1/problems -d" in seen.text("curl-problem")
    assert "rounds/order-1/close" in seen.text("curl-round")
    assert "Authorization: Bearer $KEY" in seen.text("curl-problem")
    assert seen.text("status-text") == "live"


def _finds_one_of_many(seen: Tab, service: Running) -> None:
    for number in range(60):
        service.problem(f"many-{number}")
    seen.wait_for("document.querySelectorAll('#problems button').length === 61")
    seen.page.get_by_label("Filter problems by words of name or description").fill("MANY-59")
    seen.page.get_by_role("button", name="many-59").click()
    seen.wait_for("document.querySelector('#name').textContent === 'many-59'")
    seen.page.get_by_label("Filter problems by words of name or description").fill("first")
    seen.page.get_by_role("button", name="first").click()
    seen.wait_for("document.querySelector('#name').textContent === 'first'")


def _tells_that_the_server_is_away(seen: Tab, service: Running) -> None:
    seen.context.set_offline(True)
    seen.wait_for("!document.querySelector('#away').hidden")
    assert "does not answer" in seen.text("away")
    assert seen.text("name") == "first"
    seen.context.set_offline(False)
    seen.wait_for("document.querySelector('#away').hidden")
    assert seen.text("status-text") == "live"
    service.kill()
    seen.wait_for("!document.querySelector('#away').hidden")
    assert "What you see is from" in seen.text("away")
    assert seen.text("status-text") == "not connected"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with a thousand problems, written as one that has run for long."""
    data = tmp_path_factory.mktemp("crowded") / "events.db"
    journal = SqliteJournal(data)
    journal.append(
        [
            Draft(f"{KINDS[k % 4]}-{k:04d}", 1, *_created(KINDS[k % 4], 1_000_000 * k))
            for k in range(1_000)
        ]
    )
    journal.close()
    with running(data) as service:
        rng = np.random.default_rng(2)
        for number in range(3):
            _play(service, "routes-0777", f"q{number}", rng.uniform(1, 4, 3), 1.0)
        yield service


KINDS = ("prices", "routes", "plans", "web")


def _created(kind: str, at: int) -> tuple[str, int, str, bytes]:
    body = Created(
        boxes=BOXES,
        features=["size", "rush"],
        sense="min",
        feedback="opened",
        waiting=3_600_000_000,
        cost=0.4,
        description=f"One of the {kind} kind",
    )
    name, content = encode(body)
    return name, at, "", content


@pytest.mark.parametrize("width", [1280, 390])
def test_a_thousand_problems_are_found(crowded: Running, browser: Browser, width: int) -> None:
    with tab(browser, crowded.port, viewport={"width": width, "height": 844}) as seen:
        seen.open("web-0999")  # the last by name, far beyond the first page
        assert seen.text("side-count") == "1,000"
        names = "[...document.querySelectorAll('#problems li')].map((row) => row.dataset.key)"
        shown = seen.page.evaluate(names)
        assert (shown[:2], len(shown)) == (["web-0999", "plans-0002"], 101)
        seen.page.locator("#more").click()
        assert len(seen.page.evaluate(names)) == 201
        seen.page.locator("#order").select_option("rounds")
        assert seen.page.evaluate(names)[1] == "routes-0777"
        seen.page.locator("#order").select_option("created")
        assert seen.page.evaluate(names)[:2] == ["web-0999", "plans-0998"]
        seen.page.locator("#filter").fill("KIND 099 plans")
        assert seen.page.evaluate(names) == ["plans-0998", "plans-0994", "plans-0990"]
        assert seen.text("side-count") == "3 of 1,000"
        assert not seen.page.locator("#more").is_visible()
        seen.page.locator("#filter").fill("")
        seen.page.locator("#order").select_option("name")
        seen.open("plans-0302")
        place = "document.querySelector('#problems [aria-current]').getBoundingClientRect()"
        box = "document.querySelector('#side .list').getBoundingClientRect()"
        assert seen.page.evaluate(f"{place}.top >= {box}.top && {place}.bottom <= {box}.bottom")
        assert seen.overflow() <= 0
        seen.assert_clean()
