"""A short run of what ``python -m tests.fuzz.lab_page`` does at length."""

from playwright.sync_api import Browser

from tests.fuzz import lab_page


def test_random_actions(browser: Browser, address: str) -> None:
    outcomes = lab_page.fuzz(browser, address, 12, seed=1)
    assert outcomes["sequences"] == 12
    assert sum(n for name, n in outcomes.items() if name.startswith("compared")) > 3
