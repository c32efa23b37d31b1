"""What the plot says by itself: card, gauge, key, hint, and classes that wait for points."""

import numpy as np
import pytest
from playwright.sync_api import expect

from gaussbayes import GaussianClassifier
from tests.browser.lab import Lab
from tests.browser.test_model import number

FEW = {
    "data": {
        "points": [[0, 0, 0], [1, 0.5, 0], [0.2, 1, 0], [3, 3, 1], [4, 3.2, 1], [3.1, 4, 1]],
        "classes": ["low", "high"],
        "features": ["width", "height"],
    },
    "bounds": {"x": [-2, 7], "y": [-2, 6]},
}


def test_a_card_at_the_point(lab: Lab) -> None:
    lab.open(FEW)
    card = lab.find("card")
    expect(card).to_be_hidden()
    rows = np.array(FEW["data"]["points"])
    model = GaussianClassifier().fit(rows[:, :2], rows[:, 2])
    for place in ((2.2, 1.8), (6.8, -1.9), (-1.9, 5.8), (-1.9, -1.9)):
        x, y = lab.pixel(*place)
        lab.page.mouse.click(x, y)
        lab.settle()
        expect(card).to_be_visible()
        box = card.bounding_box()
        assert box is not None
        across = box["x"] <= x <= box["x"] + box["width"]
        assert not (across and box["y"] <= y <= box["y"] + box["height"])  # the point is seen
    lab.page.mouse.click(*lab.pixel(2.2, 1.8))
    lab.settle()
    told = model.explain(lab.state["at"]).as_record()["classes"]
    shown = card.locator(".bayes-class .posterior").all_text_contents()
    names = card.locator(".bayes-class th").all_text_contents()
    posterior = {FEW["data"]["classes"][int(one["class"])]: one["posterior"] for one in told}
    wanted = [posterior[name] for name in names]
    assert [number(text) for text in shown] == pytest.approx(wanted, abs=6e-4)
    wide = lab.get(
        """[...document.querySelectorAll("#card .posterior .bar > span")]
        .map((one) => one.offsetWidth / one.parentNode.offsetWidth)"""
    )
    assert wide == pytest.approx(wanted, abs=0.03)
    lab.press("card-hide-1")
    assert lab.state["hide"] == 1
    expect(lab.find("card-place")).to_contain_text("height not measured")
    alone = GaussianClassifier().fit(rows[:, :1], rows[:, 2])
    hidden = alone.predict_proba([[lab.state["at"][0]]])[0].tolist()
    assert lab.head("point")["posterior"] == pytest.approx(hidden)
    lab.press("card-hide-1")
    assert lab.state["hide"] is None
    lab.page.keyboard.press("Escape")  # the focus is in the card
    expect(card).to_be_hidden()
    assert lab.get("document.activeElement.id") == "inner"
    lab.page.keyboard.press("ArrowRight")
    lab.settle()
    expect(card).to_be_visible()
    lab.page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_the_gauge_names_the_error_and_the_one_before(lab: Lab) -> None:
    lab.open({"data": {"preset": "three"}})
    gauge = lab.page.locator("#errors .gauge").first
    before = lab.head("scene")["errors"]["train"]
    expect(gauge).to_contain_text("Training error of all 2 features")
    expect(gauge.locator("b")).to_have_text(f"{100 * before:.3g} %")
    expect(gauge.locator("s")).to_have_count(0)
    lab.hold(lab.middle("handle-mean-0"), (120, 30))
    lab.until("document.querySelector('.gauge s')")  # while it is dragged
    lab.page.mouse.up()
    lab.settle()
    now = lab.head("scene")["errors"]["train"]
    assert now > before
    expect(gauge).to_contain_text(f"{100 * before:.3g} % → {100 * now:.3g} %")
    expect(gauge).to_have_class("gauge worse")
    lab.press("undo")
    expect(gauge).to_contain_text(f"{100 * now:.3g} % → {100 * before:.3g} %")
    lab.open({"data": {"preset": "irises"}})
    expect(gauge).to_contain_text("Training error of these 2 features")
    expect(gauge.locator("s")).to_have_count(0)  # another table is not compared with
    expect(lab.page.locator("#errors .gauge").nth(1)).to_contain_text("of all 4 features")


def test_the_key_and_the_hint(lab: Lab) -> None:
    lab.open(fresh=True)
    expect(lab.find("hint")).to_contain_text("Drag a mean")
    key = lab.page.locator("#key li")
    words = key.all_text_contents()
    assert {"mean", "axis", "1, 2, 3 σ", "boundary", "probability", "wrong"} == set(words)
    for one in key.all():
        assert len(str(one.get_attribute("data-help"))) > 20
        assert one.get_attribute("data-help") == one.get_attribute("aria-description")
    lab.drag(lab.middle("handle-mean-0"), (30, 10))
    expect(lab.find("hint")).to_be_hidden()
    lab.press("undo")
    expect(lab.find("hint")).to_be_hidden()  # it was understood
    lab.open({"model": {"from": "neighbours"}, "layers": {"errors": False, "regions": "none"}})
    assert key.all_text_contents() == ["boundary"]


def test_a_new_class_starts_gently(lab: Lab) -> None:
    lab.open(FEW)
    ellipses = lab.head("scene")["ellipses"]
    lab.press("class-2")
    lab.page.mouse.click(*lab.pixel(-1, 5))
    lab.settle()
    expect(lab.find("problem")).to_contain_text("A needs 2 more points")
    expect(lab.find("problem")).to_have_class("plain")
    assert lab.head("scene")["ellipses"] == ellipses  # the others are drawn as before
    lab.page.locator("#problem button", has_text="Share one covariance").click()
    lab.settle()
    expect(lab.find("problem")).to_be_hidden()
    assert len(lab.head("scene")["ellipses"]) == 9
    lab.press("undo")
    lab.press("undo")
