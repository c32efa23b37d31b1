"""Models and rows in the forms users have them, as figures and reports want them."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.grid import view_grid, view_limits
from gaussbayes.analysis.view import line_view, pair_view, read_labelled, view
from gaussbayes.data.rows import number_rows
from tests.models import tree_frame, trees, weather


@pytest.fixture
def named() -> tuple[GaussianClassifier, Any, Any]:
    X, y = trees()
    return GaussianClassifier().fit(tree_frame(X), y), tree_frame(X), y


def test_rows_of_any_form_are_the_same(named: tuple[GaussianClassifier, Any, Any]) -> None:
    model, X, y = named
    seen = pair_view(model, ["height", "age"])
    assert seen.names == ("height", "age")
    assert seen.columns == (2, 0)
    expected = X[["height", "age"]].to_numpy()
    for form in (X, X.to_numpy(), X.to_numpy().tolist(), pl.from_pandas(X)):
        rows, codes = seen.labelled(form, y)
        np.testing.assert_array_equal(rows, expected)
        np.testing.assert_array_equal(codes, (np.asarray(y) == "oak").astype(int))
    np.testing.assert_array_equal(
        seen.model.posterior(number_rows(rows)),
        model.marginal([2, 0]).predict_proba(X[["height", "age"]]),
    )


def test_all_features_without_a_choice(named: tuple[GaussianClassifier, Any, Any]) -> None:
    model, X, _ = named
    seen = view(model)
    assert seen.columns == (0, 1, 2)
    np.testing.assert_array_equal(seen.rows(X), X.to_numpy())
    np.testing.assert_array_equal(
        seen.model.posterior(number_rows(X.to_numpy())), model.predict_proba(X)
    )
    assert view(model.model_).columns == (0, 1, 2)  # the record does as well


def test_a_class_without_rows_is_no_problem(named: tuple[GaussianClassifier, Any, Any]) -> None:
    model, X, y = named
    only = np.asarray(y) == "oak"
    _, codes = view(model).labelled(X[only], np.asarray(y)[only])
    assert set(codes.tolist()) == {1}


def test_labels_of_several_kinds() -> None:
    X, y = trees(d=2)
    numbers = (np.asarray(y) == "oak").astype(int)
    seen = view(GaussianClassifier().fit(X, numbers))
    for labels in (numbers, numbers.astype(float), numbers.astype(bool), pd.Series(numbers)):
        np.testing.assert_array_equal(seen.codes(labels), numbers)


def test_what_is_no_model() -> None:
    for unfitted in (LinearDiscriminantAnalysis(), GaussianClassifier()):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            view(unfitted)


def test_numbers_of_features(named: tuple[GaussianClassifier, Any, Any]) -> None:
    model, X, y = named
    with pytest.raises(ValueError, match="two features, but there are .*: choose two features"):
        pair_view(model)
    with pytest.raises(ValueError, match="two features, but got \\['age'\\]: choose two features"):
        pair_view(model, ["age"])
    with pytest.raises(ValueError, match="one feature, but there are .*: choose one feature"):
        line_view(model)
    single = GaussianClassifier().fit(X[["age"]], y)
    with pytest.raises(ValueError, match="two features, but there are .*see plots.univariate"):
        pair_view(single)
    assert line_view(single).names == ("age",)
    assert line_view(model, "girth").names == ("girth",)


def test_bad_rows(named: tuple[GaussianClassifier, Any, Any]) -> None:
    model, X, y = named
    seen = pair_view(model, [0, 1])
    with pytest.raises(ValueError, match="X has 2 features, but 3 are expected"):
        seen.rows(X.to_numpy()[:, :2])
    with pytest.raises(ValueError, match="must be the features: missing are 'height'"):
        seen.rows(X[["age", "girth"]])
    with pytest.raises(ValueError, match="X has 40 rows, but y has 39"):
        seen.labelled(X, y[:-1])
    with pytest.raises(ValueError, match="unknown labels: \\['elm'\\]; the classes are"):
        seen.labelled(X, ["elm", *y[1:]])
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        seen.labelled(np.empty((0, 3)), [])
    with pytest.raises(ValueError, match="one label for each row here, got soft labels"):
        seen.labelled(X[:2], [[0.5, 0.5], [0.2, 0.8]])


def test_missing_values_and_labels(named: tuple[GaussianClassifier, Any, Any]) -> None:
    model, X, y = named
    holed = X.to_numpy().copy()
    holed[3, 1] = np.nan
    rows, codes = pair_view(model, [0, 1]).labelled(holed, [None, *y[1:]])
    np.testing.assert_array_equal(rows, holed[:, :2])
    assert codes.tolist() == [-1, *(np.asarray(y)[1:] == "oak").astype(int)]
    marked = GaussianClassifier(unlabelled="?").fit(X, ["?", *y[1:]])
    assert view(marked).codes(["?", "ash", np.nan, "oak"]).tolist() == [-1, 0, -1, 1]


def test_categories_are_integrated_out() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    assert view(model).names == ("pressure", "wind", "warmth", "month")
    assert pair_view(model).names == ("pressure", "warmth")  # all that hold numbers
    seen = pair_view(model, ["warmth", "pressure"])
    assert seen.names == ("warmth", "pressure")
    assert seen.columns == (2, 0)
    rows = seen.rows(frame)
    np.testing.assert_array_equal(rows, frame[["warmth", "pressure"]])
    alone = GaussianClassifier().fit(frame[["warmth", "pressure"]], y)
    expected = alone.predict_proba(frame[["warmth", "pressure"]])
    np.testing.assert_allclose(seen.model.posterior(number_rows(rows)), expected, rtol=1e-9)


def test_categories_stand_at_integers() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    seen = pair_view(model, ["wind", "warmth"])
    assert seen.axes[0].categories == ("low", "mid", "strong")
    assert np.isnan(seen.means[:, 0]).all()
    np.testing.assert_allclose(seen.means[:, 1], model.means_[:, 1], rtol=1e-14)
    places = seen.rows(frame)
    codes = frame["wind"].cat.codes.to_numpy()
    np.testing.assert_array_equal(places[:, 0], np.where(codes < 0, np.nan, codes))
    part = model.marginal(["wind", "warmth"])
    expected = part.predict_proba(frame[["wind", "warmth"]])
    np.testing.assert_allclose(seen.posterior(places), expected, rtol=1e-12)
    np.testing.assert_allclose(seen.model.posterior(seen.part(frame)), expected, rtol=1e-12)
    np.testing.assert_array_equal(seen.positions(seen.rows_at(places)), places)
    np.testing.assert_allclose(seen.joint(places).sum(axis=1), seen.evidence(places), rtol=1e-12)
    assert pair_view(model.marginal(["month", "wind"])).names == ("month", "wind")


def test_what_no_class_makes_possible_has_no_posterior() -> None:
    X = pd.DataFrame({"a": pd.Categorical(list("xxyy")), "b": pd.Categorical(list("uuvv"))})
    seen = pair_view(GaussianClassifier().fit(X, [0, 0, 1, 1]))
    places = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [np.nan, 1.0]])
    assert seen.predicted(places).tolist() == [0, -1, 1, 1]
    np.testing.assert_allclose(
        seen.posterior(places), [[1, 0], [np.nan, np.nan], [0, 1], [0, 1]], atol=1e-15
    )


def test_counts_stand_at_their_values() -> None:
    X = pd.DataFrame({"visits": [0.0, 1, 2, 5, 6, 9], "fever": [0.0, 0, 1, 1, 1, 0]})
    families = {"visits": "poisson", "fever": "bernoulli"}
    seen = pair_view(GaussianClassifier(families=families).fit(X, list("aaabbb")))
    assert [axis.integers for axis in seen.axes] == [(0.0, np.inf), (0.0, 1.0)]
    assert all(axis.is_discrete and axis.is_ordered for axis in seen.axes)
    low, high = view_limits(seen, seen.rows(X))
    assert (low.tolist(), high.tolist()) == ([-0.5, -0.5], [10.5, 1.5])
    grid = view_grid(seen, 50, seen.rows(X))
    assert (grid.x.tolist(), grid.y.tolist()) == (list(range(11)), [0, 1])
    assert grid.extent == grid.edges == (-0.5, 10.5, -0.5, 1.5)


def test_models_and_rows_as_they_are() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1, unlabelled="?").fit(frame, ["?", *y[1:]])
    record, rows, codes = read_labelled(model, frame, ["?", None, *y[2:]])
    assert record is model.model_
    assert codes.tolist() == [-1, -1, *np.searchsorted(model.classes_, y[2:])]
    np.testing.assert_array_equal(rows.matrix, frame[["pressure", "warmth"]])
