"""Tables with categories, missing values and rows without label, on the page."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser import tables
from tests.browser.lab import Lab

NO_CODE = 255


@pytest.fixture
def mixed(lab: Lab) -> Lab:
    lab.send("mixed.csv", tables.as_mixed_csv())
    return lab


def codes(lab: Lab) -> Any:
    return lab.array("data", "codes")


def points(lab: Lab) -> Any:
    return lab.array("data", "points")[:, lab.get("lab.data.pair")]


def test_nothing_is_lost_and_everything_is_said(mixed: Lab) -> None:
    panel = mixed.page.locator("#panel-data")
    unlabelled = int((codes(mixed) == NO_CODE).sum())
    lacking = int(np.isnan(points(mixed)).any(axis=1).sum())
    assert unlabelled > 20
    assert lacking > 3
    expect(mixed.find("toast")).to_have_text(
        f"left out: found (28 categories in 120 rows); {unlabelled} rows have no label in 'tree', "
        "and the model learns from them too"
    )
    expect(panel.locator(".summary")).to_contain_text("120 rows, 6 features, 2 of them categories")
    expect(panel.locator(".legend li").last).to_have_text(f"no label{unlabelled}")
    expect(mixed.find("title")).to_have_text(
        f"mixed.csv · 120 points, {lacking} not drawn · 3 classes"
    )
    x, y = (mixed.get("lab.data.features")[column] for column in mixed.get("lab.data.pair"))
    expect(mixed.find("data-lacking")).to_have_text(
        f"{lacking} rows lack {x} or {y} and are not drawn; the model learns from what they have."
    )
    expect(mixed.find("class-255")).to_have_text("no label")
    assert mixed.head("scene")["problem"] is None
    mixed.press("view-line")  # where one feature is enough to be drawn
    one = int(np.isnan(points(mixed)[:, 0]).sum())
    expect(mixed.find("title")).to_have_text(f"mixed.csv · 120 points, {one} not drawn · 3 classes")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_points_without_label_are_grey(mixed: Lab, theme: Any) -> None:
    mixed.page.emulate_media(color_scheme=theme)
    mixed.settle()
    places, labels = points(mixed), codes(mixed)
    places, labels = (each[~np.isnan(places).any(axis=1)] for each in (places, labels))
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    row = int(np.argmax(np.where(labels == NO_CODE, apart.min(axis=1), -1)))
    faint = {"light": [138, 147, 160, 255], "dark": [125, 135, 148, 255]}[theme]
    # The page is told of another theme after the call that sets it: until it is painted, wait.
    mixed.page.wait_for_function(
        """([at, faint]) => {
            const canvas = document.getElementById("canvas-points");
            const ratio = canvas.width / lab.plot.width;
            const [left, top] = lab.view().toPixel(...at).map((side) => Math.round(ratio * side));
            const shown = canvas.getContext("2d").getImageData(left, top, 1, 1).data;
            return shown.join() === faint.join();
        }""",
        arg=[places[row].tolist(), faint],
    )


def test_the_weight_of_points_without_label(mixed: Lab) -> None:
    mixed.panel("model")
    before = mixed.head("scene")["parameters"]["means"]
    mixed.slide("model-unlabelled", 0)
    alone = mixed.head("scene")["parameters"]["means"]
    assert alone != before
    mixed.slide("model-smoothing", 4)
    assert mixed.head("scene")["parameters"]["means"] == alone  # numbers are not smoothed
    assert mixed.state["model"]["smoothing"] == 4
    mixed.press("undo")
    mixed.press("undo")
    assert mixed.head("scene")["parameters"]["means"] == before


def test_categories_of_a_point(mixed: Lab) -> None:
    panel = mixed.panel("point")
    row = int(np.flatnonzero(~np.isnan(points(mixed)).any(axis=1) & (codes(mixed) == 0))[0])
    mixed.page.mouse.click(*mixed.pixel(*points(mixed)[row].tolist()))
    mixed.settle()
    own = mixed.array("data", "categories")[row].tolist()
    assert mixed.state["categories"] == own
    assert mixed.head("point")["categories"] == own
    shown = [mixed.find(f"point-category-{j}").input_value() for j in (0, 1)]
    assert shown == [str(code) for code in own]
    names = panel.locator(".odds .name")
    soil = mixed.get("lab.data.categories[0].values")[own[0]]
    expect(names.filter(has_text="soil")).to_have_text(f"soil: {soil}")
    regions = mixed.picture()
    posterior = mixed.head("point")["posterior"]
    for which in (0, 1):
        mixed.find(f"point-category-{which}").select_option("")
        mixed.settle()
    assert mixed.state["categories"] == [None, None]
    assert mixed.head("point")["posterior"] != posterior
    expect(names).to_have_count(4)  # the start, two features, and all together
    assert mixed.picture() == regions
    mixed.press("undo")
    mixed.open(after=mixed.page.url.split("#")[1])  # the address holds what is known of the point
    mixed.panel("point")
    mixed.choose("point-hide", "0")
    expect(names.filter(has_text="bark")).to_have_count(
        int(mixed.state["categories"][1] is not None)
    )


def test_painting_keeps_points_without_label(mixed: Lab) -> None:
    before = int((codes(mixed) == NO_CODE).sum())
    lost = int((np.isnan(points(mixed)).any(axis=1) & (codes(mixed) == NO_CODE)).sum())
    mixed.find("class-255").click()
    mixed.page.mouse.click(*mixed.middle("inner"))
    mixed.settle()
    assert int((codes(mixed) == NO_CODE).sum()) == before - lost + 1
    assert mixed.state["data"]["points"][-1][2] is None
    assert mixed.head("scene")["problem"] is None
    mixed.press("undo")
    assert mixed.get("lab.data.n") == 120
    assert int((codes(mixed) == NO_CODE).sum()) == before


def test_the_numbers_of_a_mixed_table(mixed: Lab) -> None:
    panel = mixed.panel("numbers")
    mixed.await_answer("numbers")
    expect(panel.locator("caption", has_text="P(soil | class)")).to_have_count(1)
    expect(panel).to_contain_text("Something is missing: EM took")
    expect(panel.locator(".scores")).to_contain_text("In 10 folds")
    panel = mixed.panel("take_away")
    expect(mixed.find("take-command")).to_contain_text("--categorical soil,bark")
    expect(mixed.find("take-python")).to_contain_text("categorical_features=[4, 5]")


def test_categories_alone(lab: Lab) -> None:
    lab.send("sizes.csv", tables.as_categories())
    expect(lab.find("problem")).to_be_hidden()
    assert lab.get("lab.gaussians") is None
    # Bars of the probabilities stand in the place of the plane; a click says what is known.
    bars = lab.find("categories")
    bars.get_by_role("button", name="M").click()
    lab.settle()
    expect(bars.get_by_role("button", name="M")).to_have_attribute("aria-pressed", "true")
    expect(bars.locator("section").last).to_contain_text("posterior")
    panel = lab.panel("point")
    expect(lab.find("point-category-0").locator("option:checked")).to_have_text("M")
    expect(panel.locator(".verdict")).to_contain_text("Predicted")
    expect(panel.locator(".odds .name").nth(1)).to_have_text("size: M")
    panel = lab.panel("numbers")
    lab.await_answer("numbers")
    expect(panel.locator("caption", has_text="P(size | class)")).to_have_count(1)
    lab.panel("multiples")
    lab.await_answer("multiples")
    expect(lab.page.locator("#multiples-list button")).to_have_count(1)
    lab.panel("model")
    expect(lab.find("model-covariance")).to_be_hidden()
    expect(lab.find("model-smoothing")).to_be_visible()
    lab.panel("take_away")
    expect(lab.find("take-png")).to_be_disabled()
    lab.panel("data")
    lab.press("data-preset-three")
    lab.settle()
    expect(lab.find("problem")).to_be_hidden()
    expect(lab.find("handle-mean-0")).to_be_visible()


def test_categories_are_filters(mixed: Lab) -> None:
    """Regions, errors and points are those of the category, as the library has them."""
    bark = mixed.get("lab.data.categories[0]")
    codes_of = mixed.array("data", "categories")[:, 0]
    before, drawn = mixed.array("scene", "posterior"), mixed.picture("points")
    mixed.find("filter-0").select_option("0")
    mixed.settle()
    where = f"where {bark['name']} = {bark['values'][0]}"
    expect(mixed.find("errors")).to_contain_text(f"Training error of these 2 features {where}")
    assert mixed.picture("points") != drawn
    assert not np.array_equal(mixed.array("scene", "posterior"), before)
    lacking = np.isnan(points(mixed)).any(axis=1) | (codes_of != 0)
    expect(mixed.find("title")).to_contain_text(f"{lacking.sum()} not drawn")
    # The same at a place: the category is known there, too.
    x, y = np.nanmean(points(mixed), axis=0)
    mixed.page.evaluate("(at) => lab.change({ at }, { record: false })", [x, y])
    mixed.settle()
    assert mixed.head("point")["categories"][0] == 0
    filtered = mixed.head("point")["posterior"]
    mixed.press("undo")
    expect(mixed.find("filter-0")).to_have_value("")
    assert mixed.picture("points") == drawn
    assert mixed.head("point")["posterior"] != filtered
