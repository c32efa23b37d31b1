"""Covariance, correlation and distance of point clouds in the plane, and parameter counts."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.analysis.ellipse import ellipse
from gaussbayes.analysis.view import feature_titles
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.drawings.panels import figure_of, mark_point, number, panels
from gaussbayes.plots import style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@picture
def correlations(model: GaussianClassifier, X: FloatArray, y: Sequence[object]) -> "Figure":
    """A panel for each class: its rows, its ellipses at 1 and 2 deviations, its correlation."""
    classes = model.classes_.tolist()
    figure, axes = panels(1, len(classes), (3.1 * len(classes), 4.2), share_x=True, share_y=True)
    for code, (ax, label) in enumerate(zip(axes[0], classes, strict=True)):
        one = style.class_styles(model.classes_)[code]
        for radius in (1.0, 2.0):
            around = ellipse(model.means_[code], model.covariances_[code], radius)
            ax.plot(*around.T, color=one.color, ls=one.line, zorder=3)
        ax.plot(*X[np.asarray(y) == label].T, one.marker, color=one.color, zorder=4)
        covariance = model.covariances_[code, 0, 1]
        correlation = model.correlations_[code, 0, 1]
        words = f"covariance {number(covariance)}\ncorrelation {number(correlation, '.2g')}"
        ax.set_title(f"{one.label}\n{words}")
        ax.set_box_aspect(1.0)
        style.name_axes(ax, feature_titles(model))
        ax.label_outer()
    return figure


@picture
def distances(
    model: GaussianClassifier,
    code: int,
    rows: FloatArray,
    points: FloatArray,
    offsets: Sequence[tuple[float, float]],
) -> "Figure":
    """Points beside a class's rows: the circle about its mean they are on, and their ellipses.

    `offsets` say where to write their distances, in typographic points from them.
    """
    ax = style.axes_for(None, (7.4, 5.0))
    one = style.class_styles(model.classes_)[code]
    mean, covariance = model.means_[code], model.covariances_[code]
    ruler = np.hypot(*(points - mean).T)
    radii = model.with_feature_names(None).mahalanobis(points)[:, code]
    for radius in np.unique(ruler):
        circle = ellipse(mean, np.eye(2), radius)
        ax.plot(*circle.T, color=style.FAINT, ls=style.LINES[1], label="equal by the ruler")
    for radius in radii:
        around = ellipse(mean, covariance, radius)
        (drawn,) = ax.plot(*around.T, color=one.color, ls=one.line, gid="ellipse")
    drawn.set_label("equal in deviations\nof the cloud")
    ax.plot(*rows.T, one.marker, color=one.color, label=one.label, zorder=4)
    for point, straight, radius, offset in zip(points, ruler, radii, offsets, strict=True):
        place = f"({number(point[0])}, {number(point[1])})"
        words = f"{place}\nruler {straight:.3f}\nMahalanobis {radius:.3f}"
        mark_point(ax, float(point[0]), float(point[1]), words, offset)
    ax.plot(*mean, "+", color=style.INK, markersize=10)
    ax.set_aspect("equal")
    style.name_axes(ax, feature_titles(model))
    style.legend_beside(ax, title="distance from the mean")
    return figure_of(ax)


@picture
def shrunk(models: Mapping[str, GaussianClassifier], code: int) -> "Figure":
    """The ellipse of one class at 1 deviation, for models of the same rows."""
    ax = style.axes_for(None, (6.4, 4.8))
    lines = zip(models.items(), np.linspace(1.0, 0.35, len(models)), strict=True)
    for (name, model), alpha in lines:
        one = style.class_styles(model.classes_)[code]
        around = ellipse(model.means_[code], model.covariances_[code], 1.0)
        ax.plot(*around.T, color=one.color, alpha=alpha, label=name)
    ax.set_aspect("equal")
    style.name_axes(ax, feature_titles(model))
    style.legend_beside(ax)
    return figure_of(ax)


@picture
def parameter_counts(counts: Mapping[int, Mapping[str, int]]) -> "Figure":
    """Free parameters against the number of features, a line for each structure.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> _ = parameter_counts({1: {"full": 5, "spherical": 5}, 2: {"full": 11, "spherical": 7}})
    >>> plt.close("all")
    """
    ax = style.axes_for(None, (7.6, 4.6))
    most = max(counts)
    for i, name in enumerate(counts[most]):
        numbers = [count[name] for count in counts.values()]
        look = {"color": style.COLORS[(3, 5, 8)[i % 3]], "ls": style.LINES[i // 3]}
        ax.plot(list(counts), numbers, label=f"{name}: {counts[most][name]:,}", **look)
    ax.set_yscale("log")
    ax.set_xlabel("features")
    ax.set_ylabel("free parameters")
    style.legend_beside(ax, title=f"with {most} features")
    return figure_of(ax)
