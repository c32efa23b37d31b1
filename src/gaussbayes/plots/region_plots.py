"""Decision regions with their boundaries, and the ellipses of the Gaussians.

An ellipse has an equal Mahalanobis distance from the mean of its class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from gaussbayes.analysis.class_moments import class_outlines, mass_of_radius
from gaussbayes.analysis.view import Grid, View, view
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import FloatArray, LabelsLike, TableLike
from gaussbayes.families.protocol import Distant
from gaussbayes.plots import row_plots, style
from gaussbayes.plots.line_plots import BOUNDARY
from gaussbayes.plots.style import Classifier, Features, Look, Styles, styled

RESOLUTION = 300  # points of a grid along each axis
LIGHT = 0.62  # proportion of colour removed from a region, so that points stand out
_AROUND = 0.03  # around the ellipses
# Style of regions in which no class is probable enough.
_OPEN: Look = {"hatch": "/////", "edgecolor": "#6b6b6b", "hatch_linewidth": 0.6, "linewidth": 0.6}


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
    """Plot the decision regions of a classifier over two features.

    The boundary of class c is where ``log p(c | x) − max_b log p(b | x) = 0``, found on a grid.
    Categories and counts have cells; a cell in which no class is possible is white. Crosses mark
    the means.

    Parameters
    ----------
    model : any fitted classifier; one without densities must have two features, and needs X
    X, y : rows to draw as points, and their labels or the name of their column; misclassified rows
        are ringed, unlabelled rows are grey. Along categories and counts points are moved aside.
    features : two, by name or number, the others integrated out; None shows the most informative
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
    seen = view(model, features, (2,))
    points = row_plots.points_of(seen, X, y)
    styles = style.class_styles(seen.classes)
    ax = style.axes_for(ax)
    shown = style.widened(ax, seen.limits(points.places))
    # Includes the extent of ellipses, which may be drawn later.
    reach = seen.limits() if seen.is_model else shown
    grid = seen.grid(RESOLUTION, np.minimum(shown[0], reach[0]), np.maximum(shown[1], reach[1]))
    margins: NDArray[Any] = grid.arrange(seen.margins(grid.rows))
    codes = np.where(np.isnan(margins[..., 0]), -1, margins.argmax(axis=2))
    colors = ListedColormap([style.lighter(look.color, LIGHT) for look in styles])
    possible = np.ma.masked_less(codes, 0)  # white if no class is possible
    draw_image(ax, grid, possible, cmap=colors, vmin=-0.5, vmax=len(styles) - 0.5)
    # Every boundary has a class on either side: without one class all of them are still drawn.
    line: Look = {"colors": style.INK, "linestyles": "solid", "linewidths": 1.5, "zorder": 2}
    for code in np.unique(codes)[1:]:
        ax.contour(*_cells(grid, margins[..., code]), levels=[0.0], **line).set_gid("boundary")
    style.separate_categories(ax, seen.axes)
    style.set_limits(ax, shown)
    entries = [] if not points.unlabelled.all() else region_handles(styles)
    wrong = (seen.predicted(points.places) != points.codes) & ~points.unlabelled
    entries += row_plots.draw_rows(ax, seen, points, wrong)
    entries += row_plots.draw_means(ax, seen.means)
    if any(axis.is_ordered for axis in seen.axes):
        entries.append(style.line(BOUNDARY, color=style.INK, linewidth=1.5))
    if reject_below is not None:
        largest: NDArray[Any] = grid.arrange(seen.score("posterior", grid.rows).max(axis=1))
        _draw_rejected(ax, grid, largest, reject_below)
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
    features : two, by name or number, the others integrated out; None shows the most informative
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
    seen = view(model, features, (2,), densities=True)
    _check_gaussian(seen)
    radii = np.sort(np.atleast_1d(np.asarray(levels, dtype=np.float64)))
    if not (radii.size and (radii > 0.0).all() and np.isfinite(radii).all()):
        msg = f"levels must be one or more positive numbers of standard deviations, got {levels!r}"
        raise OptionError(msg)
    outlines = [class_outlines(seen.model, radius) for radius in radii.tolist()]
    # From a strong inner line to a faint outer one.
    outwards = np.linspace(0.0, 1.0, len(radii)) if len(radii) > 1 else np.zeros(1)
    looks = [{"linewidth": 2.2 - 1.2 * out, "alpha": 1.0 - 0.5 * out} for out in outwards]
    ax = style.axes_for(ax)
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
    style.set_limits(ax, style.widened(ax, (low - margin, high + margin)))
    return style.finish(ax, seen.axes, entries, legend=legend)


def _check_gaussian(seen: View) -> None:
    """Raise unless all features have distances, so that classes have ellipses."""
    if all(isinstance(density, Distant) for density in seen.model.densities):
        return
    families = {
        seen.names[column]: component.family.name
        for component in seen.model.components
        for column in component.columns
    }
    what = " and ".join(f"{name!r} ({families[name]})" for name in seen.names)
    msg = f"ellipses need two Gaussian features, got {what}: choose others with features="
    raise DataError(msg)


def draw_image(ax: Axes, grid: Grid, values: NDArray[Any], **look: Any) -> AxesImage:
    """Draw values (p, m) as pixels centred at the points of the grid, below everything else."""
    if any(grid.discrete):  # a discrete grid has no values between its points
        look["interpolation"] = "nearest"
    options: Look = {"interpolation": "nearest", "zorder": 0, "origin": "lower", "aspect": "auto"}
    image = ax.imshow(values, extent=grid.edges, **options | look)
    ax.set(xlim=grid.edges[:2], ylim=grid.edges[2:])
    return image


def _draw_rejected(ax: Axes, grid: Grid, largest: NDArray[Any], threshold: float) -> None:
    """Hatch where the largest posterior (p, m) is below a threshold."""
    if (largest < threshold).any():
        look: Look = {"colors": "none", "hatches": [_OPEN["hatch"]], "zorder": 1}
        zone = ax.contourf(*_cells(grid, largest), levels=[0.0, threshold], **look)
        zone.set(edgecolor=_OPEN["edgecolor"], linewidth=_OPEN["linewidth"], gid="rejected")
        zone.set_hatch_linewidth(_OPEN["hatch_linewidth"])


def _cells(grid: Grid, values: NDArray[Any]) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
    """The grid and values (p, m) for contours; a point of a discrete grid stands for its cell."""
    if not any(grid.discrete):
        return grid.x, grid.y, values
    left, right, bottom, top = grid.edges
    x = np.repeat(np.linspace(left, right, grid.x.size + 1), 2)[1:-1]
    y = np.repeat(np.linspace(bottom, top, grid.y.size + 1), 2)[1:-1]
    return x, y, values.repeat(2, axis=0).repeat(2, axis=1)


def region_handles(styles: Styles) -> list[Any]:
    """Legend entries: the colour of each class's region."""
    return [
        style.patch(look.label, facecolor=style.lighter(look.color, LIGHT), edgecolor=look.color)
        for look in styles
    ]
