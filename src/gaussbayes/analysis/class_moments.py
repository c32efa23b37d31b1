"""Means, covariances and probabilities of the classes, put together from all families.

Features of different families are independent given the class, so that a covariance of all of them
is block-diagonal. Categories have none: only features that hold numbers are counted.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gaussbayes.analysis.ellipse import N_POINTS, ellipse
from gaussbayes.base.types import FloatArray
from gaussbayes.families.protocol import Located, Mixed, Tabulated, Warped
from gaussbayes.model.model import Model


def class_means(model: Model) -> FloatArray:
    """The means (k, g) of the features that hold numbers, in their order."""
    return _of_located(model, "mean")


def class_deviations(model: Model) -> FloatArray:
    """The standard deviations (k, g) of the features that hold numbers, in their order."""
    return _of_located(model, "deviation")


def _of_located(model: Model, moment: str, *, straight: bool = False) -> FloatArray:
    values = np.full(_shape(model), np.nan)
    for columns, density in _located(model, straight=straight):
        values[:, columns] = getattr(density, moment)
    return values


def class_covariances(model: Model, *, straight: bool = False) -> FloatArray:
    """The covariances (k, g, g) of the features that hold numbers; (g, g) if classes share them.

    With `straight` those that are transformed are so here.
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
    """Points (k, n_points, 2) at this Mahalanobis distance from the classes, once around.

    Of two features that hold numbers. Of features that are transformed they are ellipses before
    they are mapped back.
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
    """The correlations (k, g, g) of the features that hold numbers; (g, g) if shared."""
    return correlations(class_covariances(model))


def principal_axes(covariances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The variances (k, g) along the principal axes of covariances (k, g, g), and these in columns.

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


def correlations(covariances: FloatArray) -> FloatArray:
    """Covariances (…, g, g) scaled to unit variances: ``ρᵢⱼ = σᵢⱼ / (σᵢ σⱼ)``."""
    deviation = np.sqrt(np.einsum("...ii->...i", covariances))
    scaled: FloatArray = covariances / deviation[..., :, None] / deviation[..., None, :]
    return scaled


def _shape(model: Model) -> tuple[int, int]:
    schema = model.schema
    return schema.classes.shape[0], schema.n_features - len(schema.categorical)


def _located(model: Model, *, straight: bool = False) -> Iterator[tuple[list[int], Located]]:
    """Densities that have means, each with the places of its columns among the numbers."""
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
