"""Pictures of covariance: clouds, shapes, sharing, distances, counts, shrinkage."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes import plots
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.drawings import clouds
from gaussbayes.lessons.drawings.panels import figure_of
from gaussbayes.lessons.lesson import Picture, Table
from gaussbayes.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(
    table: Table,
    made: Table,
    model: GaussianClassifier,
    shrunk: Mapping[str, GaussianClassifier],
    points: Sequence[tuple[float, float]],
    counts: Mapping[int, Mapping[str, int]],
) -> tuple[Picture, ...]:
    """The pictures; `made` are rows enough to see the shapes on, `counts` by features."""
    model = model.with_feature_names(table.features)
    shrunk = {name: one.with_feature_names(table.features) for name, one in shrunk.items()}
    rising = model.classes_.tolist().index("rising")

    def correlations() -> "Figure":
        return clouds.correlations(model, table.rows, table.labels.tolist())

    def distances() -> "Figure":
        rows = table.rows[table.labels == "rising"]
        offsets = (-75.0, 70.0), (35.0, -50.0)
        return clouds.distances(model, rising, rows, np.array(points), offsets)

    def shapes() -> "Figure":
        return _named(plots.shapes(made.rows, made.labels), made)

    def sharing() -> "Figure":
        return _named(plots.sharing(made.rows, made.labels), made)

    def shrinking() -> "Figure":
        return clouds.shrunk(shrunk, rising)

    def lines() -> "Figure":
        return clouds.parameter_counts(counts)

    return (
        Picture(
            "correlations",
            "Three clouds with the same variances: covariance −2, 0 and 2, correlation −0.8, 0 "
            "and 0.8. The ellipses are at 1 and 2 standard deviations.",
            correlations,
        ),
        Picture(
            "distances",
            "Two points at the same distance by the ruler (dashed circle); by the rising cloud's "
            "own measure one is three times as far as the other.",
            distances,
        ),
        Picture(
            "shapes",
            "Rows made from the three clouds, moved apart, with spherical, diagonal and full "
            "covariances.",
            shapes,
        ),
        Picture(
            "sharing",
            "A covariance for each class gives a curved boundary, one for all straight lines.",
            sharing,
        ),
        Picture(
            "shrinkage",
            "Another idea to save parameters: move the covariance towards the circle of the same "
            "total variance.",
            shrinking,
        ),
        Picture(
            "parameter_counts",
            "Free parameters of the six structures for three classes: full covariances grow with "
            "the square of the number of features, the others in proportion to it.",
            lines,
        ),
    )


def _named(axes: Any, table: Table) -> "Figure":
    """Give panels made from nameless rows the names of a table."""
    for ax in axes.flat:
        style.name_axes(ax, table.features)
        ax.label_outer()
    return figure_of(axes.flat[0])
