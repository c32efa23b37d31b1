"""The model's settings, one point and the numbers: all as the library has them."""

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from gaussbayes import GaussianClassifier
from tests.browser import tables
from tests.browser.lab import Lab

AT = [0.75, 1.25]


@pytest.fixture
def trees(lab: Lab) -> Lab:
    """The page with a table of four features and three classes."""
    lab.send("trees.csv", tables.as_csv(), pair=[0, 1])
    return lab


def number(text: str | None) -> float:
    """A number as the page writes it: 0.012, −3.4 or 1.2·10⁻⁷."""
    plain = str(text).replace("−", "-").replace("> ", "").replace("< ", "").replace("\u202f", "")
    front, _, power = plain.partition("·10")
    raised = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return float(front) * 10 ** int(raised or 0)


def cells(lab: Lab, kind: str) -> list[float]:
    """The numbers of a kind in the lines of Bayes' rule."""
    return [
        number(text)
        for text in lab.page.locator(f"#panel-point .bayes-class .{kind}").all_text_contents()
    ]


def test_priors_sum_to_one(trees: Lab) -> None:
    lab = trees
    lab.panel("model")
    expect(lab.find("model-prior-2")).to_be_visible()
    priors = lab.page.locator("#model-priors input[type=range]")
    values = [float(one.input_value()) for one in priors.all()]
    np.testing.assert_allclose(values, [1 / 2, 1 / 3, 1 / 6], atol=0.003)
    before = lab.picture()
    lab.slide("model-prior-2", 0.7)
    assert lab.state["model"]["priors"] == pytest.approx([0.18, 0.12, 0.7])
    assert sum(float(one.input_value()) for one in priors.all()) == pytest.approx(1, abs=0.008)
    assert lab.picture() != before
    lab.press("model-prior-0-lock")
    lab.slide("model-prior-1", 0.5)
    assert lab.state["model"]["priors"] == pytest.approx([0.18, 0.5, 0.32])
    lab.press("model-priors-uniform")
    assert lab.state["model"]["priors"] == pytest.approx([1 / 3] * 3)
    lab.press("model-priors-data")
    assert lab.state["model"]["priors"] is None
    assert lab.picture() == before


def test_remedies_are_buttons(lab: Lab) -> None:
    """Each is pressed, mends the model, and is taken back."""
    lab.open({"data": {"preset": "few_rows"}})
    expect(lab.find("problem")).to_contain_text("class 'A' has")
    buttons = lab.page.locator("#problem button")
    labels = buttons.all_text_contents()
    assert labels[0] == "Have the model chosen automatically"
    assert labels[1:3] == ["Shrink covariances", "Share one covariance among the classes"]
    for label in labels:
        lab.page.get_by_role("button", name=label, exact=True).click()
        expect(lab.find("problem")).to_be_hidden()
        assert lab.head("scene")["problem"] is None
        lab.press("undo")
        expect(buttons.first).to_be_visible()


def test_structures(trees: Lab) -> None:
    lab = trees
    lab.panel("model")
    lab.choose("model-divisor", "unbiased")
    X, kinds = tables.rows()
    for covariance, shared in product(("full", "diagonal", "spherical"), (0, 1)):
        lab.choose("model-covariance", covariance)
        lab.slide("model-shared", shared)
        same: dict[str, Any] = {"covariance": covariance, "shared": bool(shared)}
        model = GaussianClassifier(**same, divisor="unbiased").fit(X, kinds)
        found = lab.head("scene")["parameters"]
        np.testing.assert_allclose(found["means"], model.means_[:, :2])
        wanted = np.broadcast_to(model.marginal([0, 1]).covariances_, (3, 2, 2))
        np.testing.assert_allclose(found["covariances"], wanted, atol=1e-12, err_msg=str(same))


def test_neighbours_vote(trees: Lab) -> None:
    from sklearn.neighbors import KNeighborsClassifier  # no other test of the page needs it

    lab = trees
    lab.panel("model")
    lab.choose("model-from", "neighbours")
    X, kinds = tables.rows()
    seen = set()
    for k in (1, 15):
        lab.slide("model-k", k)
        assert lab.state["neighbours"] == k
        peer = KNeighborsClassifier(k).fit(X[:, :2], kinds)
        wrong = peer.predict(X[:, :2]) != kinds
        np.testing.assert_array_equal(lab.array("scene", "wrong").astype(bool), wrong)
        seen.add(lab.picture())
    assert len(seen) == 2


def test_bayes_rule_at_a_point(trees: Lab) -> None:
    lab = trees
    X, kinds = tables.rows()
    model = GaussianClassifier().fit(X, kinds)
    lab.panel("point")
    lab.press("point-set")
    lab.find("point-x").fill(str(AT[0]))
    lab.find("point-y").fill(str(AT[1]))
    lab.find("point-y").press("Enter")
    lab.settle()
    assert lab.state["at"] == AT
    told = model.marginal([0, 1]).explain(AT).as_record()
    shown = lab.head("point")
    assert shown["prediction"] == max(told["classes"], key=lambda one: one["posterior"])["class"]
    expect(lab.page.locator("#panel-point .verdict")).to_contain_text(shown["prediction"])
    for name in ("prior", "likelihood", "posterior"):
        wanted = [one[name] for one in told["classes"]]
        found = [one[name] for one in shown["explanation"]["classes"]]
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
        np.testing.assert_allclose(cells(lab, name), wanted, rtol=6e-3, atol=6e-4)
    evidence = lab.page.locator("#panel-point .evidence").text_content()
    assert number(evidence) == pytest.approx(told["evidence"], rel=6e-3)
    bars = lab.page.locator("#panel-point .odds .amount").all_text_contents()
    odds = told["log_odds"]
    amounts = [odds["at_reference"], *(one["amount"] for one in odds["contributions"])]
    np.testing.assert_allclose([number(bar) for bar in bars], [*amounts, odds["value"]], rtol=6e-3)


