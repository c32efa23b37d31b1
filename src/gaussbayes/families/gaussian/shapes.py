"""The shapes a covariance may have: full, diagonal, spherical.

A shape holds the covariances of all classes at once, first axis `m`: k when every class has its
own, 1 when they share one. It knows its whitener W, with ``Σ⁻¹ = WᵀW``, and its log determinant,
and whatever else depends on the shape, so that nothing outside has to ask which one it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CovarianceName, FloatArray, ScatterLayout
from gaussbayes.families.gaussian.factor import check_variances, factor, invert_lower, symmetric
from gaussbayes.families.protocol import ParameterTable

_MOST_TITLES = 20  # features of which all pairs are shown in a table


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Covariances of one shape: without correlations, as `Diagonal`, unless a method says else."""

    values: FloatArray  # (m, d, d), (m, d) or (m,)
    whitener: FloatArray  # (m, d, d) lower triangular, or (m, d)
    log_det: FloatArray  # (m,)

    name: ClassVar[CovarianceName]
    layout: ClassVar[ScatterLayout] = "diagonal"  # how much of the scatter it is estimated from
    correlated: ClassVar[bool] = False  # whether features may be correlated
    isotropic: ClassVar[bool] = False  # whether all have one variance: nothing can be shrunk

    @classmethod
    def of(cls, values: FloatArray, names: Schema, weight: FloatArray | None = None) -> Self:
        """Covariances from their values, factored.

        One that cannot be inverted is an error that names class and features, and says how many
        rows it was estimated from (m,) if that is known.
        """
        d = names.n_features
        check_variances(cls._by_feature(values, d), names, weight)
        whitener = cls._by_feature(1.0 / np.sqrt(values), d)
        return cls(values, whitener, cls._log_det(np.log(values), d))

    @classmethod
    def given(cls, values: FloatArray, names: Schema) -> Self:
        """Covariances that the user wrote down: the first axis is m."""
        try:
            return cls.of(values, names)
        except SingularCovarianceError as error:
            msg = f"{error}. A covariance that is given must be positive definite"
            raise SingularCovarianceError(msg) from None

    @classmethod
    def from_scatter(cls, scatter: FloatArray, degrees: FloatArray) -> FloatArray:
        """The values from scatters (m, d, d) or (m, d), divided by degrees of freedom (m,)."""
        return np.asarray(scatter / degrees.reshape(-1, *(1,) * (scatter.ndim - 1)))

    @classmethod
    def of_variances(cls, variance: FloatArray, names: Schema) -> Self:
        """Covariances without correlations, from the variances (m, d) of the features."""
        return cls.of(variance, names)

    @staticmethod
    def dimensions(n_features: int) -> tuple[int, ...]:
        """The shape of the array that holds one covariance."""
        return (n_features,)

    @classmethod
    def n_parameters_of(cls, n_covariances: int, n_features: int) -> int:
        """Free parameters of so many covariances."""
        return n_covariances * prod(cls.dimensions(n_features))

    @staticmethod
    def _by_feature(values: FloatArray, n_features: int) -> FloatArray:
        """What is known of each variance, for each feature (m, d)."""
        del n_features
        return values

    @staticmethod
    def _log_det(logarithms: FloatArray, n_features: int) -> FloatArray:
        """The log determinants (m,) by the logarithms of the variances."""
        del n_features
        return np.asarray(logarithms.sum(axis=1))

    @property
    def variance(self) -> FloatArray:
        """The variances of the features (m, d)."""
        return self._by_feature(self.values, self.n_features)

    @property
    def correlation(self) -> FloatArray:
        """Correlations ``ρᵢⱼ = σᵢⱼ / (σᵢ σⱼ)`` (m, d, d); (m, 0, 0) if there are none."""
        return np.empty((self.n_covariances, 0, 0))

    @property
    def precision(self) -> FloatArray:
        """The diagonals of the inverses (m, d)."""
        return np.square(self.whitener)

    def dense(self) -> FloatArray:
        """The covariances as matrices (m, d, d)."""
        return np.asarray(self.variance[:, :, None] * np.eye(self.n_features))

    def factor(self) -> FloatArray:
        """Factors F with ``Σ = F Fᵀ``: (m, d, d) lower triangular, or (m, d) their diagonals."""
        return self.deviation

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``W v`` of vectors (…, d), by the covariance of a class."""
        return np.asarray(vectors * self.whitener[self.index(code)])

    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``Σ⁻¹ v`` of vectors (…, d), by the covariance of a class."""
        return self.whiten(self.whiten(vectors, code), code)

    def squares(self, scatter: FloatArray) -> FloatArray:
        """``tr Σ⁻¹ S`` (m,) of scatters (m, d, d), or (m, d) if there are no correlations."""
        return np.asarray((scatter * np.square(self.whitener)).sum(axis=1))

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Self:
        """The covariances of some features; `names` are theirs."""
        return self.of(self.values[:, columns], names)

    def coordinates(self, unit: FloatArray) -> FloatArray:
        """The values as a vector in which every entry is free, in units (m, d) of the features.

        Logarithms of variances; of a full covariance its Cholesky factor, with logarithms in the
        diagonal.
        """
        scale = unit[:, 0] if self.isotropic else unit
        return np.log(self.values / np.square(scale)).ravel()

    @classmethod
    def from_coordinates(cls, vector: FloatArray, unit: FloatArray) -> Self:
        """The covariances with these coordinates."""
        d, scale = unit.shape[1], unit[:, 0] if cls.isotropic else unit
        logarithm = vector.reshape(scale.shape)
        whitener = cls._by_feature(np.exp(-0.5 * logarithm) / scale, d)
        log_det = cls._log_det(logarithm + 2.0 * np.log(scale), d)
        return cls(np.exp(logarithm) * np.square(scale), whitener, log_det)

    @property
    def n_covariances(self) -> int:
        return int(self.log_det.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.whitener.shape[1])

    @property
    def n_parameters(self) -> int:
        return self.n_parameters_of(self.n_covariances, self.n_features)

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations of the features (m, d)."""
        return np.sqrt(self.variance)

    @property
    def amplification(self) -> float:
        """How much rounding grows: 1 over the least that others leave unexplained of a variance."""
        return float((self.precision * self.variance).max(initial=1.0))

    def index(self, code: int) -> int:
        """Which covariance is that of a class."""
        return code if self.n_covariances > 1 else 0

    def selected(self, codes: Sequence[int]) -> Self:
        """Only the covariances with these numbers, in this order."""
        where = np.asarray(codes, dtype=np.intp)
        return type(self)(self.values[where], self.whitener[where], self.log_det[where])

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """What there is to show beside the standard deviations."""
        del names
        return ()


class Diagonal(Shape):
    """No correlation, one variance a feature: d free parameters each."""

    __slots__ = ()
    name = "diagonal"


class Spherical(Shape):
    """No correlation, one variance for all features: 1 free parameter each."""

    __slots__ = ()
    name = "spherical"
    isotropic = True

    @classmethod
    def from_scatter(cls, scatter: FloatArray, degrees: FloatArray) -> FloatArray:
        """``tr S / (degrees d)`` (m,)."""
        return np.asarray(scatter.sum(axis=1) / (degrees * scatter.shape[1]))

    @classmethod
    def of_variances(cls, variance: FloatArray, names: Schema) -> Self:
        return cls.of(variance.mean(axis=1), names)

    @staticmethod
    def dimensions(n_features: int) -> tuple[int, ...]:
        del n_features
        return ()

    @staticmethod
    def _by_feature(values: FloatArray, n_features: int) -> FloatArray:
        return np.repeat(values[:, None], n_features, axis=1)

    @staticmethod
    def _log_det(logarithms: FloatArray, n_features: int) -> FloatArray:
        return n_features * logarithms

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Self:
        del columns
        return self.of(self.values, names)


class Full(Shape):
    """Any symmetric positive definite matrix: d (d + 1) / 2 free parameters each.

    Examples
    --------
    >>> shape = Full.of(np.array([[[4.0, 2.0], [2.0, 10.0]]]), Schema(np.array(["a"]), 2))
    >>> shape.factor().tolist(), shape.whitener.round(4).tolist()
    ([[[2.0, 0.0], [1.0, 3.0]]], [[[0.5, 0.0], [-0.1667, 0.3333]]])
    """

    __slots__ = ()
    name = "full"
    layout = "full"
    correlated = True

    @classmethod
    def of(cls, values: FloatArray, names: Schema, weight: FloatArray | None = None) -> Self:
        return cls(values, *factor(values, names, weight))

    @classmethod
    def given(cls, values: FloatArray, names: Schema) -> Self:
        return super().given(symmetric(values, names), names)

    @classmethod
    def of_variances(cls, variance: FloatArray, names: Schema) -> Self:
        return cls.of(variance[:, :, None] * np.eye(variance.shape[1]), names)

    @staticmethod
    def dimensions(n_features: int) -> tuple[int, ...]:
        return n_features, n_features

    @classmethod
    def n_parameters_of(cls, n_covariances: int, n_features: int) -> int:
        return n_covariances * (n_features * (n_features + 1) // 2)

    @property
    def variance(self) -> FloatArray:
        return np.asarray(np.einsum("mii->mi", self.values))

    @property
    def correlation(self) -> FloatArray:
        deviation = self.deviation
        return np.asarray(self.values / deviation[:, :, None] / deviation[:, None, :])

    @property
    def precision(self) -> FloatArray:
        """``Σᵢ Wᵢⱼ²`` (m, d)."""
        return np.asarray(np.einsum("mij,mij->mj", self.whitener, self.whitener))

    def dense(self) -> FloatArray:
        return self.values

    def factor(self) -> FloatArray:
        # As where it was inverted, the correlation matrix: what has an inverse has a factor.
        return self.deviation[:, :, None] * np.linalg.cholesky(self.correlation)

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        return np.asarray(vectors @ self.whitener[self.index(code)].T)

    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        return np.asarray(self.whiten(vectors, code) @ self.whitener[self.index(code)])

    def squares(self, scatter: FloatArray) -> FloatArray:
        """``tr W S Wᵀ`` (m,)."""
        return np.asarray(((self.whitener @ scatter) * self.whitener).sum(axis=(1, 2)))

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Self:
        return self.of(self.values[:, columns[:, None], columns], names)

    def coordinates(self, unit: FloatArray) -> FloatArray:
        lower = self.factor() / unit[:, :, None]
        diagonal = np.einsum("mii->mi", lower)
        diagonal[...] = np.log(diagonal)
        return np.asarray(lower[:, *_triangle(self.n_features)].ravel())

    @classmethod
    def from_coordinates(cls, vector: FloatArray, unit: FloatArray) -> Self:
        # The factors are inverted, so that no digit is lost to a product.
        m, d = unit.shape
        rows, columns = _triangle(d)
        lower = np.zeros((m, d, d))
        lower[:, rows, columns] = vector.reshape(m, -1)
        diagonal = np.einsum("mii->mi", lower)
        log_det = 2.0 * (diagonal + np.log(unit)).sum(axis=1)
        diagonal[...] = np.exp(diagonal)
        values = (lower @ lower.mT) * unit[:, :, None] * unit[:, None, :]
        invert_lower(lower)
        return cls(values, lower / unit[:, None, :], log_det)

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """The correlations of all pairs of a few features."""
        if not 1 < self.n_features <= _MOST_TITLES:
            return ()
        rows, columns = np.tril_indices(self.n_features, -1)
        titles = tuple(
            f"{names.titles[j]}, {names.titles[i]}" for i, j in zip(rows, columns, strict=True)
        )
        return (ParameterTable("correlation", titles, self.correlation[:, rows, columns]),)


@lru_cache(maxsize=4)
def _triangle(n_features: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows and columns of a lower triangle; EM asks for them twice an iteration."""
    return np.tril_indices(n_features)


SHAPES: dict[str, type[Shape]] = {shape.name: shape for shape in (Full, Diagonal, Spherical)}
"""The shapes by the names that users give."""
