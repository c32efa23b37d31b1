"""Drawn boundaries against exact ones, found on the grid's edges with scipy's densities."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from scipy.optimize import brentq
from scipy.stats import multivariate_normal

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.grid import Grid, region_map
from gaussbayes.analysis.view import view
from gaussbayes.datasets import load_iris
from gaussbayes.plots import regions
from gaussbayes.plots.style import class_styles
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable, legend_texts, texts_of

RESOLUTION = 120
Scores = Callable[[np.ndarray], np.ndarray]


def log_joint(model: GaussianClassifier) -> Scores:
    """Log prior + log density of each class (n, k), by scipy."""
    k = len(model.classes_)
    covariances = np.broadcast_to(model.covariances_, (k, 2, 2))
    gaussians = [
        multivariate_normal(mean, covariance)
        for mean, covariance in zip(model.means_, covariances, strict=True)
    ]

    def scores(x: np.ndarray) -> np.ndarray:
        densities = np.stack([own.logpdf(x).reshape(-1) for own in gaussians], axis=1)
        return np.log(model.priors_) + densities

    return scores


def lead(scores: Scores, code: int, x: np.ndarray) -> np.ndarray:
    """Log-odds of a class against the best other one."""
    every = scores(np.atleast_2d(x))
    return every[:, code] - np.delete(every, code, axis=1).max(axis=1)


def boundaries(ax: Any) -> list[np.ndarray]:
    """The vertices of each drawn boundary, one array for each class that was traced."""
    traced = [drawn for drawn in ax.collections if drawn.get_gid() == "boundary"]
    return [np.concatenate([path.vertices for path in one.get_paths()]) for one in traced]


def edges(vertex: np.ndarray, x: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The ends of the grid's edges on which a vertex lies."""
    found = []
    for axis, lines, across in ((0, x, y), (1, y, x)):
        on = np.flatnonzero(np.abs(lines - vertex[axis]) <= 1e-9 * np.ptp(lines))
        if on.size:
            i = int(np.clip(np.searchsorted(across, vertex[1 - axis]) - 1, 0, across.size - 2))
            ends = np.empty((2, 2))
            ends[:, axis] = lines[on[0]]
            ends[:, 1 - axis] = across[i : i + 2]
            found.append((ends[0], ends[1]))
    return found


def crossing(scores: Scores, code: int, start: np.ndarray, end: np.ndarray) -> np.ndarray | None:
    """Where a class's log-odds are 0 on the way from one point to another, if they change sign."""

    def along(share: float) -> float:
        return float(lead(scores, code, start + share * (end - start))[0])

    if along(0.0) * along(1.0) > 0:
        return None
    return start + brentq(along, 0.0, 1.0) * (end - start)


def assert_boundary_is_exact(model: GaussianClassifier, ax: Any) -> int:
    """Each vertex lies on an edge of the grid, on which the log-odds cross 0 within a cell."""
    scores = log_joint(model)
    left, right, bottom, top = ax.images[0].get_extent()  # edges of pixels around the grid's points
    x, y = (
        low + (np.arange(RESOLUTION) + 0.5) * (high - low) / RESOLUTION
        for low, high in ((left, right), (bottom, top))
    )
    checked = 0
    for vertices in boundaries(ax):
        # The traced class is the one whose lead is nearest to 0 along the whole line.
        gaps = [np.abs(lead(scores, c, vertices)).max() for c in range(len(model.classes_))]
        code = int(np.argmin(gaps))
        for vertex in vertices:
            crossed = []
            for start, end in edges(vertex, x, y):
                exact = crossing(scores, code, start, end)
                if exact is not None:
                    crossed.append(np.abs(exact - vertex) / (x[1] - x[0], y[1] - y[0]))
            assert crossed, "the log-odds do not change sign on the edge of the vertex"
            assert min(gap.max() for gap in crossed) <= 1.0
            checked += 1
    return checked


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_boundary_is_where_log_odds_are_zero(n_classes: int, shared: bool) -> None:
    data = load_iris()
    kept = np.isin(data.labels, data.class_names[3 - n_classes :])
    X, y = data.rows[kept][:, :2], data.labels[kept]
    model = GaussianClassifier(shared=shared).fit(X, y)
    ax = regions(model, X, y, resolution=RESOLUTION)
    assert len(boundaries(ax)) == n_classes - 1
    assert assert_boundary_is_exact(model, ax) > RESOLUTION / 2


