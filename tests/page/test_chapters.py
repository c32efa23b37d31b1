"""The live figures of the course start, agree with the text and the library, and follow the words.

The figures, numbers and buttons are taken from the chapters' sources and put on a page of their own
with the script: Sphinx is not needed.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression

from gaussbayes import Gaussian, GaussianClassifier, make_gaussian_dataset
from gaussbayes.datasets import load_iris
from gaussbayes.lab.script import STATIC, script

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_extensions"))

from blocks import blocks  # noqa: E402 - an extension of the site
from specs import assignments, specification, value  # noqa: E402

CHAPTERS = sorted((DOCS / "course").glob("[0-9]*.md"))
ROLE = re.compile(r"\{(live-value|live-set)\}`([^`]+)`")

Spec = dict[str, Any]


def figures(chapter: Path) -> dict[str, Spec]:
    """The specifications of a chapter's live figures, by name."""
    text = chapter.read_text(encoding="utf-8")
    return {block.argument: specification(block.body) for block in blocks(text, "live")}


SPECS = {
    f"{path.stem[:2]} {name}": spec for path in CHAPTERS for name, spec in figures(path).items()
}


def page_of(chapter: Path) -> str:
    """Figures, numbers and buttons of a chapter as the site writes them."""
    parts = [
        f'<figure class="live" id="live-{name}" data-spec="{escape(json.dumps(spec))}"></figure>'
        for name, spec in figures(chapter).items()
    ]
    for role, text in ROLE.findall(chapter.read_text(encoding="utf-8")):
        if role == "live-value":
            name, quantity, shown = map(escape, value(text))
            parts.append(
                f'<span data-figure="live-{name}" data-live="{quantity}" title="{shown}">'
                f"{shown}</span>"
            )
        else:
            name, changes, words = assignments(text)
            changed = escape(json.dumps(changes))
            parts.append(
                f'<button data-figure="live-{name}" data-set="{changed}">{escape(words)}</button>'
            )
    style = (STATIC / "figure.css").read_text(encoding="utf-8")
    return (
        f"<!doctype html><style>{style}</style><body style='width: 800px'>{''.join(parts)}</body>"
    )


@pytest.fixture(scope="module", params=CHAPTERS, ids=lambda path: path.stem)
def chapter(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[Path, Page]]:
    """Each chapter's figures, started."""
    context = browser.new_context(reduced_motion="reduce", viewport={"width": 1024, "height": 800})
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: line.type == "error" and problems.append(line.text))
    page.set_content(page_of(request.param))
    page.add_script_tag(content=script())
    page.wait_for_timeout(300)
    yield request.param, page
    assert problems == []
    context.close()


PROBLEMS = """() => [...document.querySelectorAll(".gb-problem")]
  .filter((line) => !line.hidden).map((line) => line.textContent)"""


def test_every_figure_starts(chapter: tuple[Path, Page]) -> None:
    path, page = chapter
    assert figures(path), "every chapter has a live figure"
    started = page.evaluate("[...gaussbayes.figures.keys()]")
    assert started == [f"live-{name}" for name in figures(path)]
    assert page.evaluate(PROBLEMS) == []


DIFFERENT = """() => [...document.querySelectorAll("[data-live]")].map((span) =>
    [span.dataset.figure, span.dataset.live, span.title, span.textContent])
  .filter(([, , stated, shown]) => stated.replaceAll("-", "−") !== shown.replaceAll("-", "−"))"""


def test_numbers_in_the_text_are_those_of_the_figure(chapter: tuple[Path, Page]) -> None:
    _, page = chapter
    for _ in range(50):  # some numbers take a moment
        different = page.evaluate(DIFFERENT)
        if not different:
            break
        page.wait_for_timeout(100)
    assert different == []


FOLLOWED = """([id, changes]) => {
  const figure = gaussbayes.figures.get(id);
  const close = (a, b) => typeof a === "number" && typeof b === "number"
    ? Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)) : JSON.stringify(a) === JSON.stringify(b);
  return Object.entries(changes).filter(([path, wanted]) =>
    path !== "press" && !close(figure.get(path), wanted)).map(([path]) => [path, figure.get(path)]);
}"""


