"""Values over the plane of two features, and what regions look like in it and on a line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gaussbayes.analysis.grid import Grid, grid_over, limits
from gaussbayes.analysis.view import View
from gaussbayes.base.types import RealArray
from gaussbayes.plots.style import ClassStyle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage
    from matplotlib.patches import Patch

LIGHT = 0.62
"""How much of a class's colour is taken out of its region, so that points stand out."""

OPEN: dict[str, Any] = {
    "hatch": "/////",
    "hatch_linewidth": 0.6,
    "linewidth": 0.6,
    "edgecolor": "#6b6b6b",
}
"""What places look like where no class is probable enough."""

NEUTRAL = ("white", "#c9d3da", "#7d8f9c", "#3b4a57")
"""From 0 upwards, where colours stand for no class."""


def grid_of(seen: View, resolution: int, *rows: RealArray) -> Grid:
    """A grid over the part of the plane where the model, or the rows (n, 2) given, are."""
    return grid_over(*limits(seen.model.parameters_, *rows), resolution)


def draw_image(ax: "Axes", grid: Grid, values: NDArray[Any], **look: Any) -> "AxesImage":
    """Draw values (p, m) as pixels whose centres are the points of the grid, under everything."""
    left, right, bottom, top = grid.extent
    across = (right - left) / (grid.x.size - 1) / 2
    up = (top - bottom) / (grid.y.size - 1) / 2
    options: dict[str, Any] = {"interpolation": "nearest", "zorder": 0} | look
    image = ax.imshow(
        values,
        extent=(left - across, right + across, bottom - up, top + up),
        origin="lower",
        aspect="auto",
        **options,
    )
    show_all_of(ax, grid)
    return image


def show_all_of(ax: "Axes", grid: Grid) -> None:
    """Let the axes end where the grid does."""
    left, right, bottom, top = grid.extent
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)


def lighter(color: str, share: float) -> tuple[float, float, float]:
    """A colour, moved by this share of the way to white.

    Examples
    --------
    >>> lighter("black", 0.75)
    (0.75, 0.75, 0.75)
    """
    from matplotlib.colors import to_rgb

    red, green, blue = (float(part + (1.0 - part) * share) for part in to_rgb(color))
    return red, green, blue


def color_map(*colors: str) -> "Colormap":
    """A colour map that begins with the first colour, for 0, and ends with the last."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(" to ".join(colors), list(colors))


def region_handles(styles: Sequence[ClassStyle]) -> list["Patch"]:
    """Legend entries: the colour of each class's region."""
    from matplotlib.patches import Patch

    return [
        Patch(facecolor=lighter(own.color, LIGHT), edgecolor=own.color, label=own.label)
        for own in styles
    ]


def open_handle(reject: float) -> "Patch":
    """The legend entry of the places that are left open."""
    from matplotlib.patches import Patch

    label = f"left open:\nposterior below {reject:g}"
    return Patch(facecolor="none", label=label, **OPEN)
