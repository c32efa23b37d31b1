"""Journeys through the page: what its readers do, and the numbers that they see."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser
from sklearn.neighbors import KNeighborsClassifier

from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_iris
from tests.page import newcomer
from tests.page.driving import (
    HANDLES,
    NARROW,
    WIDE,
    Lab,
    encoded,
    is_rounded,
    multiplies_out,
    number,
    opened,
)

MOST_CONTROLS = 25
IRIS = load_iris()
PETALS = np.asarray(IRIS.rows)[:, 2:]


@pytest.mark.parametrize("task", newcomer.TASKS, ids=lambda task: task.__name__)
def test_a_newcomer_needs_at_most_two_actions(task: Callable[[Any], Any], lab: Lab) -> None:
    with newcomer.counting(lab) as somebody:
        task(somebody)


def test_every_place_has_few_controls_and_a_model(lab: Lab) -> None:
    for name, controls in controls_by_place(lab):
        assert len(controls) <= MOST_CONTROLS, (name, controls)
        assert lab.get("figure.scene.problem") is None, name
        assert not re.search(r"NaN|Infinity|undefined", lab.page.locator("#lab").inner_text()), name


def controls_by_place(lab: Lab) -> Iterator[tuple[str, list[str]]]:
    """What the controls in view are called: in each panel, with each example, in each lesson."""
    yield "start", lab.controls()
    for name in ("data", "play"):
        lab.tab(name)
        yield name, lab.controls()
    for example in lab.find("Example", "combobox").locator("option:enabled").all_text_contents():
        lab.choose("Example", example)
        yield f"play, {example}", lab.controls()
    lab.drop("iris.csv", iris_csv())
    for view in ("Line", "Surface", "Plane"):
        lab.press(view)
        yield f"data, iris.csv, {view}", lab.controls()
    lab.page.keyboard.press("Control+z")  # now there is something to redo
    lab.settle()
    yield "data, iris.csv, after Undo", lab.controls()
    rows = [f"{i * i % 37},{i * i % 41},{i * i % 43},class {i % 6}" for i in range(180)]
    lab.drop("six.csv", "\n".join(["a,b,c,kind", *rows]))
    yield "data, 6 classes", lab.controls()
    lab.tab("learn")
    yield "learn", lab.controls()
    lab.page.locator(".lab-lesson").first.click()
    while True:
        lab.settle()
        place = lab.get("app.place")
        yield f"learn, {place['lesson']}, {place['step'] + 1}", lab.controls()
        if lab.find("All lessons").count() > 1:  # the last step of all
            return
        lab.page.locator(".lab-turn .lab-primary").click()


def iris_csv() -> str:
    """Fisher's irises as a file."""
    names = [*IRIS.feature_names, "species"]
    rows = [
        ",".join([*map(str, row), label]) for row, label in zip(*rows_and_labels(), strict=True)
    ]
    return "\n".join([",".join(names), *rows]) + "\n"


def rows_and_labels() -> tuple[list[list[float]], list[str]]:
    return np.asarray(IRIS.rows).tolist(), np.asarray(IRIS.labels).tolist()


# Numbers.


