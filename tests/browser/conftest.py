"""A browser for the tests of the page. Where there is none they are skipped, saying why and how."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser import chromium
from tests.browser.lab import PATIENCE, VIEWPORT, Lab, must_be_content, new_lab
from tests.browser.serving import serving

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium without a window.

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
def server() -> Iterator[str]:
    """The address of a lab that runs for all tests: its pages do not know each other."""
    with serving() as found:
        yield found


@pytest.fixture(scope="package")
def address(browser: Browser, request: pytest.FixtureRequest) -> str:  # noqa: ARG001
    """The address of the lab; where there is no browser, no server is started."""
    found: str = request.getfixturevalue("server")
    return found


@pytest.fixture(scope="package")
def shared_lab(browser: Browser, address: str) -> Iterator[Lab]:
    """The page of all tests that need no other: to load it takes longer than most of them."""
    lab = new_lab(browser, address)
    yield lab
    lab.page.context.close()


@pytest.fixture
def lab(shared_lab: Lab, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """A page that a test is to open in a state of its own."""
    page, failed = shared_lab.page, request.session.testsfailed
    yield shared_lab
    if page.viewport_size != VIEWPORT:
        page.set_viewport_size(VIEWPORT)
    page.emulate_media(color_scheme="light")
    if request.session.testsfailed > failed:  # what it left may be anything
        page.mouse.up()
        page.goto("about:blank")
    must_be_content(shared_lab)
