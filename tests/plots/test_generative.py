"""Densities beside posteriors: the right curves in the right panels, one legend."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import norm

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError
from gaussbayes.plots import generative_and_discriminative
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable


def test_left_the_densities_right_the_posteriors() -> None:
    means, priors = (0.0, 3.0), (0.2, 0.8)
    model = GaussianClassifier.from_parameters(priors, [[0.0], [3.0]], [[1.0]], ["no", "yes"])
    left, right = generative_and_discriminative(model)
    x = left.lines[0].get_xdata()
    density = np.array([norm.pdf(x, mean) for mean in means])
    np.testing.assert_allclose([line.get_ydata() for line in left.lines[:2]], density, rtol=1e-11)
    joint = np.array(priors)[:, None] * density
    posterior = joint / joint.sum(axis=0)
    np.testing.assert_allclose(
        [line.get_ydata() for line in right.lines[:2]], posterior, rtol=1e-10
    )
    # Equal joints where 3x − 4.5 = log(0.2 / 0.8).
    boundary = (4.5 + np.log(0.25)) / 3
    for ax in (left, right):
        assert [text.get_text() for text in ax.texts] == [f"{boundary:.3f}"]
    assert left.get_title().startswith("generative")
    assert right.get_title().startswith("discriminative")
    assert left.get_xlim() == right.get_xlim()


def test_one_legend_for_both(one_feature: Case) -> None:
    axes = generative_and_discriminative(one_feature.model, one_feature.X, one_feature.y)
    (legend,) = axes[0].figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels[:4] == ["setosa", "versicolor", "virginica", "rows (histogram)"]
    assert all(ax.get_legend() is None for ax in axes)
    assert all(ax.get_xlabel() == "petal length (cm)" for ax in axes)
    assert_readable(plt.gcf())


def test_more_features_need_a_choice(iris: Case) -> None:
    with pytest.raises(DataError, match="choose one feature"):
        generative_and_discriminative(iris.model)
    figure = plt.figure(layout="constrained")
    axes = generative_and_discriminative(iris.model, feature=0, figure=figure)
    assert axes.shape == (2,)
    assert axes[0].figure is figure