def test_the_numbers_are_those_of_the_library(lab: Lab) -> None:
    lab.tab("play")
    lab.choose("Example", "Fisher's irises")
    full = GaussianClassifier().fit(PETALS, IRIS.labels)
    errors = dict(lab.table("Errors"))
    assert errors["free parameters"] == str(full.n_parameters_)
    assert is_rounded(errors["training error"], 1 - full.score(PETALS, IRIS.labels))
    held_out = full.leave_one_out(PETALS, IRIS.labels).evaluation
    assert is_rounded(errors["leave-one-out error"], held_out.n_errors / 150)
    every = GaussianClassifier().fit(IRIS.rows, IRIS.labels)
    assert is_rounded(
        errors["training error of all 4 features"], 1 - every.score(IRIS.rows, IRIS.labels)
    )
    known = full.evaluate(PETALS, IRIS.labels).bayes_error
    assert known is not None
    shown = float(number(errors["Bayes error if the model is right"].removesuffix(" %"))) / 100
    assert shown == pytest.approx(known.error, abs=5 * known.standard_error + 5e-5)
    must_show_parameters(lab, full)
    must_show_confusion(lab, full)
    for shape, option in (
        ("diagonal", "diagonal (naive Bayes)"),
        ("spherical", "spherical"),
        ("full", "full"),
    ):
        lab.choose("covariance", option)
        lab.slide("pooled", 0.35)
        model = GaussianClassifier(shape, shared=0.35).fit(PETALS, IRIS.labels)
        must_show_parameters(lab, model)
        must_show_confusion(lab, model)
        for place in ((2.4, 0.8), (4.9, 1.7), (6.5, 0.4)):
            lab.page.mouse.click(*lab.place(*place))
            lab.settle()
            must_show_bayes_rule(lab, model)
    lab.slide("prior of virginica", 0.8)
    priors = [0.1, 0.1, 0.8]
    assert lab.get("figure.scene.model.priors") == pytest.approx(priors)
    must_show_bayes_rule(lab, model.with_priors(priors))
    lab.choose("not measured", "petal width (cm)")
    assert "petal width (cm) not measured" in lab.page.locator(".gb-card").inner_text()
    must_show_bayes_rule(lab, model.with_priors(priors))
    lab.choose("Model", "k nearest neighbours")
    lab.slide("neighbours k", 7)
    neighbours = KNeighborsClassifier(7).fit(PETALS, IRIS.labels)
    shown = dict(lab.table("Errors"))["7 neighbours, training rows"]
    # Equal distances at the seventh neighbour are ordered differently.
    assert float(number(shown.removesuffix(" %"))) / 100 == pytest.approx(
        1 - neighbours.score(PETALS, IRIS.labels), abs=1.01 / 150
    )


def must_show_parameters(lab: Lab, model: GaussianClassifier) -> None:
    _, *rows = lab.table("Priors and means")
    _, *shapes = lab.table("Covariances")
    for code, (row, shape) in enumerate(zip(rows, shapes, strict=True)):
        values = [model.priors_[code], *model.means_[code]]
        assert all(map(is_rounded, row[1:], values)), (row, values)
        covariance = np.broadcast_to(model.covariances_, (3, 2, 2))[code]
        correlation = np.broadcast_to(model.correlations_, (3, 2, 2))[code][0, 1]
        values = [covariance[0, 0], covariance[0, 1], covariance[1, 1], correlation]
        assert all(map(is_rounded, shape[1:], values)), (shape, values)


def must_show_confusion(lab: Lab, model: GaussianClassifier) -> None:
    _, *rows = lab.table("Confusion matrix")
    predicted, labels = model.predict(PETALS), np.asarray(IRIS.labels)
    counts = [
        [int(((labels == a) & (predicted == b)).sum()) for b in model.classes_]
        for a in model.classes_
    ]
    assert [[int(number(cell)) for cell in row[1:]] for row in rows] == counts


def must_show_bayes_rule(lab: Lab, model: GaussianClassifier) -> None:
    """The card has the library's terms at the query, and they multiply out."""
    hidden = lab.get("figure.scene.hidden")
    query = [np.nan if h else x for x, h in zip(lab.state["query"], hidden, strict=True)]
    scores, card = model.scores([query]), lab.card()
    assert list(card) == model.classes_.tolist()
    for code, terms in enumerate(card.values()):
        assert multiplies_out(terms), terms
        assert is_rounded(terms["prior"], model.priors_[code]), (terms, query)
        assert is_rounded(terms["likelihood"], np.exp(scores.log_likelihood[0, code])), terms
        assert is_rounded(terms["evidence"], np.exp(scores.log_evidence[0])), terms
        assert is_rounded(terms["posterior"], scores.posterior[0, code]), terms


# The page that Python wrote.


