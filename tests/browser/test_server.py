"""The server that a user starts: with a table, and once more after it was stopped."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.browser import tables
from tests.browser.lab import Lab
from tests.browser.serving import serving


def test_its_table_and_its_end(make_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """A server anew has another key, so that the page cannot go on, but says what to do."""
    path = tmp_path / "forest.csv"
    path.write_bytes(tables.as_csv())
    lab = make_lab()
    with serving(str(path), "-y", "tree") as address:
        lab.address = address
        lab.open()
        lab.press("data-given")
        assert lab.get("lab.data.classes") == list(tables.CLASSES)
        assert lab.get("lab.data.n") == 120
        assert lab.complaints == []
    expect(lab.find("problem")).to_contain_text("The server does not answer")
    with serving("--port", str(urlsplit(address).port)):
        expect(lab.find("problem")).to_contain_text("started anew and has another address")
        lab.page.goto("about:blank")
    lab.complaints.clear()  # the browser itself complains of a server that is gone
