"""Every drawn point lies at the stated Mahalanobis distance: 2σ is 2σ."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.spatial.distance import mahalanobis

from gaussbayes import GaussianClassifier
from gaussbayes.plots import dataset, ellipses, regions
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable, legend_texts

COVARIANCES = {
    "plain": [[2.0, 0.5], [0.5, 1.0]],
    "strongly correlated": [[1.0, 0.999999], [0.999999, 1.0]],
    "badly scaled": [[1e12, 3e-1], [3e-1, 1e-12]],
    "badly scaled and correlated": [[1e8, 0.999], [0.999, 1e-8]],
}


def drawn(ax: Any) -> list[np.ndarray]:
    return [np.asarray(line.get_xydata()) for line in ax.lines if line.get_gid() == "ellipse"]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", COVARIANCES)
def test_every_point_is_at_the_stated_distance(name: str, shared: bool) -> None:
    one = np.array(COVARIANCES[name])
    covariances = one if shared else np.stack([one, 4 * one, one / 9])
    size = np.sqrt(np.diag(one))
    means = np.array([[0, 0], [1, 2], [-3, 1]]) * size
    model = GaussianClassifier.from_parameters(None, means, covariances)
    levels = (1, 2, 3)
    lines = drawn(ellipses(model, levels=levels))
    assert len(lines) == 9
    inverse = np.linalg.inv(np.broadcast_to(covariances, (3, 2, 2)))
    for i, points in enumerate(lines):
        code, level = divmod(i, 3)
        np.testing.assert_allclose(
            model.mahalanobis(points)[:, code], levels[level], rtol=0, atol=1e-9
        )
        # scipy multiplies with the inverse; in units of the standard deviations it is well enough.
        if name != "strongly correlated":
            theirs = [mahalanobis(point, means[code], inverse[code]) for point in points]
            np.testing.assert_allclose(theirs, levels[level], rtol=0, atol=1e-9)
        assert np.abs((points[0] - points[-1]) / size).max() <= 1e-14  # closed


def test_along_the_axes_two_sigma_is_two_standard_deviations() -> None:
    model = GaussianClassifier.from_parameters(
        None, [[1, 1], [9, 9], [20, 0]], [[9.0, 0.0], [0.0, 0.25]]
    )
    (first, *_) = drawn(ellipses(model, levels=[2]))
    np.testing.assert_allclose(first.max(axis=0), [1 + 2 * 3, 1 + 2 * 0.5], rtol=1e-12)
    np.testing.assert_allclose(first.min(axis=0), [1 - 2 * 3, 1 - 2 * 0.5], rtol=1e-12)


def test_mass_is_the_share_of_rows_inside(two_classes: Case) -> None:
    # χ² with 2 degrees of freedom: P(M² ≤ r²) = 1 − exp(−r²/2), so r = √(2 log 2) holds one half.
    ax = ellipses(two_classes.model, levels=[0.5, 0.95], unit="mass")
    distance = two_classes.model.mahalanobis(drawn(ax)[0])[:, 0]
    np.testing.assert_allclose(distance, np.sqrt(2 * np.log(2)), atol=1e-9)
    assert legend_texts(ax)[-2:] == ["1.18σ (50 %)", "2.45σ (95 %)"]


def test_the_legend_says_how_much_is_inside(three_classes: Case) -> None:
    ax = ellipses(three_classes.model)
    # 1 − exp(−r²/2) for r = 1, 2, 3.
    expected = ["1σ (39.3 %)", "2σ (86.5 %)", "3σ (98.9 %)"]
    assert legend_texts(ax) == ["setosa", "versicolor", "virginica", "mean", *expected]
    assert_readable(ax.figure)


def test_over_regions_both_legends_are_kept(iris: Case) -> None:
    pair = ["petal length (cm)", "petal width (cm)"]
    ax = regions(iris.model, iris.X, iris.y, features=pair, resolution=50)
    before = legend_texts(ax)
    ellipses(iris.model, features=pair, ax=ax)
    assert legend_texts(ax) == [*before, "1σ (39.3 %)", "2σ (86.5 %)", "3σ (98.9 %)"]
    assert_readable(ax.figure)


@pytest.mark.parametrize("order", [0, 1])
def test_whatever_is_drawn_first_ellipses_and_rows_are_shown_whole(iris: Case, order: int) -> None:
    pair = ["petal length (cm)", "petal width (cm)"]
    drawn = [
        lambda ax: regions(iris.model, iris.X, iris.y, features=pair, resolution=50, ax=ax),
        lambda ax: ellipses(iris.model, features=pair, ax=ax, legend=False),
        lambda ax: dataset(iris.X, iris.y, features=pair, ax=ax),
    ]
    ax = plt.figure().add_subplot()
    for draw in drawn[:: 1 - 2 * order]:
        draw(ax)
    places = [line.get_xydata() for line in ax.lines if line.get_gid() == "ellipse"]
    places += [
        np.asarray(each.get_offsets()) for each in ax.collections if "class" in str(each.get_gid())
    ]
    around = np.concatenate([place for place in places if len(place)])
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert (around >= (left, bottom)).all()
    assert (around <= (right, top)).all()
    image = ax.images[0].get_extent()  # and no part of the axes is left white
    assert image[0] <= left < right <= image[1]
    assert image[2] <= bottom < top <= image[3]


def test_circles_are_circles() -> None:
    spherical = GaussianClassifier.from_parameters(
        None, [[0, 0], [3, 2]], [1.0, 2.0], covariance="spherical"
    )
    assert ellipses(spherical).get_aspect() == 1.0


def test_bad_levels(two_classes: Case) -> None:
    for levels in ([], [0], [-1, 2], [np.nan], [np.inf]):
        with pytest.raises(ValueError, match="one or more positive numbers"):
            ellipses(two_classes.model, levels=levels)
    with pytest.raises(ValueError, match="between 0 and 1, got"):
        ellipses(two_classes.model, levels=[1, 2], unit="mass")
    with pytest.raises(ValueError, match="'standard deviations' or 'mass', got 'sigma'"):
        ellipses(two_classes.model, unit="sigma")  # type: ignore[arg-type]