def test_a_model_from_python_is_shown_by_a_grid_until_the_reader_switches(
    browser: Browser, tmp_path: Path
) -> None:
    model = GaussianClassifier(transforms="yeo-johnson").fit(IRIS.rows, IRIS.labels)
    path = model.lab(IRIS.rows, IRIS.labels).save(tmp_path / "iris.html")
    with opened(browser, path.as_uri()) as lab:
        assert lab.get("Object.keys(figure.state.model)") == ["grid"]
        panel = lab.page.locator(".lab-panel").inner_text()
        assert "computed by Python on a grid, because its features are transformed" in panel
        assert "posteriors computed by Python" in lab.page.locator(".gb-chips").inner_text()
        assert lab.controls("[data-handle^=mean], [data-handle^=axis]") == []
        must_show_grid(lab, model)
        lab.page.mouse.click(*lab.place(4.8, 1.6))
        lab.settle()
        must_show_grid(lab, model)
        lab.press("Plain Gaussians of these two features")
        columns = lab.get("figure.scene.columns")
        plain = GaussianClassifier().fit(np.asarray(IRIS.rows)[:, columns], IRIS.labels)
        must_show_bayes_rule(lab, plain)
        assert "computed by Python" not in lab.page.locator("#lab").inner_text()
        lab.choose("Model", "Gaussians, by hand")
        assert len(lab.controls("[data-handle^=mean]")) == 3
        for _ in range(2):
            lab.page.go_back()
            lab.settle()
        assert lab.get("Object.keys(figure.state.model)") == ["grid"]
        assert lab.controls("[data-handle^=mean]") == []
        must_show_grid(lab, model)


def must_show_grid(lab: Lab, model: GaussianClassifier) -> None:
    """The card has the posteriors of the model's marginal in the middle of the query's cell."""
    columns, query = lab.get("[figure.scene.columns, figure.state.query]")
    grid = lab.get(
        "(({ x, y, width, height }) => [[x, width], [y, height]])(figure.scene.model.grid)"
    )
    cell = []
    for value, ((low, high), count) in zip(query, grid, strict=True):
        step = (high - low) / count
        cell.append(low + (np.floor((value - low) / step) + 0.5) * step)
    posterior = model.marginal(columns).predict_proba([cell])[0]
    for terms, value in zip(lab.card().values(), posterior, strict=True):
        assert float(number(terms["posterior"])) == pytest.approx(value, abs=6e-4)


def test_parameters_from_python_are_shown_as_they_are(browser: Browser, tmp_path: Path) -> None:
    model = GaussianClassifier(shared=0.3, priors=[0.2, 0.3, 0.5]).fit(PETALS, IRIS.labels)
    path = model.lab(PETALS, IRIS.labels).save(tmp_path / "petals.html")
    with opened(browser, path.as_uri()) as lab:
        assert lab.find("Model", "combobox").input_value() == "python"
        must_show_bayes_rule(lab, model)
        must_show_parameters(lab, model)
        must_show_confusion(lab, model)


def test_a_notebook_shows_the_page_in_a_frame(browser: Browser) -> None:
    model = GaussianClassifier().fit(PETALS, IRIS.labels)
    context = browser.new_context(viewport=WIDE, reduced_motion="reduce", offline=True)
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_content(f"<h1>A notebook</h1>{model.lab(PETALS, IRIS.labels)._repr_html_()}")
    frame = page.frame_locator("iframe")
    frame.get_by_role("combobox", name="Model").select_option("hand")
    frame.locator("[data-handle=mean-0]").press("ArrowRight")
    frame.get_by_role("button", name="Undo").click()  # where there is no address to change
    frame.get_by_role("button", name="Learn").click()
    frame.get_by_role("button", name="One feature, two species").click()
    frame.get_by_text("Step 1 of 5").wait_for()
    assert complaints == []
    context.close()


# Exports.


