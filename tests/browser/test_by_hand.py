"""Gaussians taken by the hand: means and axes, by pointer, keyboard and number."""

from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import expect

from gaussbayes import GaussianClassifier
from tests.browser.lab import Lab

THREE = {"data": {"preset": "three"}}


def labels_of(lab: Lab) -> tuple[NDArray[Any], NDArray[Any]]:
    """The regions in the plot, and those of the library for the numbers in the state."""
    model = lab.state["model"]
    given = GaussianClassifier.from_parameters(
        model["priors"], model["means"], model["covariances"], classes=range(len(model["means"]))
    )
    view = lab.get("lab.answers.scene.request.view")
    across, up = (
        np.linspace(*view[name], view[size]) for name, size in (("x", "width"), ("y", "height"))
    )
    places = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    return lab.array("scene", "label"), given.predict(places).reshape(up.size, across.size)


def test_a_mean_is_dragged_undone_and_redone(lab: Lab) -> None:
    lab.open(THREE)
    assert lab.find("undo").is_disabled()
    expect(lab.find("fit-again")).to_be_hidden()
    fitted, before, seen = lab.head("scene")["parameters"], lab.state, lab.picture()
    assert before["model"]["from"] == "data"  # there is no mode: the drag itself makes it by hand
    frames = lab.get("labFrames.length")
    right, up = lab.units()

    lab.hold(lab.middle("handle-mean-1"), (-90, 60))
    lab.until(f"labFrames.length > {frames}")
    lab.until("lab.connection.underWay.size === 0")
    assert lab.get("lab.dragging") is True
    assert lab.picture() != seen  # the regions follow while the pointer is still down
    assert lab.state["model"]["means"][1] != fitted["means"][1]
    coarse = lab.get("lab.answers.scene.request.view.width")
    lab.page.mouse.up()
    lab.settle()

    moved = lab.state["model"]["means"]
    assert lab.get("lab.answers.scene.request.view.width") > coarse
    assert moved[0] == fitted["means"][0]
    shift = np.subtract(moved[1], fitted["means"][1])
    np.testing.assert_allclose(shift, [-90 * right, -60 * up], atol=max(right, up))
    shown, expected = labels_of(lab)
    np.testing.assert_array_equal(shown, expected)
    after = lab.picture()

    lab.press("undo")
    assert lab.state["model"] == before["model"]
    assert lab.picture() == seen
    lab.page.keyboard.press("Control+Shift+z")
    lab.settle()
    assert lab.state["model"]["means"] == moved
    assert lab.picture() == after
    lab.press("fit-again")
    assert lab.state["model"]["from"] == "data"
    assert lab.picture() == seen
    expect(lab.find("fit-again")).to_be_hidden()


def test_an_axis_turns_and_stretches_and_stays_definite(lab: Lab) -> None:
    lab.open(THREE)
    lab.by_hand()
    for by in ((70, 0), (-400, 300)):
        before = np.array(lab.state["model"]["covariances"])
        center, end = np.array(lab.middle("handle-mean-2")), np.array(lab.middle("handle-axis-2-0"))
        units = np.array(lab.units()) * [1, -1]
        lab.drag((end[0], end[1]), by)
        now = np.array(lab.state["model"]["covariances"])
        np.testing.assert_array_equal(now[:2], before[:2])
        lengths, axes = np.linalg.eigh(now[2])
        assert lengths[0] > 0
        arm = (end + by - center) * units  # where the end of the axis was dragged to
        along = axes.T @ (arm / np.linalg.norm(arm))
        which = np.argmax(np.abs(along))
        assert abs(along[which]) == pytest.approx(1, abs=0.01)
        assert np.sqrt(lengths[which]) == pytest.approx(np.linalg.norm(arm), rel=0.05)
        shown, expected = labels_of(lab)
        np.testing.assert_array_equal(shown, expected)


def test_an_axis_dragged_into_the_mean_stays_definite(lab: Lab) -> None:
    lab.open(THREE)
    lab.by_hand()
    start, center = lab.middle("handle-axis-0-1"), lab.middle("handle-mean-0")
    lab.drag(start, (center[0] - start[0], center[1] - start[1]))
    assert np.linalg.eigvalsh(lab.state["model"]["covariances"][0])[0] > 0
    expect(lab.find("problem")).to_be_hidden()
    shown, expected = labels_of(lab)
    np.testing.assert_array_equal(shown, expected)


