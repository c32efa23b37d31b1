"""The boundary between classes: its equation, its points in one dimension, linear discriminants."""

from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from scipy.stats import poisson
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from gaussbayes import GaussianClassifier, OptionError, sklearn
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.datasets import load_iris

IRIS = load_iris()


# The equation.


@pytest.mark.parametrize(
    "settings",
    [
        {"shared": True},
        {"priors": [0.2, 0.3, 0.5]},
        {"shared": True, "covariance": "diagonal", "priors": "uniform"},
        {"shared": 0.5},
        {"covariance": "spherical"},
    ],
    ids=str,
)
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_the_equation_is_the_log_odds(settings: dict[str, Any], far: float) -> None:
    X = IRIS.rows + far
    model = GaussianClassifier(**settings).fit(X, IRIS.labels)
    for a, b in (("setosa", "virginica"), ("versicolor", "setosa")):
        equation = model.boundary(a, b)
        expected = model.log_odds(X, a, b)
        np.testing.assert_allclose(equation(X), expected, rtol=1e-9, atol=1e-9 + 1e-12 * far**2)
        assert equation.is_linear == (settings.get("shared") is True)


def test_equations_are_written() -> None:
    # The handout's petals (COURSE 002): class-specific variances, so that squares stay.
    X, y = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]], list("AAAAABBB")
    own = GaussianClassifier(priors="uniform").fit(X, y).boundary("B", "A")
    # Q = ½ (1 / 0.5336 − 1 / 0.26), w = 6.5 / 0.26 − 2.68 / 0.5336
    assert str(own).startswith("log-odds of 'B' to 'A' = -0.986·x0² + 19.98·x0 - ")
    roots = np.roots([own.quadratic[0, 0], own.linear[0], own.constant])
    np.testing.assert_allclose(sorted(roots), [4.894721, 15.365512], atol=1e-6)
    shared = GaussianClassifier(shared=True).fit(X, y).boundary("B", "A")
    assert str(shared).endswith("boundary: x0 = 4.648")
    means = [[0, 0], [1, 1]]
    equal = GaussianClassifier.from_parameters(None, means, np.eye(2), covariance="full")
    written = str(equal.boundary(1, 0))
    assert written == "log-odds of 1 to 0 = x0 + x1 - 1\nboundary: x1 = -x0 + 1"
    assert equal.boundary(1, 0).to_dict()["linear"] == [1.0, 1.0]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear_discriminants_are_those_of_scikit_learn(n_classes: int) -> None:
    kept = np.isin(IRIS.labels, ["versicolor", "virginica", "setosa"][:n_classes])
    X, y = IRIS.rows[kept], IRIS.labels[kept]
    ours = GaussianClassifier(shared=True).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)


def test_models_without_linear_discriminants() -> None:
    own = GaussianClassifier().fit(IRIS.rows, IRIS.labels)
    assert not hasattr(own, "coef_")
    with pytest.raises(AttributeError, match=r"boundary\(a, b\)"):
        own.intercept_  # noqa: B018
    frame = pd.DataFrame(IRIS.rows[:, :1], columns=["length"])
    frame["site"] = pd.Categorical(np.where(np.arange(150) % 2, "north", "south"))
    mixed = GaussianClassifier(shared=True, smoothing=1).fit(frame, IRIS.labels)
    assert not hasattr(mixed, "coef_")
    with pytest.raises(OptionError, match=r"'site' \(categorical\) are not"):
        mixed.boundary("setosa", "virginica")
    assert mixed.marginal(["length"]).boundary("setosa", "virginica").is_linear
    warped = GaussianClassifier(transforms="yeo-johnson").fit(IRIS.rows, IRIS.labels)
    with pytest.raises(OptionError, match="transformed"):
        warped.boundary("setosa", "virginica")


