"""A classifier restricted to some features: rows, positions, grids and the regions on them."""

from typing import Any

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from gaussbayes import Columns, DataError, GaussianClassifier, OptionError
from gaussbayes.analysis.view import Axis, best_features, limits, positions_of, read_labelled, view
from gaussbayes.data.rows import number_rows
from tests.models import iris, tree_frame, trees, weather


@pytest.fixture
def named() -> tuple[GaussianClassifier, Any, Any]:
    X, y = trees()
    return GaussianClassifier().fit(tree_frame(X), y), tree_frame(X), y


def test_rows_of_any_form_are_the_same(named: tuple[GaussianClassifier, Any, Any]) -> None:
    model, X, y = named
    seen = view(model, ["height", "age"], (2,))
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
    rows, codes = view(model, [0, 1], (2,)).labelled(holed, [None, *y[1:]])
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
    assert view(model, counts=(2,)).columns == (2, 3)
    assert view(model, counts=(1,)).columns == (2,)
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
        view(model, ["age"], (2,))
    with pytest.raises(DataError, match="two features, but there are age: plots.densities"):
        view(GaussianClassifier().fit(X[["age"]], y), counts=(2,))
    seen = view(model, [0, 1], (2,))
    for rows, labels, message in (
        (X.to_numpy()[:, :2], y, "X has 2 features, but 3 are expected"),
        (X, y[:-1], "X has 40 rows, but y has 39"),
        (X, ["elm", *y[1:]], "unknown labels: \\['elm'\\]; the classes are"),
        (X[:2], [[0.5, 0.5], [0.2, 0.8]], "one label for each row here, got soft labels"),
    ):
        with pytest.raises(ValueError, match=message):
            seen.labelled(rows, labels)
    with pytest.raises(OptionError, match="limits of the figure are unknown"):
        limits([Axis("a"), Axis("b")], np.full((3, 2), np.nan))
    with pytest.raises(OptionError, match="at least 2 points"):
        seen.grid(1, *seen.limits())


def test_categories_stand_at_integers() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    seen = view(model, ["wind", "warmth"], (2,))
    assert seen.axes[0].categories == ("low", "mid", "strong")
    assert np.isnan(seen.means[:, 0]).all()
    np.testing.assert_allclose(seen.means[:, 1], model.means_[:, 1], rtol=1e-14)
    places = seen.rows(frame)
    codes = frame["wind"].cat.codes.to_numpy()
    np.testing.assert_array_equal(places[:, 0], np.where(codes < 0, np.nan, codes))
    part = model.marginal(["wind", "warmth"])
    expected = part.predict_proba(frame[["wind", "warmth"]])
    np.testing.assert_allclose(seen.posterior(places), expected, rtol=1e-12)
    np.testing.assert_array_equal(positions_of(seen.rows_at(places), seen.axes), places)
    np.testing.assert_allclose(seen.joint(places).sum(axis=1), seen.evidence(places), rtol=1e-12)
    assert view(model, counts=(2,)).names == ("pressure", "warmth")  # the numeric features
    # Categories that never occur together have no posterior.
    X = pd.DataFrame({"a": pd.Categorical(list("xxyy")), "b": pd.Categorical(list("uuvv"))})
    seen = view(GaussianClassifier().fit(X, [0, 0, 1, 1]), counts=(2,))
    places = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [np.nan, 1.0]])
    assert seen.predicted(places).tolist() == [0, -1, 1, 1]
    assert np.isnan(seen.posterior(places)[1]).all()


def test_counts_stand_at_their_values() -> None:
    X = pd.DataFrame({"visits": [0.0, 1, 2, 5, 6, 9], "size": [0.0, 3, 1, 1, 1, 0]})
    model = GaussianClassifier(families={"visits": "poisson"}).fit(X, list("aaabbb"))
    seen = view(model)
    assert seen.axes[0].integers == (0.0, np.inf)
    low, high = seen.limits(seen.rows(X))
    assert (low[0], high[0]) == (-0.5, 10.5)
    grid = seen.grid(50, low, high)
    assert (grid.x.tolist(), grid.y.size) == (list(range(11)), 50)
    assert grid.edges[:2] == (-0.5, 10.5)


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
        seen = view(model, names, (2,))
        grid = seen.grid(40, *seen.limits())
        columns = {
            axis.name: np.array(axis.categories)[at.astype(int)] if axis.categories else at
            for axis, at in zip(seen.axes, grid.rows.T, strict=True)
        }
        labels = model.marginal(names).predict(pd.DataFrame(columns))
        np.testing.assert_array_equal(seen.predicted(grid.rows), labels)
        assert ((seen.margins(grid.rows) > 0).sum(axis=1) <= 1).all()


def line(priors: Any, means: list[float], variances: list[float]) -> GaussianClassifier:
    shape = np.reshape(variances, (-1, 1, 1))
    return GaussianClassifier.from_parameters(priors, np.reshape(means, (-1, 1)), shape)