def test_words_set_their_figures(chapter: tuple[Path, Page]) -> None:
    _, page = chapter
    for button in page.query_selector_all("button[data-set]"):
        button.evaluate("(button) => button.click()")
        changes = json.loads(button.get_attribute("data-set") or "")
        words = button.text_content()
        ignored = page.evaluate(FOLLOWED, [button.get_attribute("data-figure"), changes])
        assert ignored == [], words
        assert page.evaluate(PROBLEMS) == [], words


# What the library says ---------------------------------------------------------------------------

IRIS = load_iris()
PETALS = np.array([1.8, 2.1, 2.5, 3.2, 3.8, 5.8, 6.7, 7.0])[:, None]


def given(key: str) -> GaussianClassifier:
    """The model of a figure whose parameters are stated."""
    parameters = SPECS[key]["model"]["parameters"]
    names = ("priors", "means", "covariances", "classes")
    return GaussianClassifier.from_parameters(*(parameters[name] for name in names))


@cache
def fitted(key: str) -> GaussianClassifier:
    """The model of a figure, fitted by the library to the figure's rows."""
    data, options = SPECS[key]["data"], SPECS[key]["model"]
    labels = np.array(data["labels"])
    return GaussianClassifier(options["covariance"], shared=options.get("shared", False)).fit(
        np.array(data["rows"]), labels
    )


def query(key: str) -> np.ndarray:
    return np.array([SPECS[key]["query"]], dtype=float)


def posterior(model: GaussianClassifier, key: str, label: Any) -> float:
    column = model.classes_.tolist().index(label)
    return float(model.predict_proba(query(key))[0, column])


def errors(key: str) -> int:
    data = SPECS[key]["data"]
    return int((fitted(key).predict(np.array(data["rows"])) != np.array(data["labels"])).sum())


def boundaries(model: GaussianClassifier) -> np.ndarray:
    equation = model.boundary(*model.classes_.tolist())
    return np.sort(np.roots([equation.quadratic[0, 0], equation.linear[0], equation.constant]))


def from_categories(key: str) -> float:
    """The posterior of the first class of a figure of given categories."""
    parameters, answer = SPECS[key]["model"]["parameters"], SPECS[key]["query"][0]
    [table] = parameters["probabilities"]
    columns = dict(zip(table["levels"], np.transpose(table["table"]).tolist(), strict=True))
    model = GaussianClassifier.from_parameters(
        parameters["priors"],
        classes=parameters["classes"],
        category_probabilities={"property": columns},
    )
    return float(model.predict_proba(pd.DataFrame({"property": [answer]}))[0, 0])


def rain() -> float:
    data = SPECS["09 rain"]["data"]
    days = pd.DataFrame(
        {column["name"]: column["values"] for column in data["columns"]}, dtype="category"
    )
    model = GaussianClassifier().fit(days, data["labels"])
    today = pd.DataFrame([SPECS["09 rain"]["query"]], columns=days.columns)
    return float(model.predict_proba(today)[0, 1])


@cache
def contributions() -> Any:
    model = GaussianClassifier().fit(IRIS.rows, IRIS.labels)
    row = query("10 contributions")[0]
    return model.explain(row, between=("virginica", "versicolor")).log_odds


def contribution(feature: int) -> float:
    return float(contributions().contributions[feature].amount)


def em_start() -> float:
    """Log-likelihood of all rows under the Gaussians of the labelled ones."""
    data = SPECS["11 em"]["data"]
    rows, labels = np.array(data["rows"]), np.array(data["labels"])
    known = labels != None  # noqa: E711 - elementwise
    model = GaussianClassifier().fit(rows[known], labels[known].astype(str))
    codes = np.searchsorted(model.classes_, labels[known].astype(str))
    joint = model.scores(rows[known]).log_joint[np.arange(known.sum()), codes]
    return float(joint.sum() + model.scores(rows[~known]).log_evidence.sum())


