"""The part of the plane or line that a figure shows, and which class is most probable where."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.class_moments import class_deviations, class_means
from gaussbayes.analysis.view import Axis, View
from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.model.model import Model

_DEVIATIONS = 3.0
"""How far from its mean a class is shown when there are no rows to show."""

_MARGIN = 0.06
"""Of the extent, left free on each side of the rows."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Points at the crossings of vertical and horizontal lines, which are equally spaced.

    Along a discrete axis there is nothing between the points, and what is shown ends half a step
    beyond the last one.
    """

    x: FloatArray  # (m,)
    y: FloatArray  # (p,)
    discrete: tuple[bool, bool] = (False, False)

    @property
    def rows(self) -> FloatArray:
        """The points (p·m, 2), line by line from the bottom."""
        across, up = np.meshgrid(self.x, self.y)
        return np.stack([across.ravel(), up.ravel()], axis=1)

    def arrange(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """Values of the points (p·m, …) as an image (p, m, …), the bottom line first."""
        return values.reshape(self.y.size, self.x.size, *values.shape[1:])

    @property
    def steps(self) -> tuple[float, float]:
        """From one point to the next, across and up."""
        across, up = (line[1] - line[0] if line.size > 1 else 1.0 for line in (self.x, self.y))
        return float(across), float(up)

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of cells whose centres are the points."""
        return self._ends((True, True))

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of what is shown."""
        return self._ends(self.discrete)

    def _ends(self, beyond: tuple[bool, bool]) -> tuple[float, float, float, float]:
        """The first and the last point across and up, or half a step beyond them."""
        across, up = (0.5 * step * half for step, half in zip(self.steps, beyond, strict=True))
        x, y = self.x.tolist(), self.y.tolist()
        return x[0] - across, x[-1] + across, y[0] - up, y[-1] + up


def line_over(low: float, high: float, resolution: int) -> FloatArray:
    """Equally spaced points (resolution,)."""
    if resolution < 2:
        msg = f"a figure needs a resolution of at least 2 points a side, got {resolution}"
        raise OptionError(msg)
    return np.linspace(low, high, resolution)


def limits(
    model: Model | None = None, *rows: RealArray, deviations: float = _DEVIATIONS
) -> tuple[FloatArray, FloatArray]:
    """The lowest and highest value (d,) to show of each feature.

    Rows (n, d) are shown whole, with a margin; missing values are left out. Of the classes of
    `model`, all of whose features are numbers, the means are shown too; where no rows are given,
    so are three standard deviations on each side of them. A feature with one value only is given
    room on both sides.
    """
    shown = [part.astype(np.float64) for part in rows if part.shape[0]]
    margin = _MARGIN
    if model is not None:
        margin = _MARGIN if shown else 0.0
        means = class_means(model)
        room = 0.0 if shown else deviations * class_deviations(model)
        shown += [means - room, means + room]
    known = np.concatenate(shown) if shown else np.empty((0, 0))
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(known, initial=np.inf), np.fmax.reduce(known, initial=-np.inf)
    if not known.size or not np.isfinite(low).all():
        msg = "the limits of the figure are not known: give rows (X) with a value of each feature"
        raise OptionError(msg)
    span = high - low
    # A constant feature: half a unit, or at least a few floats, of room.
    alone = np.maximum(0.5, 1e-6 * np.abs(low))
    pad = np.where(span > 0, margin * span, alone)
    return low - pad, high + pad


def view_limits(seen: View, *positions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The lowest and highest position (m,) to show of each feature of a view.

    Of numbers they are those of `limits`; integers and categories are shown whole.
    """
    low, high = np.full((2, len(seen.axes)), np.nan)
    numbers = [place for place, axis in enumerate(seen.axes) if axis.is_ordered]
    if numbers:
        model = seen.model if seen.has_means else None
        low[numbers], high[numbers] = limits(model, *(part[:, numbers] for part in positions))
    return axis_limits(seen.axes, low, high)


