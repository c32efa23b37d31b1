"""The shapes a covariance may have: full, diagonal, spherical.

A shape holds the covariances of all classes at once, first axis `m`: k when every class has its
own, 1 when they share one. It knows its whitener W, with ``Σ⁻¹ = WᵀW``, and its log determinant,
and whatever else depends on the shape, so that nothing outside has to ask which one it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CovarianceName, FloatArray, ScatterLayout
from gaussbayes.families.gaussian.factor import check_variances, factor, invert_lower, symmetric
from gaussbayes.families.protocol import ParameterTable

_MOST_TITLES = 20
"""Features of which all pairs are shown in a table."""

Codes = Sequence[int] | NDArray[np.intp]


@lru_cache(maxsize=4)
def _triangle(n_features: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows and columns of a lower triangle; EM asks for them twice an iteration."""
    return np.tril_indices(n_features)


@dataclass(frozen=True, slots=True, eq=False)
class Shape(ABC):
    """Covariances of one shape; see `Full`, `Diagonal` and `Spherical`."""

    values: FloatArray  # (m, d, d), (m, d) or (m,)
    whitener: FloatArray  # (m, d, d) lower triangular, or (m, d)
    log_det: FloatArray  # (m,)

    name: ClassVar[CovarianceName]
    layout: ClassVar[ScatterLayout]  # how much of the scatter it is estimated from
    correlated: ClassVar[bool]  # whether features may be correlated
    isotropic: ClassVar[bool]  # whether all features have one variance: nothing can be shrunk

    @classmethod
    @abstractmethod
    def of(
        cls,
        values: FloatArray,
        names: Schema,
        weight: FloatArray | None = None,
        code: int | None = None,
    ) -> Self:
        """Covariances from their values, factored.

        Parameters
        ----------
        names : what messages call classes and features
        weight : (m,) how many rows each was estimated from, for messages
        code : the class that the only covariance is of, if the names have others besides

        Raises
        ------
        SingularCovarianceError
            If one cannot be inverted; names class and features.
        """

    @classmethod
    def given(cls, values: FloatArray, names: Schema) -> Self:
        """Covariances that the user wrote down: the first axis is m."""
        try:
            return cls.of(values, names)
        except SingularCovarianceError as error:
            msg = f"{error}. A covariance that is given must be positive definite"
            raise SingularCovarianceError(msg) from None

    @classmethod
    @abstractmethod
    def from_scatter(cls, scatter: FloatArray, degrees: FloatArray) -> FloatArray:
        """The values from scatters (m, d, d) or (m, d), divided by degrees of freedom (m,)."""

    @classmethod
    @abstractmethod
    def of_variances(cls, variance: FloatArray, names: Schema) -> Self:
        """Covariances without correlations, from the variances (m, d) of the features."""

    @staticmethod
    @abstractmethod
    def dimensions(n_features: int) -> tuple[int, ...]:
        """The shape of the array that holds one covariance."""

    @staticmethod
    @abstractmethod
    def n_parameters_of(n_covariances: int, n_features: int) -> int:
        """Free parameters of so many covariances."""

    @property
    @abstractmethod
    def variance(self) -> FloatArray:
        """The variances of the features (m, d)."""

    @property
    @abstractmethod
    def correlation(self) -> FloatArray:
        """Correlations ``ρᵢⱼ = σᵢⱼ / (σᵢ σⱼ)`` (m, d, d); (m, 0, 0) if there are none."""

    @property
    @abstractmethod
    def precision(self) -> FloatArray:
        """The diagonals of the inverses (m, d)."""

    @abstractmethod
    def dense(self) -> FloatArray:
        """The covariances as matrices (m, d, d)."""

    @abstractmethod
    def factor(self) -> FloatArray:
        """Factors F with ``Σ = F Fᵀ``: (m, d, d) lower triangular, or (m, d) their diagonals."""

    @abstractmethod
    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``W v`` of vectors (…, d), by the covariance of a class."""

    @abstractmethod
    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``Σ⁻¹ v`` of vectors (…, d), by the covariance of a class."""

    @abstractmethod
    def squares(self, scatter: FloatArray) -> FloatArray:
        """``tr Σ⁻¹ S`` (m,) of scatters (m, d, d), or (m, d) if there are no correlations."""

    @abstractmethod
    def sub(self, columns: NDArray[np.intp], names: Schema) -> Self:
        """The covariances of some features; `names` are theirs."""

    @abstractmethod
    def coordinates(self, unit: FloatArray) -> FloatArray:
        """The values as a vector in which every entry is free, in units (m, d) of the features."""

    @classmethod
    @abstractmethod
    def from_coordinates(cls, vector: FloatArray, unit: FloatArray) -> Self:
        """The covariances with these coordinates."""

    @property
    def n_covariances(self) -> int:
        """How many covariances there are: m."""
        return int(self.log_det.shape[0])

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return int(self.whitener.shape[1])

    @property
    def n_parameters(self) -> int:
        """Free parameters of the covariances."""
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

    def selected(self, codes: Codes) -> Self:
        """Only the covariances with these numbers, in this order."""
        where = np.asarray(codes, dtype=np.intp)
        return type(self)(self.values[where], self.whitener[where], self.log_det[where])

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """What there is to show beside the standard deviations."""
        del names
        return ()


