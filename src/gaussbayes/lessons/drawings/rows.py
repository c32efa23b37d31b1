"""The rows of a lesson's table, alone, with ellipses, or over regions."""

from typing import TYPE_CHECKING

import numpy as np

from gaussbayes import plots
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.drawings.panels import figure_of
from gaussbayes.lessons.lesson import Table
from gaussbayes.plots import points, style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FAINT = 0.25


def draw_rows(
    table: Table, test: Table | None = None, size: tuple[float, float] = (6.4, 4.8)
) -> "Figure":
    """Draw the rows of one table, and those of another, hollow, if there are any to test on."""
    held_out = None if test is None else (test.rows, test.labels)
    ax = plots.dataset(table.rows, table.labels, test=held_out, ax=_axes(size))
    style.name_axes(ax, table.features)
    return figure_of(ax)


def draw_contours(model: GaussianClassifier, table: Table) -> "Figure":
    """Draw the Gaussians as ellipses, whole, with the rows faint behind them."""
    ax = draw_rows(table).axes[0]
    fade_rows(ax)
    plots.ellipses(model, ax=ax)
    # The axes end where the rows do; let them end where the ellipses do.
    ax.autoscale()
    return figure_of(ax)


def draw_over_regions(model: GaussianClassifier, table: Table, ax: "Axes") -> None:
    """Draw the rows and the ellipses, whole, over the model's regions."""
    plots.regions(model, ax=ax)
    classes, codes = np.unique(table.labels, return_inverse=True)
    points.draw_points(ax, table.rows, codes, style.class_styles(classes))
    plots.ellipses(model, ax=ax)


def fade_rows(ax: "Axes") -> None:
    """Make the points of axes faint, but not the rings around errors."""
    from matplotlib.collections import PathCollection

    for drawn in ax.collections:
        if isinstance(drawn, PathCollection) and drawn.get_gid() != "errors":
            drawn.set_alpha(_FAINT)


@picture
def _axes(size: tuple[float, float]) -> "Axes":
    return style.axes_for(None, size)