def test_handles_by_keyboard(lab: Lab) -> None:
    lab.open()
    lab.by_hand()
    lab.find("inner").focus()
    reached = []
    for _ in range(6):
        lab.page.keyboard.press("Tab")
        reached.append(lab.get("document.activeElement.id"))
    assert {"handle-mean-0", "handle-axis-0-0", "handle-mean-1", "handle-axis-1-1"} < set(reached)

    lab.find("handle-mean-0").focus()
    before = lab.state["model"]
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        lab.page.keyboard.press(key)
    lab.settle()
    x, y = np.subtract(lab.state["model"]["means"][0], before["means"][0])
    assert x > y > 0
    assert lab.find("handle-mean-0").get_attribute("role") == "slider"
    now = lab.find("handle-mean-0").get_attribute("aria-valuenow")
    assert float(str(now)) == pytest.approx(lab.state["model"]["means"][0][0])

    lab.find("handle-axis-0-0").focus()
    lab.page.keyboard.press("ArrowUp")  # longer
    lab.settle()
    longer = np.array(lab.state["model"]["covariances"][0])
    assert np.linalg.det(longer) > np.linalg.det(before["covariances"][0])
    lab.page.keyboard.press("ArrowLeft")  # turned
    lab.settle()
    turned = np.array(lab.state["model"]["covariances"][0])
    assert np.linalg.det(turned) == pytest.approx(np.linalg.det(longer))
    assert not np.allclose(turned, longer)
    for _ in range(5):
        lab.page.keyboard.press("Control+z")
    lab.settle()
    assert lab.state["model"] == before


def test_a_single_feature(lab: Lab) -> None:
    """The petals of the course: a mean and a standard deviation, dragged, typed and taken away."""
    lab.open({"data": {"preset": "petals"}})
    drawn = "document.querySelector('#line g').innerHTML"
    fitted = lab.get(drawn)
    lab.by_hand()
    assert lab.get(drawn) == fitted
    before = lab.state["model"]
    np.testing.assert_allclose(before["means"], [[2.68, 0], [6.5, 0]])
    np.testing.assert_allclose(before["covariances"], [np.diag([0.5336, 1]), np.diag([0.26, 1])])

    lab.drag(lab.middle("line-mean-0"), (60, 0))
    lab.find("line-deviation-1").focus()
    lab.page.keyboard.press("ArrowRight")
    lab.settle()
    moved = lab.state["model"]
    assert moved["means"][0][0] > 2.8
    assert moved["covariances"][1][0][0] > 0.27
    lab.press("undo")
    lab.press("undo")
    assert lab.get(drawn) == fitted
    lab.panel("model")
    assert (
        lab.find("model-hand-0-correlation").count() == lab.find("model-hand-0-mean-1").count() == 0
    )
    lab.find("model-hand-0-mean-0").fill("3.5")
    lab.find("model-hand-0-deviation-0").fill("0.5")
    lab.find("model-hand-0-deviation-0").press("Tab")
    lab.settle()
    assert lab.state["model"]["means"][0] == [3.5, 0]
    np.testing.assert_allclose(lab.state["model"]["covariances"][0], [[0.25, 0], [0, 1]])
    typed = urlsplit(lab.page.url).fragment
    lab.open()
    lab.open(after=typed)
    assert lab.state["model"]["means"][0] == [3.5, 0]
    lab.panel("take_away")
    expect(lab.find("take-command")).to_contain_text("--kind univariate")
    expect(lab.find("take-python")).to_contain_text("3.5")
    with lab.page.expect_download() as coming:
        lab.find("take-model").click()
    model = GaussianClassifier.load(coming.value.path())
    np.testing.assert_allclose(model.means_, [[3.5], [6.5]])
    np.testing.assert_allclose(model.covariances_, [[[0.25]], [[0.26]]])
    lab.press("fit-again")
    assert lab.get(drawn) == fitted


def test_numbers_are_typed(lab: Lab) -> None:
    lab.open()
    lab.by_hand()
    lab.panel("model")
    lab.find("model-hand-0-mean-0").fill("1.5")
    lab.find("model-hand-0-correlation").fill("-0.5")
    lab.find("model-hand-0-deviation-1").fill("2")
    lab.find("model-hand-0-deviation-1").press("Tab")
    lab.settle()
    model = lab.state["model"]
    assert model["means"][0][0] == 1.5
    covariance = np.array(model["covariances"][0])
    assert covariance[1, 1] == pytest.approx(4)
    assert covariance[0, 1] / np.sqrt(covariance[0, 0] * 4) == pytest.approx(-0.5)
    field = lab.find("model-hand-0-deviation-1")
    field.fill("-1")
    field.press("Enter")
    expect(lab.find("model-hand-0-deviation-1-wrong")).to_contain_text("above 0, not -1")
    assert lab.state["model"] == model
    assert field.input_value() == "2"


def test_handles_far_outside_the_plot(lab: Lab) -> None:
    """No attribute holds more pixels than a 32-bit float."""
    model = {"from": "hand", "priors": [0.5, 0.5], "means": [[1e60, 0], [0, -1e60]]}
    lab.open({"model": {**model, "covariances": [[[1e90, 0], [0, 1]], [[1, 0], [0, 1e90]]]}})
    assert lab.page.locator(".handle").count() > 0
