"""Maps show the estimator's numbers, on the scale that the colour bar says."""

from typing import Any

import numpy as np
import pytest

from gaussbayes.analysis.grid import Grid
from gaussbayes.plots import evidence, joint, joints, posterior, posteriors
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable, legend_texts, texts_of


def grid_of(ax: Any, resolution: int) -> Any:
    return Grid(np.linspace(*ax.get_xlim(), resolution), np.linspace(*ax.get_ylim(), resolution))


def values_in(ax: Any) -> np.ndarray:
    (image,) = ax.images
    return np.asarray(image.get_array())


@pytest.mark.parametrize("code", [0, 1, 2])
def test_posterior_and_joint_are_the_models(three_classes: Case, code: int) -> None:
    model = three_classes.model.with_feature_names(["width", "length"])
    nameless = model.with_feature_names(None)
    label = model.classes_[code]
    for draw, method in ((posterior, nameless.predict_proba), (joint, nameless.joint)):
        ax = draw(model, label, resolution=40)
        expected = method(grid_of(ax, 40).rows)[:, code].reshape(40, 40)
        np.testing.assert_allclose(values_in(ax), expected, rtol=1e-9, atol=1e-300)
        assert ax.get_title() == f"c = {label}"
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "length")
        assert_readable(ax.figure)


def test_the_posterior_is_on_a_scale_from_0_to_1(two_classes: Case) -> None:
    ax = posterior(two_classes.model, "virginica", resolution=40)
    assert ax.images[0].get_clim() == (0.0, 1.0)
    assert "p(c | x)" in texts_of(ax.figure)
    ax = joint(two_classes.model, "virginica", resolution=40)
    assert ax.images[0].get_clim() == (0.0, values_in(ax).max())
    assert "p(x, c)" in texts_of(ax.figure)


def test_the_line_is_where_the_posterior_is_one_half(two_classes: Case) -> None:
    ax = posterior(two_classes.model, "virginica", resolution=200)
    (line,) = [drawn for drawn in ax.collections if drawn.get_gid() == "half"]
    vertices = np.concatenate([path.vertices for path in line.get_paths()])
    found = two_classes.model.predict_proba(vertices)[:, 1]
    # Between neighbours, p differs from its chord by at most h² |p''| / 8: far below 0.01 here.
    np.testing.assert_allclose(found, 0.5, atol=0.01)


def test_no_line_where_one_half_is_never_reached(three_classes: Case) -> None:
    model = three_classes.model.with_priors([0.5, 0.5, 0.0])
    ax = posterior(model, "virginica", resolution=40)
    assert not ax.collections
    assert values_in(ax).max() == 0.0


@pytest.mark.parametrize(("draw", "method"), [(posteriors, "predict_proba"), (joints, "joint")])
def test_panels_share_one_scale(iris: Case, draw: Any, method: str) -> None:
    pair = ["petal length (cm)", "petal width (cm)"]
    panels = draw(iris.model, features=pair)
    assert panels.shape == (1, 3)
    part = iris.model.marginal(pair).with_feature_names(None)
    expected = getattr(part, method)(grid_of(panels[0, 0], 200).rows)
    for code, ax in enumerate(panels[0]):
        np.testing.assert_allclose(values_in(ax).ravel(), expected[:, code], rtol=1e-9, atol=1e-300)
        assert ax.get_title() == f"c = {iris.model.classes_[code]}"
        top = 1.0 if draw is posteriors else pytest.approx(expected.max(), rel=1e-9)
        assert ax.images[0].get_clim() == (0.0, top)
    figure = panels[0, 0].figure
    assert len(figure.axes) == 4  # three panels, one colour bar
    assert {*pair} <= set(texts_of(figure))
    assert_readable(figure)


def test_the_evidence_map_is_the_models(two_classes: Case) -> None:
    model = two_classes.model
    ax = evidence(model, two_classes.X, two_classes.y, resolution=150)
    (filled,) = [drawn for drawn in ax.collections if hasattr(drawn, "levels")]
    levels = filled.levels
    assert levels[0] == 0.0
    assert levels[-2] < model.evidence(grid_of(ax, 150).rows).max() <= levels[-1]
    left, right, bottom, top = (*ax.get_xlim(), *ax.get_ylim())
    checked = 0
    for level, path in zip(levels[1:-1], filled.get_paths()[1:], strict=True):
        x, y = path.vertices.T
        inside = (x > left) & (x < right) & (y > bottom) & (y < top)
        found = model.evidence(path.vertices[inside])
        # Each band runs along its lower and its upper level; chords are within h² |p''| / 8.
        nearest = np.abs(found[:, None] - levels).min(axis=1)
        assert nearest.max() <= 0.05 * levels[1]
        checked += int((np.abs(found - level) <= 0.05 * levels[1]).sum())
    assert checked > 300
    assert legend_texts(ax) == ["versicolor", "virginica"]
    assert_readable(ax.figure)


def test_evidence_with_rows_of_unknown_class_and_without_rows(two_classes: Case) -> None:
    ax = evidence(two_classes.model, two_classes.X, resolution=40)
    np.testing.assert_array_equal(np.asarray(ax.collections[-1].get_offsets()), two_classes.X)
    assert evidence(two_classes.model, resolution=40).get_legend() is None


def test_evidence_too_small_for_the_grid_is_still_drawn() -> None:
    from gaussbayes import GaussianClassifier

    model = GaussianClassifier.from_parameters(
        None, [[0, 0], [1000, 1000], [0, 1000]], [[1e-9, 0], [0, 1e-9]]
    )
    X = [[0.7, 0.7], [999.0, 999.1]]
    assert_readable(evidence(model, X, resolution=30).figure)


def test_unknown_labels_are_named(three_classes: Case) -> None:
    for draw in (posterior, joint):
        with pytest.raises(ValueError, match="unknown labels: \\['rose'\\]; the classes are"):
            draw(three_classes.model, "rose")
