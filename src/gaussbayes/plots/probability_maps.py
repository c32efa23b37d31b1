"""Probabilities over the plane: posteriors and joint densities of the classes, and the evidence.

The evidence is a map, or a surface: its height is p(x), its colour the most probable class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colorbar import Colorbar
from matplotlib.colors import LightSource, LinearSegmentedColormap, to_rgb
from numpy.typing import NDArray

from gaussbayes.analysis.view import Grid, View, view
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import LabelsLike, RealArray, TableLike
from gaussbayes.plots import line_plots, region_plots, row_plots, style
from gaussbayes.plots.style import Classifier, Features, Look, styled

_SURFACE = 120  # points of the grid of a surface along each axis
_HALVINGS = 6  # contours of the joint densities of all classes, each half the one inside it
_NEUTRAL = ("white", "#c9d3da", "#7d8f9c", "#3b4a57")  # colours from 0 upwards, not of a class
_PALE = 0.4  # proportion of colour removed from a blend, so that points stand out
_LONG = 24  # characters of a name that fit beside an axis of the surface
_GROUND = 0.75  # proportion of white in the colour of a class at evidence 0


@styled
def posterior(
    model: Classifier,
    X: TableLike | None = None,
    y: LabelsLike | None = None,
    *,
    label: object = None,
    features: Features = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot the posterior ``p(c | x)`` of one class, or of all, over one or two features.

    Over the plane, one class is a map with a line where its posterior is ½; for all classes, the
    colours of the classes are mixed in proportion to their posteriors. Along one feature, each
    class has a curve, or bars for categories and counts, with the decision boundaries. Other
    features are integrated out: the posterior uses only the features shown.

    Parameters
    ----------
    model : any fitted classifier that has `predict_proba`; one without densities must have one or
        two features, and needs X
    X, y : rows to draw, and their labels or the name of their column; unlabelled rows are grey.
        Along one feature, up to 60 rows are drawn, as markers below the curves.
    label : the class, as in `classes_`; None shows all classes
    features : one or two, by name or number; None shows the two most informative
    legend : whether to draw a legend
    ax : where to draw; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> posterior(model, label=1).get_title()
    'p(c | x), c = 1'
    >>> ax = posterior(GaussianClassifier.from_parameters(None, [[0], [4]], [[1]]))
    >>> ax.get_ylabel()
    'p(c | x)'
    """
    seen = view(model, features, (1, 2))
    return _draw("posterior", seen, X, y, label, legend, ax)


