"""Rows in a picture: the colour and marker of their class, rings around those predicted wrongly."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.view import View
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.plots.style import INK, ClassStyle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_AREA = 30.0
_RING_AREA = 95.0
_GOLDEN = 0.6180339887498949
_MANY = 3000
"""So many points are drawn as an image, which keeps vector files small."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Rows to draw, and their classes if they are known."""

    rows: RealArray  # (n, m)
    codes: NDArray[np.intp] | None  # (n,)


def points_of(seen: View, X: Any, y: Any) -> Points | None:
    """The rows a user gave to be drawn, checked against the model; None if there are none."""
    if X is None and y is not None:
        msg = "y was given without X: give the rows to draw as well"
        raise DataError(msg)
    if X is None:
        return None
    if y is None:
        return Points(seen.rows(X), None)
    return Points(*seen.labelled(X, y))


def draw_points(
    ax: "Axes",
    rows: RealArray,
    codes: NDArray[np.intp],
    styles: Sequence[ClassStyle],
    *,
    hollow: bool = False,
) -> None:
    """Draw rows (n, 2), each with the colour and marker of its class, under rings only."""
    for code, own in enumerate(styles):
        chosen = rows[codes == code]
        if chosen.shape[0]:
            ax.scatter(
                chosen[:, 0],
                chosen[:, 1],
                s=_AREA,
                marker=own.marker,
                facecolors="none" if hollow else own.color,
                edgecolors=own.color if hollow else "white",
                linewidths=1.2 if hollow else 0.5,
                zorder=4,
                rasterized=rows.shape[0] > _MANY,
                gid=f"class {code}",
            )


def draw_unlabelled(ax: "Axes", rows: RealArray) -> None:
    """Draw rows (n, 2) of unknown class as small dots."""
    look: dict[str, Any] = {"s": _AREA / 2, "color": INK, "linewidths": 0, "zorder": 4}
    ax.scatter(rows[:, 0], rows[:, 1], rasterized=rows.shape[0] > _MANY, **look)


def draw_rings(ax: "Axes", rows: RealArray) -> None:
    """Draw a ring around each of the rows (n, 2)."""
    ax.scatter(
        rows[:, 0],
        rows[:, 1],
        s=_RING_AREA,
        facecolors="none",
        edgecolors=INK,
        linewidths=1.1,
        zorder=5,
        rasterized=rows.shape[0] > _MANY,
        gid="errors",
    )


def strip(values: RealArray, ranks: NDArray[Any], n_classes: int) -> FloatArray:
    """Values (n,) of one feature as points (n, 2): a row for each class, rank 0 on top.

    Within its row a point's height says nothing; it only keeps equal values apart.

    Examples
    --------
    >>> strip(np.array([7.0, 8.0]), np.array([0, 1]), 2).round(2).tolist()
    [[7.0, 0.7], [8.0, 0.07]]
    """
    spread = np.arange(values.size) * _GOLDEN % 1.0 - 0.5
    height = n_classes - 1 - ranks + 0.6 * spread
    return np.stack([values.astype(np.float64), height], axis=1)


def draw_given(
    ax: "Axes",
    places: RealArray,
    codes: NDArray[np.intp] | None,
    predicted: NDArray[np.intp],
    styles: Sequence[ClassStyle],
) -> list["Line2D"]:
    """Draw rows at their places (n, 2) over regions, and ring those predicted wrongly.

    Returns the legend entries: of the classes and the rings; nothing if the classes are unknown.
    """
    if codes is None:
        draw_unlabelled(ax, places)
        return []
    draw_points(ax, places, codes, styles)
    wrong = predicted != codes
    draw_rings(ax, places[wrong])
    return class_handles(styles) + ([ring_handle("error")] if wrong.any() else [])


def draw_means(ax: "Axes", places: RealArray) -> "Line2D":
    """Mark the classes' means (k, 2) over everything; returns their legend entry."""
    from matplotlib.patheffects import withStroke

    look: dict[str, Any] = {"marker": "+", "markersize": 9, "markeredgewidth": 2}
    around = [withStroke(linewidth=4, foreground="white")]
    ax.plot(
        *places.T, linestyle="none", color=INK, zorder=6, path_effects=around, gid="means", **look
    )
    return marker_handle("mean", markeredgecolor=INK, **look)


def class_handles(styles: Sequence[ClassStyle], **look: Any) -> list["Line2D"]:
    """Legend entries: the marker of each class."""
    return [
        marker_handle(style.label, marker=style.marker, markerfacecolor=style.color, **look)
        for style in styles
    ]


def ring_handle(label: str) -> "Line2D":
    """The legend entry of the rings."""
    return marker_handle(
        label,
        marker="o",
        markersize=9,
        markerfacecolor="none",
        markeredgecolor=INK,
        markeredgewidth=1.1,
    )


def marker_handle(label: str, **look: Any) -> "Line2D":
    """A legend entry that is a marker without a line."""
    from matplotlib.lines import Line2D

    options: dict[str, Any] = {
        "linestyle": "none",
        "markersize": 6.5,
        "markeredgecolor": "white",
        "markeredgewidth": 0.5,
    } | look
    return Line2D([], [], label=label, **options)