class Full(Shape):
    """Any symmetric positive definite matrix: d (d + 1) / 2 free parameters each.

    Examples
    --------
    >>> shape = Full.of(np.array([[[4.0, 0.0], [0.0, 9.0]]]), Schema(np.array(["a"]), 2))
    >>> shape.whitener.round(4).tolist(), shape.log_det.round(4).tolist()
    ([[[0.5, 0.0], [0.0, 0.3333]]], [3.5835])
    >>> shape.n_parameters
    3
    """

    __slots__ = ()
    name = "full"
    layout = "full"
    correlated = True
    isotropic = False

    @classmethod
    def of(
        cls,
        values: FloatArray,
        names: Schema,
        weight: FloatArray | None = None,
        code: int | None = None,
    ) -> Self:
        """Covariances (m, d, d), factored."""
        return cls(values, *factor(values, names, weight, code))

    @classmethod
    def given(cls, values: FloatArray, names: Schema) -> Self:
        """Covariances that the user wrote down, which must be symmetric."""
        return super().given(symmetric(values, names), names)

    @classmethod
    def from_scatter(cls, scatter: FloatArray, degrees: FloatArray) -> FloatArray:
        """``S / degrees`` (m, d, d)."""
        values: FloatArray = scatter / degrees[:, None, None]
        return values

    @classmethod
    def of_variances(cls, variance: FloatArray, names: Schema) -> Self:
        """Diagonal matrices."""
        return cls.of(variance[:, :, None] * np.eye(variance.shape[1]), names)

    @staticmethod
    def dimensions(n_features: int) -> tuple[int, ...]:
        """(d, d)."""
        return n_features, n_features

    @staticmethod
    def n_parameters_of(n_covariances: int, n_features: int) -> int:
        """Those of a triangle each."""
        return n_covariances * (n_features * (n_features + 1) // 2)

    @property
    def variance(self) -> FloatArray:
        """The diagonals (m, d)."""
        variance: FloatArray = np.einsum("mii->mi", self.values)
        return variance

    @property
    def correlation(self) -> FloatArray:
        """Correlations ``ρᵢⱼ = σᵢⱼ / (σᵢ σⱼ)`` (m, d, d).

        Examples
        --------
        >>> values = np.array([[[4.0, 3.0], [3.0, 9.0]]])
        >>> Full.of(values, Schema(np.arange(1), 2)).correlation.tolist()
        [[[1.0, 0.5], [0.5, 1.0]]]
        """
        deviation = self.deviation
        scaled: FloatArray = self.values / deviation[:, :, None] / deviation[:, None, :]
        return scaled

    @property
    def precision(self) -> FloatArray:
        """``Σᵢ Wᵢⱼ²`` (m, d)."""
        precision: FloatArray = np.einsum("mij,mij->mj", self.whitener, self.whitener)
        return precision

    def dense(self) -> FloatArray:
        """The covariances themselves."""
        return self.values

    def factor(self) -> FloatArray:
        """Lower triangular factors (m, d, d).

        Examples
        --------
        >>> values = np.array([[[4.0, 2.0], [2.0, 10.0]]])
        >>> Full.of(values, Schema(np.arange(1), 2)).factor().tolist()
        [[[2.0, 0.0], [1.0, 3.0]]]
        """
        # As where it was inverted, the correlation matrix: what has an inverse has a factor.
        return self.deviation[:, :, None] * np.linalg.cholesky(self.correlation)

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``W v`` (…, d)."""
        white: FloatArray = vectors @ self.whitener[self.index(code)].T
        return white

    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``Wᵀ W v`` (…, d)."""
        product: FloatArray = self.whiten(vectors, code) @ self.whitener[self.index(code)]
        return product

    def squares(self, scatter: FloatArray) -> FloatArray:
        """``tr W S Wᵀ`` (m,)."""
        squares: FloatArray = ((self.whitener @ scatter) * self.whitener).sum(axis=(1, 2))
        return squares

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Self:
        """Rows and columns of the matrices."""
        return self.of(self.values[:, columns[:, None], columns], names)

    def coordinates(self, unit: FloatArray) -> FloatArray:
        """Cholesky factors with logarithms in their diagonals."""
        lower = self.factor() / unit[:, :, None]
        diagonal = np.einsum("mii->mi", lower)
        diagonal[...] = np.log(diagonal)
        entries: FloatArray = lower[:, *_triangle(self.n_features)].ravel()
        return entries

    @classmethod
    def from_coordinates(cls, vector: FloatArray, unit: FloatArray) -> Self:
        """Covariances from their factors, which are inverted: no digit is lost to a product."""
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
        d = self.n_features
        if not 1 < d <= _MOST_TITLES:
            return ()
        rows, columns = np.tril_indices(d, -1)
        titles = tuple(
            f"{names.titles[j]}, {names.titles[i]}" for i, j in zip(rows, columns, strict=True)
        )
        return (ParameterTable("correlation", titles, self.correlation[:, rows, columns]),)


class _Uncorrelated(Shape):
    """What diagonal and spherical covariances have in common."""

    __slots__ = ()
    layout = "diagonal"
    correlated = False

    @property
    def correlation(self) -> FloatArray:
        """None at all: (m, 0, 0)."""
        return np.empty((self.n_covariances, 0, 0))

    @property
    def precision(self) -> FloatArray:
        """``1 / σ²`` (m, d)."""
        return np.square(self.whitener)

    def dense(self) -> FloatArray:
        """The covariances as matrices (m, d, d)."""
        dense: FloatArray = self.variance[:, :, None] * np.eye(self.n_features)
        return dense

    def factor(self) -> FloatArray:
        """The standard deviations (m, d)."""
        return self.deviation

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``v / σ`` (…, d)."""
        white: FloatArray = vectors * self.whitener[self.index(code)]
        return white

    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``v / σ²`` (…, d)."""
        return self.whiten(self.whiten(vectors, code), code)

    def squares(self, scatter: FloatArray) -> FloatArray:
        """``Σⱼ Sⱼ / σⱼ²`` (m,)."""
        squares: FloatArray = (scatter * np.square(self.whitener)).sum(axis=1)
        return squares


class Diagonal(_Uncorrelated):
    """No correlation, one variance a feature: d free parameters each.

    Examples
    --------
    >>> shape = Diagonal.of(np.array([[4.0, 9.0]]), Schema(np.array(["a"]), 2))
    >>> shape.log_det.round(4).tolist(), shape.n_parameters
    ([3.5835], 2)
    """

    __slots__ = ()
    name = "diagonal"
    isotropic = False

    @classmethod
    def of(
        cls,
        values: FloatArray,
        names: Schema,
        weight: FloatArray | None = None,
        code: int | None = None,
    ) -> Self:
        """Covariances from variances (m, d)."""
        check_variances(values, names, weight, code)
        return cls(values, 1.0 / np.sqrt(values), np.log(values).sum(axis=1))

    @classmethod
    def from_scatter(cls, scatter: FloatArray, degrees: FloatArray) -> FloatArray:
        """``S / degrees`` (m, d)."""
        values: FloatArray = scatter / degrees[:, None]
        return values

    @classmethod
    def of_variances(cls, variance: FloatArray, names: Schema) -> Self:
        """The variances themselves."""
        return cls.of(variance, names)

    @staticmethod
    def dimensions(n_features: int) -> tuple[int, ...]:
        """(d,)."""
        return (n_features,)

    @staticmethod
    def n_parameters_of(n_covariances: int, n_features: int) -> int:
        """One a feature."""
        return n_covariances * n_features

    @property
    def variance(self) -> FloatArray:
        """The variances of the features (m, d)."""
        return self.values

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Self:
        """Some of the variances."""
        return self.of(self.values[:, columns], names)

    def coordinates(self, unit: FloatArray) -> FloatArray:
        """Logarithms of the variances."""
        return np.log(self.values / np.square(unit)).ravel()

    @classmethod
    def from_coordinates(cls, vector: FloatArray, unit: FloatArray) -> Self:
        """Covariances from the logarithms of variances."""
        logarithm = vector.reshape(unit.shape)
        log_det = (logarithm + 2.0 * np.log(unit)).sum(axis=1)
        return cls(np.exp(logarithm) * np.square(unit), np.exp(-0.5 * logarithm) / unit, log_det)


class Spherical(_Uncorrelated):
    """No correlation, one variance for all features: 1 free parameter each.

    Examples
    --------
    >>> Spherical.of(np.array([4.0]), Schema(np.array(["a"]), 2)).whitener.tolist()
    [[0.5, 0.5]]
    """

    __slots__ = ()
    name = "spherical"
    isotropic = True

    @classmethod
    def of(
        cls,
        values: FloatArray,
        names: Schema,
        weight: FloatArray | None = None,
        code: int | None = None,
    ) -> Self:
        """Covariances from variances (m,)."""
        d = names.n_features
        check_variances(np.repeat(values[:, None], d, axis=1), names, weight, code)
        whitener = np.repeat(1.0 / np.sqrt(values)[:, None], d, axis=1)
        return cls(values, whitener, d * np.log(values))

    @classmethod
    def from_scatter(cls, scatter: FloatArray, degrees: FloatArray) -> FloatArray:
        """``tr S / (degrees d)`` (m,)."""
        values: FloatArray = scatter.sum(axis=1) / (degrees * scatter.shape[1])
        return values

    @classmethod
    def of_variances(cls, variance: FloatArray, names: Schema) -> Self:
        """The mean of the variances."""
        return cls.of(variance.mean(axis=1), names)

    @staticmethod
    def dimensions(n_features: int) -> tuple[int, ...]:
        """One number."""
        del n_features
        return ()

    @staticmethod
    def n_parameters_of(n_covariances: int, n_features: int) -> int:
        """One each."""
        del n_features
        return n_covariances

    @property
    def variance(self) -> FloatArray:
        """The variances of the features (m, d), the same in every column."""
        return np.repeat(self.values[:, None], self.n_features, axis=1)

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Self:
        """The same variances of fewer features."""
        del columns
        return self.of(self.values, names)

    def coordinates(self, unit: FloatArray) -> FloatArray:
        """Logarithms of the variances."""
        return np.log(self.values / np.square(unit[:, 0]))

    @classmethod
    def from_coordinates(cls, vector: FloatArray, unit: FloatArray) -> Self:
        """Covariances from the logarithms of variances."""
        d = unit.shape[1]
        scale = np.exp(-0.5 * vector) / unit[:, 0]
        whitener = np.repeat(scale[:, None], d, axis=1)
        log_det = d * (vector + 2.0 * np.log(unit[:, 0]))
        return cls(np.exp(vector) * np.square(unit[:, 0]), whitener, log_det)


SHAPES: dict[str, type[Shape]] = {shape.name: shape for shape in (Full, Diagonal, Spherical)}
"""The shapes by the names that users give."""
