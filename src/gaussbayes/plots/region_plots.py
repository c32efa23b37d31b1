"""Which class is the most probable where: regions, their boundaries, and where to leave it open."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.analysis import decision
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.grid import axis_points, view_grid, view_limits
from gaussbayes.analysis.region_map import intervals, region_map
from gaussbayes.analysis.view import View, view_of
from gaussbayes.plots import plane, row_markers, style
from gaussbayes.plots.boundary_lines import NAME, boundary_handle, mark_boundaries
from gaussbayes.plots.row_markers import RowPoints
from gaussbayes.plots.style import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@styled
def regions(
    model: Any,
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

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> X = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]]
    >>> ax = regions(GaussianClassifier("diagonal").fit(X, [0, 0, 0, 1, 1, 1]), resolution=50)
    >>> plt.close("all")
    """
    seen = view_of((1, 2), model, features)
    points = row_markers.points_of(seen, X, y)
    flat = len(seen.columns) == 1 and seen.classes.size <= 6
    ax = style.axes_for(ax, (6.4, 3.6) if flat else (6.4, 4.8))
    draw = _draw_line if len(seen.columns) == 1 else _draw_plane
    handles = draw(ax, seen, points, reject, resolution)
    style.label_axes(ax, seen.axes)
    style.legend_beside(ax, handles)
    return ax


def _draw_plane(
    ax: "Axes", seen: View, points: RowPoints | None, reject: float | None, resolution: int
) -> list[Any]:
    """Draw everything but the names and the legend, whose entries are returned."""
    from matplotlib.lines import Line2D

    styles = style.class_styles(seen.classes)
    rows = [] if points is None else [points.places]
    regions = region_map(seen, view_grid(seen, resolution, *rows))
    plane.draw_codes(ax, regions, [style.lighter(look.color, plane.LIGHT) for look in styles])
    has_boundaries = plane.draw_boundaries(ax, regions, seen.axes)
    plane.separate_categories(ax, seen.axes)
    entries: list[Any] = list(plane.region_handles(styles))
    if points is not None:
        places = row_markers.spread_out(points.places, seen.axes)
        predicted = seen.predicted(points.places)
        drawn = row_markers.draw_given(ax, points, places, predicted, styles)
        entries = drawn if not points.unlabelled.all() else [*entries, *drawn]
    entries += row_markers.draw_means(ax, seen.means)
    if has_boundaries:
        entries.append(Line2D([], [], color=style.INK, linewidth=1.5, label=NAME))
    if reject is not None:
        posterior = seen.posterior(regions.grid.rows)
        if decision.rejected(posterior, reject).any():
            plane.draw_open(ax, regions.grid, regions.grid.arrange(posterior.max(axis=1)), reject)
        entries.append(plane.open_handle(reject))
    return entries


def _draw_line(
    ax: "Axes", seen: View, points: RowPoints | None, reject: float | None, resolution: int
) -> list[Any]:
    """The same along one feature: intervals between exact boundaries, their values written."""
    styles = style.class_styles(seen.classes)
    axis = seen.axes[0]
    (low,), (high,) = view_limits(seen, *([] if points is None else [points.places]))
    changes = [boundary.position for boundary in decision_boundaries(seen.model)]
    inside = [position for position in changes if low <= position <= high]
    cuts = inside if axis.is_ordered else [place + 0.5 for place in range(len(axis.codes) - 1)]
    between = {"between_integers": axis.is_discrete}
    top = 1.0 - mark_boundaries(ax, inside, (low, high), **between)
    for left, right, code in intervals(seen, cuts, low, high):
        if code >= 0:
            color = style.lighter(styles[code].color, plane.LIGHT)
            ax.axvspan(left, right, ymax=top, color=color, linewidth=0, zorder=0)
    plane.separate_categories(ax, seen.axes)
    extra = points is not None and 0 < np.count_nonzero(points.unlabelled) < points.codes.size
    n_strips = len(styles) + int(extra)
    # A strip for each class and some room, all of it below the values that are written on top.
    ax.set(xlim=(low, high), ylim=(-0.7, -0.7 + (n_strips + 0.4) / top), yticks=[])
    ax.spines["left"].set_visible(False)
    entries: list[Any] = list(plane.region_handles(styles))
    if points is not None:
        # Rows of which none has a label share the strip in the middle.
        other = len(styles) if extra else (len(styles) - 1) / 2
        ranks = np.where(points.unlabelled, other, points.codes)
        values = row_markers.spread_out(points.places, seen.axes)[:, 0]
        places = row_markers.strip(values, ranks, n_strips)
        predicted = seen.predicted(points.places)
        drawn = row_markers.draw_given(ax, points, places, predicted, styles)
        entries = drawn if not points.unlabelled.all() else [*entries, *drawn]
    heights = n_strips - 1.0 - np.arange(len(styles))
    entries += row_markers.draw_means(ax, np.stack([seen.means[:, 0], heights], axis=1))
    outside = [position for position in changes if position not in inside]
    entries.append(boundary_handle(outside, inside, high - low, **between))
    if reject is not None:
        _hatch_line(ax, seen, reject, (low, high), 5 * resolution, top)
        entries.append(plane.open_handle(reject))
    return [entry for entry in entries if entry is not None]


def _hatch_line(
    ax: "Axes",
    seen: View,
    reject: float,
    stretch: tuple[float, float],
    resolution: int,
    top: float,
) -> None:
    """Hatch where the largest posterior is below the threshold."""
    x = axis_points(seen.axes[0], *stretch, resolution)
    rejected = decision.rejected(seen.posterior(x[:, None]), reject)
    if seen.axes[0].is_discrete:  # each value stands for the room around it
        half = (x[1] - x[0] if x.size > 1 else 1.0) / 2
        x = np.stack([x - half, x + half], axis=1).ravel()
        rejected = np.repeat(rejected, 2)
    zone = ax.fill_between(
        x,
        0,
        top,
        where=rejected.tolist(),
        transform=ax.get_xaxis_transform(),
        facecolor="none",
        zorder=1,
        **plane.OPEN,
    )
    zone.set_gid("left open")
