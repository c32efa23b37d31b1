"""Probabilities over the plane: posteriors and joint densities of the classes, and the evidence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.grid import Grid
from gaussbayes.analysis.view import View, pair_view
from gaussbayes.base.types import RealArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.plots import plane, points, style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.image import AxesImage

_PANEL_RESOLUTION = 200
_N_LEVELS = 10
_NAMES = {True: "p(c | x)", False: "p(x, c)"}
_PANEL = (3.0, 2.7)
"""Width and height of one of several panels, in inches."""


@picture
def posterior(
    model: GaussianClassifier,
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
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = posterior(model, 1, resolution=50)
    >>> plt.close("all")
    """
    seen = pair_view(model, features)
    grid = plane.grid_of(seen, resolution)
    return _single(ax, seen, label, grid, seen.model.predict_proba(grid.rows), half=True)


@picture
def joint(
    model: GaussianClassifier,
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
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = joint(model, 1, resolution=50)
    >>> plt.close("all")
    """
    seen = pair_view(model, features)
    grid = plane.grid_of(seen, resolution)
    return _single(ax, seen, label, grid, seen.model.joint(grid.rows), half=False)


@picture
def posteriors(
    model: GaussianClassifier,
    *,
    features: Sequence[int | str] | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Draw the posteriors of all classes side by side, on one scale from 0 to 1.

    Returns the axes (rows, columns) of the panels, as many as there are classes; the rest is None.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> posteriors(model).shape
    (1, 3)
    >>> plt.close("all")
    """
    seen = pair_view(model, features)
    grid = plane.grid_of(seen, _PANEL_RESOLUTION)
    return _panels(figure, seen, grid, seen.model.predict_proba(grid.rows), half=True)


@picture
def joints(
    model: GaussianClassifier,
    *,
    features: Sequence[int | str] | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Draw the joint densities of all classes side by side, on one scale.

    Returns the axes (rows, columns) of the panels, as many as there are classes; the rest is None.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> joints(model).shape
    (1, 3)
    >>> plt.close("all")
    """
    seen = pair_view(model, features)
    grid = plane.grid_of(seen, _PANEL_RESOLUTION)
    return _panels(figure, seen, grid, seen.model.joint(grid.rows), half=False)


@picture
def evidence(
    model: GaussianClassifier,
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
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = evidence(model, [[0.5, 0.5]], [0], resolution=50)
    >>> plt.close("all")
    """
    from matplotlib.ticker import MaxNLocator

    seen = pair_view(model, features)
    given = points.points_of(seen, X, y)
    grid = plane.grid_of(seen, resolution, *([] if given is None else [given.rows]))
    values = seen.model.evidence(grid.rows)
    ax = style.axes_for(ax)
    filled = ax.contourf(
        grid.x,
        grid.y,
        grid.arrange(values),
        levels=MaxNLocator(_N_LEVELS).tick_values(0.0, _top(values)),
        cmap=plane.color_map(*plane.NEUTRAL),
        zorder=0,
    )
    filled.set_rasterized(True)
    plane.show_all_of(ax, grid)
    style.name_axes(ax, seen.names)
    if given is not None and given.codes is not None:
        styles = style.class_styles(seen.classes)
        points.draw_points(ax, given.rows, given.codes, styles)
        style.legend_beside(ax, points.class_handles(styles))
    elif given is not None:
        points.draw_unlabelled(ax, given.rows)
    _colorbar(ax, filled, "p(x)")
    return ax


def _single(
    ax: "Axes | None", seen: View, label: object, grid: Grid, scores: RealArray, *, half: bool
) -> "Axes":
    """One class's column of scores (p·m, k): posteriors if there is to be a line at ½."""
    code = int(seen.codes([label])[0])
    own = style.class_styles(seen.classes)[code]
    ax = style.axes_for(ax)
    image = _draw_map(ax, grid, scores[:, code], "white", own.color, half=half)
    bar = _colorbar(ax, image, _NAMES[half])
    if half:
        bar.ax.axhline(0.5, color=style.INK, linewidth=1.3)
    ax.set_title(f"c = {own.label}")
    style.name_axes(ax, seen.names)
    return ax


def _panels(
    figure: "Figure | SubFigure | None", seen: View, grid: Grid, scores: RealArray, *, half: bool
) -> NDArray[Any]:
    """All classes' scores (p·m, k), in at most three columns, or five where there are many."""
    styles = style.class_styles(seen.classes)
    n_columns = min(len(styles), 3 if len(styles) <= 9 else 5)
    n_rows = -(-len(styles) // n_columns)
    width, height = _PANEL[0] * n_columns + 0.8, _PANEL[1] * n_rows + 0.4
    figure = style.figure_for(figure, (width, height))
    panels = np.full((n_rows, n_columns), None, dtype=object)
    for code, own in enumerate(styles):
        row, column = divmod(code, n_columns)
        panels[row, column] = ax = figure.add_subplot(n_rows, n_columns, code + 1)
        image = _draw_map(ax, grid, scores[:, code], *plane.NEUTRAL, half=half, top=_top(scores))
        ax.set_title(f"c = {own.label}", fontsize="small")
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
    if half and scores.min() < 0.5 < scores.max():
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
    return float(values.max()) or 1.0
