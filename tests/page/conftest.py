"""A browser for the tests of pages; the tests are skipped, with the reason, if there is none."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.page import chromium


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Start Chromium without a window.

    It is closed after the last test of this folder: while it is driven, its event loop is that of
    the thread, and other tests of the same process could not run theirs.
    """
    path = chromium.find()
    if path is None and chromium.is_required():
        pytest.fail(f"no browser was found, but one is required: {chromium.HOW}")
    if path is None:
        pytest.skip(f"no browser was found: {chromium.HOW}")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(chromium.OPTIONS))
        yield started
        started.close()
