"""The grid that a window of the plane stands for, and values on it as images."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.grid import Grid, limits, line_over
from gaussbayes.apps.lab.datasets import Dataset, Store
from gaussbayes.apps.lab.messages import Window
from gaussbayes.apps.lab.work.sight import Shown, shown, true_sight
from gaussbayes.base.types import FloatArray

_NOTHING = (-5.0, 5.0)
"""What is shown where there is nothing to show."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Rows to calculate something of, and how the results cover the window."""

    rows: FloatArray  # (p, 1) or (p, 2) of the features shown
    grid: Grid
    seen: Shown

    def image(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values (p,) or (c, p) as images (h, w) or (c, h, w), the bottom line first.

        If one coordinate is hidden, nothing depends on it: all lines, or all columns, are alike.
        """
        h, w = self.grid.y.size, self.grid.x.size
        before = values.shape[:-1]
        if len(self.seen.axes) == 2:
            return values.reshape(*before, h, w)
        along = values[..., None, :] if self.seen.axes == (0,) else values[..., :, None]
        return np.ascontiguousarray(np.broadcast_to(along, (*before, h, w)))


def places(
    dataset: Dataset, pair: tuple[int, int], seen: Shown, window: Window, store: Store
) -> Places:
    """The points of a window."""
    (left, right), (bottom, top) = bounds(dataset, pair, window, store)
    grid = Grid(line_over(left, right, window.width), line_over(bottom, top, window.height))
    if len(seen.axes) == 2:
        return Places(grid.rows, grid, seen)
    line = grid.x if seen.axes == (0,) else grid.y
    return Places(line[:, None], grid, seen)


def bounds(
    dataset: Dataset, pair: tuple[int, int], window: Window, store: Store
) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where the window reaches, picked if it does not say."""
    if window.x is not None and window.y is not None:
        return window.x, window.y
    across, up = (feature_limits(dataset, column, store) for column in pair)
    if pair[0] == pair[1]:
        up = (0.0, 1.0)
    return window.x or across, window.y or up


def as_record(grid: Grid) -> dict[str, list[float]]:
    """The bounds as the page is told them."""
    left, right, bottom, top = grid.extent
    return {"x": [left, right], "y": [bottom, top]}


def feature_limits(dataset: Dataset, column: int, store: Store) -> tuple[float, float]:
    """What to show of a feature: all rows, or the true classes where there are none."""
    dataset.refuse_strange(column)
    return store.recall(("limits", dataset.key, column), lambda: _limits(dataset, column, store))


def _limits(dataset: Dataset, column: int, store: Store) -> tuple[float, float]:
    values = dataset.table.X[:, column]
    rows = values[~np.isnan(values)][:, None]
    truth = true_sight(dataset, shown(dataset, (column, column)), store)
    if not rows.size and truth is None:
        return _NOTHING
    low, high = limits(None if truth is None else truth.parameters, rows)
    return float(low[0]), float(high[0])