def test_a_shared_covariance_gives_a_straight_line(two_classes: Case) -> None:
    model = GaussianClassifier(shared=True).fit(two_classes.X, two_classes.y)
    (vertices,) = boundaries(regions(model, resolution=RESOLUTION))
    # The log-odds are linear: w·x + c, with w = Σ⁻¹ (m₁ − m₀) and c from the priors and means.
    weight = np.linalg.solve(model.covariances_, model.means_[1] - model.means_[0])
    middle = model.means_.mean(axis=0)
    level = np.log(model.priors_[1] / model.priors_[0]) - weight @ middle
    distance = (vertices @ weight + level) / np.linalg.norm(weight)
    # A linear function is interpolated without error, so that only rounding is left.
    assert np.abs(distance).max() <= 1e-12


def test_own_covariances_give_a_curve(two_classes: Case) -> None:
    (vertices,) = boundaries(regions(two_classes.model, resolution=RESOLUTION))
    centred = vertices - vertices.mean(axis=0)
    assert np.linalg.svd(centred, compute_uv=False)[1] > 0.1


def test_the_map_is_what_the_model_predicts(three_classes: Case) -> None:
    model = three_classes.model
    ax = regions(model, resolution=50)
    (image,) = ax.images
    left, right, bottom, top = image.get_extent()  # a pixel for each point of the grid
    half = (right - left) / 100, (top - bottom) / 100
    grid = Grid(
        np.linspace(left + half[0], right - half[0], 50),
        np.linspace(bottom + half[1], top - half[1], 50),
    )
    frame = pd.DataFrame(grid.rows, columns=model.feature_names_in_)
    expected = np.searchsorted(model.classes_, model.predict(frame)).reshape(50, 50)
    np.testing.assert_array_equal(np.asarray(image.get_array()), expected)
    assert left < ax.get_xlim()[0] < ax.get_xlim()[1] < right
    assert bottom < ax.get_ylim()[0] < ax.get_ylim()[1] < top


def test_region_map_margins(three_classes: Case) -> None:
    nameless = three_classes.model.with_feature_names(None)
    grid = Grid(np.linspace(2.0, 4.5, 30), np.linspace(1.0, 7.0, 30))
    found = region_map(view(nameless), grid)
    scores = log_joint(nameless)
    for code in range(3):
        expected = lead(scores, code, grid.rows)
        np.testing.assert_allclose(found.margins[..., code].ravel(), expected, atol=1e-11)
    np.testing.assert_array_equal(found.codes, found.margins.argmax(axis=2))


def test_errors_are_ringed(three_classes: Case) -> None:
    model, X, y = three_classes.model, three_classes.X, three_classes.y
    ax = regions(model, X, y, resolution=50)
    (rings,) = [drawn for drawn in ax.collections if drawn.get_gid() == "errors"]
    wrong = X.to_numpy()[model.predict(X) != y]
    np.testing.assert_array_equal(np.asarray(rings.get_offsets()), wrong)
    assert legend_texts(ax) == [*model.classes_, "error", "mean", "decision boundary"]
    assert_readable(ax.figure)


def test_means_are_marked(iris: Case) -> None:
    ax = regions(iris.model, features=["petal width (cm)", "sepal width (cm)"], resolution=50)
    (means,) = [line for line in ax.lines if line.get_gid() == "means"]
    np.testing.assert_allclose(means.get_xydata(), iris.model.means_[:, [3, 1]], rtol=1e-15)


def test_the_others_are_integrated_out(iris: Case) -> None:
    pair = ["sepal length (cm)", "sepal width (cm)"]
    of_two = GaussianClassifier().fit(iris.X[pair].to_numpy(), iris.y)
    ax = regions(iris.model, features=pair, resolution=RESOLUTION)
    assert assert_boundary_is_exact(of_two, ax) > RESOLUTION / 2


def test_the_zone_left_open(two_classes: Case) -> None:
    model = two_classes.model
    ax = regions(model, reject=0.7, resolution=RESOLUTION)
    (zone,) = [drawn for drawn in ax.collections if drawn.get_gid() == "left open"]
    x = np.linspace(*ax.get_xlim(), RESOLUTION)[3:-3:7]
    y = np.linspace(*ax.get_ylim(), RESOLUTION)[3:-3:7]
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2) + 1e-9
    inside = np.zeros(len(points), bool)
    for path in zone.get_paths():
        inside ^= path.contains_points(points)
    largest = model.predict_proba(points).max(axis=1)
    clear = np.abs(largest - 0.7) > 0.01  # the drawn edge is a chord of the true one
    np.testing.assert_array_equal(inside[clear], (largest < 0.7)[clear])
    assert legend_texts(ax)[-1] == "left open:\nposterior below 0.7"


