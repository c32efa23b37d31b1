"""The bars lead from the reference to the row, whatever the features are called."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from gaussbayes import GaussianClassifier, plots
from gaussbayes.analysis.explanation import Explanation, explain, total_amount
from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import number_rows
from gaussbayes.plots import style
from tests.gaussians import model_of
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable, legend_texts


def explained(model: GaussianClassifier, row: FloatArray, **options: object) -> Explanation:
    return explain(model.model_, number_rows(row[None]), **options)  # type: ignore[arg-type]


def bars(ax: plt.Axes) -> list[tuple[str, float, float]]:
    """What each bar is called, where it begins and how far it goes, from top to bottom."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    found = sorted(ax.patches, key=lambda bar: bar.get_y())
    assert len(found) == len(names)
    return [(name, bar.get_x(), bar.get_width()) for name, bar in zip(names, found, strict=True)]


def test_bars_lead_from_the_reference_to_the_row(iris: Case) -> None:
    explanation = explained(iris.model, iris.X.to_numpy()[106])
    odds = explanation.log_odds
    assert odds is not None
    ax = plots.explanation(explanation)
    first, *steps, last = bars(ax)
    assert first == ("at the reference", 0.0, odds.at_reference)
    assert last == ("this row", 0.0, odds.value)
    # The largest first, each beginning where the one before it ends.
    ranked = sorted(odds.contributions, key=lambda one: -abs(one.amount))
    assert [name for name, _, _ in steps] == [f"{one.feature} = {one.value:g}" for one in ranked]
    np.testing.assert_allclose([width for *_, width in steps], [one.amount for one in ranked])
    places = odds.at_reference + np.cumsum([0.0, *(one.amount for one in ranked)])
    np.testing.assert_allclose([start for _, start, _ in steps], places[:-1], rtol=1e-13)
    assert places[-1] == pytest.approx(odds.value, rel=1e-13)
    assert ax.get_xlabel() == "log-odds of virginica against versicolor"
    assert ax.get_title() == "log-odds −14.0 at the reference + 19.7 by the features = 5.7"
    assert [text.get_text() for text in ax.texts] == [
        "−14.0",
        "+9.2",
        "+4.3",
        "+3.4",
        "+2.8",
        "5.7",
    ]
    assert_readable(ax.figure)


def test_colours_are_those_of_the_classes_spoken_for(iris: Case) -> None:
    explanation = explained(iris.model, iris.X.to_numpy()[70])
    odds = explanation.log_odds
    assert odds is not None
    assert {one.amount > 0 for one in odds.contributions} == {True, False}
    ax = plots.explanation(explanation)
    looks = style.class_styles(iris.model.classes_)
    own, other = (looks[iris.model.classes_.tolist().index(c)] for c in (odds.of, odds.against))
    assert legend_texts(ax) == [own.label, other.label]
    for bar in sorted(ax.patches, key=lambda bar: bar.get_y())[1:-1]:
        expected = own.color if bar.get_width() > 0 else other.color
        assert bar.get_facecolor()[:3] == pytest.approx(plt.matplotlib.colors.to_rgb(expected))


@pytest.fixture
def thirty() -> Case:
    """A model of 30 named features."""
    data = load_breast_cancer()
    X = pd.DataFrame(data.data, columns=list(data.feature_names))
    y = np.array(data.target_names)[data.target]
    return Case(GaussianClassifier().fit(X, y), X, y)


def test_of_many_features_the_small_ones_share_a_bar(thirty: Case) -> None:
    row = thirty.X.to_numpy()[100].copy()
    row[[2, 5]] = np.nan
    explanation = explained(thirty.model, row)
    odds = explanation.log_odds
    assert odds is not None
    ax = plots.explanation(explanation, most=7)
    shown = bars(ax)
    assert len(shown) == 1 + 7 + 1 + 1 + 1
    ranked = sorted(odds.contributions, key=lambda one: -abs(one.amount))
    (rest, _, width), (missing, _, nothing) = shown[8:10]
    assert (rest, missing, nothing) == ("21 other features", "2 features missing", 0.0)
    assert width == pytest.approx(total_amount(ranked[7:]), rel=1e-12)
    assert_readable(ax.figure)
    assert_readable(plots.explanation(explanation).figure)
    plt.close("all")
    row[5] = thirty.X.to_numpy()[100, 5]
    names = [name for name, _, _ in bars(plots.explanation(explained(thirty.model, row)))]
    assert names[-2] == "mean perimeter missing"


def test_infinite_log_odds_leave_the_features(iris: Case) -> None:
    model = iris.model.with_priors([1.0, 0.0, 0.0])
    explanation = explained(model, iris.X.to_numpy()[70], between=(0, 1))
    ax = plots.explanation(explanation)
    shown = bars(ax)
    assert len(shown) == 4
    assert shown[0][1] == 0.0
    assert ax.get_xlabel() == "change of the log-odds of setosa against versicolor"
    assert ax.get_title().startswith("log-odds ∞, by the priors alone; −")
    assert_readable(ax.figure)