def exact(priors: list[float], means: list[float], variances: list[float]) -> list[float]:
    """Roots of the log-odds of two classes, in fifty digits."""
    with mpmath.workdps(50):
        p, m, v = ([mpmath.mpf(float(one)) for one in each] for each in (priors, means, variances))
        square, slope = (1 / v[1] - 1 / v[0]) / 2, m[0] / v[0] - m[1] / v[1]
        level = mpmath.log(p[0] / p[1]) - mpmath.log(v[0] / v[1]) / 2
        level -= (m[0] ** 2 / v[0] - m[1] ** 2 / v[1]) / 2
        if square == 0:
            return [float(-level / slope)]
        root = mpmath.sqrt(slope**2 - 4 * square * level)
        return sorted(float((-slope + sign * root) / (2 * square)) for sign in (-1, 1))


@pytest.mark.parametrize("unit", [1e-100, 1.0, 1e100])
def test_boundaries_in_fifty_digits(unit: float) -> None:
    for priors, places, spreads in (
        ([0.5, 0.5], [2.68, 6.5], [0.5336, 0.26]),  # the petals of the course
        ([0.4, 0.6], [0.0, 3.0], [1.0, 2.0]),
        ([0.4, 0.6], [0.0, 3.0], [1.0, 1.0]),
        ([0.5, 0.5], [7.0, 7.0], [1.0, 4.0]),
        ([0.9, 0.1], [0.0, 0.3], [1.0, 1e-12]),  # a narrow class
    ):
        means, variances = [m * unit for m in places], [v * unit**2 for v in spreads]
        found = view(line(priors, means, variances)).boundaries(-40.0 * unit, 40.0 * unit)
        np.testing.assert_allclose(found, exact(priors, means, variances), rtol=1e-12)
    # Classes that are nowhere the most probable have no boundary.
    assert view(line([0.01, 0.99], [0.0, 0.0], [1.0, 4.0])).boundaries(-9.0, 9.0) == ()
    assert view(line([1.0, 0.0], [0.0, 1.0], [1.0, 2.0])).boundaries(-9.0, 9.0) == ()
    middle = line([0.4999995, 1e-6, 0.4999995], [-1.0, 0.0, 1.0], [1.0] * 3)
    np.testing.assert_allclose(view(middle).boundaries(-9.0, 9.0), [0.0], atol=1e-12)


@pytest.mark.parametrize("calibrate", [False, True])
@pytest.mark.parametrize(
    "settings", [{}, {"transforms": "yeo-johnson"}, {"families": {0: "poisson"}}]
)
def test_boundaries_are_where_predictions_change(settings: Any, calibrate: bool) -> None:
    generator = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = generator.poisson(generator.gamma(2.0, 1.0 + 4.0 * y))[:, None]
    model = GaussianClassifier(**settings, calibrate=calibrate).fit(X, y)
    found = np.array(view(model).boundaries(0.0, 199.0))
    assert found.size
    if settings.get("families"):
        labels = model.predict(np.arange(200.0)[:, None])
        np.testing.assert_array_equal(found, np.flatnonzero(np.diff(labels)) + 0.5)
        return
    top = np.sort(model.predict_proba(found[:, None]), axis=1)[:, 1:]
    np.testing.assert_allclose(top[:, 0], top[:, 1], atol=1e-9)
    assert (model.predict(found[:, None] - 1e-6) != model.predict(found[:, None] + 1e-6)).all()


def test_classifiers_of_other_libraries() -> None:
    X, y = iris()
    near = KNeighborsClassifier(5).fit(X[:, 2:], y)
    seen = view(near, counts=(2,))
    places = seen.rows(X[:, 2:])
    assert near.classes_[seen.predicted(places)].tolist() == near.predict(X[:, 2:]).tolist()
    np.testing.assert_allclose(seen.posterior(places), near.predict_proba(X[:, 2:]))
    lead = seen.margins(places)
    assert ((lead > 0).sum(axis=1) <= 1).all()
    line = view(LinearDiscriminantAnalysis().fit(X[:, 2:3], y), counts=(1,))
    exact = GaussianClassifier(shared=True).fit(X[:, 2:3], y)
    found = view(exact).boundaries(0.0, 8.0)
    np.testing.assert_allclose(line.boundaries(0.0, 8.0), found, atol=1e-6)
    frame = pd.DataFrame(X[:, 2:], columns=["length", "width"])
    machine = view(LinearSVC().fit(frame, y), counts=(2,))
    assert set(machine.margins(machine.rows(frame)).ravel()) == {-1.0, 1.0}
    for broken, message in (
        (lambda: machine.posterior(places), "has no predict_proba"),
        (lambda: view(near, [0]).posterior(places[:, :1]), "cannot be integrated out"),
    ):
        with pytest.raises(OptionError, match=message):
            broken()
    with pytest.raises(TypeError, match="a fitted classifier is needed here, got int"):
        view(3)
