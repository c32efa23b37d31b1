"""Regions on the line of one feature: intervals between exact boundaries, their values written."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.analysis import decision
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.grid import limits, line_over
from gaussbayes.analysis.view import View
from gaussbayes.base.types import FloatArray
from gaussbayes.plots import plane, points, style
from gaussbayes.plots.boundary_marks import boundary_handle, mark_boundaries
from gaussbayes.plots.points import Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_line(
    ax: "Axes",
    seen: View,
    given: Points | None = None,
    reject: float | None = None,
    resolution: int = 400,
) -> list[Any]:
    """Draw everything but the name and the legend, whose entries are returned."""
    styles = style.class_styles(seen.classes)
    k = len(styles)
    parameters = seen.model.parameters_
    (low,), (high,) = limits(parameters, *([] if given is None else [given.rows]))
    every = [change.position for change in decision_boundaries(parameters)]
    inside = [position for position in every if low <= position <= high]
    top = 1.0 - mark_boundaries(ax, inside, (low, high))
    for left, right, code in intervals(seen, inside, low, high):
        color = plane.lighter(styles[code].color, plane.LIGHT)
        ax.axvspan(left, right, ymax=top, color=color, linewidth=0, zorder=0)
    # Class rows 0 … k − 1 and some room, all of it below the values that are written on top.
    ax.set(xlim=(low, high), ylim=(-0.7, -0.7 + (k + 0.4) / top), yticks=[])
    ax.spines["left"].set_visible(False)
    entries: list[Any] = list(plane.region_handles(styles))
    if given is not None:
        entries = _draw_given(ax, seen, given, styles) or entries
    heights = np.arange(k - 1.0, -1.0, -1.0)
    entries.append(points.draw_means(ax, np.stack([seen.model.means_[:, 0], heights], axis=1)))
    outside = [position for position in every if position not in inside]
    entries.append(boundary_handle(outside, inside, high - low))
    if reject is not None:
        _draw_open(ax, seen, reject, line_over(low, high, 5 * resolution), top)
        entries.append(plane.open_handle(reject))
    return [entry for entry in entries if entry is not None]


def intervals(
    seen: View, positions: Sequence[float], low: float, high: float
) -> list[tuple[float, float, int]]:
    """Start, end and most probable class of each interval between boundaries, from low to high.

    Examples
    --------
    >>> from gaussbayes.classifier import GaussianClassifier
    >>> from gaussbayes.analysis.view import line_view
    >>> seen = line_view(GaussianClassifier.from_parameters(None, [[0], [2]], [[1]]))
    >>> intervals(seen, [1.0], -3.0, 5.0)
    [(-3.0, 1.0, 0), (1.0, 5.0, 1)]
    """
    edges = [low, *positions, high]
    # Halfway between neighbouring boundaries nothing is in doubt.
    middles = np.array([[left + (right - left) / 2] for left, right in pairwise(edges)])
    codes = seen.model.predict_log_proba(middles).argmax(axis=1).tolist()
    return [(left, right, code) for (left, right), code in zip(pairwise(edges), codes, strict=True)]


def _draw_given(
    ax: "Axes", seen: View, given: Points, styles: Sequence[style.ClassStyle]
) -> list[Any]:
    k = len(styles)
    predicted = seen.model.predict_log_proba(given.rows).argmax(axis=1)
    # Rows of unknown class share the line in the middle.
    rank = np.full(predicted.size, (k - 1) / 2) if given.codes is None else given.codes
    places = points.strip(given.rows[:, 0], rank, k)
    return points.draw_given(ax, places, given.codes, predicted, styles)


def _draw_open(ax: "Axes", seen: View, reject: float, x: FloatArray, top: float) -> None:
    """Hatch where the largest posterior is below the threshold."""
    rejected = decision.rejected(seen.model.predict_proba(x[:, None]), reject)
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
