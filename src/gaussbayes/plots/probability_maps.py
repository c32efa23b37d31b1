"""Probabilities over the plane: posteriors and joint densities of the classes, and the evidence.

The evidence is a map, or a landscape: its height is p(x), its colour the most probable class.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.grid import Grid, view_grid
from gaussbayes.analysis.region_map import region_map
from gaussbayes.analysis.view import View, pair_view
from gaussbayes.base.errors import ParameterError, SchemaError
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.plots import plane, row_markers, style
from gaussbayes.plots.style import pyplot, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D

_PANEL_RESOLUTION = 200
_N_LEVELS = 10
_NAMES = {True: "p(c | x)", False: "p(x, c)"}
_PANEL = (3.0, 2.7)
"""Width and height of one of several panels, in inches."""
_NAMES_OF_CATEGORIES = 0.8
"""Height for the names of categories below the panels, in inches."""
_ELEVATION, _AZIMUTH = 38.0, -60.0
_LONG = 24
"""Characters of a name that fit beside an axis of the surface."""
_GROUND = 0.75
"""How far the colour of a class is from its own, towards white, where the evidence is 0."""


@styled
def posterior(
    model: Any,
    label: object,
    *,
    features: Sequence[int | str] | None = None,
    resolution: int = 300,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the posterior ``p(c | x)`` of one class over the plane, with a line where it is ½.

    Parameters
    ----------
    label : the class, as in `classes_`
    features : the two to show, by name or number, the others integrated out
    resolution : points of the grid along each axis

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = posterior(model, 1, resolution=50)
    >>> plt.close("all")
    """
    seen = pair_view(model, features)
    grid = view_grid(seen, resolution)
    return _single(ax, seen, label, grid, seen.posterior(grid.rows), half=True)


