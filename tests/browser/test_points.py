"""Points are painted, dragged and erased, by pointer and by keyboard."""

from collections import Counter

from playwright.sync_api import expect

from tests.browser.lab import Lab

FEW = {
    "data": {
        "points": [[0, 0, 0], [1, 0.5, 0], [0.2, 1, 0], [3, 3, 1], [4, 3.2, 1], [3.1, 4, 1]],
        "classes": ["low", "high"],
        "features": ["width", "height"],
    },
    "bounds": {"x": [-2, 7], "y": [-2, 6]},
}


def counts(lab: Lab) -> Counter[int]:
    """Points of each class, as the page was answered."""
    return Counter(lab.get("[...lab.data.codes]"))


def test_painting(lab: Lab) -> None:
    lab.open(FEW)
    before = lab.picture("points"), lab.picture()
    lab.press("class-1")  # the colour to paint with
    assert lab.find("tool-paint").get_attribute("aria-checked") == "true"
    lab.drag(lab.pixel(5, 0), (60, 40), steps=12)
    assert counts(lab)[0] == 3
    assert counts(lab)[1] > 4
    painted = lab.state["data"]["points"]
    assert painted[6][2] == 1
    right, up = lab.units()
    assert abs(painted[6][0] - 5) < right
    assert abs(painted[6][1]) < up
    assert lab.picture("points") != before[0]
    assert lab.picture() != before[1]

    lab.press("class-2")  # a new one
    lab.page.mouse.click(*lab.pixel(-1, 5))
    lab.settle()
    assert counts(lab)[2] == 1
    assert len(lab.state["data"]["classes"]) == 3
    lab.press("undo")
    lab.press("undo")
    assert counts(lab) == {0: 3, 1: 3}
    assert (lab.picture("points"), lab.picture()) == before


def test_dragging_a_point(lab: Lab) -> None:
    lab.open(FEW)
    means = lab.head("scene")["parameters"]["means"]
    right, up = lab.units()
    lab.drag(lab.pixel(4, 3.2), (90, 0))
    moved = lab.state["data"]["points"][4]
    assert abs(moved[0] - 4 - 90 * right) < 2 * right
    assert abs(moved[1] - 3.2) < 2 * up
    now = lab.head("scene")["parameters"]["means"]
    assert abs(now[1][0] - means[1][0] - (moved[0] - 4) / 3) < 1e-9  # one of three points
    assert now[0] == means[0]
    lab.press("undo")
    assert lab.state["data"] == FEW["data"]


def test_erasing(lab: Lab) -> None:
    lab.open(FEW)
    lab.press("tool-erase")
    start, end = lab.pixel(3.1, 4), lab.pixel(3, 3)
    lab.drag(start, (end[0] - start[0], end[1] - start[1]), steps=20)
    assert lab.state["data"]["points"] == [FEW["data"]["points"][row] for row in (0, 1, 2, 4)]
    assert counts(lab) == {0: 3, 1: 1}
    # A single point has no covariance: the page says so, and goes on.
    expect(lab.find("problem")).to_be_visible()
    assert len(str(lab.find("problem").text_content())) > 30
    lab.press("undo")
    expect(lab.find("problem")).to_be_hidden()
    assert counts(lab) == {0: 3, 1: 3}


def test_points_by_keyboard(lab: Lab) -> None:
    lab.open({**FEW, "at": [4, 3.2]})
    lab.find("inner").focus()
    keyboard = lab.page.keyboard
    keyboard.press("g")  # takes hold of the nearest
    keyboard.press("ArrowRight")
    keyboard.press("g")
    lab.settle()
    moved = lab.state["data"]["points"][4]
    assert moved[0] > 4
    assert moved[1] == 3.2
    keyboard.press("2")
    keyboard.press("ArrowUp")
    keyboard.press("Enter")
    lab.settle()
    assert lab.state["data"]["points"][6][2] == 1
    assert lab.state["data"]["points"][6][1] > 3.2
    keyboard.press("Delete")
    lab.settle()
    assert len(lab.state["data"]["points"]) == 6
    keyboard.press("Escape")
    lab.settle()
    assert lab.state["at"] is None


def test_the_window_is_moved_and_zoomed(lab: Lab) -> None:
    lab.open()
    points = lab.picture("points")
    lab.press("tool-pan")
    right, _ = lab.units()
    view = lab.get("lab.view().x")
    lab.drag(lab.middle("inner"), (-100, 0))
    moved = lab.get("lab.view().x")
    assert abs(moved[0] - view[0] - 100 * right) < right
    lab.page.mouse.wheel(0, -200)
    lab.until("!lab.dragging && lab.state.bounds.x[0] > " + str(moved[0]))
    assert lab.picture("points") != points
    lab.press("fit")
    assert lab.state["bounds"] is None
    assert lab.picture("points") == points
