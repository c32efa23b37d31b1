"""The evidence as a landscape: the height is p(x), the colour the most probable class."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.view import pair_view
from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.plots import plane, style
from gaussbayes.plots.regions import region_map
from gaussbayes.plots.requirement import picture, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_ELEVATION, _AZIMUTH = 38.0, -60.0
_LONG = 24
"""Characters of a name that fit beside an axis."""
_GROUND = 0.75
"""How far the colour of a class is from its own, towards white, where the evidence is 0."""


@picture
def evidence_surface(
    model: GaussianClassifier,
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
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> evidence_surface(model, resolution=20).get_zlabel()
    'p(x)'
    >>> plt.close("all")
    """
    from matplotlib.colors import LightSource

    seen = pair_view(model, features)
    if ax is not None and ax.name != "3d":
        msg = f"a surface needs axes made with projection='3d', got {ax.name!r} axes"
        raise ParameterError(msg)
    grid = plane.grid_of(seen, resolution)
    codes = region_map(seen.model, grid).codes
    height = grid.arrange(seen.model.evidence(grid.rows))
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
    strong = np.array([plane.lighter(own.color, 0.0) for own in styles])
    light = np.array([plane.lighter(own.color, _GROUND) for own in styles])
    share = (height / (height.max() or 1.0))[..., None]
    colors: FloatArray = light[codes] + share * (strong - light)[codes]
    return colors
