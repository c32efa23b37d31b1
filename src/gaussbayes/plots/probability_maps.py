"""Probabilities over the plane: posteriors and joint densities of the classes, and the evidence.

The evidence is a map, or a landscape: its height is p(x), its colour the most probable class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LightSource, LinearSegmentedColormap
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from gaussbayes.analysis.grid import Grid, grid_within, region_map, view_grid, view_limits
from gaussbayes.analysis.view import View, density_view, pair_view, view_of
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.plots import line_plots, region_plots, row_plots, style
from gaussbayes.plots.style import Canvas, Features, Look, Panel, styled

_PANEL_RESOLUTION = 200
_PANEL = (3.0, 2.7)  # width and height of one of several panels, in inches
_NAMES_OF_CATEGORIES = 0.8  # height below the panels, in inches
_N_LEVELS = 10
_NEUTRAL = ("white", "#c9d3da", "#7d8f9c", "#3b4a57")  # from 0 upwards, of no class
_LONG = 24  # characters of a name that fit beside an axis of the surface
_GROUND = 0.75  # how far a class's colour is from its own, towards white, where the evidence is 0


class _Quantity(NamedTuple):
    """What a map shows of each class."""

    name: str
    of: Callable[[View, FloatArray], RealArray]  # at positions (n, 2): (n, k)
    is_probability: bool  # from 0 to 1, with a line at ½


_POSTERIOR = _Quantity("p(c | x)", View.posterior, True)
_JOINT = _Quantity("p(x, c)", View.joint, False)


@styled
def posterior(
    model: Any,
    label: object = None,
    X: Any = None,
    *,
    features: Features = None,
    resolution: int = 300,
    legend: bool = True,
    ax: Panel = None,
) -> Axes:
    """Draw the posterior ``p(c | x)`` of a class over two features, or along one.

    Over the plane it is a map of one class, with a line where the posterior is ½. Along one feature
    it is a curve for the class, or for every class, with the decision boundaries; categories and
    counts have bars. Other features are integrated out: the posterior is that of someone who knows
    only the features shown.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`, or another classifier that has `predict_proba`
    label : the class, as in `classes_`; along one feature, None shows all classes
    X : rows that the figure has to reach; a classifier without means needs them
    features : the one or two to show, by name or number; needed if the model has more than two
    resolution : points of the grid along each axis of the plane
    legend : whether to draw one beside curves
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = posterior(model, 1, resolution=50)
    >>> ax = posterior(GaussianClassifier.from_parameters(None, [[0], [4]], [[1]]))
    >>> [text.get_text() for text in ax.texts]
    ['2.00']
    """
    seen = view_of((1, 2), model, features)
    if len(seen.axes) == 1:
        return line_plots.draw_posterior_curves(seen, label, X, legend=legend, ax=ax)
    if label is None:
        msg = (
            "a map shows the posterior of one class: give its label, or choose one feature; "
            "posteriors draws the maps of all classes"
        )
        raise OptionError(msg)
    return _single(_POSTERIOR, seen, label, X, resolution, ax)


@styled
def joint(
    model: Any,
    label: object,
    X: Any = None,
    *,
    features: Features = None,
    resolution: int = 300,
    ax: Panel = None,
) -> Axes:
    """Draw the joint density ``p(x, c) = prior_c p(x | c)`` of one class over the plane.

    The parameters are those of `posterior`.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = joint(model, 1, resolution=50)
    """
    return _single(_JOINT, density_view(model, features), label, X, resolution, ax)


@styled
def posteriors(
    model: Any, X: Any = None, *, features: Features = None, figure: Canvas = None
) -> NDArray[Any]:
    """Draw the posteriors of all classes side by side, on one scale from 0 to 1.

    Returns the axes (rows, columns) of the panels, as many as there are classes; the rest is None.

    Parameters
    ----------
    model, X, features : as in `posterior`
    figure : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> posteriors(model).shape
    (1, 3)
    """
    return _panels(_POSTERIOR, pair_view(model, features), X, figure)


@styled
def joints(
    model: Any, X: Any = None, *, features: Features = None, figure: Canvas = None
) -> NDArray[Any]:
    """Draw the joint densities of all classes side by side, on one scale.

    The parameters are those of `posteriors`, and so are the axes returned.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> joints(model).shape
    (1, 3)
    """
    return _panels(_JOINT, density_view(model, features), X, figure)


@styled
def evidence(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    features: Features = None,
    surface: bool = False,
    resolution: int | None = None,
    legend: bool = True,
    ax: Panel = None,
) -> Axes:
    """Draw the evidence ``p(x) = Σ_c p(x, c)`` as a filled contour map, with rows if given.

    With `surface` it is drawn as a surface over the plane, in the colour of the most probable
    class, the stronger the higher.

    Parameters
    ----------
    model, features : as in `posterior`
    X, y : rows to draw, in the colours of their classes if there are labels; not on a surface
    surface : whether to draw a surface instead of a map
    resolution : points of the grid along each axis; None is 300, or 120 for a surface
    legend : whether to draw one
    ax : where to draw, for a surface axes made with ``projection="3d"``; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = evidence(model, [[0.5, 0.5]], [0], resolution=50)
    >>> evidence(model, surface=True, resolution=20).get_zlabel()
    'p(x)'
    """
    seen = density_view(model, features)
    if surface:
        if X is not None:
            msg = "a surface of the evidence shows no rows: leave out X and y, or surface=True"
            raise OptionError(msg)
        return _draw_surface(seen, resolution or 120, legend, ax)
    points = row_plots.points_of(seen, X, y)
    ax = style.axes_for(ax)
    before = style.limits_before(ax)
    part = style.widest(before, view_limits(seen, points.places))
    grid = grid_within(seen, resolution or 300, *part)
    values: NDArray[Any] = grid.arrange(seen.evidence(grid.rows))
    top = _top(values)
    look: Look = {"cmap": LinearSegmentedColormap.from_list("neutral", _NEUTRAL), "zorder": 0}
    shown: Any
    if any(grid.discrete):
        shown = region_plots.draw_image(ax, grid, values, vmin=0.0, vmax=top, **look)
    else:
        levels = MaxNLocator(_N_LEVELS).tick_values(0.0, top)
        shown = ax.contourf(grid.x, grid.y, values, levels=levels, **look)
        shown.set_rasterized(True)
        ax.set(xlim=grid.extent[:2], ylim=grid.extent[2:])
    style.separate_categories(ax, seen.axes)
    styles = style.class_styles(seen.classes)
    places = row_plots.spread_out(points.places, seen.axes)
    row_plots.draw_points(ax, places, points.codes, styles)
    style.finish(ax, seen.axes, row_plots.given_handles(points, styles), legend=legend)
    _draw_colorbar(ax.figure, shown, ax=ax, label="p(x)")
    return ax


def _draw_surface(seen: View, resolution: int, legend: bool, ax: Panel) -> Axes:
    """The evidence as a landscape: its height is p(x), its colour the most probable class."""
    for axis in seen.axes:
        if not axis.is_ordered:
            msg = f"a surface has no place for categories, such as those of {axis.name!r}: "
            raise DataError(
                msg + "choose features that hold numbers, or draw a map (surface=False)"
            )
    if ax is not None and ax.name != "3d":
        msg = f"a surface needs axes made with projection='3d', got {ax.name!r} axes"
        raise OptionError(msg)
    grid = view_grid(seen, resolution)
    height: NDArray[Any] = grid.arrange(seen.evidence(grid.rows))
    styles = style.class_styles(seen.classes)
    drawn: Any = ax
    if drawn is None:
        drawn = style.figure_for(None, (7.2, 5.2)).add_subplot(projection="3d")
    codes, proportion = region_map(seen, grid).codes, (height / (height.max() or 1.0))[..., None]
    strong, light = (
        np.array([style.lighter(look.color, pale) for look in styles])[codes]
        for pale in (0.0, _GROUND)
    )
    colors = light + proportion * (strong - light)
    sun = {"lightsource": LightSource(azdeg=225, altdeg=55), "antialiased": False, "linewidth": 0}
    fine = {"rcount": resolution, "ccount": resolution, "rasterized": True}
    drawn.plot_surface(*np.meshgrid(grid.x, grid.y), height, facecolors=colors, **sun, **fine)
    drawn.view_init(elev=38.0, azim=-60.0)
    drawn.set_box_aspect((1, 1, 0.7), zoom=0.85)
    drawn.set_anchor("E")  # beside the legend: its place is then known before the axes are square
    drawn.set_zlabel("p(x)", labelpad=10)
    drawn.locator_params(nbins=5)
    entries: list[Any] = list(region_plots.region_handles(styles))
    writers = (drawn.set_xlabel, drawn.set_ylabel)
    for write, name, sign in zip(writers, seen.names, "₁₂", strict=True):
        long = len(name) > _LONG  # ticks are in its way: the legend says it
        write(f"x{sign}" if long else style.text(name), labelpad=9)
        if long:
            explained = style.text(f"x{sign}: {name}")
            entries.append(style.line(explained, linestyle="none"))
    beside = style.legend_beside(drawn, entries) if legend else None
    if beside is not None:  # p(x) stands where legends usually begin
        beside.set_bbox_to_anchor((1.08, 1.0), transform=drawn.transAxes)
    return drawn  # type: ignore[no-any-return]


def _single(
    quantity: _Quantity, seen: View, label: object, X: Any, resolution: int, ax: Panel
) -> Axes:
    """A quantity of one class."""
    grid = view_grid(seen, resolution, row_plots.points_of(seen, X, None).places)
    code = int(seen.codes([label])[0])
    values, look = quantity.of(seen, grid.rows)[:, code], style.class_styles(seen.classes)[code]
    ax = style.axes_for(ax)
    image = _draw_map(ax, quantity, grid, values, _top(values), "white", look.color)
    style.separate_categories(ax, seen.axes)
    bar = _draw_colorbar(ax.figure, image, ax=ax, label=quantity.name)
    if quantity.is_probability:
        bar.ax.axhline(0.5, color=style.INK, linewidth=1.3)
    ax.set_title(f"c = {look.label}")
    style.label_axes(ax, seen.axes)
    return ax


def _panels(quantity: _Quantity, seen: View, X: Any, figure: Canvas) -> NDArray[Any]:
    """A quantity of all classes, in at most three columns, or five where there are many."""
    grid = view_grid(seen, _PANEL_RESOLUTION, row_plots.points_of(seen, X, None).places)
    scores = quantity.of(seen, grid.rows)
    styles = style.class_styles(seen.classes)
    n_columns = min(len(styles), 3 if len(styles) <= 9 else 5)
    n_rows = -(-len(styles) // n_columns)
    width, height = _PANEL[0] * n_columns + 0.8, _PANEL[1] * n_rows + 0.4
    if not seen.axes[0].is_ordered:
        height += _NAMES_OF_CATEGORIES
    figure = style.figure_for(figure, (width, height))
    panels = np.full((n_rows, n_columns), None, dtype=object)
    for code, look in enumerate(styles):
        panels.flat[code] = ax = figure.add_subplot(n_rows, n_columns, code + 1)
        image = _draw_map(ax, quantity, grid, scores[:, code], _top(scores), *_NEUTRAL)
        style.separate_categories(ax, seen.axes)
        style.draw_ticks(ax, seen.axes[0], "x")
        style.draw_ticks(ax, seen.axes[1], "y")
        ax.set_title(f"c = {look.label}", fontsize="small")
        last = code + n_columns >= len(styles)
        ax.tick_params(labelbottom=last, labelleft=code % n_columns == 0)
    shown = [ax for ax in panels.flat if ax]
    _draw_colorbar(figure, image, ax=shown, label=quantity.name, aspect=20 * n_rows)
    figure.supxlabel(style.text(seen.names[0], int(9 * width)), fontsize="medium")
    figure.supylabel(style.text(seen.names[1], int(9 * height)), fontsize="medium")
    return panels


def _draw_map(
    ax: Axes, quantity: _Quantity, grid: Grid, scores: RealArray, top: float, *colors: str
) -> AxesImage:
    """Scores (p·m,) as an image; of probabilities with a line where they are ½, if ever."""
    values = grid.arrange(scores)
    look: Look = {"vmin": 0.0, "vmax": 1.0 if quantity.is_probability else top}
    look |= {"cmap": LinearSegmentedColormap.from_list("map", colors), "interpolation": "bilinear"}
    image = region_plots.draw_image(ax, grid, values, **look)
    halves = quantity.is_probability and not any(grid.discrete)
    if halves and scores.min() < 0.5 < scores.max():
        line: Look = {"colors": style.INK, "linewidths": 1.3, "zorder": 2}
        ax.contour(grid.x, grid.y, values, levels=[0.5], **line).set_gid("half")
    return image


def _draw_colorbar(figure: Any, shown: Any, **options: Any) -> Any:
    bar = figure.colorbar(shown, **options)
    bar.outline.set_visible(False)
    return bar


def _top(values: RealArray) -> float:
    """The largest value, or 1 where all are too small for a float: a scale needs some length."""
    return float(np.nanmax(values)) or 1.0
