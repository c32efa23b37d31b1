"""The automatic model on the page: the default of files, not of examples; drags are quick."""

from playwright.sync_api import expect

from gaussbayes import GaussianClassifier
from tests.browser import tables
from tests.browser.lab import Lab, hash_of


def test_files_are_opened_with_it_and_examples_are_not(lab: Lab) -> None:
    lab.open()
    lab.choose_file("chosen.csv", tables.as_csv())
    lab.settle()
    lab.panel("model")
    best = GaussianClassifier.auto().fit(*tables.rows()).selection_.choice
    expect(lab.find("model-chosen")).to_have_text(best)
    expect(lab.find("model-covariance")).to_be_hidden()
    data, pair = lab.state["data"], lab.state["pair"]
    assert lab.page.url.endswith(f"#{hash_of({'data': data, 'pair': pair})}")
    lab.panel("take_away")
    expect(lab.find("take-command")).to_contain_text("--model auto")
    expect(lab.find("take-python")).to_contain_text("GaussianClassifier.auto()")
    lab.panel("model")
    lab.choose("model-from", "data")
    expect(lab.find("model-chosen")).to_be_hidden()
    plain = lab.state
    assert lab.page.url.endswith(
        f"#{hash_of({'data': data, 'pair': pair, 'model': {'from': 'data'}})}"
    )
    lab.open(plain)
    assert lab.state == plain
    lab.panel("model")
    lab.choose("model-from", "auto")
    lab.panel("data")
    lab.press("data-preset-three")
    lab.settle()
    assert lab.state["model"]["from"] == "data"
    lab.press("undo")
    assert (lab.state["data"], lab.state["model"]["from"]) == (data, "auto")


def test_the_plain_model_is_shown_while_points_move(lab: Lab) -> None:
    """The choice is made on release; other drags leave the chosen model in place."""
    lab.open({"data": {"preset": "three"}, "model": {"from": "auto"}})
    x, y = lab.pixel(*lab.array("data", "points")[0].tolist())
    lab.hold((x, y), (30, 20))
    lab.until("lab.answers.scene.request.model.from === 'data'")
    assert lab.state["model"]["from"] == "auto"
    lab.page.mouse.up()
    lab.settle()
    assert lab.head("scene")["parameters"]["chosen"]
    lab.press("tool-pan")
    lab.hold(lab.middle("inner"), (40, 0))
    lab.until("lab.dragging && lab.connection.underWay.size === 0")
    assert lab.get("lab.answers.scene.request.model.from") == "auto"
    lab.page.mouse.up()
    lab.settle()
