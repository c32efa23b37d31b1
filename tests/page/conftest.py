"""A browser for the tests of pages; the tests are skipped, with the reason, if there is none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from gaussbayes.lab.page import Lab as LabPage
from tests.page import chromium
from tests.page.driving import Lab, opened


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


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page without data, as a file in a directory whose name has a space and an umlaut."""
    folder = tmp_path_factory.mktemp("für alle")
    return LabPage().save(Path(folder, "lab page.html")).as_uri()


@pytest.fixture
def lab(browser: Browser, address: str) -> Iterator[Lab]:
    """The start page; it must not complain or ask any address."""
    with opened(browser, address) as found:
        yield found
