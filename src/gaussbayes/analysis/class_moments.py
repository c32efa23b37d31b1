"""Means, covariances and probabilities of the classes, combined from all families.

Features of different families are independent given the class, so that the covariance of all of
them is block-diagonal. Categories have none: only numeric features are counted.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.base.types import FloatArray
from gaussbayes.families.protocol import Located, Mixed, Tabulated, Warped
from gaussbayes.model.model import Model

N_POINTS = 181
"""Points of an ellipse: two degrees between neighbours, the last being the first."""


def class_means(model: Model) -> FloatArray:
    """Return the means (k, g) of the numeric features."""
    return _of_located(model, "mean")


def class_deviations(model: Model) -> FloatArray:
    """Return the standard deviations (k, g) of the numeric features."""
    return _of_located(model, "deviation")


def _of_located(model: Model, moment: str, *, straight: bool = False) -> FloatArray:
    values = np.full(_shape(model), np.nan)
    for columns, density in _located(model, straight=straight):
        values[:, columns] = getattr(density, moment)
    return values


def class_covariances(model: Model, *, straight: bool = False) -> FloatArray:
    """Return the covariances (k, g, g) of the numeric features; (g, g) if classes share them.

    With `straight`, those of the transformed features.
    """
    k, g = _shape(model)
    located = _located(model, straight=straight)
    blocks = [(columns, density.dense_covariance()) for columns, density in located]
    shared = bool(blocks) and all(block.shape[0] == 1 for _, block in blocks) and k > 1
    covariances = np.zeros((1 if shared else k, g, g))
    for columns, block in blocks:
        covariances[:, np.array(columns)[:, None], columns] = block
    return covariances[0] if shared else covariances


def class_outlines(model: Model, radius: float, n_points: int = N_POINTS) -> FloatArray:
    """Return points (k, n_points, 2) at this Mahalanobis distance from the classes, once around.

    There are two numeric features. Outlines of transformed features are ellipses mapped back.
    """
    covariances = np.broadcast_to(class_covariances(model, straight=True), (_shape(model)[0], 2, 2))
    means = _of_located(model, "mean", straight=True)
    pairs = zip(means, covariances, strict=True)
    points = np.stack([ellipse(mean, covariance, radius, n_points) for mean, covariance in pairs])
    for columns, density in _located(model):
        if isinstance(density, Warped):
            points[..., columns] = density.warp(points[..., columns])
    return points


def class_correlations(model: Model) -> FloatArray:
    """Return the correlations (k, g, g) of the numeric features; (g, g) if shared."""
    return correlations(class_covariances(model))


def principal_axes(covariances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The variances (k, g) along the principal axes of covariances, and the axes (k, g, g).

    The largest comes first.
    """
    variance, axes = np.linalg.eigh(covariances)
    return np.asarray(variance[:, ::-1]), np.asarray(axes[:, :, ::-1])


def category_probabilities(model: Model) -> dict[str | int, FloatArray]:
    """``p(category | class)`` (k, m) of each categorical feature, by its name or number."""
    tables: dict[int, FloatArray] = {}
    for component, density in zip(model.components, model.densities, strict=True):
        if isinstance(density, Tabulated):
            tables |= {column: np.exp(density.of(j)) for j, column in enumerate(component.columns)}
        elif isinstance(density, Mixed):
            tables |= {component.columns[j]: table for j, table in density.probabilities.items()}
    names = model.schema.features or range(model.schema.n_features)
    return {names[column]: tables[column] for column in sorted(tables)}


def named_category_probabilities(model: Model) -> dict[str | int, dict[object, FloatArray]]:
    """``p(category | class)`` (k,) of each category of each categorical feature."""
    tables = category_probabilities(model).items()
    return {
        feature: dict(zip(categories, table.T, strict=True))
        for (feature, table), categories in zip(tables, model.categories, strict=True)
    }


def correlations(covariances: FloatArray) -> FloatArray:
    """Covariances (…, g, g) scaled to unit variances: ``ρᵢⱼ = σᵢⱼ / (σᵢ σⱼ)``."""
    deviation = np.sqrt(np.einsum("...ii->...i", covariances))
    scaled: FloatArray = covariances / deviation[..., :, None] / deviation[..., None, :]
    return scaled


def _shape(model: Model) -> tuple[int, int]:
    schema = model.schema
    return schema.classes.shape[0], schema.n_features - len(schema.categorical)


def _located(model: Model, *, straight: bool = False) -> Iterator[tuple[list[int], Located]]:
    """Densities with means, each with the positions of its columns among the numbers."""
    categorical = np.array(model.schema.categorical, dtype=np.intp)
    for component, density in zip(model.components, model.densities, strict=True):
        columns = np.array(component.columns, dtype=np.intp)
        shown: Any = density
        if isinstance(density, Mixed):
            numbers, shown = density.numbers
            columns = columns[numbers]
        shown = shown.straight if straight and isinstance(shown, Warped) else shown
        if columns.size and isinstance(shown, Located):
            yield (columns - np.searchsorted(categorical, columns)).tolist(), shown


def ellipse(
    mean: FloatArray, covariance: FloatArray, radius: float, n_points: int = N_POINTS
) -> FloatArray:
    """Return points (n_points, 2) at this Mahalanobis distance from the mean, once around.

    With the Cholesky factor ``Σ = L Lᵀ`` they are ``mean + radius · L (cos t, sin t)``, for which
    ``(x − mean)ᵀ Σ⁻¹ (x − mean) = radius²``.

    Examples
    --------
    >>> points = ellipse(np.zeros(2), np.diag([4.0, 1.0]), radius=2.0, n_points=5)
    >>> points.round(12).tolist()
    [[4.0, 0.0], [0.0, 2.0], [-4.0, 0.0], [-0.0, -2.0], [4.0, -0.0]]
    """
    angle = np.linspace(0.0, 2.0 * np.pi, n_points)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points: FloatArray = mean + radius * circle @ np.linalg.cholesky(covariance).T
    return points


def mass_of_radius(radius: ArrayLike, n_features: int = 2) -> FloatArray:
    """Return the probability of a Gaussian within a Mahalanobis radius."""
    from scipy.stats import chi2

    mass: FloatArray = chi2.cdf(np.square(np.asarray(radius, dtype=np.float64)), n_features)
    return mass
