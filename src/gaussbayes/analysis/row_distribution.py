"""How rows are distributed over one feature: histograms of numbers, proportions of values."""

import numpy as np

from gaussbayes.base.types import FloatArray


def histogram(values: FloatArray, area: float = 1.0) -> tuple[FloatArray, FloatArray] | None:
    """Heights (m,) and edges (m + 1,) of a histogram with this area; None of a single value.

    By Rice's rule it has twice the cube root of the number of values as many intervals.

    Examples
    --------
    >>> heights, edges = histogram(np.array([0.0, 1.0, 1.0, 3.0]))
    >>> heights.round(4).tolist(), edges.tolist()
    ([0.3333, 0.6667, 0.0, 0.3333], [0.0, 0.75, 1.5, 2.25, 3.0])
    """
    if values.size == 0 or values.min() == values.max():
        return None
    n_intervals = int(np.ceil(2 * np.cbrt(values.size)))
    heights, edges = np.histogram(values, bins=n_intervals, density=True)
    return area * heights, edges


def proportions(values: FloatArray, points: FloatArray, area: float = 1.0) -> FloatArray:
    """The proportion of values (n,) at each of some points (m,), times a factor.

    Points are sorted and equally spaced; values between two of them count for the lower one. All
    are 0 if there are no values.

    Examples
    --------
    >>> proportions(np.array([0.0, 2.0, 2.0, 5.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [0.25, 0.0, 0.5]
    """
    step = points[1] - points[0] if points.size > 1 else 1.0
    count = np.histogram(values, bins=np.append(points, points[-1] + step) - 1e-9 * step)[0]
    return area * count / max(1, values.size)
