"""The line, the surface with and without WebGL, the stream, and lessons."""

import numpy as np
from playwright.sync_api import expect

from gaussbayes import GaussianClassifier
from tests.browser.lab import Lab


def test_the_line(lab: Lab) -> None:
    lab.open()
    lab.press("view-line")
    expect(lab.find("line")).to_be_visible()
    expect(lab.find("inner")).to_be_hidden()
    posterior = lab.array("line", "posterior")
    assert posterior.shape[0] == 2
    np.testing.assert_allclose(posterior.sum(axis=0), 1, atol=1e-5)
    assert lab.page.locator("#line .area").count() == 2
    boundaries = lab.head("line")["boundaries"]
    assert lab.page.locator("#line .border").count() == len(boundaries) > 0
    place = lab.array("line", "place")
    changes = place[1:][np.diff(posterior.argmax(axis=0)) != 0]
    np.testing.assert_allclose(boundaries, changes, atol=2 * (place[1] - place[0]))

    lab.panel("model")
    lab.choose("model-from", "hand")
    before = lab.state["model"]
    lab.drag(lab.middle("line-mean-0"), (50, 0))
    now = lab.state["model"]
    assert now["means"][0][0] > before["means"][0][0]
    assert now["means"][0][1] == before["means"][0][1]
    lab.find("line-deviation-0").focus()
    lab.page.keyboard.press("ArrowRight")
    lab.settle()
    wider = np.array(lab.state["model"]["covariances"][0])
    assert wider[0, 0] > before["covariances"][0][0][0]
    assert np.linalg.eigvalsh(wider)[0] > 0
    lab.press("view-plane")
    expect(lab.find("inner")).to_be_visible()


def test_a_single_feature_has_a_line_only(lab: Lab) -> None:
    lab.open({"data": {"preset": "one", "seed": 0, "n": 120}})
    expect(lab.find("line")).to_be_visible()
    assert lab.find("view-plane").is_disabled()
    box = lab.find("line").bounding_box()
    assert box is not None
    lab.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 60)
    lab.settle()
    lab.panel("point")
    expect(lab.page.locator("#panel-point .bayes-class")).to_have_count(2)


def test_votes_have_no_densities(lab: Lab) -> None:
    lab.open({"model": {"from": "neighbours"}, "view": "line"})
    assert lab.page.locator("#line .curve").count() == 2
    assert lab.page.locator("#line .area").count() == 0
    expect(lab.find("line")).to_contain_text("votes have no densities")


def test_the_surface(lab: Lab) -> None:
    lab.open({"model": {"from": "neighbours"}})
    lab.press("view-surface")
    expect(lab.page.locator(".surface-message")).to_contain_text("no densities")
    lab.panel("model")
    lab.choose("model-from", "data")
    drawn = "document.querySelector('#surface-plot')?.layout?.scene?.camera?.eye"
    lab.until(drawn)
    expect(lab.page.locator(".surface-message")).to_be_hidden()
    expect(lab.page.locator("#surface canvas").first).to_be_visible()
    assert lab.array("surface", "evidence").min() >= 0
    eye = lab.get(drawn)
    lab.find("surface-left").click()
    lab.until(f"Math.abs({drawn}.x - {eye['x']}) > 0.05")
    lab.press("view-plane")
    expect(lab.find("surface")).to_be_hidden()


def test_the_surface_fits_beside_a_panel_of_a_phone(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 390, "height": 844})
    lab.open({"view": "surface"})
    lab.until("document.querySelector('#surface-plot .main-svg')")
    height = "document.querySelector('{}').getBoundingClientRect().height"
    whole, drawn = height.format("#surface-plot"), height.format("#surface-plot .main-svg")
    before = lab.get(whole)
    lab.panel("lessons")
    lab.until(f"{whole} < {before} - 100 && Math.abs({whole} - {drawn}) < 2")


def test_the_stream(lab: Lab) -> None:
    lab.open()
    every = lab.head("scene")["parameters"]
    points = lab.picture("points")
    lab.panel("stream")
    lab.find("stream-speed").fill("6")
    lab.find("stream-play").click()
    lab.until("lab.state.stream > 10 && lab.state.stream < 200")
    assert lab.find("stream-play").text_content() == "Pause"
    lab.find("stream-play").click()
    lab.settle()
    assert lab.find("stream-play").text_content() == "Play"
    lab.slide("stream-n", 60)
    assert lab.state["stream"] == 60
    X = lab.array("data", "points")[:60].astype(float)
    codes = lab.array("data", "codes")[:60]
    fitted = GaussianClassifier().fit(X, codes)
    found = lab.head("scene")["parameters"]
    np.testing.assert_allclose(found["means"], fitted.means_, rtol=1e-5, atol=1e-6)
    assert lab.picture("points") != points
    lab.press("stream-step")
    assert lab.state["stream"] == 61
    lab.press("stream-all")
    assert lab.state["stream"] is None
    assert lab.head("scene")["parameters"] == every
    assert lab.picture("points") == points