STATES: dict[str, tuple[str, dict[str, Any]]] = {
    "held out": ("play", {"model": {"covariance": "diagonal"}, "test": {"proportion": 0.3}}),
    "by hand": ("play", {"query": [-0.3, 0.1]}),
    "hidden": ("play", {"model": {"shared": 0.5}, "query": [1, 1], "hidden": [0]}),
    "missing": (
        "play",
        {"data": {"example": "missing"}, "model": {"divisor": "unbiased"}, "query": [45, None]},
    ),
    "unlabelled": ("play", {"data": {"example": "unlabelled"}, "model": {"shared": 1}}),
}


def test_exported_code_prints_the_numbers_of_the_page(lab: Lab, tmp_path: Path) -> None:
    runs = {}
    for name, (place, spec) in STATES.items():
        lab.open(encoded(place, spec))
        assert lab.message == "", name
        script = tmp_path / f"{name}.py"
        script.write_text(lab.python_code(), encoding="utf-8")
        shown = lab.get("[figure.quantity('error'), figure.quantity('test_error')]")
        runs[name] = (lab.card(), shown, script)
    outputs = run([script for *_, script in runs.values()])
    for (name, (card, (error, test_error), _)), output in zip(runs.items(), outputs, strict=True):
        printed = dict(re.findall(r"^(.+ error) (\S+)$", output, re.MULTILINE))
        assert float(printed["training error"]) == pytest.approx(error, abs=1e-12), name
        if name == "held out":
            assert float(printed["test error"]) == pytest.approx(test_error, abs=1e-12)
        rules = re.findall(r"^(.+): (\S+) × (\S+) / (\S+) = (\S+)$", output, re.MULTILINE)
        assert [rule[0] for rule in rules] == list(card), name
        for label, *values in rules:
            for term, value in zip(TERMS, values, strict=True):
                # One prints four digits, the other as many as multiply out.
                shown = float(number(card[label][term]))
                assert shown == pytest.approx(float(value), rel=6e-3, abs=6e-4), (name, label)


TERMS = ("prior", "likelihood", "evidence", "posterior")
RUN_ALL = """import runpy, sys
for path in sys.argv[1:]:
    runpy.run_path(path)
    print("\\f")
"""


def run(scripts: list[Path]) -> list[str]:
    """What some scripts print, run one after the other by another Python."""
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", RUN_ALL, *map(str, scripts)]
    done = subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\f")[:-1]


def test_points_are_exported_as_they_were_read(lab: Lab) -> None:
    lab.drop("iris.csv", iris_csv())
    header, *rows = lab.download("Points as CSV").splitlines()
    assert header == iris_csv().splitlines()[0]
    read = [row.split(",") for row in rows]
    assert [[float(cell) for cell in row[:-1]] for row in read] == rows_and_labels()[0]
    assert [row[-1] for row in read] == rows_and_labels()[1]


# Ways of use.


def test_everything_works_by_keys(lab: Lab) -> None:
    keyboard = lab.page.keyboard

    def reach(name: str) -> None:
        for _ in range(60):
            keyboard.press("Tab")
            label = lab.page.evaluate(
                "() => document.activeElement.ariaLabel || document.activeElement.textContent"
            )
            if label and label.startswith(name):
                outline = "() => getComputedStyle(document.activeElement).outlineStyle"
                assert lab.page.evaluate(outline) != "none" or name == "mean of"
                return
        pytest.fail(f"{name} cannot be reached")

    before = lab.state
    reach("mean of B")
    keyboard.press("ArrowLeft")
    keyboard.press("Shift+ArrowUp")
    lab.settle()
    means = lab.state["model"]["parameters"]["means"]
    assert means[1][0] < before["model"]["parameters"]["means"][1][0]
    assert means[1][1] > before["model"]["parameters"]["means"][1][1]
    keyboard.press("Control+z")
    lab.settle()
    assert lab.state == before
    reach("Play")
    keyboard.press("Enter")
    lab.settle()
    assert lab.page.locator("h2", has_text="Model").is_visible()
    keyboard.press("?")
    lab.page.locator("dialog").wait_for()
    keyboard.press("Escape")
    lab.page.locator("dialog").wait_for(state="detached")
    reach("Export")
    keyboard.press("Enter")
    assert lab.find("Python code").is_visible()
    reach("Learn")
    keyboard.press("Space")
    lab.settle()
    reach("4")
    keyboard.press("Enter")
    lab.settle()
    assert lab.get("app.place.lesson") == "two-gaussians"
    keyboard.press("PageDown")
    lab.settle()
    assert lab.get("app.place.step") == 1