def test_nothing_is_left_open_where_one_is_always_sure(two_classes: Case) -> None:
    ax = regions(two_classes.model, reject=0.5, resolution=50)
    assert not [drawn for drawn in ax.collections if drawn.get_gid() == "left open"]


def test_a_class_that_wins_nowhere_has_no_boundary() -> None:
    model = GaussianClassifier.from_parameters(
        [0.999999, 0.000001], [[0, 0], [0.1, 0]], [np.eye(2), np.eye(2)]
    )
    assert boundaries(regions(model, resolution=50)) == []
    never = GaussianClassifier.from_parameters(
        [0.5, 0.5, 0.0], [[0, 0], [4, 0], [2, 2]], [[1, 0], [0, 1]]
    )
    (vertices,) = boundaries(regions(never, resolution=50))
    np.testing.assert_allclose(vertices[:, 0], 2.0, atol=1e-12)


# One feature


def test_petals_in_one_dimension() -> None:
    # Course, document 002: 4.894721 and 15.365512 with equal priors.
    X = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]]
    model = GaussianClassifier(priors="uniform").fit(X, list("aaaaabbb"))
    ax = regions(model, X, list("aaaaabbb"))
    assert "4.895" in texts_of(ax.figure)
    assert any("15.366" in text for text in legend_texts(ax))
    low, high = ax.get_xlim()
    spans = [patch.get_extents().transformed(ax.transData.inverted()) for patch in ax.patches]
    found = [(box.x0, box.x1) for box in spans]
    np.testing.assert_allclose(found, [(low, 4.894721), (4.894721, high)], atol=5e-7)
    assert_readable(ax.figure)


def test_intervals_are_what_the_model_predicts(one_feature: Case) -> None:
    model = one_feature.model
    ax = regions(model, one_feature.X, one_feature.y, reject=0.9)
    styles = class_styles(model.classes_)
    for patch in ax.patches:
        box = patch.get_extents().transformed(ax.transData.inverted())
        x = np.linspace(box.x0, box.x1, 9)[1:-1]
        frame = pd.DataFrame({model.feature_names_in_[0]: x})
        (label,) = np.unique(model.predict(frame))
        color = np.array(to_rgb(styles[int(np.searchsorted(model.classes_, label))].color))
        light = np.array(to_rgb(patch.get_facecolor()))
        # Mixed with white: nearer to it in the same direction.
        share = (1 - light).sum() / (1 - color).sum()
        np.testing.assert_allclose(1 - light, share * (1 - color), atol=1e-12)
    wrong = model.predict(one_feature.X) != one_feature.y
    (rings,) = [drawn for drawn in ax.collections if drawn.get_gid() == "errors"]
    np.testing.assert_array_equal(
        np.asarray(rings.get_offsets())[:, 0], one_feature.X.to_numpy()[wrong, 0]
    )
    assert_readable(ax.figure)


def test_the_zone_left_open_in_one_dimension() -> None:
    # Means 0 and 4, variances 1: log-odds 4 x − 8 = ± log 9 where the larger posterior is 0.9.
    model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]])
    ax = regions(model, reject=0.9)
    (zone,) = [drawn for drawn in ax.collections if drawn.get_gid() == "left open"]
    (path,) = zone.get_paths()
    low, high = ax.get_xlim()
    step = (high - low) / (5 * 400 - 1)
    edges_drawn = [path.vertices[:, 0].min(), path.vertices[:, 0].max()]
    np.testing.assert_allclose(edges_drawn, [2 - np.log(9) / 4, 2 + np.log(9) / 4], atol=step)


def test_rows_of_unknown_class(one_feature: Case, three_classes: Case) -> None:
    for case in (one_feature, three_classes):
        ax = regions(case.model, case.X, resolution=50)
        places = [np.asarray(drawn.get_offsets()) for drawn in ax.collections]
        np.testing.assert_array_equal(max(places, key=len)[:, 0], case.X.to_numpy()[:, 0])
        assert "error" not in legend_texts(ax)
