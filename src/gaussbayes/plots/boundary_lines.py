"""Decision boundaries of one feature: vertical lines, with their values written side by side."""

from collections.abc import Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "decision boundary"

_DIGIT = 0.078
"""Width of a digit of small print, in inches."""
_LINE = 0.16
"""Height of a line of small print, in inches."""
_LEADER = 0.13
"""From the end of a boundary's line to its value, in inches."""
_SMALLEST = 0.75
"""Of the width axes have before they are laid out, what legends and labels leave at least."""
_MOST_NAMED = 3
"""How many boundaries beyond the figure are named."""


def mark_boundaries(
    ax: "Axes",
    positions: Sequence[float],
    stretch: tuple[float, float],
    *,
    write: bool = True,
    between_integers: bool = False,
) -> float:
    """Draw a line at each boundary; returns how much of the height the values take above.

    The values stand at the top, moved aside as far as they would overlap, upright where many
    must find room; if there is no room at all, the lines stand alone.
    """
    if not positions:
        return 0.0
    low, high = stretch
    width, height = style.size_of(ax)
    written = numbers(positions, high - low, between_integers)
    longest = max(len(value) for value in written) * _DIGIT
    room = (longest + _DIGIT) / (_SMALLEST * width)
    upright = len(written) * room > 1.0
    if upright:
        room = _LINE / (_SMALLEST * width)
    write = write and len(written) * room <= 1.0
    above = ((longest if upright else _LINE) + _LEADER) / height if write else 0.0
    across_data = ax.get_xaxis_transform()
    look: dict[str, Any] = {"colors": style.INK, "linewidth": 1.0, "transform": across_data}
    ax.vlines(positions, 0.0, 1.0 - above, label=NAME, zorder=4, **look)
    if not write:
        return 0.0
    places = low + (high - low) * spread((np.array(positions) - low) / (high - low), room)
    foot, head = 1.0 - above, 1.0 - above + 0.8 * _LEADER / height
    leaders = [[(at, foot), (place, head)] for at, place in zip(positions, places, strict=True)]
    _add_leaders(ax, leaders, look)
    for place, value in zip(places, written, strict=True):
        ax.text(
            place,
            0.995,
            value,
            transform=across_data,
            rotation=90.0 if upright else 0.0,
            horizontalalignment="center",
            verticalalignment="top",
            fontsize="small",
            color=style.INK,
        )
    return above


def _add_leaders(ax: "Axes", leaders: list[Any], look: dict[str, Any]) -> None:
    from matplotlib.collections import LineCollection

    ax.add_collection(LineCollection(leaders, zorder=4, **look), autolim=False)


def boundary_handle(
    outside: Sequence[float],
    inside: Sequence[float],
    span: float,
    *,
    between_integers: bool = False,
) -> Any:
    """A legend entry for the boundaries, which also names those beyond the figure.

    None if there are no boundaries at all.
    """
    from matplotlib.lines import Line2D

    if not (inside or outside):
        return None
    beyond = numbers(outside, span, between_integers)
    named = ", ".join(beyond[:_MOST_NAMED])
    more = f" and {len(beyond) - _MOST_NAMED} more" if len(beyond) > _MOST_NAMED else ""
    where = "also at" if inside else "not shown: at"
    label = f"{NAME},\n{style.text(f'{where} {named}{more}')}" if beyond else NAME
    return Line2D([], [], color=style.INK, linewidth=1.0 if inside else 0.0, label=label)


def numbers(positions: Sequence[float], span: float, between_integers: bool = False) -> list[str]:
    """Positions as they are written in a figure of this span.

    To a thousandth of it, or up to a hundred times finer where two positions would read nearly
    the same; to a half between integers.

    Examples
    --------
    >>> numbers([4.894721, 15.365512], span=8.0)
    ['4.895', '15.366']
    >>> numbers([-0.0045, 0.0045], span=60.0)
    ['−0.0045', '0.0045']
    >>> numbers([1234.5], span=5000.0), numbers([2.5e-7], span=1e-6)
    (['1234'], ['2.50e-07'])
    """
    if between_integers:
        return [f"{value:.1f}".replace("-", "−") for value in positions]
    gaps = np.diff(np.unique(np.asarray(positions, dtype=np.float64)))
    unit = max(min([1e-3 * span, *(0.1 * gaps)]), 1e-5 * span)
    return [_written(value, unit).replace("-", "−", int(value < 0)) for value in positions]


def _written(value: float, unit: float) -> str:
    place = floor(log10(unit))
    if value and not 1e-4 <= abs(value) < 1e7:
        return f"{value:.{min(16, max(0, floor(log10(abs(value))) - place))}e}"
    return f"{value:.{min(16, max(0, -place))}f}"


def spread(wanted: FloatArray, width: float) -> FloatArray:
    """Move positions (n,), in ascending order, as little as it takes to be this far apart.

    All stay within 0 and 1 by half the width. The least squares of the moves under these
    conditions is a monotone regression.

    Examples
    --------
    >>> spread(np.array([0.5, 0.52, 0.9]), 0.1).round(4).tolist()
    [0.46, 0.56, 0.9]
    """
    from scipy.optimize import isotonic_regression

    steps = width * np.arange(wanted.size)
    moved = isotonic_regression(wanted - steps).x
    within = np.clip(moved, width / 2, 1.0 - width / 2 - steps[-1])
    places: FloatArray = within + steps
    return places
