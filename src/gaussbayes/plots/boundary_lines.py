"""Decision boundaries of one feature: vertical lines, with their values written side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.view import View
from gaussbayes.base.types import FloatArray
from gaussbayes.plots import style
from gaussbayes.plots.style import Look

NAME = "decision boundary"

# In inches: width of a digit and height of a line of small print; from a line's end to its value.
_DIGIT, _LINE, _LEADER = 0.078, 0.16, 0.13
_SMALLEST = 0.75  # of the width axes have before they are laid out, what legends leave at least
_MOST_NAMED = 3  # of the boundaries beyond the figure


@dataclass(frozen=True, slots=True)
class BoundaryLines:
    """The boundaries within a stretch of a feature, and those beyond it."""

    positions: tuple[float, ...]
    between_integers: bool
    low: float
    high: float

    @classmethod
    def of(cls, seen: View, low: float, high: float) -> "BoundaryLines":
        """Those of the one feature of a view."""
        positions = tuple(boundary.position for boundary in decision_boundaries(seen.model))
        return cls(positions, seen.axes[0].is_discrete, low, high)

    @property
    def inside(self) -> list[float]:
        """Those within the stretch."""
        return [at for at in self.positions if self.low <= at <= self.high]

    def draw(self, ax: Axes, *, write: bool = True) -> float:
        """Draw a line at each boundary; returns how much of the height the values take above.

        The values stand at the top, moved aside as far as they would overlap, upright where many
        must find room; if there is no room at all, the lines stand alone.
        """
        if not self.inside:
            return 0.0
        low, span = self.low, self.high - self.low
        width, height = style.inches(ax)
        written = numbers(self.inside, span, self.between_integers)
        longest = max(len(value) for value in written) * _DIGIT
        room = (longest + _DIGIT) / (_SMALLEST * width)
        upright = len(written) * room > 1.0
        if upright:
            room = _LINE / (_SMALLEST * width)
        write = write and len(written) * room <= 1.0
        above = ((longest if upright else _LINE) + _LEADER) / height if write else 0.0
        look: Look = {"colors": style.INK, "linewidth": 1.0, "zorder": 4}
        look["transform"] = across_data = ax.get_xaxis_transform()
        ax.vlines(self.inside, 0.0, 1.0 - above, label=NAME, **look)
        if not write:
            return 0.0
        places = low + span * spread((np.array(self.inside) - low) / span, room)
        foot, head = 1.0 - above, 1.0 - above + 0.8 * _LEADER / height
        leaders = [
            [(at, foot), (place, head)] for at, place in zip(self.inside, places, strict=True)
        ]
        ax.add_collection(LineCollection(leaders, **look), autolim=False)
        print_: Look = {"ha": "center", "va": "top", "fontsize": "small"}
        print_ |= {"rotation": 90.0 if upright else 0.0, "color": style.INK}
        for place, value in zip(places, written, strict=True):
            ax.text(place, 0.995, value, transform=across_data, **print_)
        return above

    def handles(self) -> list[Any]:
        """The legend entry, which also names boundaries beyond the figure; none without any."""
        if not self.positions:
            return []
        outside = [at for at in self.positions if at not in self.inside]
        beyond = numbers(outside, self.high - self.low, self.between_integers)
        named = ", ".join(beyond[:_MOST_NAMED])
        more = f" and {len(beyond) - _MOST_NAMED} more" if len(beyond) > _MOST_NAMED else ""
        where = "also at" if self.inside else "not shown: at"
        label = f"{NAME},\n{style.text(f'{where} {named}{more}')}" if beyond else NAME
        return [style.line(label, color=style.INK, linewidth=float(bool(self.inside)))]


def numbers(positions: Sequence[float], span: float, between_integers: bool = False) -> list[str]:
    """Positions as they are written in a figure of this span.

    To a thousandth of it, or up to a hundred times finer where two positions would read nearly
    the same; to a half between integers.

    >>> numbers([4.894721, 15.365512], span=8.0)
    ['4.895', '15.366']
    >>> numbers([-0.0045, 0.0045], span=60.0), numbers([2.5e-7], span=1e-6)
    (['−0.0045', '0.0045'], ['2.50e-07'])
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

    >>> spread(np.array([0.5, 0.52, 0.9]), 0.1).round(4).tolist()
    [0.46, 0.56, 0.9]
    """
    from scipy.optimize import isotonic_regression

    steps = width * np.arange(wanted.size)
    moved = isotonic_regression(wanted - steps).x
    places: FloatArray = np.clip(moved, width / 2, 1.0 - width / 2 - steps[-1]) + steps
    return places
