"""Reference values by integration on a grid, with scipy's densities."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import multivariate_normal


def joint_mass(
    priors: Sequence[float], means: ArrayLike, covariances: ArrayLike, width: float, step: float
) -> NDArray[np.float64]:
    """p(x, c) times the area of a cell (cells, k), on the square of that half width."""
    axis = np.arange(-width, width, step) + step / 2
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    parts = zip(priors, np.asarray(means), np.asarray(covariances), strict=True)
    densities = [p * multivariate_normal(mean, matrix).pdf(points) for p, mean, matrix in parts]
    return np.stack(densities, axis=1) * step**2


def confusion(mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """p(predicted, true) of the optimal rule: true class by row (k, k)."""
    winner = mass.argmax(axis=1)
    k = mass.shape[1]
    return np.stack([mass[winner == code].sum(axis=0) for code in range(k)], axis=1)
