"""Rows that are like no class: p-values of their distances.

The squared Mahalanobis distance of a row from its own class follows the χ² distribution with as
many degrees of freedom as there are features, so that its upper tail is a p-value: the probability
that a row of the class lies at least so far out. A row that is far out for every class is novel.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.base.checks import probability
from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows
from gaussbayes.model.model import Model


def distance_p_values(squared_distance: ArrayLike, n_features: ArrayLike) -> FloatArray:
    """``P(χ²_d ≥ m²)``, exact far out: it does not end in 0 before floats do.

    Examples
    --------
    >>> distance_p_values([0.0, 5.991465, 1000.0], 2).round(6).tolist()
    [1.0, 0.05, 0.0]
    >>> print(f"{distance_p_values(1000.0, 2):.3e} {np.exp(-500):.3e}")  # two: exp(−m² / 2)
    7.125e-218 7.125e-218
    """
    from scipy.special import gammaincc

    half = 0.5 * np.asarray(squared_distance, dtype=np.float64)
    degrees = np.asarray(n_features, dtype=np.float64)
    # Without features nothing is far out: every distance is 0.
    tail: FloatArray = np.where(degrees > 0, gammaincc(0.5 * np.maximum(degrees, 1), half), 1.0)
    return tail


def class_p_values(model: Model, rows: Rows, n_jobs: int | None = 1) -> FloatArray:
    """For each row and class, how probable a row of the class is at least so far out (n, k).

    By the features of the families that have distances, as far as they are not missing.
    """
    squares, n_features = model.squared_distance(rows, n_jobs)
    return distance_p_values(squares, n_features[:, None])


def novel(p_values: FloatArray, level: float, prior: FloatArray | None = None) -> NDArray[np.bool_]:
    """The rows (n,) that are like no class: every p-value is below the level.

    Of the rows of a class at most the proportion `level` is called novel. The p-values are those of
    the classes (n, k), or of the evidence (n,); classes of prior 0, which cannot occur, do not
    count if the priors (k,) are given.
    """
    least = probability("the level below which a row is novel", level)
    of_classes = p_values if p_values.ndim == 2 else p_values[:, None]
    if prior is not None:
        if prior.shape != of_classes.shape[1:]:
            msg = (
                f"p-values of {of_classes.shape[1]} classes need as many priors, got {prior.shape}"
            )
            raise ParameterError(msg)
        of_classes = of_classes[:, prior > 0]
    return np.asarray(of_classes.max(axis=1) < least)
