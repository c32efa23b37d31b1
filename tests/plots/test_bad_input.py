"""What figures do with what they cannot show, and with names and labels that are hard to write."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import NotFittedError

from gaussbayes import GaussianClassifier, plots
from gaussbayes.base.errors import OptionError
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable, texts_of

Draw = Callable[[Any, Any, Any], Any]  # of a model, rows and labels


def first(model: Any) -> Any:
    return model.classes_[0] if hasattr(model, "classes_") else "any"


IN_THE_PLANE: dict[str, Draw] = {
    "ellipses": lambda model, _X, _y: plots.ellipses(model),
    "joint": lambda model, _X, _y: plots.joint(model, first(model), resolution=40),
    "posteriors": lambda model, _X, _y: plots.posteriors(model),
    "joints": lambda model, _X, _y: plots.joints(model),
    "surface": lambda model, _X, _y: plots.evidence(model, surface=True, resolution=15),
}
IN_THE_PLANE_WITH_ROWS: dict[str, Draw] = {
    "evidence": lambda model, X, y: plots.evidence(model, X, y, resolution=40),
    "predictions": lambda model, X, y: plots.predictions(model, X, y, label=first(model)),
}
ON_A_LINE_WITH_ROWS: dict[str, Draw] = {
    "densities": plots.densities,
    "univariate": plots.univariate,
    "generative": plots.generative_and_discriminative,
}
ON_EITHER: dict[str, Draw] = {
    "posterior": lambda model, _X, _y: plots.posterior(model, first(model), resolution=40),
}
ON_EITHER_WITH_ROWS: dict[str, Draw] = {
    "regions": lambda model, X, y: plots.regions(model, X, y, reject=0.8, resolution=60),
}
OF_ANY_WITH_ROWS: dict[str, Draw] = {
    "confusion": plots.confusion,
    "calibration": plots.calibration,
    "posterior_histogram": plots.posterior_histogram,
    "pairs": plots.pairs,
}
WITHOUT_POINTS = {name: draw for name, draw in OF_ANY_WITH_ROWS.items() if name != "pairs"}
WITH_ROWS = IN_THE_PLANE_WITH_ROWS | ON_A_LINE_WITH_ROWS | ON_EITHER_WITH_ROWS | OF_ANY_WITH_ROWS
OF_A_MODEL = IN_THE_PLANE | ON_EITHER | WITH_ROWS
OF_ROWS: dict[str, Draw] = {
    "dataset": lambda _model, X, y: plots.dataset(X, y),
    "shapes": lambda _model, X, y: plots.shapes(X, y),
    "sharing": lambda _model, X, y: plots.sharing(X, y),
}
NARROW = ON_A_LINE_WITH_ROWS


def each(draws: dict[str, Draw]) -> Any:
    return pytest.mark.parametrize("draw", draws.values(), ids=draws)


def fitting(draw: Draw, two_classes: Case) -> tuple[GaussianClassifier, Any, Any]:
    """A model with as many features as a figure shows, and its rows."""
    if draw in NARROW.values():
        X = two_classes.X[:, :1]
        return GaussianClassifier().fit(X, two_classes.y), X, two_classes.y
    return two_classes.model, two_classes.X, two_classes.y


# What is no model, and other numbers of features


OF_DENSITIES = {
    name: OF_A_MODEL[name]
    for name in [
        "ellipses",
        "joint",
        "joints",
        "evidence",
        "surface",
        "densities",
        "univariate",
        "generative",
        "pairs",
    ]
}


@each(OF_DENSITIES)
def test_a_classifier_without_densities(draw: Draw, two_classes: Case) -> None:
    other = QuadraticDiscriminantAnalysis().fit(two_classes.X, two_classes.y)
    with pytest.raises(OptionError, match="densities are needed here, which Quadratic.* not"):
        draw(other, two_classes.X, two_classes.y)
    assert not plt.get_fignums()  # no empty figure is left behind


@each(OF_A_MODEL)
def test_what_is_no_classifier(draw: Draw, two_classes: Case) -> None:
    with pytest.raises(TypeError, match="a fitted classifier is needed here, got str"):
        draw("model", two_classes.X, two_classes.y)
    assert not plt.get_fignums()


@each(OF_A_MODEL)
def test_a_model_that_is_not_fitted(draw: Draw, two_classes: Case) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        draw(GaussianClassifier(), two_classes.X, two_classes.y)


@each(IN_THE_PLANE | IN_THE_PLANE_WITH_ROWS)
def test_one_feature_where_two_are_needed(draw: Draw, one_feature: Case) -> None:
    with pytest.raises(ValueError, match="shows two features, but there are .*univariate"):
        draw(one_feature.model, one_feature.X, one_feature.y)


@each(IN_THE_PLANE | IN_THE_PLANE_WITH_ROWS | ON_EITHER_WITH_ROWS)
def test_more_features_and_no_pair_named(draw: Draw, iris: Case) -> None:
    with pytest.raises(
        ValueError, match="shows (one or )?two features, but there are .*choose (one or )?two"
    ):
        draw(iris.model, iris.X, iris.y)


@each(NARROW)
def test_more_features_and_none_named(draw: Draw, iris: Case) -> None:
    with pytest.raises(ValueError, match="shows one feature, but there are .*choose one"):
        draw(iris.model, iris.X, iris.y)


@each(OF_ROWS)
def test_more_features_of_rows_and_none_named(draw: Draw, iris: Case) -> None:
    with pytest.raises(ValueError, match="features, but .*: choose"):
        draw(None, iris.X, iris.y)


def test_features_that_are_not_there(iris: Case) -> None:
    for features in (["petal length (cm)", "petals"], [0, 9]):
        with pytest.raises(ValueError, match="there is no feature"):
            plots.regions(iris.model, features=features)
    with pytest.raises(ValueError, match="features must be different ones"):
        plots.ellipses(iris.model, features=[1, 1])


# Rows that do not fit


@each(WITH_ROWS)
def test_other_columns_than_the_model(draw: Draw, two_classes: Case) -> None:
    model, X, y = fitting(draw, two_classes)
    with pytest.raises(ValueError, match="X has (3|2) features, but (2|1) are expected"):
        draw(model, np.column_stack([X, y == "virginica"]).astype(float), y)


@each(WITH_ROWS | OF_ROWS)
def test_labels_of_another_length(draw: Draw, two_classes: Case) -> None:
    model, X, y = fitting(draw, two_classes)
    with pytest.raises(ValueError, match="X has 100 rows, but y has 99"):
        draw(model, X, y[:-1])


@each(WITH_ROWS | OF_ROWS)
def test_no_rows(draw: Draw, two_classes: Case) -> None:
    model, X, y = fitting(draw, two_classes)
    with pytest.raises(ValueError, match="minimum of 1 is required|no rows"):
        draw(model, X[:0], y[:0])


@each(WITH_ROWS | OF_ROWS)
def test_infinity(draw: Draw, two_classes: Case) -> None:
    model, X, y = fitting(draw, two_classes)
    X = X.copy()
    X[7, 0] = np.inf
    with pytest.raises(ValueError, match="(?s)infinity.*row 7|row 7.*infinity"):
        draw(model, X, y)


@each(WITH_ROWS | OF_ROWS)
def test_missing_values_and_labels_are_shown_or_named(draw: Draw, two_classes: Case) -> None:
    model, X, y = fitting(draw, two_classes)
    X, y = X.copy(), y.astype(object)
    X[7, 0] = np.nan
    y[[3, 11, 60]] = None
    draw(model, X, y)
    assert_readable(plt.gcf())
    said = " ".join(" ".join(text.split()) for text in texts_of(plt.gcf()))
    if draw in WITHOUT_POINTS.values():
        assert "without 3 unlabelled" in said
    else:
        assert "1 row" in said
        # The figure of a class shows the rows of that class only.
        assert "unlabelled" in said or "true class" in said


@each(WITH_ROWS | OF_ROWS)
def test_no_row_has_every_value(draw: Draw, two_classes: Case) -> None:
    model, X, y = fitting(draw, two_classes)
    X = X.copy()
    X[np.arange(len(X)), np.arange(len(X)) % X.shape[1]] = np.nan
    if draw is OF_ROWS["dataset"] or X.shape[1] > 1:
        draw(model, X, y)
        assert_readable(plt.gcf())


@each(WITH_ROWS)
def test_labels_the_model_does_not_know(draw: Draw, two_classes: Case) -> None:
    model, X, y = fitting(draw, two_classes)
    with pytest.raises(ValueError, match="unknown labels: \\['rose'\\]; the classes are"):
        draw(model, X, ["rose", *y[1:]])


@each(ON_EITHER_WITH_ROWS | {"evidence": IN_THE_PLANE_WITH_ROWS["evidence"]})
def test_labels_without_rows(draw: Draw, two_classes: Case) -> None:
    with pytest.raises(ValueError, match="y was given without X: give the rows"):
        draw(two_classes.model, None, two_classes.y)


@each(WITH_ROWS)
def test_a_class_absent_from_the_rows(draw: Draw, two_classes: Case) -> None:
    model, X, y = fitting(draw, two_classes)
    only = y == "virginica"
    draw(model, X[only], y[only])
    assert_readable(plt.gcf())


@each(WITH_ROWS)
def test_a_constant_feature_in_the_rows(draw: Draw, two_classes: Case) -> None:
    model, X, y = fitting(draw, two_classes)
    X = X.copy()
    X[:, 0] = 5.5
    draw(model, X, y)
    assert_readable(plt.gcf())


def test_a_constant_feature_without_a_model() -> None:
    plots.dataset([[1.0, 5.0], [1.0, 7.0]], ["a", "b"])
    assert_readable(plt.gcf())
    plots.dataset([[1.0], [1.0]], ["a", "b"])
    assert_readable(plt.gcf())


def test_models_of_a_constant_feature_cannot_be_fitted() -> None:
    X, y = [[1.0, 5.0], [1.0, 7.0], [1.0, 9.0], [1.0, 2.0]], ["a", "a", "b", "b"]
    reason = "class 'a' does not vary in feature 0"
    with pytest.raises(ValueError, match=reason):
        plots.sharing(X, y)
    plots.shapes(X, y)  # one variance for both features can be had; the others say why not
    said = [" ".join(text.split()) for text in texts_of(plt.gcf())]
    assert sum(f"cannot be fitted: {reason}" in text for text in said) == 2
    assert_readable(plt.gcf())


@each(WITH_ROWS)
def test_a_single_row(draw: Draw, two_classes: Case) -> None:
    model, X, y = fitting(draw, two_classes)
    draw(model, X[:1], y[:1])
    assert_readable(plt.gcf())


def test_thresholds_and_resolutions(two_classes: Case) -> None:
    with pytest.raises(ValueError, match="from 0 to 1, got 80"):
        plots.regions(two_classes.model, reject=80)
    with pytest.raises(ValueError, match="at least 2 points a side, got 1"):
        plots.regions(two_classes.model, resolution=1)


# Names and labels that are hard to write

LONG = "a name that goes on and on, far beyond what anybody would ever write beside an axis, to "
HARD_LABELS = [
    f"1 {LONG * 2}",
    f"2{'x' * 150}",
    "3 äöü ß Ελληνικά Кириллица",
    "_4 costs $5, or $6",
]
HARD_NAMES = [f"Länge {LONG * 2}", f"_Größe{'y' * 120} $a$"]


def clouds(labels: list[str], names: list[str], n: int = 15) -> tuple[pd.DataFrame, Any]:
    """A cloud of rows for each label, some of them apart and some not."""
    rng = np.random.default_rng(4)
    means = rng.uniform(0, 10, (len(labels), 1, len(names)))
    X = (means + rng.normal(size=(len(labels), n, len(names)))).reshape(-1, len(names))
    return pd.DataFrame(X, columns=names), np.repeat(labels, n)


@each(OF_A_MODEL | OF_ROWS)
def test_hard_labels_and_names(draw: Draw) -> None:
    X, y = clouds(HARD_LABELS, HARD_NAMES[:1] if draw in NARROW.values() else HARD_NAMES)
    draw(GaussianClassifier().fit(X, y), X, y)
    assert_readable(plt.gcf())


@each(ON_EITHER_WITH_ROWS | {"dataset": OF_ROWS["dataset"]})
def test_hard_labels_on_a_line(draw: Draw) -> None:
    X, y = clouds(HARD_LABELS, HARD_NAMES[:1])
    draw(GaussianClassifier().fit(X, y), X, y)
    assert_readable(plt.gcf())


@each(OF_A_MODEL | OF_ROWS)
def test_twenty_classes(draw: Draw) -> None:
    names = ["first"] if draw in NARROW.values() else ["first", "second"]
    X, y = clouds([f"class {i}" for i in range(20)], names)
    draw(GaussianClassifier().fit(X, y), X, y)
    assert_readable(plt.gcf())


@each(ON_EITHER_WITH_ROWS | {"dataset": OF_ROWS["dataset"]})
def test_twenty_classes_on_a_line(draw: Draw) -> None:
    X, y = clouds([f"class {i}" for i in range(20)], ["only"])
    draw(GaussianClassifier().fit(X, y), X, y)
    assert_readable(plt.gcf())
