"""Values over the plane of two features, and what regions look like in it and on a line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.grid import Grid, RegionMap, boundary_segments
from gaussbayes.analysis.view import Axis, View
from gaussbayes.families.protocol import Distant
from gaussbayes.plots import style
from gaussbayes.plots.style import Look, Styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from matplotlib.patches import Rectangle

LIGHT = 0.62  # of a class's colour is taken out of its region, so that points stand out
_HATCH: Look = {"hatch": "/////", "edgecolor": "#6b6b6b"}
OPEN: Look = _HATCH | {"hatch_linewidth": 0.6, "linewidth": 0.6}
"""What places look like where no class is probable enough."""


def has_ellipses(seen: View) -> bool:
    """Whether all shown features have distances, of which ellipses are lines of equal ones."""
    return all(isinstance(density, Distant) for density in seen.model.densities)


def draw_image(ax: "Axes", grid: Grid, values: NDArray[Any], **look: Any) -> "AxesImage":
    """Draw values (p, m) as pixels whose centres are the points of the grid, under everything."""
    options: Look = {"interpolation": "nearest", "zorder": 0} | look
    if any(grid.discrete):  # there is nothing between its points
        options["interpolation"] = "nearest"
    image = ax.imshow(values, extent=grid.edges, origin="lower", aspect="auto", **options)
    ax.set(xlim=grid.extent[:2], ylim=grid.extent[2:])
    return image


def separate_categories(ax: "Axes", axes: Sequence[Axis]) -> None:
    """White lines between categories: nothing continues from one to the next."""
    for axis, draw in zip(axes, (ax.axvline, ax.axhline), strict=False):
        for place in range(1, len(axis.categories)):
            draw(place - 0.5, color="white", linewidth=2.5, zorder=1.5)


def draw_regions(
    ax: "Axes", regions: RegionMap, axes: Sequence[Axis], styles: Styles, **look: Any
) -> bool:
    """The region of each class and the lines between; says whether there are any lines."""
    draw_codes(ax, regions, [style.lighter(each.color, LIGHT) for each in styles])
    has_boundaries = draw_boundaries(ax, regions, axes, **look)
    separate_categories(ax, axes)
    return has_boundaries


def draw_codes(ax: "Axes", regions: RegionMap, colors: Sequence[Any]) -> None:
    """Fill the region of each class with its colour; where no class is possible it stays white."""
    from matplotlib.colors import ListedColormap

    codes = np.ma.masked_less(regions.codes, 0)
    span = {"vmin": -0.5, "vmax": len(colors) - 0.5}
    draw_image(ax, regions.grid, codes, cmap=ListedColormap(colors), **span)


def draw_boundaries(ax: "Axes", regions: RegionMap, axes: Sequence[Axis], **look: Any) -> bool:
    """Draw the lines at which the most probable class changes, and say whether there are any.

    Between categories, which have no order, there are none.
    """
    from matplotlib.collections import LineCollection

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


def draw_open(ax: "Axes", grid: Grid, largest: NDArray[Any], reject: float) -> None:
    """Hatch where the largest posterior (p, m) is below a threshold."""
    from matplotlib.collections import PatchCollection

    zone: Any
    if any(grid.discrete):
        cells = _cells(grid, largest < reject)
        zone = PatchCollection(cells, facecolor="none", zorder=1, linewidth=0.0, **_HATCH)
        ax.add_collection(zone, autolim=False)
    else:
        levels, hatches = [0.0, reject], [OPEN["hatch"]]
        look: Look = {"colors": "none", "hatches": hatches, "zorder": 1}
        zone = ax.contourf(grid.x, grid.y, largest, levels=levels, **look)
        zone.set(edgecolor=OPEN["edgecolor"], linewidth=OPEN["linewidth"])
    zone.set_hatch_linewidth(OPEN["hatch_linewidth"])
    zone.set_gid("left open")


def _cells(grid: Grid, chosen: NDArray[np.bool_]) -> list["Rectangle"]:
    """Some cells of the grid (p, m), those beside each other in a line together."""
    from matplotlib.patches import Rectangle

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


def open_handle(reject: float) -> Any:
    """The legend entry of the places that are left open."""
    return style.patch(f"left open:\nposterior below {reject:g}", facecolor="none", **OPEN)
