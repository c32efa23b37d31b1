"""A report in the browser: what is too wide for the screen scrolls in its own box."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page

from gaussbayes import GaussianClassifier

CLASSES = ["customers who cancelled within the first three months", "those who stayed", "others"]
_CUT = """[...document.querySelectorAll(".wide")]
    .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.ariaLabel)"""


@pytest.fixture
def report(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """Thirteen features of long names, and classes of longer ones."""
    generator = np.random.default_rng(0)
    y = np.array(CLASSES)[np.arange(90) % 3]
    sizes = 10.0 ** (np.arange(13) % 5 - 1)
    names = [f"a_long_name_of_feature_number_{j} of the table" for j in range(13)]
    X = pd.DataFrame(generator.normal(size=(90, 13)) * sizes, columns=names)
    X["colour"] = pd.Categorical(generator.choice(["red", "green", "blue"], 90))
    model = GaussianClassifier(smoothing=1).fit(X, y)
    page = browser.new_page()
    path = model.report(X, y, tmp_path / "r.html", cv=2)
    page.goto(path.as_uri())
    yield page
    page.close()


def test_tables_fit_a_screen_or_scroll_by_themselves(report: Page) -> None:
    report.set_viewport_size({"width": 1280, "height": 800})
    assert report.evaluate(_CUT) == []
    for width in (1280, 390):
        report.set_viewport_size({"width": width, "height": 800})
        assert report.evaluate("document.documentElement.scrollWidth") == width
    report.emulate_media(color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    assert report.evaluate(background) == "rgb(22, 24, 27)"
    report.emulate_media(media="print", color_scheme="light")
    assert report.evaluate(background) == "rgb(255, 255, 255)"