@styled
def joint(
    model: Any,
    label: object,
    *,
    features: Sequence[int | str] | None = None,
    resolution: int = 300,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the joint density ``p(x, c) = prior_c p(x | c)`` of one class over the plane.

    The parameters are those of `posterior`.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = joint(model, 1, resolution=50)
    >>> plt.close("all")
    """
    seen = pair_view(model, features)
    grid = view_grid(seen, resolution)
    return _single(ax, seen, label, grid, seen.joint(grid.rows), half=False)


@styled
def posteriors(
    model: Any,
    *,
    features: Sequence[int | str] | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Draw the posteriors of all classes side by side, on one scale from 0 to 1.

    Returns the axes (rows, columns) of the panels, as many as there are classes; the rest is None.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> posteriors(model).shape
    (1, 3)
    >>> plt.close("all")
    """
    seen = pair_view(model, features)
    grid = view_grid(seen, _PANEL_RESOLUTION)
    return _panels(figure, seen, grid, seen.posterior(grid.rows), half=True)


@styled
def joints(
    model: Any,
    *,
    features: Sequence[int | str] | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Draw the joint densities of all classes side by side, on one scale.

    Returns the axes (rows, columns) of the panels, as many as there are classes; the rest is None.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> joints(model).shape
    (1, 3)
    >>> plt.close("all")
    """
    seen = pair_view(model, features)
    grid = view_grid(seen, _PANEL_RESOLUTION)
    return _panels(figure, seen, grid, seen.joint(grid.rows), half=False)


@styled
def evidence(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    features: Sequence[int | str] | None = None,
    resolution: int = 300,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the evidence ``p(x) = Σ_c p(x, c)`` as a filled contour map, with rows if given.

    Parameters
    ----------
    X, y : rows to draw, in the colours of their classes if there are labels
    features : the two to show, by name or number, the others integrated out
    resolution : points of the grid along each axis

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = evidence(model, [[0.5, 0.5]], [0], resolution=50)
    >>> plt.close("all")
    """
    seen = pair_view(model, features)
    points = row_markers.points_of(seen, X, y)
    grid = view_grid(seen, resolution, *([] if points is None else [points.places]))
    values = seen.evidence(grid.rows)
    ax = style.axes_for(ax)
    shown = _draw_evidence(ax, grid, values)
    plane.separate_categories(ax, seen.axes)
    style.label_axes(ax, seen.axes)
    if points is not None:
        styles = style.class_styles(seen.classes)
        places = row_markers.spread_out(points.places, seen.axes)
        row_markers.draw_points(ax, places, points.codes, styles)
        classes = [] if points.unlabelled.all() else row_markers.class_handles(styles)
        style.legend_beside(ax, [*classes, *row_markers.row_handles(points)])
    _colorbar(ax, shown, "p(x)")
    return ax


@styled
def evidence_surface(
    model: Any,
    *,
    features: Sequence[int | str] | None = None,
    resolution: int = 120,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the evidence ``p(x) = Σ_c p(x, c)`` as a surface over the plane.

    Its colour is that of the most probable class, the stronger the higher.

    Parameters
    ----------
    features : the two to show, by name or number, the others integrated out
    resolution : points of the grid along each axis
    ax : axes made with ``projection="3d"``

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> evidence_surface(model, resolution=20).get_zlabel()
    'p(x)'
    >>> plt.close("all")
    """
    from matplotlib.colors import LightSource

    seen = pair_view(model, features)
    for axis in seen.axes:
        if not axis.is_ordered:
            msg = f"a surface has no place for categories, such as those of {axis.name!r}: "
            raise SchemaError(msg + "choose features that hold numbers, or see plots.evidence")
    if ax is not None and ax.name != "3d":
        msg = f"a surface needs axes made with projection='3d', got {ax.name!r} axes"
        raise ParameterError(msg)
    grid = view_grid(seen, resolution)
    codes = region_map(seen, grid).codes
    height = grid.arrange(seen.evidence(grid.rows))
    styles = style.class_styles(seen.classes)
    drawn: Any = ax
    if drawn is None:
        figure = pyplot().figure(figsize=(7.2, 5.2), layout="constrained")
        drawn = figure.add_subplot(projection="3d")
    across, up = np.meshgrid(grid.x, grid.y)
    drawn.plot_surface(
        across,
        up,
        height,
        facecolors=_colors(height, codes, styles),
        rcount=resolution,
        ccount=resolution,
        linewidth=0,
        antialiased=False,
        lightsource=LightSource(azdeg=225, altdeg=55),
        rasterized=True,
    )
    drawn.view_init(elev=_ELEVATION, azim=_AZIMUTH)
    drawn.set_box_aspect((1, 1, 0.7), zoom=0.85)
    drawn.set_anchor("E")  # beside the legend: its place is then known before the axes are square
    drawn.set_zlabel("p(x)", labelpad=10)
    drawn.locator_params(nbins=5)
    explained = _name_axes(drawn, seen.names)
    legend = style.legend_beside(drawn, [*plane.region_handles(styles), *explained])
    if legend is not None:  # p(x) stands where legends usually begin
        legend.set_bbox_to_anchor((1.08, 1.0), transform=drawn.transAxes)
    return drawn  # type: ignore[no-any-return]


def _name_axes(ax: Any, names: Sequence[str]) -> list["Line2D"]:
    """Write the features' names along the axes; long ones, in whose way ticks are, in the legend.

    Returns the legend entries.
    """
    from matplotlib.lines import Line2D

    explained = []
    for write, name, sign in zip((ax.set_xlabel, ax.set_ylabel), names, "₁₂", strict=True):
        long = len(name) > _LONG
        write(f"x{sign}" if long else style.text(name), labelpad=9)
        if long:
            label = style.text(f"x{sign}: {name}")
            explained.append(Line2D([], [], linestyle="none", label=label))
    return explained


def _colors(
    height: NDArray[Any], codes: NDArray[Any], styles: Sequence[style.ClassStyle]
) -> FloatArray:
    """The colours (p, m, 3) of the surface."""
    strong = np.array([style.lighter(look.color, 0.0) for look in styles])
    light = np.array([style.lighter(look.color, _GROUND) for look in styles])
    proportion = (height / (height.max() or 1.0))[..., None]
    colors: FloatArray = light[codes] + proportion * (strong - light)[codes]
    return colors


def _draw_evidence(ax: "Axes", grid: Grid, values: RealArray) -> Any:
    """Filled contours of the evidence (p·m,), or cells where a feature is discrete."""
    from matplotlib.ticker import MaxNLocator

    colors = plane.color_map(*plane.NEUTRAL)
    if any(grid.discrete):
        span = {"vmin": 0.0, "vmax": _top(values)}
        return plane.draw_image(ax, grid, grid.arrange(values), cmap=colors, **span)
    filled = ax.contourf(
        grid.x,
        grid.y,
        grid.arrange(values),
        levels=MaxNLocator(_N_LEVELS).tick_values(0.0, _top(values)),
        cmap=colors,
        zorder=0,
    )
    filled.set_rasterized(True)
    plane.show_all_of(ax, grid)
    return filled


def _single(
    ax: "Axes | None", seen: View, label: object, grid: Grid, scores: RealArray, *, half: bool
) -> "Axes":
    """One class's column of scores (p·m, k): posteriors if there is to be a line at ½."""
    code = int(seen.codes([label])[0])
    look = style.class_styles(seen.classes)[code]
    ax = style.axes_for(ax)
    image = _draw_map(ax, grid, scores[:, code], "white", look.color, half=half)
    plane.separate_categories(ax, seen.axes)
    bar = _colorbar(ax, image, _NAMES[half])
    if half:
        bar.ax.axhline(0.5, color=style.INK, linewidth=1.3)
    ax.set_title(f"c = {look.label}")
    style.label_axes(ax, seen.axes)
    return ax


def _panels(
    figure: "Figure | SubFigure | None", seen: View, grid: Grid, scores: RealArray, *, half: bool
) -> NDArray[Any]:
    """All classes' scores (p·m, k), in at most three columns, or five where there are many."""
    styles = style.class_styles(seen.classes)
    n_columns = min(len(styles), 3 if len(styles) <= 9 else 5)
    n_rows = -(-len(styles) // n_columns)
    width, height = _PANEL[0] * n_columns + 0.8, _PANEL[1] * n_rows + 0.4
    if not seen.axes[0].is_ordered:
        height += _NAMES_OF_CATEGORIES
    figure = style.figure_for(figure, (width, height))
    panels = np.full((n_rows, n_columns), None, dtype=object)
    for code, look in enumerate(styles):
        row, column = divmod(code, n_columns)
        panels[row, column] = ax = figure.add_subplot(n_rows, n_columns, code + 1)
        image = _draw_map(ax, grid, scores[:, code], *plane.NEUTRAL, half=half, top=_top(scores))
        plane.separate_categories(ax, seen.axes)
        style.draw_ticks(ax, seen.axes[0], "x")
        style.draw_ticks(ax, seen.axes[1], "y")
        ax.set_title(f"c = {look.label}", fontsize="small")
        ax.tick_params(labelbottom=code + n_columns >= len(styles), labelleft=column == 0)
    shown = [ax for ax in panels.flat if ax]
    bar = figure.colorbar(image, ax=shown, label=_NAMES[half], aspect=20 * n_rows)
    bar.outline.set_visible(False)
    figure.supxlabel(style.text(seen.names[0], int(9 * width)), fontsize="medium")
    figure.supylabel(style.text(seen.names[1], int(9 * height)), fontsize="medium")
    return panels


def _draw_map(
    ax: "Axes", grid: Grid, scores: RealArray, *colors: str, half: bool, top: float | None = None
) -> "AxesImage":
    """Scores (p·m,) as an image; with a line where they are ½, if they ever are."""
    values = grid.arrange(scores)
    highest = 1.0 if half else top or _top(scores)
    look = {"vmin": 0.0, "vmax": highest, "interpolation": "bilinear"}
    image = plane.draw_image(ax, grid, values, cmap=plane.color_map(*colors), **look)
    if half and not any(grid.discrete) and scores.min() < 0.5 < scores.max():
        line = ax.contour(
            grid.x, grid.y, values, levels=[0.5], colors=style.INK, linewidths=1.3, zorder=2
        )
        line.set_gid("half")
    return image


def _colorbar(ax: "Axes", shown: Any, name: str) -> Any:
    bar = ax.figure.colorbar(shown, ax=ax, label=name)
    bar.outline.set_visible(False)
    return bar


def _top(values: RealArray) -> float:
    """The largest value, or 1 where all are too small for a float: a scale needs some length."""
    return float(np.nanmax(values)) or 1.0