def test_presentation_mode(lab: Lab) -> None:
    lab.open("learn/shapes/1")
    size = "parseFloat(getComputedStyle(document.querySelector('.lab-text')).fontSize)"
    before, state = lab.get(size), lab.state
    lab.page.keyboard.press("f")
    lab.settle()
    assert lab.get("app.root.dataset.presenting") == "true"
    assert lab.get(size) > 1.15 * before
    assert lab.state == state
    assert len(lab.controls()) <= 10
    lab.page.keyboard.press("Space")  # one key for the next step
    lab.settle()
    assert lab.get("app.place.step") == 1
    lab.page.keyboard.press("f")
    lab.settle()
    assert lab.get("app.root.dataset.presenting") == "false"
    assert lab.get(size) == before
    lab.open("play")
    lab.page.keyboard.press("f")
    lab.until("document.fullscreenElement !== null")  # the browser takes a while to show it
    lab.settle()
    left, top = lab.middle("mean-1")
    lab.drag((left, top), (90, 60))
    assert lab.middle("mean-1") == pytest.approx((left + 90, top + 60), abs=1.5)


def test_narrow_pages_show_lessons_first_and_fit(browser: Browser, address: str) -> None:
    with opened(browser, address, viewport=NARROW, has_touch=True) as lab:
        tabs = lab.page.locator("#lab-tabs b").all_text_contents()
        assert tabs == ["Learn", "Play", "My data"]
        for after in ("", "play", "data", "learn", "learn/petals/2", "learn/genetic-test/2"):
            lab.open(after)
            assert lab.get("document.documentElement.scrollWidth") == NARROW["width"], after
        lab.open("play")
        lab.page.locator(".gb-inner").scroll_into_view_if_needed()
        left, top = lab.place(2, 2)
        lab.page.touchscreen.tap(left, top)
        lab.settle()
        assert lab.state["query"] == pytest.approx([2, 2], abs=0.3)
        small = [
            name
            for name, height in lab.get(
                """[...document.querySelectorAll("button, select, summary")]
                .filter((element) => element.checkVisibility())
                .map((element) => [element.textContent, element.getBoundingClientRect().height])"""
            )
            if height < 24
        ]
        assert small == []


def test_numbers_turn_grey_while_they_are_out_of_date(lab: Lab) -> None:
    lab.tab("play")
    left, top = lab.middle("mean-0")
    lab.page.mouse.move(left, top)
    lab.page.mouse.down()
    lab.page.mouse.move(left + 80, top)
    assert lab.page.locator(".lab-numbers.gb-old").count() == 1
    lab.page.mouse.up()
    lab.settle()
    assert lab.page.locator(".lab-numbers.gb-old").count() == 0


def test_changes_are_animated_unless_the_reader_wants_less_motion(
    browser: Browser, address: str
) -> None:
    for motion, is_animated in (("no-preference", True), ("reduce", False)):
        with opened(browser, address, reduced_motion=motion) as lab:
            begun = lab.get("(figure.set({ 'model.parameters.means.0': [1, 1] }), figure.tween)")
            assert (begun is not None) == is_animated
            lab.settle()
            assert lab.get("figure.drawn.model.means[0]") == [1, 1]


def test_handles_are_never_below_the_card(lab: Lab) -> None:
    for after in ("", "play", "learn/priors/1"):
        lab.open(after)
        assert lab.controls(HANDLES)
        assert lab.get(
            """(() => {
                const card = document.querySelector(".gb-card").getBoundingClientRect();
                const stage = figure.stage.getBoundingClientRect();
                return card.top >= stage.bottom || card.left >= stage.right;
            })()"""
        )
