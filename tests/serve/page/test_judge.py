"""The form that judges other policies, in a real browser."""

from playwright.sync_api import Browser

from tests.serve.browser import tab
from tests.serve.running import Running


def test_policies_are_judged_and_what_is_no_policy_is_said(
    service: Running, browser: Browser
) -> None:
    path = service.problem("judged-on-the-page", explore=0.5, seed=1)
    for number in range(30):
        name = f"round-{number}"
        body = {"id": name, "contexts": [[1.0, 0.0]] * 3, "outside": 4.0}
        told = service.post(f"{path}/rounds", body).json()
        while told["next"] is not None:
            values = {told["next"]: 1.0 + number % 3}
            told = service.post(f"{path}/rounds/{name}/values", {"values": values}).json()
        service.post(f"{path}/rounds/{name}/close")
    answer = service.get(f"{path}/judge?policy=all,stay")
    while not (found := answer.json())["done"]:
        answer = service.get(f"{path}/judge?policy=all,stay")
    with tab(browser, service.port) as shown:
        shown.open("judged-on-the-page")
        shown.page.locator("#judge-policies").fill("all, stay")
        shown.page.get_by_role("button", name="Judge", exact=True).click()
        shown.wait_for("document.querySelectorAll('#judge-rows tr').length === 2", seconds=60.0)
        cells = shown.page.locator("#judge-rows tr").first.locator("td, th").all_inner_texts()
        assert cells[0] == "all" and cells[-1] == found["policies"][0]["verdict"]
        assert shown.text("judge-words").startswith("30 rounds, compared with recorded")
        shown.assert_clean()
        shown.page.locator("#judge-policies").fill("nobody")
        shown.page.get_by_role("button", name="Judge", exact=True).click()
        shown.wait_for(
            "document.querySelector('#judge-words').textContent.startsWith('The name of a policy')",
            seconds=60.0,
        )
