"""What can be changed of a problem, by the forms of the page in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.serve.browser import Tab, tab
from tests.serve.running import Running, running


@pytest.fixture
def opened(service: Running, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """Yield a tab that shows a problem with the name of the test, and its settings."""
    name = request.node.name.replace("_", "-")
    service.problem(name, description="first")
    with tab(browser, service.port) as shown:
        shown.open(name)
        shown.page.locator("#manage summary").click()
        yield shown


def _view(service: Running, shown: Tab) -> Any:
    return service.get(f"/v1/problems/{shown.text('name')}").json()


def test_settings_are_saved(service: Running, opened: Tab) -> None:
    page = opened.page
    page.locator("[name=description]").fill("second")
    page.locator("[name=cost]").fill("")
    page.locator("[name=bound]").fill("-2.5")
    page.get_by_role("button", name="Save", exact=True).click()
    opened.wait_for("document.querySelector('#manage-done').textContent === 'Saved.'")
    view = _view(service, opened)
    assert (view["description"], view["cost"], view["least"]) == ("second", None, -2.5)
    assert view["waiting_time"] == 86_400.0
    opened.wait_for("document.querySelector('#description').textContent === 'second'")
    page.get_by_role("button", name="Save", exact=True).click()
    opened.wait_for("document.querySelector('#manage-done').textContent === 'Nothing has changed.'")


def test_a_setting_that_cannot_be_is_refused_in_words(service: Running, opened: Tab) -> None:
    opened.page.locator("[name=cost]").fill("1e300")
    opened.page.get_by_role("button", name="Save", exact=True).click()
    opened.wait_for("document.querySelector('#manage-error').textContent.startsWith('Expected')")
    assert _view(service, opened)["cost"] == 0.5
    assert [line for line in opened.said if "422" not in line] == []


def test_it_is_archived_and_taken_up_again(service: Running, opened: Tab) -> None:
    button = opened.page.locator("#archive")
    for archived, next_text in ((True, "Take rounds again"), (False, "Take no more rounds")):
        button.click()
        opened.wait_for(f"document.querySelector('#archive').textContent === '{next_text}'")
        assert _view(service, opened)["archived"] is archived


def test_it_is_deleted_when_its_name_is_typed(service: Running, opened: Tab) -> None:
    page, name = opened.page, opened.text("name")
    delete = page.get_by_role("button", name="Delete", exact=True)
    page.locator("#delete-name").fill(name[:-1])
    assert delete.is_disabled()
    page.locator("#delete-name").fill(name)
    delete.click()
    opened.wait_for(f"document.querySelector('#manage-done').textContent === '{name} is deleted.'")
    assert service.get(f"/v1/problems/{name}").status_code == 404
    opened.wait_for(f"document.querySelector('#name').textContent !== '{name}'")


def test_a_key_that_may_only_read_is_told_so(tmp_path: Path, browser: Browser) -> None:
    file = tmp_path / "key"
    file.write_text("a" * 40, encoding="utf-8")
    with running(tmp_path / "events.db", "--key-file", str(file)) as service:
        admin = {"authorization": "Bearer " + "a" * 40}
        settings = {"name": "p", "boxes": ["a"], "dimension": 1}
        assert service.post("/v1/problems", settings, **admin).status_code == 201
        made = service.post("/v1/keys", {"name": "r", "scope": "read"}, **admin).json()
        with tab(browser, service.port) as shown:
            shown.page.goto(shown.home)
            shown.page.locator("#key").fill(made["key"])
            shown.page.get_by_role("button", name="Open").click()
            shown.wait_for("document.querySelector('#name').textContent === 'p'")
            shown.page.locator("#manage summary").click()
            shown.page.locator("#archive").click()
            shown.wait_for(
                "document.querySelector('#manage-error').textContent.includes('scope admin')"
            )
        assert service.get("/v1/problems/p", **admin).json()["archived"] is False


@pytest.mark.parametrize("width", [1300, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_window(service: Running, browser: Browser, width: int, scheme: Any) -> None:
    service.problem("fits")
    size: Any = {"width": width, "height": 900}
    with tab(browser, service.port, color_scheme=scheme, viewport=size) as shown:
        shown.open("fits")
        shown.page.locator("#manage summary").click()
        assert shown.page.evaluate("document.documentElement.scrollWidth") == width
        shown.assert_clean()