def axis_limits(
    axes: Sequence[Axis], low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Where axes begin and end (m,) that have to show the numbers between low and high."""
    ends = np.array([axis.limits(a, b) for axis, a, b in zip(axes, low, high, strict=True)])
    return ends[:, 0], ends[:, 1]


def axis_points(axis: Axis, low: float, high: float, resolution: int) -> FloatArray:
    """The points of an axis between its limits: so many, or each integer, or each category.

    Of more integers than `resolution`, every second, third, … is taken.
    """
    points = line_over(low, high, resolution)
    if not axis.is_discrete:
        return points
    integers = np.arange(np.ceil(low) + 0.0, np.floor(high) + 1.0)  # + 0.0: no minus before a 0
    step = -(-integers.size // resolution) if axis.is_ordered else 1
    return integers[::step]


def view_grid(seen: View, resolution: int, *positions: FloatArray) -> Grid:
    """A grid over the part of the plane where the model, or the rows (n, 2) given, are."""
    return grid_within(seen, resolution, *view_limits(seen, *positions))


def grid_within(seen: View, resolution: int, low: FloatArray, high: FloatArray) -> Grid:
    """A grid over this part of the plane."""
    x, y = (axis_points(*each, resolution) for each in zip(seen.axes, low, high, strict=True))
    return Grid(x, y, (seen.axes[0].is_discrete, seen.axes[1].is_discrete))


def curve_points(
    seen: View, low: float, high: float, resolution: int, more: Sequence[float] = ()
) -> FloatArray:
    """Where curves along the one feature of a view are computed, in increasing order.

    Along a line they are equally spaced, and more around every mean: a narrow peak must not fall
    between. So are the points `more`.
    """
    points = axis_points(seen.axes[0], low, high, resolution)
    if seen.axes[0].is_discrete or not seen.has_means:
        return points
    around = class_means(seen.model) + class_deviations(seen.model) * line_over(-4.0, 4.0, 81)
    points = np.concatenate([points, around.ravel(), more])
    return np.unique(points[(points >= low) & (points <= high)])


@dataclass(frozen=True, slots=True, eq=False)
class RegionMap:
    """What a model decides at the points of a grid."""

    grid: Grid
    codes: NDArray[Any]  # (p, m) the most probable class; −1 where none is possible
    margins: NDArray[Any]  # (p, m, k) by how much each class beats the best other one


def region_map(seen: View, grid: Grid) -> RegionMap:
    """The most probable class and the margins at each point of a grid."""
    lead = seen.margins(grid.rows)
    codes = np.where(np.isnan(lead[:, 0]), -1, lead.argmax(axis=1))
    return RegionMap(grid, grid.arrange(codes), grid.arrange(lead))


def boundary_segments(regions: RegionMap, along: int) -> FloatArray:
    """Where the most probable class changes from one point of a grid to the next (s, 2, 2).

    A segment for each such place, from one end (x, y) to the other: as long as a step of the grid,
    and across the axis `along`, 0 or 1. Between points of a continuous axis it stands where the
    margin is 0 by interpolation, between those of a discrete one halfway.
    """
    grid = regions.grid
    codes, lead = regions.codes, regions.margins
    line, other = grid.x, grid.y
    if along == 1:
        codes, lead, line, other = codes.T, lead.swapaxes(0, 1), grid.y, grid.x
    row, before = np.nonzero(codes[:, 1:] != codes[:, :-1])
    fraction = np.full(row.size, 0.5)
    if not grid.discrete[along]:
        winner = codes[row, before]
        ahead, behind = lead[row, before, winner], lead[row, before + 1, winner]
        known = np.isfinite(ahead) & np.isfinite(behind) & (ahead > behind)
        fraction[known] = (ahead / (ahead - behind))[known]
    at = line[before] + fraction * grid.steps[along]
    half = grid.steps[1 - along] / 2
    ends = np.stack([other[row] - half, other[row] + half], axis=1)  # (s, 2)
    both = np.stack([np.repeat(at[:, None], 2, axis=1), ends], axis=2)
    return both[:, :, ::-1] if along == 1 else both


def intervals(
    seen: View, positions: Sequence[float], low: float, high: float
) -> list[tuple[float, float, int]]:
    """Start, end and most probable class of each interval between boundaries, from low to high."""
    edges = [low, *positions, high]
    # Halfway between neighbouring boundaries nothing is in doubt.
    middles = np.array([[left + (right - left) / 2] for left, right in pairwise(edges)])
    if seen.axes[0].is_discrete:
        middles = np.floor(middles + 0.5)
    codes = seen.predicted(middles).tolist()
    return [(left, right, code) for (left, right), code in zip(pairwise(edges), codes, strict=True)]
