"""Decision regions with their boundaries, and the ellipses of the Gaussians that make them.

An ellipse has an equal Mahalanobis distance from the mean of its class.
"""

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
from gaussbayes.analysis.class_moments import class_outlines
from gaussbayes.analysis.ellipse import mass_of_radius
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
from gaussbayes.analysis.view import Axis, View, density_view, view_of
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import FloatArray, LabelsLike, TableLike
from gaussbayes.plots import row_plots, style
from gaussbayes.plots.line_plots import BOUNDARY, boundary_lines
from gaussbayes.plots.row_plots import RowPoints
from gaussbayes.plots.style import Classifier, Features, Look, Styles, styled

RESOLUTION = 300  # points of a grid along each axis
LIGHT = 0.62  # of a class's colour is taken out of its region, so that points stand out
_MARGIN = 0.05  # around what is shown, on each side
_AROUND = 0.03  # around the ellipses
# What places look like where no class is probable enough.
_HATCH: Look = {"hatch": "/////", "edgecolor": "#6b6b6b"}
_OPEN: Look = _HATCH | {"hatch_linewidth": 0.6, "linewidth": 0.6}


@styled
def regions(
    model: Classifier,
    X: TableLike | None = None,
    y: LabelsLike | None = None,
    *,
    features: Features = None,
    reject_below: float | None = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot the decision regions of a classifier over one or two features.

    The boundary of class c is where ``log p(c | x) − max_b log p(b | x) = 0``. Along one feature
    the boundaries are exact roots, and their values are written above them; in the plane they are
    found on a grid. Categories and counts have cells; a cell in which no class is possible is
    white. Crosses mark the means.

    Parameters
    ----------
    model : any fitted classifier; one without densities must have one or two features, and needs X
    X, y : rows to draw as points, and their labels or the name of their column; misclassified rows
        are ringed, unlabelled rows are grey. Along categories and counts points are moved aside.
    features : one or two, by name or number, the others integrated out; needed if the model has
        more than two (or more than two that hold numbers)
    reject_below : hatch where the posterior of every class is below this, as in `decide`
    legend : whether to draw a legend
    ax : where to draw; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]]
    >>> ax = regions(GaussianClassifier("diagonal").fit(X, [0, 0, 0, 1, 1, 1]))
    """
    seen = view_of((1, 2), model, style.chosen(features))
    points = row_plots.points_of(seen, X, y)
    draw = _draw_line if len(seen.axes) == 1 else _draw_plane
    ax = style.axes_for(ax, (6.4, 3.6 if draw is _draw_line and seen.classes.size <= 6 else 4.8))
    entries = draw(ax, seen, points, reject_below)
    if reject_below is not None:
        label = f"rejected:\nposterior below {reject_below:g}"
        entries.append(style.patch(label, facecolor="none", **_OPEN))
    return style.finish(ax, seen.axes, entries, legend=legend)


@styled
def ellipses(
    model: Classifier,
    *,
    levels: float | Sequence[float] = (1, 2, 3),
    features: Features = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot the Gaussian of each class as ellipses ``(x − mean)ᵀ Σ⁻¹ (x − mean) = level²``.

    The legend gives the probability within each: in the plane 1σ holds 39 %, 2σ 86 % and 2.45σ
    95 %. Ellipses of transformed features are mapped back to the units of the table.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` or `AutoClassifier`
    levels : Mahalanobis distances, in standard deviations
    features : two, by name or number, the others integrated out; needed if the model has more
    legend : whether to draw a legend
    ax : where to draw, with limits that show the whole ellipses; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = ellipses(model, levels=(1, 2))
    """
    seen = density_view(model, style.chosen(features))
    if not seen.has_ellipses:
        families = {
            seen.names[column]: component.family.name
            for component in seen.model.components
            for column in component.columns
        }
        what = " and ".join(f"{name!r} ({families[name]})" for name in seen.names)
        msg = f"ellipses need two Gaussian features, got {what}: choose others with features="
        raise DataError(msg)
    radii = np.sort(np.atleast_1d(np.asarray(levels, dtype=np.float64)))
    if not (radii.size and (radii > 0.0).all() and np.isfinite(radii).all()):
        msg = f"levels must be one or more positive numbers of standard deviations, got {levels!r}"
        raise OptionError(msg)
    outlines = [class_outlines(seen.model, radius) for radius in radii.tolist()]
    # From a strong line in the middle to a faint one outside.
    outwards = np.linspace(0.0, 1.0, len(radii)) if len(radii) > 1 else np.zeros(1)
    looks = [{"linewidth": 2.2 - 1.2 * out, "alpha": 1.0 - 0.5 * out} for out in outwards]
    new = ax is None
    ax = style.axes_for(ax)
    before = style.limits_before(ax)
    entries = []
    for code, of_class in enumerate(style.class_styles(seen.classes)):
        line: Look = {"color": of_class.color, "linestyle": of_class.line}
        for points, look in zip(outlines, looks, strict=True):
            ax.plot(*points[code].T, zorder=3, gid="ellipse", **line, **look)
        entries.append(style.line(of_class.label, **line))
    entries += row_plots.draw_means(ax, seen.means)
    for radius, mass, look in zip(radii, mass_of_radius(radii), looks, strict=True):
        label = f"{radius:.3g}σ ({100 * mass:.3g} %)"
        entries.append(style.line(label, color=style.INK, **look))
    around = np.concatenate([np.reshape(points, (-1, 2)) for points in outlines])
    low, high = around.min(axis=0), around.max(axis=0)
    margin = _AROUND * (high - low)
    style.set_limits(ax, style.widest(before, (low - margin, high + margin)))
    sides = np.ptp(outlines[0], axis=1)
    if new and np.allclose(sides[:, 0], sides[:, 1], rtol=1e-6):
        style.equal_aspect(ax)  # circles
    return style.finish(ax, seen.axes, entries, legend=legend)


def _draw_plane(ax: Axes, seen: View, points: RowPoints, reject: float | None) -> list[Any]:
    """Draw everything but the names and the legend, whose entries are returned."""
    styles = style.class_styles(seen.classes)
    before = style.limits_before(ax)
    shown = style.widest(before, view_limits(seen, points.places))
    # As far as ellipses reach, which may be drawn on it later.
    grid = grid_within(seen, RESOLUTION, *style.widest(shown, _reach(seen)))
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


def _draw_line(ax: Axes, seen: View, points: RowPoints, reject: float | None) -> list[Any]:
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
        x = axis_points(axis, low, high, 5 * RESOLUTION)
        rejected = decision.rejected(seen.posterior(x[:, None]), reject)
        if axis.is_discrete:  # each value stands for the room around it
            half = (x[1] - x[0] if x.size > 1 else 1.0) / 2
            x, rejected = np.stack([x - half, x + half], axis=1).ravel(), np.repeat(rejected, 2)
        look: Look = {"transform": ax.get_xaxis_transform(), "zorder": 1, **_OPEN}
        zone = ax.fill_between(x, 0, top, where=rejected.tolist(), facecolor="none", **look)
        zone.set_gid("rejected")
    return [*entries, *boundaries.handles()]


def _draw_rows(ax: Axes, seen: View, points: RowPoints, places: FloatArray) -> list[Any]:
    """Draw rows at their places (n, 2), misclassified ones ringed; returns legend entries."""
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
    zone.set_gid("rejected")


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