def test_a_hidden_coordinate(trees: Lab) -> None:
    lab = trees
    X, kinds = tables.rows()
    before = lab.picture()
    lab.page.mouse.click(*lab.pixel(*AT))
    lab.settle()
    lab.panel("point")
    lab.choose("point-hide", "1")
    assert lab.state["hide"] == 1
    assert lab.picture() != before
    label = lab.array("scene", "label")
    assert (label == label[0]).all()  # the regions depend on one coordinate alone
    alone = GaussianClassifier().fit(X[:, :1], kinds)
    told = alone.explain(lab.state["at"][:1]).as_record()
    wanted = [one["posterior"] for one in told["classes"]]
    np.testing.assert_allclose(lab.head("point")["posterior"], wanted, rtol=1e-9)
    np.testing.assert_allclose(cells(lab, "posterior"), wanted, rtol=6e-3, atol=6e-4)
    expect(lab.find("panel-point")).to_contain_text("width is integrated out")
    lab.choose("point-hide", "none")
    assert lab.picture() == before


def test_numbers(trees: Lab) -> None:
    lab = trees
    X, kinds = tables.rows()
    model = GaussianClassifier().fit(X, kinds)
    panel = lab.panel("numbers")
    scores = panel.locator("table.scores")
    expect(scores).to_be_visible()
    lab.await_answer("numbers")
    head = lab.head("numbers")
    assert head["features"] == list(tables.FEATURES)
    np.testing.assert_allclose(head["parameters"]["means"], model.means_)
    np.testing.assert_allclose(head["parameters"]["covariances"], model.covariances_)
    np.testing.assert_allclose(head["parameters"]["correlations"], model.correlations_)
    assert head["count"] == model.n_parameters_
    error = float(np.mean(model.predict(X) != kinds))
    assert head["train"]["error"] == pytest.approx(error)
    left_out = model.leave_one_out(X, kinds).evaluation
    one_by_one = [
        GaussianClassifier().fit(np.delete(X, row, 0), np.delete(kinds, row)).predict(X[[row]])[0]
        for row in range(len(X))
    ]
    assert head["leave_one_out"]["error"] == pytest.approx(np.mean(np.array(one_by_one) != kinds))
    assert head["leave_one_out"]["log_loss"] == pytest.approx(left_out.log_loss)
    errors = scores.locator("tr:has(th .term:text-is('error')) td").all_text_contents()
    shown = [float(text.removesuffix(" %")) / 100 for text in errors]
    wanted = [error, head["leave_one_out"]["error"]]
    np.testing.assert_allclose(shown, wanted, rtol=6e-3)
    expect(panel).to_contain_text(re.compile(rf"{model.n_parameters_}\s+free parameters"))
    confusion = panel.locator("table.confusion td")
    told = [int(text) for text in confusion.all_text_contents()]
    np.testing.assert_array_equal(np.reshape(told, (3, 3)), head["train"]["confusion"])
    lab.choose("numbers-set", "leave_one_out")
    told = [int(text) for text in confusion.all_text_contents()]
    np.testing.assert_array_equal(np.reshape(told, (3, 3)), head["leave_one_out"]["confusion"])


def test_test_rows(trees: Lab) -> None:
    lab = trees
    lab.panel("data")
    lab.slide("data-test", 0.25)
    assert lab.get("lab.data.test.reduce((sum, held) => sum + held, 0)") == 30
    expect(lab.find("errors")).to_contain_text("Test error")
    panel = lab.panel("numbers")
    expect(panel.get_by_text("Test", exact=True).first).to_be_visible()
    held = lab.get("[...lab.data.test]")
    lab.panel("data")
    lab.press("data-split")
    assert lab.get("[...lab.data.test]") != held


def test_models_side_by_side(trees: Lab) -> None:
    lab = trees
    lab.panel("multiples")
    cards = lab.page.locator("#multiples-list button")
    expect(cards).to_have_count(7)
    lab.await_answer("multiples")
    models = lab.head("multiples")["models"]
    X, kinds = tables.rows()
    for card, one in zip(cards.all()[:6], models[:6], strict=True):
        own = GaussianClassifier(**one["structure"]).fit(X, kinds)
        wanted = own.leave_one_out(X, kinds).evaluation.error
        text = str(card.text_content())
        shown = re.search(r"left out ([\d.]+) %", text)
        assert shown, text
        assert float(shown[1]) / 100 == pytest.approx(wanted, rel=6e-3)
    chosen = next(i for i, one in enumerate(models) if one.get("structure", {}).get("shared"))
    lab.press(f"multiples-{chosen}")
    assert lab.state["model"]["shared"] is True
    expect(cards.nth(chosen)).to_have_attribute("aria-pressed", "true")
    lab.press("multiples-6")
    assert lab.state["model"]["from"] == "neighbours"