@cache
def two_species() -> GaussianClassifier:
    return GaussianClassifier().fit(IRIS.rows[:100, 2:], IRIS.labels[:100])


@cache
def learning(kind: str) -> float:
    """Mean test error of 100 fits to 10 rows of each class."""
    drawn = SPECS["10 learning"]["data"]["draw"]
    parameters = drawn["means"], drawn["covariances"]
    test, rates = make_gaussian_dataset(5000, *parameters, random_state=1), []
    for seed in range(100):
        model = (
            GaussianClassifier(shared=True)
            if kind == "generative"
            else LogisticRegression(C=np.inf, max_iter=2000)
        )
        train = make_gaussian_dataset(10, *parameters, random_state=100 + seed)
        rates.append(1 - model.fit(*train).score(*test))
    return float(np.mean(rates))


def least_error(key: str) -> float:
    side = np.arange(-18, 18, 0.1) + 0.05
    cells = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    return float(1 - np.exp(given(key).scores(cells).log_joint).max(axis=1).sum() * 0.01)


def shapes(quantity: str) -> float:
    rows = IRIS.rows[:, [0, 2]]
    model = GaussianClassifier().fit(rows, IRIS.labels)
    if quantity == "errors":
        return float((model.predict(rows) != IRIS.labels).sum())
    return float(model.correlations_[1, 0, 1])


def petals() -> GaussianClassifier:
    return GaussianClassifier().fit(PETALS, list("AAAAABBB"))


LIBRARY: dict[str, dict[str, Callable[[], float]]] = {
    "01 cards": {"posterior.heart": lambda: from_categories("01 cards")},
    "02 bell": {"likelihood.x": lambda: float(Gaussian(0, 1).pdf(0.0))},
    "02 fit": {
        "data_log_likelihood": lambda: float(Gaussian(2, 0.5336).log_pdf(PETALS[:5, 0]).sum())
    },
    "02 ridge": {"evidence": lambda: float(Gaussian([0, 0], np.eye(2)).pdf([0, 0]))},
    "03 petals": {
        "posterior.B": lambda: float(petals().predict_proba([[4.9]])[0, 1]),
        "boundary.0": lambda: boundaries(petals())[0],
        "boundary.1": lambda: boundaries(petals())[1],
    },
    "04 three": {
        **{
            f"posterior.{label}": lambda label=label: posterior(
                given("04 three"), "04 three", label
            )
            for label in range(3)
        },
        "bayes_error": lambda: least_error("04 three"),
    },
    "06 test": {"posterior.defect": lambda: from_categories("06 test")},
    "06 diabetes": {
        "posterior.no diabetes": lambda: posterior(
            given("06 diabetes"), "06 diabetes", "no diabetes"
        ),
        "boundary.1": lambda: boundaries(given("06 diabetes"))[1],
    },
    "07 ellipse": {
        "distance.cloud": lambda: float(Gaussian([0, 0], [[2.5, 2], [2, 2.5]]).mahalanobis([2, -2]))
    },
    "07 shapes": {
        "errors": lambda: shapes("errors"),
        "correlation.versicolor": lambda: shapes("correlation"),
    },
    "08 pooled": {
        "log_odds.A.B": lambda: fitted("08 pooled").log_odds(query("08 pooled"), "A", "B")[0],
        "errors": lambda: errors("08 pooled"),
        "n_parameters": lambda: fitted("08 pooled").n_parameters_,
    },
    "08 optimal": {
        f"posterior.{label}": lambda label=label: posterior(
            given("08 optimal"), "08 optimal", label
        )
        for label in range(3)
    },
    "08 evidence": {
        "evidence": lambda: np.exp(given("08 evidence").scores([[-2, -2]]).log_evidence[0])
    },
    "09 six": {
        "log_likelihood.1": lambda: fitted("09 six").scores([[3, 4]]).log_likelihood[0, 0],
        "log_likelihood.2": lambda: fitted("09 six").scores([[3, 4]]).log_likelihood[0, 1],
        "log_odds.2.1": lambda: fitted("09 six").log_odds([[3, 4]], 2, 1)[0],
    },
    "09 rain": {"posterior.1": rain},
    "09 naive": {
        "posterior.B": lambda: posterior(fitted("09 naive"), "09 naive", "B"),
        "errors": lambda: errors("09 naive"),
    },
    "10 learning": {
        f"learning.{kind}": lambda kind=kind: learning(kind)
        for kind in ("generative", "discriminative")
    },
    "10 contributions": {
        "base": lambda: contributions().at_reference,
        "contribution.2": lambda: contribution(2),
        "contribution.3": lambda: contribution(3),
        "log_odds.virginica.versicolor": lambda: contributions().value,
    },
    "11 hidden": {
        "posterior.no diabetes": lambda: posterior(given("11 hidden"), "11 hidden", "no diabetes")
    },
    "11 em": {"em_log_likelihood": em_start},
    "11 new": {
        "posterior.versicolor": lambda: posterior(two_species(), "11 new", "versicolor"),
        "p_value.versicolor": lambda: chi2.sf(
            two_species().scores(query("11 new")).squared_distance[0, 1], 2
        ),
        "mean.versicolor.0": lambda: two_species().means_[1, 0],
    },
    "12 optimism": {
        "error": lambda: errors("12 optimism") / 16,
        "n_parameters": lambda: fitted("12 optimism").n_parameters_,
        "leave_one_out_error": lambda: (
            GaussianClassifier()
            .leave_one_out(*(np.array(SPECS["12 optimism"]["data"][n]) for n in ("rows", "labels")))
            .evaluation.error
        ),
    },
}
"""Quantities of the figures as they start, by the library's public names."""