@styled
def joint(
    model: Classifier,
    X: TableLike | None = None,
    y: LabelsLike | None = None,
    *,
    label: object = None,
    features: Features = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot the joint density ``p(x, c) = p(c) p(x | c)`` of one class, or of all.

    Over the plane, one class is a map; all classes have contours, each at half the density of the
    one inside it. Along one feature, each class has a curve, or bars for categories and counts;
    for all classes, their sum is the evidence. Histograms of the rows have the area ``p(c)``.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` or `AutoClassifier`
    X, y, label, features, legend, ax : as in `posterior`

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> joint(model, label=1).get_title()
    'p(x, c), c = 1'
    """
    seen = view(model, features, (1, 2), densities=True)
    return _draw("joint", seen, X, y, label, legend, ax)


@styled
def evidence(
    model: Classifier,
    X: TableLike | None = None,
    y: LabelsLike | None = None,
    *,
    surface: bool = False,
    features: Features = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot the evidence ``p(x) = Σ_c p(x, c)`` as a map of the plane, or along one feature.

    With `surface` it is a surface over the plane in the colour of the most probable class, more
    intense where it is higher.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` or `AutoClassifier`
    X, y : rows to draw, in the colours of their classes if there are labels; not on a surface
    surface : whether to draw a surface instead of a map
    features : one or two, by name or number; None shows the two most informative
    legend : whether to draw a legend
    ax : where to draw, for a surface axes made with ``projection="3d"``; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = evidence(model, [[0.5, 0.5]], [0])
    >>> evidence(model, surface=True).get_zlabel()
    'p(x)'
    """
    seen = view(model, features, (2,) if surface else (1, 2), densities=True)
    if surface:
        if X is not None:
            msg = "a surface of the evidence shows no rows: omit X and y, or surface=True"
            raise OptionError(msg)
        return _draw_surface(seen, legend, ax)
    return _draw("evidence", seen, X, y, None, legend, ax)


def _draw(
    quantity: Literal["posterior", "joint", "evidence"],
    seen: View,
    X: TableLike | None,
    y: LabelsLike | None,
    label: object,
    legend: bool,
    ax: Axes | None,
) -> Axes:
    """The evidence, or a quantity of one class or of all, along a feature or over two."""
    if len(seen.axes) == 1:
        return line_plots.draw_curves(quantity, seen, X, y, label, legend, ax)
    points = row_plots.points_of(seen, X, y)
    ax = style.axes_for(ax)
    shown = style.widened(ax, seen.limits(points.places))
    grid = seen.grid(region_plots.RESOLUTION, *shown)
    values = seen.score(quantity, grid.rows)
    words = "p(c | x)" if quantity == "posterior" else "p(x, c)"
    entries = []
    if quantity == "evidence":
        _draw_map(ax, grid, values, _NEUTRAL, _top(values)).set_label("p(x)")
    elif label is None:
        entries = _draw_classes(ax, quantity, seen, grid, values)
        ax.set_title(words)
    else:
        code = int(seen.codes([label])[0])
        look = style.class_styles(seen.classes)[code]
        _draw_class(ax, quantity, grid, values[:, code], look.color)
        ax.set_title(f"{words}, c = {look.label}")
    style.separate_categories(ax, seen.axes)
    rows = row_plots.draw_rows(ax, seen, points)
    if not points.unlabelled.all():  # their markers name the classes
        entries = []
    return style.finish(ax, seen.axes, [*entries, *rows], legend=legend)


def _draw_class(ax: Axes, quantity: str, grid: Grid, scores: RealArray, color: str) -> None:
    """Scores (p·m,) of one class as a map; of posteriors with a line where they are ½."""
    top = 1.0 if quantity == "posterior" else _top(scores)
    bar = _draw_map(ax, grid, scores, ("white", color), top)
    if quantity == "posterior":
        bar.ax.axhline(0.5, color=style.INK, linewidth=1.3)
        if not any(grid.discrete) and scores.min() < 0.5 < scores.max():
            line: Look = {"colors": style.INK, "linewidths": 1.3, "zorder": 2}
            half = ax.contour(grid.x, grid.y, grid.arrange(scores), levels=[0.5], **line)
            half.set_gid("half")


def _draw_classes(ax: Axes, quantity: str, seen: View, grid: Grid, scores: RealArray) -> list[Any]:
    """Scores (p·m, k) of all classes, mixed as colours or as contours; returns legend entries."""
    styles = style.class_styles(seen.classes)
    if quantity == "joint" and not any(grid.discrete):
        levels = _top(scores) * 0.5 ** np.arange(_HALVINGS, 0, -1)
        for look, values in zip(styles, scores.T, strict=True):
            line: Look = {"colors": [look.color], "linewidths": 1.2, "linestyles": [look.line]}
            if values.max() > levels[0]:
                ax.contour(grid.x, grid.y, grid.arrange(values), levels=levels, **line)
        return [style.line(look.label, color=look.color, linestyle=look.line) for look in styles]
    weights = np.nan_to_num(scores)
    if quantity == "joint":
        weights /= _top(weights.sum(axis=1))
    colors = np.array([style.lighter(look.color, _PALE) for look in styles])
    mixed = np.array(to_rgb("white")) + weights @ (colors - 1.0)
    region_plots.draw_image(ax, grid, grid.arrange(np.clip(mixed, 0.0, 1.0)))
    return [style.patch(look.label, color=style.lighter(look.color, _PALE)) for look in styles]


def _draw_surface(seen: View, legend: bool, ax: Axes | None) -> Axes:
    for axis in seen.axes:
        if not axis.is_ordered:
            msg = f"a surface has no place for categories, such as those of {axis.name!r}: "
            raise DataError(
                msg + "choose features that hold numbers, or draw a map (surface=False)"
            )
    if ax is not None and ax.name != "3d":
        msg = f"a surface needs axes made with projection='3d', got {ax.name!r} axes"
        raise OptionError(msg)
    grid = seen.grid(_SURFACE, *seen.limits())
    height: NDArray[Any] = grid.arrange(seen.score("evidence", grid.rows))
    styles = style.class_styles(seen.classes)
    drawn: Any = ax
    if drawn is None:
        drawn = style.new_figure((7.2, 5.2)).add_subplot(projection="3d")
    codes: NDArray[Any] = grid.arrange(seen.predicted(grid.rows))
    proportion = (height / _top(height))[..., None]
    strong, light = (
        np.array([style.lighter(look.color, pale) for look in styles])[codes]
        for pale in (0.0, _GROUND)
    )
    colors = light + proportion * (strong - light)
    sun = {"lightsource": LightSource(azdeg=225, altdeg=55), "antialiased": False, "linewidth": 0}
    fine = {"rcount": _SURFACE, "ccount": _SURFACE, "rasterized": True}
    drawn.plot_surface(*np.meshgrid(grid.x, grid.y), height, facecolors=colors, **sun, **fine)
    drawn.view_init(elev=38.0, azim=-60.0)
    drawn.set_box_aspect((1, 1, 0.7), zoom=0.85)
    drawn.set_anchor(
        "E"
    )  # beside the legend, so that its position is known before the axes become square
    drawn.set_zlabel("p(x)", labelpad=10)
    drawn.locator_params(nbins=5)
    entries: list[Any] = list(region_plots.region_handles(styles))
    drawn.set_xlabel(style.text(seen.names[0], _LONG, 1), labelpad=9)
    drawn.set_ylabel(style.text(seen.names[1], _LONG, 1), labelpad=9)
    beside = style.legend_beside(drawn, entries) if legend else None
    if beside is not None:  # p(x) is at the usual position of legends
        beside.set_bbox_to_anchor((1.08, 1.0), transform=drawn.transAxes)
    return drawn  # type: ignore[no-any-return]


def _draw_map(
    ax: Axes, grid: Grid, values: RealArray, colors: Sequence[str], top: float
) -> Colorbar:
    """Values (p·m,) as an image in colours from 0 to the top; its colour bar."""
    look: Look = {"cmap": LinearSegmentedColormap.from_list("map", colors), "vmin": 0, "vmax": top}
    image = region_plots.draw_image(
        ax, grid, grid.arrange(values), interpolation="bilinear", **look
    )
    bar = ax.figure.colorbar(image, ax=ax)
    bar.outline.set_visible(False)
    return bar


def _top(values: RealArray) -> float:
    """The largest value, or 1 if all underflow, because a scale needs a positive length."""
    return float(np.nanmax(values)) or 1.0
