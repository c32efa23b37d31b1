"""Assumptions side by side: straight and curved boundaries, parameters counted by hand."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.plots import shapes, sharing
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable


def boundary_of(ax: Axes) -> Any:
    (contours,) = [found for found in ax.collections if found.get_gid() == "boundary"]
    return np.concatenate([path.vertices for path in contours.get_paths()])


def ellipse_lines(ax: Axes) -> list[Any]:
    return [np.array(line.get_data()).T for line in ax.lines if line.get_gid() == "ellipse"]


def distance_from_best_line(vertices: Any) -> float:
    centred = vertices - vertices.mean(axis=0)
    return float(np.abs(centred @ np.linalg.svd(centred)[2][1]).max())


def test_a_shared_covariance_makes_the_boundary_straight(two_classes: Case) -> None:
    own, shared = sharing(two_classes.X, two_classes.y)
    cell = np.ptp(own.get_xlim()) / 299
    assert distance_from_best_line(boundary_of(shared)) < 1e-9
    assert distance_from_best_line(boundary_of(own)) > cell
    # The line is that of scikit-learn's LDA (covariances divided by N and equal priors are alike).
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(two_classes.X, two_classes.y)
    slope = np.linalg.norm(peer.coef_)
    distance = peer.decision_function(boundary_of(shared)) / slope
    np.testing.assert_allclose(distance, 0.0, atol=1e-9)


def test_shapes_are_circles_upright_and_leaning_ellipses(two_classes: Case) -> None:
    axes = shapes(two_classes.X, two_classes.y)
    for ax, structure in zip(axes, ("spherical", "diagonal", "full"), strict=True):
        drawn = ellipse_lines(ax)
        assert len(drawn) == 4  # 1σ and 2σ of two classes
        for code, label in enumerate(np.unique(two_classes.y)):
            rows = two_classes.X[two_classes.y == label]
            covariance = np.cov(rows.T, bias=True)
            if structure != "full":
                covariance = np.diag(np.diag(covariance))
            if structure == "spherical":
                covariance = np.eye(2) * np.trace(covariance) / 2
            for line, radius in zip(drawn[2 * code : 2 * code + 2], (1.0, 2.0), strict=True):
                gap = line - rows.mean(axis=0)
                squared = np.einsum("ni,ij,nj->n", gap, np.linalg.inv(covariance), gap)
                np.testing.assert_allclose(np.sqrt(squared), radius, rtol=1e-9)
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in axes}) == 1


def test_titles_count_parameters_and_errors(two_classes: Case) -> None:
    # 1 prior, 4 means, and 2 · 1, 2 · 2, 2 · 3 for the covariances; shared 3.
    X, y = two_classes.X, two_classes.y
    spherical, diagonal, full = (ax.get_title() for ax in shapes(X, y))
    own, shared = (ax.get_title() for ax in sharing(X, y))
    assert spherical.startswith("spherical\n7 parameters")
    assert diagonal == f"diagonal\n9 parameters, training error {error(GaussianNB(), X, y)}"
    qda = error_of_quadratic_rule(X, y)
    # With equal priors a common factor of the covariance does not move LDA's boundary.
    lda = error(LinearDiscriminantAnalysis(), X, y)
    assert full == f"full\n11 parameters, training error {qda}"
    assert own.endswith(f"11 parameters, training error {qda}")
    assert shared.endswith(f"8 parameters, training error {lda}")


def error(peer: Any, X: Any, y: Any) -> str:
    return f"{100 * np.mean(peer.fit(X, y).predict(X) != y):.1f} %"


def error_of_quadratic_rule(X: Any, y: Any) -> str:
    """By definition: the largest prior times density, covariances divided by N."""
    rows = np.asarray(X)
    classes, counts = np.unique(y, return_counts=True)
    log_joint = [
        np.log(count / len(rows))
        + multivariate_normal(own.mean(axis=0), np.cov(own.T, bias=True)).logpdf(rows)
        for count, own in ((count, rows[y == c]) for c, count in zip(classes, counts, strict=True))
    ]
    return f"{100 * np.mean(classes[np.argmax(log_joint, axis=0)] != y):.1f} %"


def test_more_features_are_fitted_and_two_shown(iris: Case) -> None:
    with pytest.raises(DataError, match="choose two features"):
        sharing(iris.X, iris.y)
    chosen = ["petal width (cm)", "sepal width (cm)"]
    own, _ = sharing(iris.X, iris.y, features=chosen)
    # 2 priors, 3 · 4 means, 3 · 10 covariances.
    whole = error_of_quadratic_rule(iris.X, iris.y)
    pair = error_of_quadratic_rule(iris.X[chosen], iris.y)
    assert f"44 parameters, training error {whole}" in own.get_title()
    assert f"by these two features alone {pair}" in own.get_title()
    assert (own.get_xlabel(), own.get_ylabel()) == tuple(chosen)
    assert own.figure.get_suptitle().startswith("fitted to 4 features")
    assert_readable(own.figure)


def test_one_legend_below(two_classes: Case) -> None:
    axes = shapes(two_classes.X, two_classes.y)
    (legend,) = axes[0].figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels[:2] == ["versicolor", "virginica"]
    assert len(labels) == len(set(labels))
    assert "1σ (39.3 %)" in labels
    assert_readable(axes[0].figure)
    assert all(ax.get_legend() is None for ax in axes)


def test_what_cannot_be_fitted_says_so_in_its_panel() -> None:
    X = [[1, 2], [3, 4], [2, 2], [3, 1.5], [8, 9]]
    own, shared = sharing(X, [0, 0, 0, 0, 1])
    assert "class 1 does not vary" in " ".join(own.texts[0].get_text().split())
    assert len(ellipse_lines(own)) == 0
    assert len(ellipse_lines(shared)) == 4
    assert_readable(own.figure)
    with pytest.raises(SingularCovarianceError, match="class 1 does not vary"):
        shapes(X, [0, 0, 0, 0, 1])


def test_a_constant_feature_leaves_the_spherical_panel() -> None:
    axes = shapes([[1, 5], [2, 5], [4, 5], [7, 5], [9, 5], [8, 5]], list("aaabbb"))
    assert [len(ellipse_lines(ax)) for ax in axes] == [4, 0, 0]
    assert_readable(plt.gcf())


def test_one_feature_is_too_few() -> None:
    with pytest.raises(DataError, match="this figure shows two features"):
        shapes([[1.0], [2.0], [5.0], [7.0]], list("aabb"))


def test_twenty_classes_with_long_names_fit() -> None:
    rng = np.random.default_rng(0)
    codes = np.arange(200) % 20
    names = np.array([f"_Кириллица $ äöü Ελληνικά {'long ' * 20}{i:02}" for i in range(20)])
    values = 10 * rng.normal(size=(20, 2))[codes] + rng.normal(size=(200, 2))
    X = pd.DataFrame(values, columns=[f"ein langer Name, äöü $ {'lang ' * 20}{i}" for i in "ab"])
    figure = plt.figure(figsize=(11, 5), layout="constrained")
    axes = shapes(X, names[codes], figure=figure)
    assert_readable(figure)
    assert all(ax.figure is figure for ax in axes)
    assert all(ax.get_window_extent().height > 100 for ax in axes)
    model = GaussianClassifier().fit(X, names[codes])
    assert f"{model.n_parameters_} parameters" in axes[2].get_title()
