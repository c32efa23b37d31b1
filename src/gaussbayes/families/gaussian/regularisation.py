"""Regularisation of estimated covariances besides shrinkage, as in scikit-learn's classes.

It never changes the statistics. Directions without variance, of features that depend on one
another, may be ignored. In units of the features' deviations, ``Σ = D R D``, the eigenvectors of R
whose deviations are at most the tolerance span directions in which nothing varies within classes.
There the precision is 0 instead of infinite: these directions carry no information about the class.
This is the pseudo-inverse of R, which scikit-learn's LDA computes by singular values.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Self

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.statistics import ClassMoments
from gaussbayes.families.gaussian.structure import Full, Shape

_WIDE = 1e8
"""The variance, in units of the features, that represents an infinite one if a matrix must be
inverted: for marginals and for missing values. Its inverse and its rounding are about as small."""


@dataclass(frozen=True, slots=True, eq=False)
class Reduced(Full):
    """Full covariances, some of whose directions are ignored.

    `values` replace the covariances if a matrix must be inverted.

    Examples
    --------
    >>> names = Schema(np.array(["a", "b"]), 2)
    >>> shape = Reduced.of_rank(np.array([[[4.0, 4.0], [4.0, 4.0]]]), names, 1e-4)
    >>> shape.times_precision(np.array([2.0, 2.0])).round(12).tolist(), shape.dense().tolist()
    ([0.25, 0.25], [[[4.0, 4.0], [4.0, 4.0]]])
    """

    estimated: FloatArray  # (m, d, d) the covariances
    tolerance: float

    @classmethod
    def of_rank(cls, covariance: FloatArray, names: Schema, tolerance: float) -> Full:
        """Covariances (m, d, d) without the directions of deviations up to a tolerance.

        The deviations are in units of those of the features. If no direction is ignored, these are
        ordinary covariances.
        """
        try:
            shape = Full.of(covariance, names)
        except SingularCovarianceError:
            pass
        else:
            # The least eigenvalue is at most d times smaller than the least unexplained proportion.
            if shape.amplification * shape.n_features * tolerance**2 < 1.0:
                return shape
        wide, whitener = np.empty_like(covariance), np.empty_like(covariance)
        log_det = np.empty(len(covariance))
        for c, matrix in enumerate(covariance):
            wide[c], whitener[c], log_det[c] = _reduced(matrix, tolerance)
        return cls(wide, whitener, log_det, covariance, tolerance)

    @property
    def parameters(self) -> FloatArray:
        return self.estimated

    def dense(self) -> FloatArray:
        return self.estimated

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Full:  # type: ignore[override]
        covariance = self.estimated[:, columns[:, None], columns]
        return self.of_rank(covariance, names, self.tolerance)

    def selected(self, codes: "list[int] | NDArray[np.intp]") -> Self:  # type: ignore[override]
        where = np.asarray(codes, dtype=np.intp)
        return replace(
            self,
            values=self.values[where],
            whitener=self.whitener[where],
            log_det=self.log_det[where],
            estimated=self.estimated[where],
        )


def _reduced(covariance: FloatArray, tolerance: float) -> tuple[FloatArray, FloatArray, float]:
    """The replacement of a covariance (d, d), its reduced whitener, and a log determinant.

    The whitener W is lower triangular, with rows of zeros first: ``WᵀW`` is the pseudo-inverse.
    """
    variance = covariance.diagonal()
    unit = np.sqrt(np.where(variance > 0, variance, 1.0))
    spread, axes = np.linalg.eigh(covariance / unit[:, None] / unit)
    counted = spread > tolerance**2
    d, r = unit.size, int(np.count_nonzero(counted))
    spread = np.where(counted, spread, _WIDE)
    wide = (axes * spread) @ axes.T * unit[:, None] * unit
    white = (axes[:, counted] / np.sqrt(spread[counted])).T / unit
    whitener = np.zeros((d, d))
    if r:  # read backwards, an upper triangle is a lower one
        upper: FloatArray = np.linalg.qr(white[:, ::-1]).R
        whitener[d - r :] = upper[::-1, ::-1]
    log_det = float(np.log(spread).sum() + 2.0 * np.log(unit).sum())
    return 0.5 * (wide + wide.T), whitener, log_det


@dataclass(frozen=True, slots=True)
class Regularisation:
    """A floor under variances, a step towards the identity, and rank.

    Examples
    --------
    >>> covariances = np.array([[[4.0, 2.0], [2.0, 10.0]]])
    >>> Regularisation(identity=0.5).regularised(covariances, None).tolist()
    [[[2.5, 1.0], [1.0, 5.5]]]
    """

    floor: Annotated[float, Meta(ge=0)] = 0.0
    """Added to all variances, as a proportion of the largest variance of a feature over all
    rows."""
    identity: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """Weight of the identity: ``(1 − r) Σ + r I``."""
    rank_tolerance: Annotated[float, Meta(ge=0, le=1e100)] | None = None
    """Directions of deviations up to this are ignored; with None they raise an error. See
    `Reduced`."""

    def added(self, moments: ClassMoments) -> float:
        """The term that is added to all variances of complete rows."""
        if not self.floor:
            return 0.0
        together = moments.together()
        squares = together.squares[0]
        return self.floor * float(squares.max(initial=0.0) / together.weight[0])

    def regularised(self, values: FloatArray, moments: ClassMoments | None) -> FloatArray:
        """Covariances (m, d, d), or variances (m, d) or (m,), of rows with these moments."""
        added = self.identity + (0.0 if moments is None else self.added(moments))
        changed: FloatArray = (1.0 - self.identity) * values
        diagonal = np.einsum("mii->mi", changed) if changed.ndim == 3 else changed
        diagonal += added
        return changed

    def shape_of(
        self,
        shape: type[Shape],
        values: FloatArray,
        names: Schema,
        weight: FloatArray | None = None,
    ) -> Shape:
        """Covariances of a shape from their values; `weight` is as in `Shape.of`."""
        if self.rank_tolerance is None or not shape.correlated:
            return shape.of(values, names, weight)
        return Reduced.of_rank(values, names, self.rank_tolerance)