def test_a_row_at_the_reference_and_one_without_values(iris: Case) -> None:
    explanation = explained(iris.model, np.array([5.0, 3.0, 4.0, 1.0]), reference=[5, 3, 4, 1])
    ax = plots.explanation(explanation)
    assert [width for *_, width in bars(ax)[1:-1]] == [0.0] * 4
    assert_readable(ax.figure)
    ax = plots.explanation(explained(iris.model, np.full(4, np.nan)))
    assert [name for name, _, _ in bars(ax)] == [
        "at the reference",
        "4 features missing",
        "this row",
    ]
    assert ax.get_title() == "log-odds 0.0 at the reference + 0.0 by the features = 0.0"


@pytest.mark.parametrize("length", [1, 40, 300])
def test_names_that_are_hard_to_write(length: int) -> None:
    words = ("Größe Ελληνικά $5 und _x Кириллица " * 10)[:length]
    X = np.random.default_rng(0).normal(size=(60, 5))
    labels = np.array([f"{words}{code}" for code in (1, 2)])[np.arange(60) % 2]
    names = [f"{words}{j}" for j in range(5)]
    model = GaussianClassifier().fit(X, labels).with_feature_names(names)
    ax = plots.explanation(explained(model, X[0]))
    assert_readable(ax.figure)
    assert all(name.split(" = ")[-1] for name, _, _ in bars(ax)[1:-1])


def test_axes_that_are_given_are_drawn_on(iris: Case) -> None:
    figure, ax = plt.subplots(layout="constrained")
    assert plots.explanation(explained(iris.model, iris.X.to_numpy()[0]), ax=ax) is ax
    assert plt.get_fignums() == [figure.number]


def test_what_cannot_be_drawn(iris: Case) -> None:
    alone = explain(model_of(None, [[0.0]], [[[1.0]]]), number_rows(np.array([[0.5]])))
    with pytest.raises(OptionError, match="compares two classes, but the model has one"):
        plots.explanation(alone)
    with pytest.raises(OptionError, match="at least one feature .* got most=0"):
        plots.explanation(explained(iris.model, iris.X.to_numpy()[0]), most=0)
    assert plt.get_fignums() == []  # nothing is left open


@pytest.fixture
def letters() -> GaussianClassifier:
    """A number between two letters; 'a' never occurred in 'top', 'x' always speaks for it."""
    X = [["a", 1.0, "x"], ["b", 2.0, "y"], ["a", 4.0, "y"], ["b", 5.0, "x"], ["b", 7.5, "x"]]
    y = ["low", "low", "low", "top", "top"]
    return GaussianClassifier(shared=True, categorical_features=[0, 2]).fit(X, y)


def test_categories_have_bars_like_numbers(letters: GaussianClassifier) -> None:
    explanation = letters.explain(["b", 3.0, "x"], ("top", "low"))
    odds = explanation.log_odds
    assert odds is not None
    ax = plots.explanation(explanation)
    drawn = {name: width for name, _, width in bars(ax)}
    for one, name in zip(odds.contributions, ("0 = b", "1 = 3", "2 = x"), strict=True):
        assert drawn[f"feature {name}"] == pytest.approx(one.amount)
    # Both letters speak for the class in which they always occur: log 1 − log 1/3.
    for name in ("feature 0 = b", "feature 2 = x"):
        assert drawn[name] == pytest.approx(np.log(3))
    assert_readable(ax.figure)


def test_a_category_that_rules_a_class_out_has_a_hatched_bar(letters: GaussianClassifier) -> None:
    for between, sign in ((("top", "low"), -1), (("low", "top"), 1)):
        explanation = letters.explain(["a", 3.0, "x"], between)
        ax = plots.explanation(explanation)
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert names[-2:] == ["feature 0 = a", "this row"]
        patches = sorted(ax.patches, key=lambda bar: bar.get_y())
        assert [bool(bar.get_hatch()) for bar in patches] == [False] * 3 + [True] * 2
        assert all(np.isfinite(bar.get_width()) for bar in patches)
        assert [np.sign(bar.get_width()) for bar in patches[-2:]] == [sign, sign]
        infinite = "+∞" if sign > 0 else "−∞"
        assert [text.get_text() for text in ax.texts][-2:] == [infinite, infinite.strip("+")]
        assert ax.get_title().endswith(f"{infinite[0]} ∞ by the features = {infinite.strip('+')}")
        assert_readable(ax.figure)


@pytest.mark.filterwarnings("ignore::gaussbayes.data.categories.UnseenCategoryWarning")
def test_what_is_not_known_is_named(letters: GaussianClassifier) -> None:
    names = [name for name, *_ in bars(plots.explanation(letters.explain(["new", 3.0, None])))]
    assert names[1:-1] == ["feature 1 = 3", "feature 2 missing", "feature 0 = new: never seen"]
    names = [name for name, *_ in bars(plots.explanation(letters.explain(["new", 3.0, 7])))]
    assert names[1:-1] == ["feature 1 = 3", "2 features: never seen"]
