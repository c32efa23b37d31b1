"""How rows are distributed over one feature: histograms of numbers, proportions of values."""

import numpy as np

from gaussbayes.base.types import FloatArray


def histogram(values: FloatArray, area: float = 1.0) -> tuple[FloatArray, FloatArray] | None:
    """Heights (m,) and edges (m + 1,) of a histogram with this area; None of a single value.

    By Rice's rule it has twice the cube root of the number of values as many intervals.
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
    """
    step = points[1] - points[0] if points.size > 1 else 1.0
    count = np.histogram(values, bins=np.append(points, points[-1] + step) - 1e-9 * step)[0]
    return area * count / max(1, values.size)
