"""Test rows by predicted class, errors ringed and counted."""

from typing import Any

import numpy as np
import pytest

from gaussbayes.plots import predictions
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable, legend_texts

PAIR = ["sepal length (cm)", "sepal width (cm)"]


def clouds(ax: Any) -> dict[str, np.ndarray]:
    return {drawn.get_gid(): np.asarray(drawn.get_offsets()) for drawn in ax.collections}


def test_rows_of_one_class_by_prediction(iris: Case) -> None:
    ax = predictions(iris.model, iris.X, iris.y, label="versicolor", features=PAIR)
    predicted = iris.model.predict(iris.X)  # of all four features, though two are shown
    own = iris.y == "versicolor"
    places = iris.X[PAIR].to_numpy()
    found = clouds(ax)
    for code, label in enumerate(iris.model.classes_):
        there = places[own & (predicted == label)]
        np.testing.assert_array_equal(found.get(f"class {code}", np.empty((0, 2))), there)
    wrong = own & (predicted != iris.y)
    np.testing.assert_array_equal(found["errors"], places[wrong])
    # QDA's resubstitution errors on all four features: 3 irises, 2 of them versicolor
    # (Fisher 1936's data; scikit-learn's QuadraticDiscriminantAnalysis gives the same).
    assert ax.get_title() == "true class versicolor: 2 of 50 rows predicted wrongly"
    assert legend_texts(ax) == ["setosa", "versicolor", "virginica", "error"]
    assert ax.get_legend().get_title().get_text() == "predicted class"
    assert_readable(ax.figure)


def test_all_classes_at_once(iris: Case) -> None:
    ax = predictions(iris.model, iris.X, iris.y, features=PAIR)
    assert ax.get_title() == "3 of 150 rows predicted wrongly"
    assert len(clouds(ax)["errors"]) == 3


def test_the_same_part_of_the_plane_for_every_class(three_classes: Case) -> None:
    shown = {
        predictions(three_classes.model, three_classes.X, three_classes.y, label=label).get_xlim()
        for label in three_classes.model.classes_
    }
    assert len(shown) == 1


def test_a_class_without_rows_shows_none(three_classes: Case) -> None:
    some = three_classes.y != "setosa"
    ax = predictions(
        three_classes.model, three_classes.X[some], three_classes.y[some], label="setosa"
    )
    assert ax.get_title() == "true class setosa: 0 of 0 rows predicted wrongly"


def test_unknown_labels_are_named(three_classes: Case) -> None:
    with pytest.raises(ValueError, match="unknown labels: \\['rose'\\]; the classes are"):
        predictions(three_classes.model, three_classes.X, three_classes.y, label="rose")
