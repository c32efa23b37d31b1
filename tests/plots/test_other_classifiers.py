"""Figures of classifiers that are not ours: what they predict is what is drawn."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import confusion_matrix
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from gaussbayes import GaussianClassifier, plots
from gaussbayes.analysis.grid import region_map, view_grid
from gaussbayes.analysis.view import line_view, pair_view
from gaussbayes.base.errors import OptionError
from tests.plots.conftest import Case

OTHERS = [KNeighborsClassifier(3), RidgeClassifier(), SVC(), DecisionTreeClassifier(max_depth=3)]


def names(classifiers: list[Any]) -> list[str]:
    return [type(each).__name__ for each in classifiers]


@pytest.fixture
def petals(iris: Case) -> pd.DataFrame:
    return iris.X.iloc[:, 2:].set_axis(["petal length", "petal width"], axis=1)


@pytest.mark.parametrize("classifier", OTHERS, ids=names(OTHERS))
def test_regions_and_confusion_are_its_predictions(
    classifier: Any, petals: pd.DataFrame, iris: Case
) -> None:
    fitted = classifier.fit(petals, iris.y)
    seen = pair_view(fitted, ["petal width", "petal length"])  # not in the order it was fitted in
    drawn = region_map(seen, view_grid(seen, 30, seen.rows(petals)))
    points = pd.DataFrame(drawn.grid.rows[:, ::-1], columns=petals.columns)
    assert fitted.classes_[drawn.codes.ravel()].tolist() == fitted.predict(points).tolist()

    ax = plots.regions(fitted, petals, iris.y, resolution=40)
    wrong = int(np.count_nonzero(fitted.predict(petals) != iris.y))
    rings = next(each for each in ax.collections if each.get_gid() == "errors")
    assert len(rings.get_offsets()) == wrong
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("petal length", "petal width")

    cells = [
        text.get_text().split("\n")[0] for text in plots.confusion(fitted, petals, iris.y).texts
    ]
    expected = confusion_matrix(iris.y, fitted.predict(petals))
    assert cells == list(map(str, expected.ravel().tolist()))
    title = plots.predictions(fitted, petals, iris.y).get_title()
    assert title == f"{wrong} of 150 rows predicted wrongly"


def test_equal_models_give_equal_figures(iris: Case) -> None:
    X = iris.X.iloc[:, :2]
    ours, theirs = GaussianClassifier(shared=True), LinearDiscriminantAnalysis(solver="lsqr")
    panels = [plots.posteriors(model.fit(X, iris.y), X)[0, 0] for model in (ours, theirs)]
    maps = [panel.images[0].get_array() for panel in panels]
    np.testing.assert_allclose(maps[0], maps[1], atol=1e-9)
    curves = [plots.calibration(model, X, iris.y) for model in (ours, theirs)]
    labels = [[text.get_text() for text in ax.get_legend().get_texts()] for ax in curves]
    assert labels[0] == labels[1]


def test_boundaries_on_a_line() -> None:
    X = np.array([[0.0], [1.0], [4.0], [9.0]])
    nearest = KNeighborsClassifier(1).fit(X, list("aabb"))
    seen = line_view(nearest)
    assert seen.boundaries(-1.0, 10.0) == pytest.approx([2.5], abs=1e-12)  # halfway from 1 to 4
    assert [text.get_text() for text in plots.regions(nearest, X, list("aabb")).texts] == ["2.50"]
    curve = plots.posterior(LogisticRegression().fit(X, list("aabb")), X=X)
    assert len(curve.texts) == 1


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda _m, X, y: plots.calibration(RidgeClassifier().fit(X, y), X, y), "no predict_proba"),
        (lambda m, X, y: plots.regions(m, X, y, features=[0, 1]), "cannot be integrated out"),
        (lambda m, _X, _y: plots.regions(m, features=[0, 1]), "give rows"),
    ],
    ids=["probabilities", "features", "rows"],
)
def test_what_it_cannot_show(draw: Any, message: str, iris: Case) -> None:
    model = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    with pytest.raises((OptionError, ValueError), match=message):
        draw(model, iris.X, iris.y)
    plt.close("all")


def test_predictions_by_all_features(iris: Case) -> None:
    model = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    ax = plots.predictions(model, iris.X, iris.y, features=[2, 3])
    wrong = int(np.count_nonzero(model.predict(iris.X) != iris.y))
    assert ax.get_title() == f"{wrong} of 150 rows predicted wrongly"
