"""Which class is the most probable where: regions, their boundaries, and where to leave it open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import ListedColormap
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from gaussbayes.analysis import decision
from gaussbayes.analysis.grid import (
    Grid,
    RegionMap,
    axis_limits,
    axis_points,
    boundary_segments,
    grid_within,
    intervals,
    region_map,
    view_limits,
)
from gaussbayes.analysis.view import Axis, View, view_of
from gaussbayes.base.types import FloatArray
from gaussbayes.plots import row_plots, style
from gaussbayes.plots.line_plots import BOUNDARY, boundary_lines
from gaussbayes.plots.row_plots import RowPoints
from gaussbayes.plots.style import Features, Look, Panel, Styles, styled

_MARGIN = 0.05  # around what is shown, on each side
LIGHT = 0.62  # of a class's colour is taken out of its region, so that points stand out
# What places look like where no class is probable enough.
_HATCH: Look = {"hatch": "/////", "edgecolor": "#6b6b6b"}
_OPEN: Look = _HATCH | {"hatch_linewidth": 0.6, "linewidth": 0.6}


@styled
def regions(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    features: Features = None,
    reject: float | None = None,
    resolution: int = 400,
    legend: bool = True,
    ax: Panel = None,
) -> Axes:
    """Draw the region of each class, the boundaries between them and the classes' means.

    In the plane, the boundary of class c is where ``log p(c | x) − max_b log p(b | x) = 0``, found
    on a grid; on a line, the boundaries are exact roots and their values are written above them.
    Categories and counts have cells; where no class is possible at all, a cell stays white.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`, or any other classifier of one or two features
        that has `predict`, whose regions need rows to be drawn among
    X, y : rows to draw as points; with labels, those in the wrong region are ringed, and those
        without are grey. Along categories and counts points are moved a little aside.
    features : the one or two to show, by name or number, the others integrated out; needed if the
        model has more than two (or more than two that hold numbers)
    reject : hatch where even the most probable class has a posterior below this
    resolution : points of the grid along each axis
    legend : whether to draw one
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]]
    >>> ax = regions(GaussianClassifier("diagonal").fit(X, [0, 0, 0, 1, 1, 1]), resolution=50)
    """
    seen = view_of((1, 2), model, features)
    points = row_plots.points_of(seen, X, y)
    draw = _draw_line if len(seen.axes) == 1 else _draw_plane
    ax = style.axes_for(ax, (6.4, 3.6 if draw is _draw_line and seen.classes.size <= 6 else 4.8))
    entries = draw(ax, seen, points, reject, resolution)
    if reject is not None:
        label = f"left open:\nposterior below {reject:g}"
        entries.append(style.patch(label, facecolor="none", **_OPEN))
    return style.finish(ax, seen.axes, entries, legend=legend)


def _draw_plane(
    ax: Axes, seen: View, points: RowPoints, reject: float | None, resolution: int
) -> list[Any]:
    """Draw everything but the names and the legend, whose entries are returned."""
    styles = style.class_styles(seen.classes)
    before = style.limits_before(ax)
    shown = style.widest(before, view_limits(seen, points.places))
    # As far as ellipses reach, which may be drawn on it later.
    grid = grid_within(seen, resolution, *style.widest(shown, _reach(seen)))
    has_boundaries = draw_regions(ax, region_map(seen, grid), seen.axes, styles)
    style.set_limits(ax, shown)
    entries = _draw_rows(ax, seen, points, row_plots.spread_out(points.places, seen.axes))
    entries += row_plots.draw_means(ax, seen.means)
    if has_boundaries:
        entries.append(style.line(BOUNDARY, color=style.INK, linewidth=1.5))
    if reject is not None:
        posterior = seen.posterior(grid.rows)
        if decision.rejected(posterior, reject).any():
            _draw_open(ax, grid, grid.arrange(posterior.max(axis=1)), reject)
    return entries


def _reach(seen: View) -> style.Limits | None:
    """What a figure of the model alone would show, and a margin around it."""
    if not seen.has_means:
        return None
    low, high = view_limits(seen)
    margin = np.array([0.0 if axis.is_discrete else _MARGIN for axis in seen.axes]) * (high - low)
    return axis_limits(seen.axes, low - margin, high + margin)


def _draw_line(
    ax: Axes, seen: View, points: RowPoints, reject: float | None, resolution: int
) -> list[Any]:
    """The same along one feature: intervals between exact boundaries, their values written."""
    styles, axis = style.class_styles(seen.classes), seen.axes[0]
    (low,), (high,) = view_limits(seen, points.places)
    boundaries = boundary_lines(seen, low, high)
    cuts = [place - 0.5 for place in range(1, len(axis.codes))] or boundaries.inside
    top = 1.0 - boundaries.draw(ax)
    for left, right, code in intervals(seen, cuts, low, high):
        if code >= 0:
            color = style.lighter(styles[code].color, LIGHT)
            ax.axvspan(left, right, ymax=top, color=color, linewidth=0, zorder=0)
    style.separate_categories(ax, seen.axes)
    places, n_strips = row_plots.in_strips(points, seen.axes, len(styles))
    # A strip for each class and some room, all of it below the values that are written on top.
    ax.set(xlim=(low, high), ylim=(-0.7, -0.7 + (n_strips + 0.4) / top), yticks=[])
    ax.spines["left"].set_visible(False)
    entries = _draw_rows(ax, seen, points, places)
    heights = n_strips - 1.0 - np.arange(len(styles))
    entries += row_plots.draw_means(ax, np.stack([seen.means[:, 0], heights], axis=1))
    if reject is not None:
        x = axis_points(axis, low, high, 5 * resolution)
        rejected = decision.rejected(seen.posterior(x[:, None]), reject)
        if axis.is_discrete:  # each value stands for the room around it
            half = (x[1] - x[0] if x.size > 1 else 1.0) / 2
            x, rejected = np.stack([x - half, x + half], axis=1).ravel(), np.repeat(rejected, 2)
        look: Look = {"transform": ax.get_xaxis_transform(), "zorder": 1, **_OPEN}
        zone = ax.fill_between(x, 0, top, where=rejected.tolist(), facecolor="none", **look)
        zone.set_gid("left open")
    return [*entries, *boundaries.handles()]


def _draw_rows(ax: Axes, seen: View, points: RowPoints, places: FloatArray) -> list[Any]:
    """Draw rows at their places (n, 2), those predicted wrongly ringed; returns legend entries."""
    styles = style.class_styles(seen.classes)
    rings = []
    if points.codes.size:
        wrong = (seen.predicted(points.places) != points.codes) & ~points.unlabelled
        row_plots.draw_points(ax, places, points.codes, styles)
        row_plots.draw_rings(ax, places[wrong])
        rings = [row_plots.ring_handle()] if wrong.any() else []
    areas = region_handles(styles) if points.unlabelled.all() else []
    return [*areas, *row_plots.given_handles(points, styles, rings)]


def draw_image(ax: Axes, grid: Grid, values: NDArray[Any], **look: Any) -> AxesImage:
    """Draw values (p, m) as pixels whose centres are the points of the grid, under everything."""
    if any(grid.discrete):  # there is nothing between its points
        look["interpolation"] = "nearest"
    options: Look = {"interpolation": "nearest", "zorder": 0, "origin": "lower", "aspect": "auto"}
    image = ax.imshow(values, extent=grid.edges, **options | look)
    ax.set(xlim=grid.extent[:2], ylim=grid.extent[2:])
    return image


def draw_regions(
    ax: Axes, regions: RegionMap, axes: Sequence[Axis], styles: Styles, **look: Any
) -> bool:
    """The region of each class and the lines between; says whether there are any lines."""
    colors = ListedColormap([style.lighter(each.color, LIGHT) for each in styles])
    codes = np.ma.masked_less(regions.codes, 0)  # where no class is possible it stays white
    draw_image(ax, regions.grid, codes, cmap=colors, vmin=-0.5, vmax=len(styles) - 0.5)
    has_boundaries = draw_boundaries(ax, regions, axes, **look)
    style.separate_categories(ax, axes)
    return has_boundaries


def draw_boundaries(ax: Axes, regions: RegionMap, axes: Sequence[Axis], **look: Any) -> bool:
    """Draw the lines where the most probable class changes; between categories there are none."""
    grid = regions.grid
    options: Look = {"colors": style.INK, "linestyles": "solid", "linewidths": 1.5, "zorder": 2}
    options |= look
    if any(grid.discrete):
        ordered = [along for along, axis in enumerate(axes) if axis.is_ordered]
        segments = [segment for along in ordered for segment in boundary_segments(regions, along)]
        cells = LineCollection(segments, capstyle="butt", gid="boundary", **options)
        ax.add_collection(cells, autolim=False)
        return bool(ordered)
    # Every boundary has a class on either side: without one class all of them are still drawn.
    for code in np.unique(regions.codes)[1:]:
        lines = ax.contour(grid.x, grid.y, regions.margins[..., code], levels=[0.0], **options)
        lines.set_gid("boundary")
    return True


def _draw_open(ax: Axes, grid: Grid, largest: NDArray[Any], reject: float) -> None:
    """Hatch where the largest posterior (p, m) is below a threshold."""
    zone: Any
    if any(grid.discrete):
        cells = _cells(grid, largest < reject)
        zone = PatchCollection(cells, facecolor="none", zorder=1, linewidth=0.0, **_HATCH)
        ax.add_collection(zone, autolim=False)
    else:
        look: Look = {"colors": "none", "hatches": [_OPEN["hatch"]], "zorder": 1}
        zone = ax.contourf(grid.x, grid.y, largest, levels=[0.0, reject], **look)
        zone.set(edgecolor=_OPEN["edgecolor"], linewidth=_OPEN["linewidth"])
    zone.set_hatch_linewidth(_OPEN["hatch_linewidth"])
    zone.set_gid("left open")


def _cells(grid: Grid, chosen: NDArray[np.bool_]) -> list[Rectangle]:
    """Some cells of the grid (p, m), those beside each other in a line together."""
    across, up = grid.steps
    cells = []
    for line, bottom in zip(chosen, grid.y - up / 2, strict=True):
        ends = np.flatnonzero(np.diff(line.astype(np.int8), prepend=0, append=0))
        for start, end in ends.reshape(-1, 2).tolist():
            left = grid.x[start] - across / 2
            cells.append(Rectangle((left, bottom), (end - start) * across, up))
    return cells


def region_handles(styles: Styles) -> list[Any]:
    """Legend entries: the colour of each class's region."""
    return [
        style.patch(look.label, facecolor=style.lighter(look.color, LIGHT), edgecolor=look.color)
        for look in styles
    ]
