"""A browser for the tests of the page. Where there is none they are skipped, saying why and how."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser import chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    path = chromium.find()
    if path is None and chromium.is_required():
        pytest.fail(f"no browser was found, but one is required: {chromium.HOW}")
    if path is None:
        pytest.skip(f"no browser was found: {chromium.HOW}")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(chromium.OPTIONS))
        yield started
        started.close()
