"""Classes with a shared covariance on Fisher's discriminant axes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from gaussbayes.analysis.discriminant import discriminant_coordinates, projected_model
from gaussbayes.analysis.view import model_of
from gaussbayes.estimators import GaussianClassifier
from gaussbayes.plots.region_plots import regions
from gaussbayes.plots.style import Panel, styled


@styled
def discriminant_plane(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    resolution: int = 400,
    legend: bool = True,
    ax: Panel = None,
) -> Axes:
    """Draw the classes of a model with a shared covariance where they lie farthest apart.

    The first two discriminant axes, or the only one of two classes: the variance within classes is
    1 in every direction, and distances between means are their Mahalanobis distances as far as
    these axes show them. The titles of the axes say how much of the variance between classes is on
    each. The regions of up to three classes are exact; those of more are the regions by these two
    axes alone.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` with ``shared=True``, or a `LinearDiscriminantAnalysis`
    X, y : rows to draw as points; with labels, those in the wrong region are ringed
    resolution : points of the grid along each axis
    legend : whether to draw one
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> model = GaussianClassifier(shared=True).fit(iris.rows, iris.labels)
    >>> ax = discriminant_plane(model, iris.rows, iris.labels, resolution=50)
    >>> ax.get_xlabel()
    'discriminant 1 (99.1 %)'
    """
    whole = model_of(model)
    projected = GaussianClassifier.from_model(projected_model(whole))
    places = None
    if X is not None:
        places = discriminant_coordinates(whole, whole.rows(X))[:, : projected.n_features_in_]
    return regions(projected, places, y, resolution=resolution, legend=legend, ax=ax)
