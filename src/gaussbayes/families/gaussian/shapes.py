"""The shapes a covariance may have: spherical, diagonal, full.

Each holds the covariances of all classes at once, first axis `m`: k when every class has its own,
1 when they share one. A shape knows its whitener W, with ``Σ⁻¹ = WᵀW``, and its log determinant;
the Gaussian density is written once, in `gaussbayes.families.gaussian.scores`, with these two.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.factor import check_variances, factor


@dataclass(frozen=True, slots=True)
class Full:
    """Any symmetric positive definite matrix: d (d + 1) / 2 free parameters each.

    Examples
    --------
    >>> shape = full(np.array([[[4.0, 0.0], [0.0, 9.0]]]), Schema(np.array(["a"]), 2))
    >>> shape.whitener.round(4).tolist(), shape.log_det.round(4).tolist()
    ([[[0.5, 0.0], [0.0, 0.3333]]], [3.5835])
    >>> shape.n_parameters
    3
    """

    covariance: FloatArray  # (m, d, d)
    whitener: FloatArray  # (m, d, d) lower triangular
    log_det: FloatArray  # (m,)

    @property
    def n_parameters(self) -> int:
        """Free parameters of the covariances."""
        m, d, _ = self.covariance.shape
        return int(m * d * (d + 1) // 2)

    def dense(self) -> FloatArray:
        """The covariances as matrices (m, d, d)."""
        return self.covariance


@dataclass(frozen=True, slots=True)
class Diagonal:
    """No correlation, one variance a feature: d free parameters each."""

    variance: FloatArray  # (m, d)
    whitener: FloatArray  # (m, d)
    log_det: FloatArray  # (m,)

    @property
    def n_parameters(self) -> int:
        """Free parameters of the covariances."""
        return self.variance.size

    def dense(self) -> FloatArray:
        """The covariances as matrices (m, d, d)."""
        return self.variance[:, :, None] * np.eye(self.variance.shape[1])


@dataclass(frozen=True, slots=True)
class Spherical:
    """No correlation, one variance for all features: 1 free parameter each."""

    variance: FloatArray  # (m,)
    whitener: FloatArray  # (m, d)
    log_det: FloatArray  # (m,)

    @property
    def n_parameters(self) -> int:
        """Free parameters of the covariances."""
        return self.variance.size

    def dense(self) -> FloatArray:
        """The covariances as matrices (m, d, d)."""
        return self.variance[:, None, None] * np.eye(self.whitener.shape[1])


Shape: TypeAlias = Full | Diagonal | Spherical


def full(covariance: FloatArray, schema: Schema, weight: FloatArray | None = None) -> Full:
    """Factor full covariances (m, d, d); the error names class, features and ways out.

    `weight` (m,) is how many rows each was estimated from, for the message; None if it was given.
    """
    whitener, log_det = factor(covariance, schema, weight)
    return Full(covariance, whitener, log_det)


def diagonal(variance: FloatArray, schema: Schema, weight: FloatArray | None = None) -> Diagonal:
    """Diagonal covariances from variances (m, d); `weight` as in `full`.

    Examples
    --------
    >>> diagonal(np.array([[4.0, 9.0]]), Schema(np.array(["a"]), 2)).log_det.round(4).tolist()
    [3.5835]
    """
    check_variances(variance, schema, weight)
    return Diagonal(variance, 1.0 / np.sqrt(variance), np.log(variance).sum(axis=1))


def spherical(variance: FloatArray, schema: Schema, weight: FloatArray | None = None) -> Spherical:
    """Spherical covariances from variances (m,); `weight` as in `full`.

    Examples
    --------
    >>> spherical(np.array([4.0]), Schema(np.array(["a"]), 2)).whitener.tolist()
    [[0.5, 0.5]]
    """
    d = schema.n_features
    check_variances(np.repeat(variance[:, None], d, axis=1), schema, weight)
    whitener = np.repeat(1.0 / np.sqrt(variance)[:, None], d, axis=1)
    return Spherical(variance, whitener, d * np.log(variance))


def no_features() -> Diagonal:
    """The covariance of no features at all, for models whose features are all categories.

    Examples
    --------
    >>> no_features().log_det.tolist()
    [0.0]
    """
    return Diagonal(np.empty((1, 0)), np.empty((1, 0)), np.zeros(1))


def correlation(covariance: FloatArray) -> FloatArray:
    """Correlations ``ρᵢⱼ = σᵢⱼ / (σᵢ σⱼ)`` of covariances (…, d, d).

    Examples
    --------
    >>> correlation(np.array([[4.0, 3.0], [3.0, 9.0]])).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    scale = np.sqrt(np.einsum("...ii->...i", covariance))
    scaled: FloatArray = covariance / scale[..., :, None] / scale[..., None, :]
    return scaled
