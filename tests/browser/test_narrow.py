"""On a telephone: nothing is wider than the screen, and fingers can do it all."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, expect

from tests.browser.lab import Lab, must_be_content, new_lab

SIZE = {"width": 390, "height": 844}
CORNERS = [(0, 0), (1, 0.2), (0.3, 1), (1.1, 1.4)]


@pytest.fixture(scope="module")
def telephone(browser: Browser, address: str) -> Iterator[Lab]:
    """A page on a small screen that is touched."""
    lab = new_lab(browser, address, viewport=SIZE, has_touch=True, is_mobile=True)
    yield lab
    lab.page.context.close()
    must_be_content(lab)


def too_wide(lab: Lab) -> list[str]:
    """Elements that reach beyond the screen and cannot be scrolled to within their own box."""
    found: list[str] = lab.get(
        """[...document.body.querySelectorAll("*")].filter((one) => {
            const box = one.getBoundingClientRect();
            if (!box.width || box.right <= innerWidth + 1) return false;
            if (one.closest("svg, .unseen")) return false;
            for (let above = one.parentElement; above; above = above.parentElement) {
                if (["auto", "scroll"].includes(getComputedStyle(above).overflowX)) return false;
            }
            return true;
        }).map((one) => `${one.tagName}#${one.id}.${one.className}`)"""
    )
    return found


def touch(session: CDPSession, kind: str, *places: tuple[float, float]) -> None:
    points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)]
    session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})


def test_nothing_is_wider_than_the_screen(telephone: Lab) -> None:
    lab = telephone.open({"at": [0, 0]})
    names = lab.get("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.id)")
    for name in names:
        lab.find(name).tap()
        lab.settle()
        panel = name.removeprefix("tab-")
        expect(lab.find(f"panel-{panel}")).to_be_visible()
        lab.until(f"!document.querySelector('#panel-{panel}[aria-busy]')")
        page, wide, room = lab.get(
            "[document.documentElement.scrollWidth, panels.scrollWidth, panels.clientWidth]"
        )
        assert page <= SIZE["width"], name
        assert wide <= room, name
        assert too_wide(lab) == [], name
        last = lab.find(f"panel-{panel}").locator("button:visible, input:visible").last
        last.scroll_into_view_if_needed()
        expect(last).to_be_in_viewport()
    stage = lab.find("stage").bounding_box()
    assert stage is not None
    assert stage["height"] > 200  # the plot can be seen beside an open panel
    lab.find(names[-1]).tap()  # closes the drawer
    expect(lab.find("panels")).to_be_hidden()


def test_touched_targets_are_large_enough(telephone: Lab) -> None:
    """At least 24 pixels to each side, as WCAG 2.2 asks of level AA."""
    lab = telephone.open()
    small: list[Any] = lab.get(
        """[...document.querySelectorAll("header button, #toolbar button, #tabs button")]
        .filter((one) => one.getClientRects().length)
        .map((one) => [one.id, one.getBoundingClientRect()])
        .filter(([, box]) => box.width < 24 || box.height < 24).map(([id]) => id)"""
    )
    assert small == []


def test_a_mean_is_dragged_by_a_finger(telephone: Lab) -> None:
    lab = telephone.open({"data": {"preset": "three", "seed": 0, "n": 300}})
    before, picture = lab.head("scene")["parameters"]["means"], lab.picture()
    session = lab.page.context.new_cdp_session(lab.page)
    x, y = lab.middle("handle-mean-0")
    touch(session, "Start", (x, y))
    for step in range(1, 7):
        touch(session, "Move", (x + 8 * step, y + 4 * step))
    touch(session, "End")
    lab.settle()
    now = lab.state["model"]["means"]
    right, up = lab.units()
    assert abs(now[0][0] - before[0][0] - 48 * right) < 2 * right
    assert abs(before[0][1] - now[0][1] - 24 * up) < 2 * up
    assert lab.picture() != picture
    assert lab.get("scrollY") == 0  # the page stays where it is


def test_two_fingers_zoom(telephone: Lab) -> None:
    lab = telephone.open()
    before = lab.get("lab.view().x")
    session = lab.page.context.new_cdp_session(lab.page)
    x, y = lab.middle("inner")
    touch(session, "Start", (x - 40, y), (x + 40, y))
    for step in range(1, 6):
        touch(session, "Move", (x - 40 - 8 * step, y), (x + 40 + 8 * step, y))
    touch(session, "End")
    lab.settle()
    now = lab.get("lab.view().x")
    assert (now[1] - now[0]) / (before[1] - before[0]) == pytest.approx(0.5, abs=0.1)
    lab.find("fit").tap()
    lab.settle()
    assert lab.state["bounds"] is None


def test_long_names(telephone: Lab) -> None:
    """Twelve classes and features of long names: words are cut, numbers are not."""
    classes = [f"a class of quite some importance, number {code}" for code in range(12)]
    points = [[7 * code + x, (3 * code) % 5 + y, code] for code in range(12) for x, y in CORNERS]
    features = ["the length of the longest leaf of the plant in hundredths of mm", "b" * 60]
    data = {"points": points, "classes": classes, "features": features}
    lab = telephone.open({"data": data, "at": [3, 2], "model": {"shared": True}})
    for panel in ("data", "model", "point", "numbers", "take_away"):
        lab.page.evaluate(f"lab.openPanel('{panel}')")
        lab.settle()
        lab.until(f"!document.querySelector('#panel-{panel}[aria-busy]')")
        wide, room = lab.get("(({scrollWidth, clientWidth}) => [scrollWidth, clientWidth])(panels)")
        assert wide <= room, panel
        assert too_wide(lab) == [], panel
    hidden = lab.get("[...document.querySelectorAll('.bayes-class')].map((one) => one.scrollWidth)")
    assert max(hidden) <= SIZE["width"]


@pytest.mark.parametrize("width", [320, 768])
def test_other_screens(lab: Lab, width: int) -> None:
    lab.page.set_viewport_size({"width": width, "height": 700})
    lab.open()
    assert lab.get("document.documentElement.scrollWidth") <= width
    assert too_wide(lab) == []
    box = lab.find("stage").bounding_box()
    assert box is not None
    assert box["height"] > 250


def test_a_low_window(lab: Lab) -> None:
    """As an enlarged page has it: the plot keeps its height, and the page scrolls to the panel."""
    lab.page.set_viewport_size({"width": 640, "height": 400})
    lab.open()
    lab.panel("numbers")
    box = lab.find("stage").bounding_box()
    assert box is not None
    assert box["height"] > 160
    expect(lab.page.locator("#panel-numbers table.scores")).to_be_in_viewport()
    assert too_wide(lab) == []
