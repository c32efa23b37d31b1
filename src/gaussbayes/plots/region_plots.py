"""Which class is the most probable where: regions, their boundaries, and where to leave it open."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gaussbayes.analysis import decision
from gaussbayes.analysis.grid import axis_points, intervals, region_map, view_grid, view_limits
from gaussbayes.analysis.view import View, view_of
from gaussbayes.base.types import FloatArray
from gaussbayes.plots import plane, row_markers, style
from gaussbayes.plots.boundary_lines import NAME, BoundaryLines
from gaussbayes.plots.row_markers import RowPoints
from gaussbayes.plots.style import Features, Look, Panel, styled


@styled
def regions(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    features: Features = None,
    reject: float | None = None,
    resolution: int = 400,
    ax: Panel = None,
) -> Axes:
    """Draw the region of each class, the boundaries between them and the classes' means.

    In the plane, the boundary of class c is where ``log p(c | x) − max_b log p(b | x) = 0``, found
    on a grid; on a line, the boundaries are exact roots and their values are written above them.
    Categories and counts have cells; where no class is possible at all, a cell stays white.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`
    X, y : rows to draw as points; with labels, those in the wrong region are ringed, and those
        without are grey. Along categories and counts points are moved a little aside.
    features : the one or two to show, by name or number, the others integrated out; needed if the
        model has more than two (or more than two that hold numbers)
    reject : hatch where even the most probable class has a posterior below this
    resolution : points of the grid along each axis
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]]
    >>> ax = regions(GaussianClassifier("diagonal").fit(X, [0, 0, 0, 1, 1, 1]), resolution=50)
    """
    seen = view_of((1, 2), model, features)
    points = row_markers.points_of(seen, X, y)
    draw = _draw_line if len(seen.axes) == 1 else _draw_plane
    ax = style.axes_for(ax, (6.4, 3.6 if draw is _draw_line and seen.classes.size <= 6 else 4.8))
    entries = draw(ax, seen, points, reject, resolution)
    if reject is not None:
        entries.append(plane.open_handle(reject))
    return style.finish(ax, seen.axes, entries)


def _draw_plane(
    ax: Axes, seen: View, points: RowPoints, reject: float | None, resolution: int
) -> list[Any]:
    """Draw everything but the names and the legend, whose entries are returned."""
    styles = style.class_styles(seen.classes)
    grid = view_grid(seen, resolution, points.places)
    has_boundaries = plane.draw_regions(ax, region_map(seen, grid), seen.axes, styles)
    entries = _draw_rows(ax, seen, points, row_markers.spread_out(points.places, seen.axes))
    entries += row_markers.draw_means(ax, seen.means)
    if has_boundaries:
        entries.append(style.line(NAME, color=style.INK, linewidth=1.5))
    if reject is not None:
        posterior = seen.posterior(grid.rows)
        if decision.rejected(posterior, reject).any():
            plane.draw_open(ax, grid, grid.arrange(posterior.max(axis=1)), reject)
    return entries


def _draw_line(
    ax: Axes, seen: View, points: RowPoints, reject: float | None, resolution: int
) -> list[Any]:
    """The same along one feature: intervals between exact boundaries, their values written."""
    styles, axis = style.class_styles(seen.classes), seen.axes[0]
    (low,), (high,) = view_limits(seen, points.places)
    boundaries = BoundaryLines.of(seen, low, high)
    cuts = [place - 0.5 for place in range(1, len(axis.codes))] or boundaries.inside
    top = 1.0 - boundaries.draw(ax)
    for left, right, code in intervals(seen, cuts, low, high):
        if code >= 0:
            color = style.lighter(styles[code].color, plane.LIGHT)
            ax.axvspan(left, right, ymax=top, color=color, linewidth=0, zorder=0)
    plane.separate_categories(ax, seen.axes)
    places, n_strips = row_markers.in_strips(points, seen.axes, len(styles))
    # A strip for each class and some room, all of it below the values that are written on top.
    ax.set(xlim=(low, high), ylim=(-0.7, -0.7 + (n_strips + 0.4) / top), yticks=[])
    ax.spines["left"].set_visible(False)
    entries = _draw_rows(ax, seen, points, places)
    heights = n_strips - 1.0 - np.arange(len(styles))
    entries += row_markers.draw_means(ax, np.stack([seen.means[:, 0], heights], axis=1))
    if reject is not None:
        x = axis_points(axis, low, high, 5 * resolution)
        rejected = decision.rejected(seen.posterior(x[:, None]), reject)
        if axis.is_discrete:  # each value stands for the room around it
            half = (x[1] - x[0] if x.size > 1 else 1.0) / 2
            x, rejected = np.stack([x - half, x + half], axis=1).ravel(), np.repeat(rejected, 2)
        look: Look = {"transform": ax.get_xaxis_transform(), "zorder": 1, **plane.OPEN}
        zone = ax.fill_between(x, 0, top, where=rejected.tolist(), facecolor="none", **look)
        zone.set_gid("left open")
    return [*entries, *boundaries.handles()]


def _draw_rows(ax: Axes, seen: View, points: RowPoints, places: FloatArray) -> list[Any]:
    """Draw rows at their places (n, 2), those predicted wrongly ringed; returns legend entries."""
    styles = style.class_styles(seen.classes)
    rings = []
    if points.codes.size:
        wrong = (seen.predicted(points.places) != points.codes) & ~points.unlabelled
        row_markers.draw_points(ax, places, points.codes, styles)
        row_markers.draw_rings(ax, places[wrong])
        rings = [row_markers.ring_handle()] if wrong.any() else []
    areas = plane.region_handles(styles) if points.unlabelled.all() else []
    return [*areas, *row_markers.given_handles(points, styles, rings)]