TOLERANCES = {"bayes_error": 0.02, "learning.generative": 0.15, "learning.discriminative": 0.15}
"""Relative: sums over a grid of the screen's size, and means over other draws."""


def test_the_library_has_a_say_about_every_figure() -> None:
    assert SPECS.keys() - LIBRARY.keys() == {"05 two"}  # drawn by the page; see below
    assert LIBRARY.keys() <= SPECS.keys()


AT_START = """([id, quantity]) => {
  const figure = gaussbayes.figures.get(id);
  figure.press("reset");
  return figure.quantity(quantity);
}"""


def test_figures_agree_with_the_library(chapter: tuple[Path, Page]) -> None:
    path, page = chapter
    for name in figures(path):
        for quantity, expected in LIBRARY.get(f"{path.stem[:2]} {name}", {}).items():
            shown = page.evaluate(AT_START, [f"live-{name}", quantity])
            wanted = pytest.approx(expected(), rel=TOLERANCES.get(quantity, 1e-8), abs=1e-12)
            assert shown == wanted, (name, quantity)


def test_a_drawn_figure_is_a_fit_to_its_rows(chapter: tuple[Path, Page]) -> None:
    path, page = chapter
    if path.stem[:2] != "05":
        return
    shown = page.evaluate("""() => {
      const figure = gaussbayes.figures.get("live-two");
      figure.press("reset");
      const { means, covariances, classes } = figure.parameters();
      const { held, table, rows: all } = figure.scene;
      const training = (values) => Array.from(values).filter((_, i) => !held[i]);
      const [rows, labels] = [training(all()), training(table.labels)];
      const posterior = figure.quantity("posterior.1");
      return { means, covariances, classes, rows, labels, posterior };
    }""")
    model = GaussianClassifier().fit(np.array(shown["rows"]), shown["labels"])
    np.testing.assert_allclose(model.means_, shown["means"], rtol=1e-9)
    np.testing.assert_allclose(model.covariances_, shown["covariances"], rtol=1e-9)
    assert model.predict_proba(query("05 two"))[0, 0] == pytest.approx(shown["posterior"], rel=1e-8)
