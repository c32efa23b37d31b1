"""A second browser, which cannot draw in three dimensions: the address, other servers, no WebGL."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import chromium, tables
from tests.browser.lab import Lab, must_be_content, new_lab
from tests.browser.serving import serving


@pytest.fixture(scope="module")
def second(browser: Browser, address: str) -> Iterator[Lab]:
    """A page in a browser of its own."""
    options = [option for option in chromium.OPTIONS if "swiftshader" not in option]
    started = browser.browser_type.launch(
        executable_path=chromium.find(), args=[*options, "--disable-3d-apis"]
    )
    yield new_lab(started, address)
    started.close()


@pytest.fixture
def elsewhere(second: Lab, address: str) -> Iterator[Lab]:
    """That page, which a test is to open in a state of its own."""
    second.address = address
    yield second
    must_be_content(second)


def test_the_same_page_by_its_address(lab: Lab, elsewhere: Lab) -> None:
    """Everything is changed by hand; a second browser that is given the address shows it all."""
    lab.open({"data": {"preset": "three", "seed": 4, "n": 20}})
    lab.press("tool-paint")
    lab.page.mouse.click(*lab.middle("inner"))
    lab.settle()
    assert len(lab.state["data"]["points"]) == 21
    lab.press("tool-select")
    lab.panel("layers")
    lab.choose("layers-regions", "hard")
    lab.page.locator("label:has(#layers-evidence)").click()
    lab.by_hand()
    lab.drag(lab.middle("handle-mean-0"), (60, 20))
    lab.page.mouse.click(*lab.pixel(0.5, 0.5))
    lab.settle()
    state = lab.state
    assert state["at"] is not None
    pictures = [lab.picture(name) for name in ("regions", "lines", "points", "rings")]
    address = lab.page.url

    elsewhere.open(after=urlsplit(address).fragment)
    assert elsewhere.state == state
    assert elsewhere.page.url == address
    assert [elsewhere.picture(name) for name in ("regions", "lines", "points", "rings")] == pictures


def test_without_webgl(elsewhere: Lab) -> None:
    """The page says so, and shows the evidence in the plane."""
    lab = elsewhere.open()
    before = lab.picture("lines")
    lab.find("view-surface").click()
    expect(lab.find("toast")).to_contain_text("no WebGL")
    lab.settle()
    assert lab.state["view"] == "plane"
    assert lab.state["layers"]["evidence"] is True
    expect(lab.find("inner")).to_be_visible()
    assert lab.picture("lines") != before


def test_a_server_with_a_table_that_is_started_anew(elsewhere: Lab, tmp_path: Path) -> None:
    """It has another key then, so that the page cannot go on, but says what to do."""
    path = tmp_path / "forest.csv"
    path.write_bytes(tables.as_csv())
    lab = elsewhere
    with serving(str(path), "-y", "tree") as address:
        lab.address = address
        lab.open()
        lab.press("data-given")
        assert lab.get("lab.data.classes") == list(tables.CLASSES)
        assert lab.get("lab.data.n") == 120
        must_be_content(lab)
    expect(lab.find("problem")).to_contain_text("The server does not answer")
    with serving("--port", str(urlsplit(address).port)):
        expect(lab.find("problem")).to_contain_text("started anew and has another address")
        lab.page.goto("about:blank")
    lab.complaints.clear()  # the browser itself complains of a server that is gone