def test_axes_are_generalised_eigenvectors() -> None:
    model = sklearn.LinearDiscriminantAnalysis(solver="eigen").fit(IRIS.rows, IRIS.labels)
    plain = GaussianClassifier(shared=True).fit(IRIS.rows, IRIS.labels)
    offset = plain.means_ - plain.priors_ @ plain.means_
    between = np.einsum("k,ki,kj->ij", plain.priors_, offset, offset)
    spread, axes = eigh(between, plain.covariances_)
    np.testing.assert_allclose(
        model.explained_variance_ratio_, spread[::-1][:2] / spread.sum(), rtol=1e-9
    )
    found = model.transform(IRIS.rows)
    expected = IRIS.rows @ axes[:, ::-1][:, :2]
    np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=1e-7)
    # Powers of two, so that shifting is exact: far from zero no digit is lost.
    X = np.ldexp(np.round(np.ldexp(IRIS.rows, 10)), -10)
    near, far = (
        sklearn.LinearDiscriminantAnalysis().fit(X + by, IRIS.labels) for by in (0, 2.0**36)
    )
    np.testing.assert_allclose(far.transform(X + 2.0**36), near.transform(X), atol=1e-9)
    near.tol = 0.5  # the second axis has a tenth of the deviation between classes
    assert near.transform(X).shape == (150, 1)


# One dimension.


def line(priors: Any, means: list[float], variances: list[float] | float) -> Any:
    shape = np.reshape(variances, (-1, 1, 1)) if isinstance(variances, list) else [[variances]]
    return GaussianClassifier.from_parameters(
        priors, np.reshape(means, (-1, 1)), shape, covariance="full"
    ).model_


def positions(model: Any) -> list[float]:
    return [change.position for change in decision_boundaries(model)]


def exact(priors: list[float], means: list[float], variances: list[float]) -> list[float]:
    """Roots of the log-odds of two classes, in fifty digits."""
    with mpmath.workdps(50):
        p, m, v = ([mpmath.mpf(float(one)) for one in each] for each in (priors, means, variances))
        square, slope = (1 / v[1] - 1 / v[0]) / 2, m[0] / v[0] - m[1] / v[1]
        level = mpmath.log(p[0] / p[1]) - mpmath.log(v[0] / v[1]) / 2
        level -= (m[0] ** 2 / v[0] - m[1] ** 2 / v[1]) / 2
        if square == 0:
            return [float(-level / slope)] if slope != 0 else []
        under = slope**2 - 4 * square * level
        if under < 0:
            return []
        roots = [(-slope + sign * mpmath.sqrt(under)) / (2 * square) for sign in (-1, 1)]
        return sorted(float(root) for root in roots)


def test_two_classes_in_fifty_digits() -> None:
    means, variances = [2.68, 6.5], [0.5336, 0.26]  # the petals of the course
    for priors, expected in (
        ([0.5, 0.5], [4.894721, 15.365512]),
        ([0.625, 0.375], [4.944434, 15.315800]),
    ):
        found = decision_boundaries(line(priors, means, variances))
        np.testing.assert_allclose([c.position for c in found], expected, rtol=0, atol=5e-7)
        assert [(c.left, c.right) for c in found] == [(0, 1), (1, 0)]
    for unit in (1e-120, 1.0, 1e120):  # units do not matter
        means, variances = [0.0, 3.0 * unit], [unit**2, 2.0 * unit**2]
        found = positions(line([0.4, 0.6], means, variances))
        np.testing.assert_allclose(found, exact([0.4, 0.6], means, variances), rtol=1e-13)
    for near in (1e-15, 1e-12, 1e-8, 1e-4):  # nearly equal variances keep the near root
        variances = [1.0, 1.0 + near]
        close = min(exact([0.4, 0.6], [0.0, 3.0], variances), key=abs)
        found = positions(line([0.4, 0.6], [0.0, 3.0], variances))
        assert np.min(np.abs(np.array(found) - close)) <= 1e-14 * abs(close)
    half = np.sqrt(8 / 3 * np.log(2))  # ½ v²(1 − 1/4) = log 2
    found = positions(line(None, [7.0, 7.0], [1.0, 4.0]))
    np.testing.assert_allclose(found, [7 - half, 7 + half], rtol=1e-15)


