"""Figures of one feature: the curves, rows and boundaries drawn are the right numbers."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import StepPatch
from scipy.stats import norm

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError
from gaussbayes.plots import densities, posterior, univariate
from gaussbayes.plots.line_plots import BOUNDARY, numbers, spread
from gaussbayes.plots.row_plots import UNLABELLED
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable

LENGTHS = np.array([1.8, 2.1, 2.5, 3.2, 3.8, 5.8, 6.7, 7.0])[:, None]
SPECIES = np.repeat(["A", "B"], [5, 3])
MEANS, DEVIATIONS, SHARES = (2.68, 6.5), np.sqrt([0.5336, 0.26]), (5 / 8, 3 / 8)

# Roots of the quadratic log-odds of the petals, as the course's example has them.
ROOTS = {"uniform": (4.894721, 15.365512), None: (4.944434, 15.315800)}


def petals(priors: Any = None) -> GaussianClassifier:
    return GaussianClassifier(priors=priors).fit(LENGTHS, SPECIES)


def boundary_lines(ax: Axes) -> list[float]:
    lines = [lines for lines in ax.collections if lines.get_label() == BOUNDARY]
    return [float(path.vertices[0][0]) for group in lines for path in group.get_paths()]


def curves(ax: Axes) -> list[Any]:
    return [line for line in ax.lines if line.get_marker() == "None" and len(line.get_xdata()) > 9]


def strips(ax: Axes) -> list[Any]:
    return [line for line in ax.lines if line.get_marker() not in {"None", ""}]


def legend_texts(legend: Any) -> str:
    return "\n".join(text.get_text() for text in legend.get_texts())


@pytest.mark.parametrize("weighted", [False, True])
def test_curves_are_the_normal_densities(weighted: bool) -> None:
    ax = densities(petals(), weighted=weighted)
    drawn = curves(ax)
    assert len(drawn) == 2
    for line, mean, deviation, share in zip(drawn, MEANS, DEVIATIONS, SHARES, strict=True):
        right = norm.pdf(line.get_xdata(), mean, deviation) * (share if weighted else 1.0)
        np.testing.assert_allclose(line.get_ydata(), right, rtol=1e-11)


@pytest.mark.parametrize("priors", ["uniform", None])
@pytest.mark.parametrize("draw", [densities, posterior])
def test_boundaries_are_the_roots(draw: Callable[..., Axes], priors: Any) -> None:
    near, far = ROOTS[priors]
    ax = draw(petals(priors))
    assert boundary_lines(ax) == pytest.approx([near], abs=5e-7)
    assert [text.get_text() for text in ax.texts] == [f"{near:.3f}"]
    assert f"also at {far:.3f}" in legend_texts(ax.get_legend())


def test_a_boundary_a_little_outside_is_shown() -> None:
    # Two unit normals at 0 and 4: 3σ end at −3 and 7; log-odds 8 − 4x + log(p/q) = 0.
    prior = 1.0 / (1.0 + np.exp(20.4))
    model = GaussianClassifier.from_parameters([1 - prior, prior], [[0], [4]], [[1]])
    ax = densities(model)
    assert boundary_lines(ax) == pytest.approx([7.1], abs=1e-9)
    assert ax.get_xlim()[1] > 7.1


def test_boundaries_all_outside_are_named() -> None:
    prior = 1.0 / (1.0 + np.exp(92.0))
    model = GaussianClassifier.from_parameters([1 - prior, prior], [[0], [4]], [[1]])
    ax = densities(model)
    assert boundary_lines(ax) == []
    assert "not shown: at 25.00" in legend_texts(ax.get_legend())


def test_no_boundary_is_no_entry() -> None:
    model = GaussianClassifier.from_parameters([0.999, 0.001], [[0], [0]], [[[1]], [[0.9]]])
    assert BOUNDARY not in legend_texts(densities(model).get_legend())


def test_posteriors_sum_to_one_and_meet_at_a_half() -> None:
    ax = posterior(petals())
    drawn = curves(ax)
    x = drawn[0].get_xdata()
    values = np.array([line.get_ydata() for line in drawn])
    np.testing.assert_allclose(values.sum(axis=0), 1.0, rtol=1e-14)
    (boundary,) = boundary_lines(ax)
    np.testing.assert_allclose(values[:, x == boundary], 0.5, rtol=1e-9)
    joint = [s * norm.pdf(x, m, d) for s, m, d in zip(SHARES, MEANS, DEVIATIONS, strict=True)]
    np.testing.assert_allclose(values, joint / np.sum(joint, axis=0), rtol=1e-9, atol=1e-300)
    assert drawn[0].get_linestyle() != drawn[1].get_linestyle()
    assert ax.get_ylim()[0] <= 0.0
    assert ax.get_ylim()[1] >= 1.0


def test_few_rows_are_markers_below_the_curves() -> None:
    ax = densities(petals(), LENGTHS, SPECIES)
    markers = strips(ax)
    assert [line.get_xdata().tolist() for line in markers] == [
        LENGTHS[:5, 0].tolist(),
        LENGTHS[5:, 0].tolist(),
    ]
    heights = [height for line in markers for height in line.get_ydata()]  # shares of the axes
    zero = -ax.get_ylim()[0] / np.diff(ax.get_ylim())[0]
    assert 0.0 < min(heights) <= max(heights) < zero


@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_are_histograms_of_the_right_area(one_feature: Case, weighted: bool) -> None:
    ax = densities(one_feature.model, one_feature.X, one_feature.y, weighted=weighted)
    steps = [patch for patch in ax.patches if isinstance(patch, StepPatch) and patch.get_fill()]
    areas = [float(data.values @ np.diff(data.edges)) for data in map(StepPatch.get_data, steps)]
    assert areas == pytest.approx([1 / 3] * 3 if weighted else [1.0] * 3, rel=1e-12)
    assert strips(ax) == []


def test_other_features_are_integrated_out(iris: Case) -> None:
    # A row of a two-feature Gaussian's margin: its own mean and variance, whatever the rest.
    ax = densities(iris.model, feature="petal length (cm)")
    values = iris.X["petal length (cm)"].to_numpy()
    for line, label in zip(curves(ax), iris.model.classes_, strict=True):
        own = values[iris.y == label]
        right = norm.pdf(line.get_xdata(), own.mean(), own.std())
        np.testing.assert_allclose(line.get_ydata(), right, rtol=1e-9)
    assert ax.get_xlabel() == "petal length (cm)"


def test_the_stack_shows_all_three(one_feature: Case) -> None:
    axes = univariate(one_feature.model, one_feature.X, one_feature.y)
    assert axes.shape == (3,)
    assert len({ax.get_xlim() for ax in axes}) == 1
    assert len({tuple(boundary_lines(ax)) for ax in axes}) == 1
    assert [len(ax.texts) > 0 for ax in axes] == [True, False, False]
    *joint, evidence = (line.get_ydata() for line in curves(axes[1]))
    np.testing.assert_allclose(np.sum(joint, axis=0), evidence, rtol=1e-12)
    (legend,) = axes[0].figure.legends
    assert "evidence p(x)" in legend_texts(legend)


def test_a_narrow_peak_is_not_missed() -> None:
    model = GaussianClassifier.from_parameters(None, [[0.1234], [0]], [[[1e-8]], [[100]]])
    line = curves(densities(model))[0]
    assert max(line.get_ydata()) == pytest.approx(norm.pdf(0, scale=1e-4), rel=1e-9)


def test_given_axes_and_figures_are_used() -> None:
    figure, ax = plt.subplots()
    assert densities(petals(), ax=ax) is ax
    assert posterior(petals(), ax=ax) is ax
    part = plt.figure(layout="constrained").subfigures(1, 2)[1]
    assert all(panel.figure is part for panel in univariate(petals(), figure=part))
    assert figure.axes == [ax]


def test_twenty_classes_with_long_names_fit() -> None:
    names = [f"_Кириллица $ äöü Ελληνικά {'long ' * 20}{i:02}" for i in range(20)]
    means = np.linspace(0, 40, 20)[:, None]
    model = GaussianClassifier.from_parameters(
        None, means, [[1.0]], names, feature_names=["ein langer Name, äöü $ " * 8]
    )
    X, y = model.sample(200, random_state=0)
    for rows in (50, 200):
        axes = [densities(model, X[:rows], y[:rows]), *univariate(model, X[:rows], y[:rows])]
        for ax in axes:
            assert boundary_lines(ax) == pytest.approx((means[1:] + means[:-1]).ravel() / 2)
        for ax in axes[:2]:
            assert len(ax.texts) == 19
            assert_readable(ax.figure)


@pytest.mark.parametrize("draw", [densities, univariate])
@pytest.mark.parametrize("weighted", [False, True])
def test_everything_can_be_read(
    one_feature: Case, draw: Callable[..., Any], weighted: bool
) -> None:
    options = {"weighted": weighted} if draw is densities else {}
    draw(one_feature.model, one_feature.X, one_feature.y, **options)
    assert_readable(plt.gcf())
    draw(petals(), LENGTHS, SPECIES, **options)
    assert_readable(plt.gcf())


def test_close_boundaries_can_be_read() -> None:
    # A narrow class within a wide one: two boundaries at nearly the same place.
    model = GaussianClassifier.from_parameters(None, [[0], [0]], [[[1e-6]], [[100]]])
    ax = posterior(model)
    assert len(boundary_lines(ax)) == 2
    assert_readable(ax.figure)


def test_close_values_are_moved_apart_as_little_as_possible() -> None:
    # Around a common centre by half a width each; the last one stays.
    places = spread(np.array([0.3, 0.3, 0.3, 0.9]), 0.1)
    assert places == pytest.approx([0.2, 0.3, 0.4, 0.9])
    assert spread(np.array([0.0, 1.0]), 0.2) == pytest.approx([0.1, 0.9])


def test_numbers_tell_neighbours_apart() -> None:
    assert numbers([1.0, 1.0004], 10.0) == ["1.0000", "1.0004"]
    assert numbers([1e8 + 0.5], 1.0) == ["1.00000000500e+08"]
    assert numbers([-3.0], 10.0) == ["−3.00"]
    assert numbers([0.0], 1.0) == ["0.000"]


def test_two_features_need_a_choice(two_classes: Case) -> None:
    for draw in (densities, univariate):
        with pytest.raises(DataError, match="choose one feature, by name or number"):
            draw(two_classes.model)
    assert len(curves(densities(two_classes.model, feature=1))) == 2


def test_the_posterior_of_one_class() -> None:
    ax = posterior(petals(), "B", LENGTHS)
    (line,) = curves(ax)
    densities_of = [
        norm.pdf(line.get_xdata(), mean, deviation) * share
        for mean, deviation, share in zip(MEANS, DEVIATIONS, SHARES, strict=True)
    ]
    expected = densities_of[1] / sum(densities_of)
    np.testing.assert_allclose(line.get_ydata(), expected, rtol=1e-9, atol=1e-300)
    assert legend_texts(ax.get_legend()).startswith("B\ndecision boundary,\nalso at")


def test_rows_and_labels_come_together() -> None:
    with pytest.raises(DataError, match="y was given without X"):
        densities(petals(), None, SPECIES)
    with pytest.raises(DataError, match="X has 8 rows, but y has 3"):
        densities(petals(), LENGTHS, SPECIES[:3])


def test_rows_without_labels_are_grey() -> None:
    (line,) = strips(densities(petals(), LENGTHS))
    assert line.get_markerfacecolor() == UNLABELLED
    assert line.get_xdata().tolist() == LENGTHS[:, 0].tolist()


def test_a_class_without_rows_keeps_its_curve() -> None:
    only = SPECIES == "A"
    ax = densities(petals(), LENGTHS[only], SPECIES[only])
    assert len(curves(ax)) == 2
    assert len(strips(ax)) == 1
    plt.gcf().canvas.draw()


def test_a_single_row_and_equal_rows_have_no_histogram() -> None:
    model = GaussianClassifier(shared=True)
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=80), np.full(5, 3.0), [9.0]])[:, None]
    y = np.repeat(["many", "equal", "one"], [80, 5, 1])
    ax = densities(model.fit(X, y), X, y)
    steps = [patch for patch in ax.patches if isinstance(patch, StepPatch) and patch.get_fill()]
    assert len(steps) == 1
    assert len(curves(ax)) == 3


def test_a_constant_feature_of_a_spherical_model_is_shown() -> None:
    X = np.array([[1.0, 5.0], [2.0, 5.0], [7.0, 5.0], [8.0, 5.0]])
    y = ["a", "a", "b", "b"]
    model = GaussianClassifier("spherical").fit(X, y)
    ax = densities(model, X, y, feature=1)
    assert boundary_lines(ax) == []  # both classes are the same here
    assert ax.get_xlim()[0] < 5.0 < ax.get_xlim()[1]


def test_leaders_join_lines_and_values() -> None:
    model = GaussianClassifier.from_parameters(None, [[0], [0.02], [5]], [[1]])
    ax = densities(model)
    leaders = [group for group in ax.collections if type(group) is LineCollection][-1]
    feet = [path.vertices[0][0] for path in leaders.get_paths()]
    assert feet == pytest.approx(boundary_lines(ax))
    assert len(ax.texts) == len(feet)
