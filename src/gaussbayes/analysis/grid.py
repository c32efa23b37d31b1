"""The part of the plane or line that a figure shows, and a grid of points over it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.class_moments import class_deviations, class_means
from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.model.model import Model

_DEVIATIONS = 3.0
"""How far from its mean a class is shown when there are no rows to show."""

_MARGIN = 0.06
"""Of the extent, left free on each side of the rows."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Points at the crossings of vertical and horizontal lines.

    Examples
    --------
    >>> grid = Grid(np.array([0.0, 1.0, 2.0]), np.array([5.0, 6.0]))
    >>> grid.rows.tolist()
    [[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [0.0, 6.0], [1.0, 6.0], [2.0, 6.0]]
    >>> grid.arrange(np.arange(6)).shape
    (2, 3)
    """

    x: FloatArray  # (m,)
    y: FloatArray  # (p,)

    @property
    def rows(self) -> FloatArray:
        """The points (p·m, 2), line by line from the bottom."""
        across, up = np.meshgrid(self.x, self.y)
        return np.stack([across.ravel(), up.ravel()], axis=1)

    def arrange(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """Values of the points (p·m, …) as an image (p, m, …), the bottom line first."""
        return values.reshape(self.y.size, self.x.size, *values.shape[1:])

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top."""
        return float(self.x[0]), float(self.x[-1]), float(self.y[0]), float(self.y[-1])


def grid_over(low: FloatArray, high: FloatArray, resolution: int) -> Grid:
    """A grid of `resolution` × `resolution` points between two corners (2,)."""
    return Grid(line_over(low[0], high[0], resolution), line_over(low[1], high[1], resolution))


def line_over(low: float, high: float, resolution: int) -> FloatArray:
    """Equally spaced points (resolution,)."""
    if resolution < 2:
        msg = f"a figure needs a resolution of at least 2 points a side, got {resolution}"
        raise ParameterError(msg)
    return np.linspace(low, high, resolution)


def limits(
    model: Model | None = None, *rows: RealArray, deviations: float = _DEVIATIONS
) -> tuple[FloatArray, FloatArray]:
    """The lowest and highest value (d,) to show of each feature.

    Rows (n, d) are shown whole, with a margin; missing values are left out. Of the classes of
    `model`, all of whose features are numbers, the means are shown too; where no rows are given,
    so are three standard deviations on each side of them. A feature with one value only is given
    room on both sides.

    Examples
    --------
    >>> low, high = limits(None, np.array([[0.0, 7.0], [100.0, 7.0]]))
    >>> low.tolist(), high.tolist()
    ([-6.0, 6.5], [106.0, 7.5])
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
        msg = "there is nothing to show of a feature: give at least one row that has it"
        raise ParameterError(msg)
    span = high - low
    # A constant feature: half a unit, or at least a few floats, of room.
    alone = np.maximum(0.5, 1e-6 * np.abs(low))
    pad = np.where(span > 0, margin * span, alone)
    return low - pad, high + pad