def test_a_lesson_step_by_step(lab: Lab) -> None:
    lab.open()
    panel = lab.panel("lessons")
    first = lab.get("lab.about.lessons.map(({ name }) => name)").index("two_gaussians")
    lab.press(f"lessons-start-{first}")
    text = lab.find("lessons-text")
    expect(text).to_contain_text("Two classes drawn from Gaussians")
    expect(panel).to_contain_text("Step 1 of 6")
    assert lab.state["layers"]["regions"] == "none"
    assert lab.find("lessons-back").is_disabled()
    texts = {text.text_content()}
    for step in range(2, 7):
        lab.press("lessons-next")
        expect(panel).to_contain_text(f"Step {step} of 6")
        texts.add(text.text_content())
        expect(lab.find("problem")).to_be_hidden()
    assert len(texts) == 6
    assert lab.find("lessons-next").is_disabled()
    assert lab.state["model"]["shared"] is True
    lab.press("lessons-back")
    assert lab.state["model"]["from"] == "neighbours"
    lab.page.reload()
    lab.settle()
    expect(panel).to_contain_text("Step 5 of 6")
    expect(lab.find("lessons-text")).to_be_visible()


def test_layers(lab: Lab) -> None:
    lab.open()
    lab.panel("layers")
    before = lab.picture(), lab.picture("lines")
    for layer in ("joint", "evidence", "truth", "reject", "novelty"):
        lab.page.locator(f"label:has(> #layers-{layer})").click()
        lab.settle()
        assert (lab.picture(), lab.picture("lines")) != before, layer
        lab.page.locator(f"label:has(> #layers-{layer})").click()
        lab.settle()
        assert (lab.picture(), lab.picture("lines")) == before, layer


def test_the_readout_follows_the_pointer(lab: Lab) -> None:
    lab.open()
    lab.page.mouse.move(*lab.pixel(-1, -1))
    expect(lab.find("readout")).to_be_visible()
    expect(lab.find("readout").locator("div").first).to_contain_text("A")
    lab.page.mouse.move(*lab.pixel(4, 2))
    expect(lab.find("readout").locator("div").first).to_contain_text("B")
    lab.page.mouse.move(5, 5)
    expect(lab.find("readout")).to_be_hidden()


def test_the_line_is_there_whatever_was_shown_before(lab: Lab) -> None:
    """Of a single feature the answer may have come while the surface was shown."""
    lab.open({"data": {"preset": "one", "seed": 1, "n": 60}, "view": "surface"})
    lab.page.evaluate("() => lab.change({ view: 'plane' })")
    lab.settle()
    assert lab.page.locator("#line .area").count() == 2
    box = lab.find("line").bounding_box()
    assert box is not None
    lab.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 60)
    lab.settle()
    assert lab.state["at"] is not None
    lab.page.set_viewport_size({"width": 900, "height": 240})  # less than the words need
    lab.settle()


def test_an_answer_about_another_view_is_not_shown(lab: Lab) -> None:
    lab.open()
    before = lab.find("errors").text_content()
    lab.page.evaluate("() => { lab.change({ view: 'line' }); lab.undo(); }")
    lab.settle()
    assert lab.find("errors").text_content() == before


def test_a_slider_that_is_brought_back_is_let_go(lab: Lab) -> None:
    """The browser tells of no change then."""
    lab.open()
    lab.panel("stream")
    place = lab.middle("stream-n")
    lab.page.mouse.click(*place)
    lab.settle()
    seen = lab.state["stream"]
    assert seen < 200
    lab.hold(place, (40, 0), 2)
    assert lab.get("lab.dragging") is True
    lab.page.mouse.move(*place)
    lab.page.mouse.up()
    lab.settle()
    assert lab.get("lab.dragging") is False
    assert lab.state["stream"] == seen


def test_a_handle_whose_gaussian_goes_away_is_let_go(lab: Lab) -> None:
    """Another table is opened while it is held, by a lesson for instance."""
    for view, handle in (("line", "line-deviation-0"), ("plane", "handle-axis-0-0")):
        lab.open({"view": view})
        lab.hold(lab.middle(handle), (10, 0), 2)
        lab.page.evaluate("() => lab.change({ data: { from: 'preset', preset: 'three' } })")
        lab.page.mouse.move(310, 300)
        lab.until(
            "lab.data.classes.length === 3 && document.querySelectorAll('.held').length === 0"
        )
        lab.page.mouse.move(300, 300)
        lab.page.mouse.up()
        lab.settle()
        assert lab.get("lab.dragging") is False
        expect(lab.find("problem")).to_be_hidden()


def test_an_address_of_a_step_sets_it_up(lab: Lab) -> None:
    lab.open({"lesson": ["petals", 2]})
    lab.panel("lessons")
    lab.until("lab.state.data.preset === 'petals'")
    lab.settle()
    expect(lab.find("lessons-text")).to_contain_text("4.895")
    assert lab.find("undo").is_disabled()
