"""A classifier restricted to some features: rows, positions, grids and the regions on them."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from gaussbayes import Columns, DataError, GaussianClassifier, OptionError
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.class_moments import ellipse
from gaussbayes.analysis.view import (
    best_features,
    limits,
    pair_view,
    read_labelled,
    region_map,
    view,
    view_grid,
    view_limits,
    view_of,
)
from gaussbayes.data.rows import number_rows
from tests.models import iris, tree_frame, trees, weather


@pytest.fixture
def named() -> tuple[GaussianClassifier, Any, Any]:
    X, y = trees()
    return GaussianClassifier().fit(tree_frame(X), y), tree_frame(X), y


def test_rows_of_any_form_are_the_same(named: tuple[GaussianClassifier, Any, Any]) -> None:
    model, X, y = named
    seen = pair_view(model, ["height", "age"])
    assert (seen.names, seen.columns) == (("height", "age"), (2, 0))
    expected = X[["height", "age"]].to_numpy()
    for form in (X, X.to_numpy(), X.to_numpy().tolist(), pl.from_pandas(X)):
        rows, codes = seen.labelled(form, y)
        np.testing.assert_array_equal(rows, expected)
        np.testing.assert_array_equal(codes, (np.asarray(y) == "oak").astype(int))
    posterior = model.marginal([2, 0]).predict_proba(X[["height", "age"]])
    np.testing.assert_array_equal(seen.model.posterior(number_rows(rows)), posterior)
    whole = view(model)
    np.testing.assert_array_equal(whole.rows(X), X.to_numpy())
    holed = X.to_numpy().copy()
    holed[3, 1] = np.nan
    rows, codes = pair_view(model, [0, 1]).labelled(holed, [None, *y[1:]])
    np.testing.assert_array_equal(rows, holed[:, :2])
    assert codes.tolist() == [-1, *(np.asarray(y)[1:] == "oak").astype(int)]
    marked = GaussianClassifier(columns=Columns(unlabelled="?")).fit(X, ["?", *y[1:]])
    assert view(marked).codes(["?", "ash", np.nan, "oak"]).tolist() == [-1, 0, -1, 1]
    record, _, codes = read_labelled(marked, X, ["?", None, *y[2:]])
    assert record is marked.model_
    assert codes.tolist()[:2] == [-1, -1]


def test_the_most_informative_features_are_the_default() -> None:
    X, y = iris()
    model = GaussianClassifier().fit(X, y)
    assert pair_view(model).columns == (2, 3)
    assert view_of((1,), model, None).columns == (2,)
    # η² of single features, by the definition.
    overall = X.mean(axis=0)
    between = sum(np.mean(y == c) * (X[y == c].mean(axis=0) - overall) ** 2 for c in np.unique(y))
    assert best_features(model.model_, 3) == sorted(np.argsort(-between / X.var(axis=0))[:3])
    kind = np.where(np.arange(150) % 7 == 0, "virginica", y)
    frame = pd.DataFrame({"noise": X[::-1, 0], "kind": pd.Categorical(kind), "size": X[:, 1]})
    mixed = GaussianClassifier(smoothing=1).fit(frame, y)
    assert best_features(mixed.model_, 1) == [1]


def test_bad_choices(named: tuple[GaussianClassifier, Any, Any]) -> None:
    model, X, y = named
    for unfitted in (LinearDiscriminantAnalysis(), GaussianClassifier()):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            view(unfitted)
    with pytest.raises(DataError, match="two features, but got \\['age'\\]: choose two features"):
        pair_view(model, ["age"])
    with pytest.raises(DataError, match="two features, but there are age: plots.densities"):
        pair_view(GaussianClassifier().fit(X[["age"]], y))
    seen = pair_view(model, [0, 1])
    for rows, labels, message in (
        (X.to_numpy()[:, :2], y, "X has 2 features, but 3 are expected"),
        (X, y[:-1], "X has 40 rows, but y has 39"),
        (X, ["elm", *y[1:]], "unknown labels: \\['elm'\\]; the classes are"),
        (X[:2], [[0.5, 0.5], [0.2, 0.8]], "one label for each row here, got soft labels"),
    ):
        with pytest.raises(ValueError, match=message):
            seen.labelled(rows, labels)
    with pytest.raises(OptionError, match="limits of the figure are unknown"):
        limits(None, np.full((3, 2), np.nan))
    with pytest.raises(OptionError, match="at least 2 points"):
        view_grid(seen, 1)


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
    np.testing.assert_array_equal(seen.positions(seen.rows_at(places)), places)
    np.testing.assert_allclose(seen.joint(places).sum(axis=1), seen.evidence(places), rtol=1e-12)
    assert pair_view(model).names == ("pressure", "warmth")  # the numeric features
    # Categories that never occur together have no posterior.
    X = pd.DataFrame({"a": pd.Categorical(list("xxyy")), "b": pd.Categorical(list("uuvv"))})
    seen = pair_view(GaussianClassifier().fit(X, [0, 0, 1, 1]))
    places = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [np.nan, 1.0]])
    assert seen.predicted(places).tolist() == [0, -1, 1, 1]
    assert np.isnan(seen.posterior(places)[1]).all()


def test_counts_stand_at_their_values() -> None:
    X = pd.DataFrame({"visits": [0.0, 1, 2, 5, 6, 9], "size": [0.0, 3, 1, 1, 1, 0]})
    seen = pair_view(GaussianClassifier(families={"visits": "poisson"}).fit(X, list("aaabbb")))
    assert seen.axes[0].integers == (0.0, np.inf)
    low, high = view_limits(seen, seen.rows(X))
    assert (low[0], high[0]) == (-0.5, 10.5)
    grid = view_grid(seen, 50, seen.rows(X))
    assert (grid.x.tolist(), grid.y.size) == (list(range(11)), 50)
    assert grid.extent[:2] == grid.edges[:2] == (-0.5, 10.5)


def mixed() -> GaussianClassifier:
    """Three classes by a number, a count and a category."""
    generator = np.random.default_rng(0)
    y = np.arange(90) % 3
    wind = np.array(["low", "mid", "high"])[(y + generator.integers(0, 2, 90)) % 3]
    columns = {"age": generator.normal(y, 0.7), "visits": generator.poisson(1.0 + 2 * y) * 1.0}
    X = pd.DataFrame({**columns, "wind": pd.Categorical(wind)})
    return GaussianClassifier(smoothing=1, families={"visits": "poisson"}).fit(X, y)


def test_regions_are_the_predictions_at_the_points() -> None:
    model = mixed()
    for names in (["age", "wind"], ["visits", "wind"], ["visits", "age"]):
        seen = pair_view(model, names)
        regions = region_map(seen, view_grid(seen, 40))
        x, y = np.meshgrid(regions.grid.x, regions.grid.y)
        columns = {
            axis.name: np.array(axis.categories)[at.astype(int).ravel()]
            if axis.categories
            else at.ravel()
            for axis, at in zip(seen.axes, (x, y), strict=True)
        }
        labels = model.marginal(names).predict(pd.DataFrame(columns))
        np.testing.assert_array_equal(regions.codes.ravel(), labels)
        best = regions.margins.argmax(axis=2)
        np.testing.assert_array_equal(best, regions.codes)
        assert ((regions.margins > 0).sum(axis=2) <= 1).all()
    # Along a number the class changes at the exact boundaries, given the category.
    seen = pair_view(model, ["age", "wind"])
    regions = region_map(seen, view_grid(seen, 300))
    step = regions.grid.steps[0]
    for band, probability in enumerate(model.category_probabilities_["wind"].values()):
        prior = model.priors_ * probability
        alone = model.marginal(["age"]).with_priors(prior / prior.sum())
        low, high = regions.grid.extent[:2]
        exact = [c.position for c in decision_boundaries(alone.model_) if low < c.position < high]
        found = regions.grid.x[np.flatnonzero(np.diff(regions.codes[band]))] + step / 2
        np.testing.assert_allclose(found, exact, atol=0.51 * step)


def test_classifiers_of_other_libraries() -> None:
    X, y = iris()
    near = KNeighborsClassifier(5).fit(X[:, 2:], y)
    seen = pair_view(near)
    places = seen.rows(X[:, 2:])
    assert near.classes_[seen.predicted(places)].tolist() == near.predict(X[:, 2:]).tolist()
    np.testing.assert_allclose(seen.posterior(places), near.predict_proba(X[:, 2:]))
    lead = seen.margins(places)
    assert ((lead > 0).sum(axis=1) <= 1).all()
    line = view_of((1,), LinearDiscriminantAnalysis().fit(X[:, 2:3], y), None)
    exact = GaussianClassifier(shared=True).fit(X[:, 2:3], y)
    found = [c.position for c in decision_boundaries(exact.model_)]
    np.testing.assert_allclose(line.boundaries(0.0, 8.0), found, atol=1e-6)
    frame = pd.DataFrame(X[:, 2:], columns=["length", "width"])
    machine = pair_view(LinearSVC().fit(frame, y))
    assert set(machine.margins(machine.rows(frame)).ravel()) == {-1.0, 1.0}
    for broken, message in (
        (lambda: machine.posterior(places), "has no predict_proba"),
        (lambda: view(near, [0]).posterior(places[:, :1]), "cannot be integrated out"),
    ):
        with pytest.raises(OptionError, match=message):
            broken()
    with pytest.raises(TypeError, match="a fitted classifier is needed here, got int"):
        view(3)


def test_ellipses_have_their_distance() -> None:
    covariance = np.array([[9.0, 2.9], [2.9, 1.0]])
    points = ellipse(np.array([3.0, -7.0]), covariance, 2.0, 100_001)
    away = points - [3.0, -7.0]
    squares = np.einsum("ni,ij,nj->n", away, np.linalg.inv(covariance), away)
    np.testing.assert_allclose(squares, 4.0, rtol=1e-9)
    # The largest x of (x − m)ᵀ Σ⁻¹ (x − m) = r² is m + r √Σ₁₁, whatever the correlation.
    np.testing.assert_allclose(away.max(axis=0), [6.0, 2.0], rtol=1e-8)