def test_some_classes_win_nowhere() -> None:
    assert positions(line([0.01, 0.99], [0.0, 0.0], [1.0, 4.0])) == []
    assert positions(line([1.0, 0.0], [0.0, 1.0], [1.0, 2.0])) == []
    found = decision_boundaries(line([0.4999995, 1e-6, 0.4999995], [-1.0, 0.0, 1.0], 1.0))
    assert [(c.left, c.right) for c in found] == [(0, 2)]
    found = decision_boundaries(line(None, [3.0, -4.0, 10.0, 0.0], 2.0))  # midpoints
    np.testing.assert_allclose([c.position for c in found], [-2.0, 1.5, 6.5], rtol=1e-14)
    with pytest.raises(OptionError, match="only with 1 feature; this model has 4"):
        decision_boundaries(GaussianClassifier().fit(IRIS.rows, IRIS.labels).model_)


@given(st.integers(2, 7), st.booleans(), st.data())
def test_classes_change_where_labels_do(k: int, shared: bool, data: st.DataObject) -> None:
    means = data.draw(st.lists(st.integers(-20, 20), min_size=k, max_size=k, unique=True))
    sizes = data.draw(st.lists(st.integers(1, 30), min_size=k, max_size=k))
    shares = np.array(data.draw(st.lists(st.integers(0, 9), min_size=k, max_size=k)), float)
    shares[0] += 1  # a prior of 0 may occur, but not everywhere
    variances = 4.0 if shared else [size / 4 for size in sizes]
    model = GaussianClassifier.from_parameters(
        shares / shares.sum(),
        np.reshape(means, (-1, 1)),
        [[variances]] if shared else np.reshape(variances, (-1, 1, 1)),
        covariance="full",
    )
    # An irrational grid: whole-number models have boundaries at whole numbers and halves.
    x = np.linspace(-61.0 * np.sqrt(2), 61.0 * np.sqrt(3), 20_001)
    labels = model.predict(x[:, None])
    places = np.flatnonzero(np.diff(labels))
    found = [c for c in decision_boundaries(model.model_) if x[0] < c.position < x[-1]]
    assert len(found) == len(places)
    step = x[1] - x[0]
    for change, i in zip(found, places, strict=True):
        assert x[i] - 1e-9 * step <= change.position <= x[i + 1] + 1e-9 * step
        assert (change.left, change.right) == (labels[i], labels[i + 1])


@pytest.mark.parametrize("calibrate", [False, True])
def test_counts_change_between_integers(calibrate: bool) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    counts = rng.poisson(rng.gamma(2.0, 1.0 + 4.0 * y))[:, None]
    model = GaussianClassifier(families={0: "poisson"}, calibrate=calibrate).fit(counts, y)
    x = np.arange(200.0)
    if calibrate:
        best = model.predict(x[:, None])
    else:
        rates = [counts[y == c].mean() for c in range(3)]
        best = poisson.logpmf(x[:, None], rates).argmax(axis=1)
    expected = [(i + 0.5, best[i], best[i + 1]) for i in np.flatnonzero(np.diff(best))]
    assert expected
    found = [(c.position, c.left, c.right) for c in decision_boundaries(model.model_)]
    assert found == expected


@pytest.mark.parametrize("transforms", [None, "yeo-johnson"])
def test_calibrated_posteriors_are_equal_at_the_boundary(transforms: Any) -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 60)
    X = np.exp(rng.normal(y, 0.7 + 0.5 * y))[:, None]
    model = GaussianClassifier(calibrate=True, transforms=transforms).fit(X, y)
    found = positions(model.model_)
    assert found
    posterior = model.predict_proba(np.array(found)[:, None])
    np.testing.assert_allclose(posterior, 0.5, atol=1e-6)
