"""All pairs of features: errors as scikit-learn counts them, regions of the exact marginals."""

from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import norm
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError
from gaussbayes.plots import pairs
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable


def errors_of_peer(X: Any, y: Any, columns: tuple[int, ...]) -> int:
    """A model fitted to some columns is the marginal of the model of all columns."""
    part = np.asarray(X)[:, columns]
    predicted = QuadraticDiscriminantAnalysis().fit(part, y).predict(part)
    return int((predicted != y).sum())


def unbiased(case: Case) -> GaussianClassifier:
    return GaussianClassifier(divisor="unbiased").fit(case.X, case.y)


def test_every_error_is_scikit_learns(iris: Case) -> None:
    axes = pairs(unbiased(iris), iris.X, iris.y)
    assert axes.shape == (4, 4)
    assert_readable(axes[0, 0].figure)
    for left, below in combinations(range(4), 2):
        wrong = errors_of_peer(iris.X, iris.y, (left, below))
        share = f"{100 * wrong / 150:.1f} %"
        assert axes[below, left].get_title() == f"{share} ({wrong})"
        assert axes[left, below].texts[0].get_text() == f"{share}\n({wrong})"
    for column in range(4):
        wrong = errors_of_peer(iris.X, iris.y, (column,))
        assert axes[column, column].get_title() == f"{100 * wrong / 150:.1f} % ({wrong})"
    wrong = errors_of_peer(iris.X, iris.y, (0, 1, 2, 3))
    assert f"all 4 features together {100 * wrong / 150:.1f} % ({wrong})" in (
        axes[0, 0].figure.get_suptitle()
    )


def test_the_ringed_rows_are_the_wrong_ones(iris: Case) -> None:
    axes = pairs(unbiased(iris), iris.X, iris.y)
    part = iris.X.to_numpy()[:, [1, 0]]
    wrong = QuadraticDiscriminantAnalysis().fit(part, iris.y).predict(part) != iris.y
    (rings,) = [found for found in axes[1, 0].collections if found.get_gid() == "errors"]
    np.testing.assert_array_equal(rings.get_offsets(), part[wrong][:, ::-1])


def test_the_best_pair_is_framed(iris: Case) -> None:
    axes = pairs(unbiased(iris), iris.X, iris.y)
    count = {pair: errors_of_peer(iris.X, iris.y, pair) for pair in combinations(range(4), 2)}
    best = {pair for pair in count if count[pair] == min(count.values())}
    for (left, below), ax in ((pair, axes[pair]) for pair in count):
        assert (ax.texts[0].get_fontweight() == "bold") == ((left, below) in best)
        assert (axes[below, left].spines["top"].get_linewidth() > 2) == ((left, below) in best)


def test_darker_cells_have_more_errors(iris: Case) -> None:
    axes = pairs(iris.model, iris.X, iris.y)
    cells = [axes[pair] for pair in combinations(range(4), 2)]
    brightness = [cell.get_facecolor()[0] for cell in cells]
    counts = [int(cell.texts[0].get_text().split("(")[1][:-1]) for cell in cells]
    assert np.argsort(brightness, kind="stable").tolist() == (
        np.argsort([-count for count in counts], kind="stable").tolist()
    )


def test_the_diagonal_has_densities(iris: Case) -> None:
    axes = pairs(iris.model, iris.X, iris.y)
    values = iris.X.to_numpy()[:, 2]
    for line, label in zip(axes[2, 2].lines, iris.model.classes_, strict=False):
        own = values[iris.y == label]
        right = norm.pdf(line.get_xdata(), own.mean(), own.std())
        np.testing.assert_allclose(line.get_ydata(), right, rtol=1e-9)
    assert axes[2, 2].get_xlim() == pytest.approx(axes[3, 2].get_xlim())


def test_names_are_only_outside(iris: Case) -> None:
    axes = pairs(iris.model, iris.X, iris.y)
    names = iris.X.columns.tolist()
    assert [ax.get_xlabel() for ax in axes[-1]] == names
    assert [ax.get_ylabel() for ax in axes[:, 0]] == names
    assert not any(ax.get_xlabel() for ax in axes[:-1].ravel())
    assert not any(ax.get_ylabel() for ax in axes[:, 1:].ravel())


def test_features_can_be_chosen_in_any_order(iris: Case) -> None:
    axes = pairs(unbiased(iris), iris.X, iris.y, features=["petal width (cm)", 0, 1])
    assert axes.shape == (3, 3)
    wrong = errors_of_peer(iris.X, iris.y, (3, 0))
    assert axes[1, 0].get_title() == f"{100 * wrong / 150:.1f} % ({wrong})"
    assert axes[-1, 0].get_xlabel() == "petal width (cm)"


def test_too_many_or_too_few_features() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 9)), np.arange(60) % 2
    model = GaussianClassifier().fit(X, y)
    with pytest.raises(DataError, match="the model has 9 features, which make 36 pairs: choose"):
        pairs(model, X, y)
    assert pairs(model, X, y, features=[8, 2]).shape == (2, 2)
    with pytest.raises(DataError, match="at least two of them, got 1: see plots.univariate"):
        pairs(model, X, y, features=[3])


def test_many_rows_are_drawn_in_part_and_counted_in_full() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(2000) % 2
    X = rng.normal(size=(2000, 2)) + y[:, None]
    axes = pairs(GaussianClassifier(divisor="unbiased").fit(X, y), X, y)
    wrong = errors_of_peer(X, y, (0, 1))
    assert axes[1, 0].get_title() == f"{wrong / 20:.1f} % ({wrong})"
    drawn = axes[1, 0].collections
    shown = [points for points in drawn if str(points.get_gid()).startswith("class ")]
    assert sum(len(points.get_offsets()) for points in shown) == 600
    (legend,) = axes[0, 0].figure.legends
    assert legend.get_title().get_text() == "600 of the rows drawn, all counted"


def test_a_class_without_rows_is_fine(iris: Case) -> None:
    only = iris.y != "virginica"
    axes = pairs(iris.model, iris.X[only], iris.y[only], features=[0, 1])
    assert "errors on 100 rows" in axes[0, 0].figure.get_suptitle()
    assert_readable(plt.gcf())


def test_rows_are_needed(iris: Case) -> None:
    with pytest.raises(DataError, match="X has 150 rows, but y has 149"):
        pairs(iris.model, iris.X, iris.y[1:])
    with pytest.raises(DataError, match="minimum of 1 is required"):
        pairs(iris.model, np.empty((0, 4)), [])


def test_no_errors_at_all() -> None:
    X = np.array([[0, 0], [1, 2], [2, 1], [100, 100], [101, 103], [103, 101]], dtype=float)
    axes = pairs(GaussianClassifier().fit(X, list("aaabbb")), X, list("aaabbb"))
    assert axes[0, 1].texts[0].get_text() == "0.0 %\n(0)"


def test_twenty_classes_with_long_names_fit() -> None:
    names = [f"_Кириллица $ äöü Ελληνικά {'long ' * 20}{i:02}" for i in range(20)]
    rng = np.random.default_rng(0)
    model = GaussianClassifier.from_parameters(
        None,
        10 * rng.normal(size=(20, 3)),
        np.eye(3),
        names,
        feature_names=[f"ein langer Name, äöü $ {'lang ' * 20}{i}" for i in range(3)],
    )
    X, y = model.sample(200, random_state=0)
    axes = pairs(model, X, y)
    assert axes.shape == (3, 3)
    assert_readable(plt.gcf())
