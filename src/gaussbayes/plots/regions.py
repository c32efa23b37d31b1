"""Which class is the most probable where: regions, their boundaries, and where to leave it open."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis import decision
from gaussbayes.analysis.grid import Grid
from gaussbayes.analysis.view import View, pair_view, view
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.plots import intervals, plane, points, style
from gaussbayes.plots.boundary_marks import NAME
from gaussbayes.plots.points import Points
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class RegionMap:
    """What a model decides at the points of a grid."""

    grid: Grid
    codes: NDArray[Any]  # (p, m) the most probable class
    margins: NDArray[Any]  # (p, m, k) by how much each class beats the best other one


@picture
def regions(
    model: GaussianClassifier,
    X: Any = None,
    y: Any = None,
    *,
    features: Sequence[int | str] | None = None,
    reject: float | None = None,
    resolution: int = 400,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the region of each class, the boundaries between them and the classes' means.

    In the plane, the boundary of class c is where ``log p(c | x) − max_b log p(b | x) = 0``, found
    on a grid; on a line, the boundaries are exact roots and their values are written above them.

    Parameters
    ----------
    X, y : rows to draw as points; with labels, those in the wrong region are ringed
    features : the one or two to show, by name or number, the others integrated out; needed if the
        model has more than two
    reject : hatch where even the most probable class has a posterior below this
    resolution : points of the grid along each axis

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> X = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]]
    >>> ax = regions(GaussianClassifier("diagonal").fit(X, [0, 0, 0, 1, 1, 1]), resolution=50)
    >>> plt.close("all")
    """
    seen = view(model, features)
    if len(seen.columns) != 1:
        seen = pair_view(model, features)
    given = points.points_of(seen, X, y)
    flat = len(seen.columns) == 1 and seen.classes.size <= 6
    ax = style.axes_for(ax, (6.4, 3.6) if flat else (6.4, 4.8))
    if len(seen.columns) == 1:
        handles = intervals.draw_line(ax, seen, given, reject, resolution)
    else:
        handles = draw_plane(ax, seen, given, reject, resolution)
    style.name_axes(ax, seen.names)
    style.legend_beside(ax, handles)
    return ax


def region_map(model: GaussianClassifier, grid: Grid) -> RegionMap:
    """The most probable class and the margins at each point of a grid.

    Examples
    --------
    >>> ones = [[1, 1], [1, 1]]
    >>> means = [[0, 0], [2, 0]]
    >>> model = GaussianClassifier.from_parameters(None, means, ones, covariance="diagonal")
    >>> found = region_map(model, Grid(np.array([-1.0, 1.5]), np.array([0.0, 1.0])))
    >>> found.codes.tolist(), found.margins[0, 1].tolist()
    ([[0, 1], [0, 1]], [-1.0, 1.0])
    """
    log_posterior = model.predict_log_proba(grid.rows)
    codes = log_posterior.argmax(axis=1)
    margins = decision.margins(log_posterior)
    return RegionMap(grid, grid.arrange(codes), grid.arrange(margins))


def draw_plane(
    ax: "Axes",
    seen: View,
    given: Points | None = None,
    reject: float | None = None,
    resolution: int = 400,
) -> list[Any]:
    """Draw everything but the names and the legend, whose entries are returned."""
    from matplotlib.lines import Line2D

    styles = style.class_styles(seen.classes)
    rows = [] if given is None else [given.rows]
    found = region_map(seen.model, plane.grid_of(seen, resolution, *rows))
    colors = [plane.lighter(own.color, plane.LIGHT) for own in styles]
    draw_codes(ax, found, colors)
    draw_boundaries(ax, found)
    entries: list[Any] = list(plane.region_handles(styles))
    if given is not None:
        predicted = seen.model.predict_log_proba(given.rows).argmax(axis=1)
        entries = points.draw_given(ax, given.rows, given.codes, predicted, styles) or entries
    entries.append(points.draw_means(ax, seen.model.means_))
    entries.append(Line2D([], [], color=style.INK, linewidth=1.5, label=NAME))
    if reject is not None:
        _draw_open(ax, seen.model, found.grid, reject)
        entries.append(plane.open_handle(reject))
    return entries


def draw_codes(ax: "Axes", found: RegionMap, colors: Sequence[Any]) -> None:
    """Fill the region of each class with its colour."""
    from matplotlib.colors import ListedColormap

    k = len(colors)
    plane.draw_image(
        ax, found.grid, found.codes, cmap=ListedColormap(colors), vmin=-0.5, vmax=k - 0.5
    )


def draw_boundaries(ax: "Axes", found: RegionMap, **look: Any) -> None:
    """Draw the lines at which the most probable class changes."""
    options: dict[str, Any] = {
        "colors": style.INK,
        "linewidths": 1.5,
        "linestyles": "solid",
        "zorder": 2,
    }
    options |= look
    # Every boundary has a class on either side: without one class all of them are still drawn.
    for code in np.unique(found.codes)[1:]:
        lines = ax.contour(
            found.grid.x, found.grid.y, found.margins[..., code], levels=[0.0], **options
        )
        lines.set_gid("boundary")


def _draw_open(ax: "Axes", model: GaussianClassifier, grid: Grid, reject: float) -> None:
    """Hatch where the largest posterior is below the threshold."""
    posterior = model.predict_proba(grid.rows)
    if decision.rejected(posterior, reject).any():
        largest = grid.arrange(posterior.max(axis=1))
        zone = ax.contourf(
            grid.x,
            grid.y,
            largest,
            levels=[0.0, reject],
            colors="none",
            hatches=[plane.OPEN["hatch"]],
            zorder=1,
        )
        zone.set_edgecolor(plane.OPEN["edgecolor"])
        zone.set_linewidth(plane.OPEN["linewidth"])
        zone.set_hatch_linewidth(plane.OPEN["hatch_linewidth"])
        zone.set_gid("left open")
