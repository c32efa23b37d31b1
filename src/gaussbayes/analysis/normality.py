"""Checks of normality: distances of held-out rows, and Mardia's tests.

Mardia (1970) tests the third and the fourth moments of a class. With its n rows, their mean and
covariance S (divided by n), and ``g_ij = (x_i − mean)ᵀ S⁻¹ (x_j − mean)``,

    skewness  b₁ = Σ_ij g_ij³ / n²    n b₁ / 6 ~ χ² with d (d + 1) (d + 2) / 6 degrees of freedom
    kurtosis  b₂ = Σ_i g_ii² / n      (b₂ − d (d + 2)) / √(8 d (d + 2) / n) ~ N(0, 1)

if the class is normal and n is large.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.families.protocol import Distant, Warped
from gaussbayes.model.distances import tail_probabilities
from gaussbayes.model.held_out import held_out_rows, tails_of
from gaussbayes.model.model import Model
from gaussbayes.model.statistics import observe

_MOST_ROWS = 5000  # rows of a tested class, and of all held-out rows
_SINGULAR = 1e-7  # proportion of the largest singular value
_MOST_FEATURES = 30  # features of tests of third moments, of which there are d³


def held_out_distances(
    model: Model, rows: Rows, codes: NDArray[np.intp], fitted: bool = True
) -> tuple[FloatArray, ...]:
    """Return tail probabilities of the distances of rows from their class, sorted, by class.

    The rows are held out in five folds; the model of the other folds measures their distances.
    Without `fitted`, the given parameters do.
    """
    k = model.classes.size
    if not fitted:
        tails = tail_probabilities(model, rows)[np.arange(codes.size), codes]
        return tuple(np.sort(tails[codes == code]) for code in range(k))
    table = LabelledRows(rows, Targets(codes.astype(np.int32), k), model.classes)
    statistics = observe(table, model.settings, model.schema).with_rows()
    data = held_out_rows(table, statistics, model.schema, model.settings).members[0].averaged[0]
    return tails_of(data.with_company().sampled(_MOST_ROWS), data.settings)[:-2]


def normality(model: Model, rows: Rows, codes: NDArray[np.intp]) -> dict[object, float]:
    """Return p-values of Mardia's tests of the Gaussian features, as transformed, by class.

    They are twice the smaller one of both tests. Rows with missing values, and classes with too few
    rows for a covariance, are not tested.
    """
    columns = []
    for density, part in zip(model.densities, model.parts(rows), strict=True):
        if isinstance(density, Distant):
            values = part.matrix.astype(np.float64)
            columns.append(density.unwarp(values) if isinstance(density, Warped) else values)
    if not columns:
        return {}
    features = np.concatenate(columns, axis=1)
    complete = ~np.isnan(features).any(axis=1)
    p_values: dict[object, float] = {}
    for code, label in enumerate(model.classes.tolist()):
        measured = mardia(features[complete & (codes == code)][:_MOST_ROWS])
        if measured is not None:
            p_values[label] = min(1.0, 2.0 * float(np.fmin(measured[1], measured[3])))
    return p_values


def mardia(rows: FloatArray) -> tuple[float, float, float, float] | None:
    """Return b₁, its p-value, b₂ and its p-value of rows (n, d); None if S is singular.

    With many features, b₁ is NaN.
    """
    from scipy.special import chdtrc, erfc

    n, d = rows.shape
    if n <= d + 1 or d == 0:
        return None
    deviations = rows - rows.mean(axis=0)
    scale = np.sqrt(np.square(deviations).mean(axis=0))
    axes, singular, _ = np.linalg.svd(deviations / np.where(scale > 0, scale, 1.0), False)
    if singular[-1] <= _SINGULAR * singular[0]:
        return None
    white = np.sqrt(n) * axes
    kurtosis = float(np.square(np.square(white).sum(axis=1)).mean())
    normal = (kurtosis - d * (d + 2)) / sqrt(8.0 * d * (d + 2) / n)
    skewness = p_value = np.nan
    if d <= _MOST_FEATURES:
        third = np.einsum("ni,nj->nij", white, white).reshape(n, d * d).T @ white / n
        skewness = float(np.square(third).sum())
        p_value = float(chdtrc(d * (d + 1) * (d + 2) // 6, n * skewness / 6.0))
    return skewness, p_value, kurtosis, float(erfc(abs(normal) / sqrt(2.0)))
