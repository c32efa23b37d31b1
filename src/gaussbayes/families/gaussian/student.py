"""k Student-t class-conditional densities: Gaussians whose covariances are not quite known.

What is not known of a covariance that is estimated from few rows makes the tails of a prediction
heavier. With the location m_c, the scale matrix Λ_c and ν_c degrees of freedom

    log p(x | c) = log Γ((ν+d)/2) − log Γ(ν/2) − ½ (d log νπ + log |Λ| + (ν+d) log(1 + u/ν)),
    u = (x − m)ᵀ Λ⁻¹ (x − m)

The Gaussian with mean m and covariance Λ is kept inside: it knows u and log |Λ|, whatever of a row
is missing, and the marginal of a Student-t has the same entries of m and Λ and the same ν.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.expression import QuadraticForm
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.drawing import spread_tails, transform
from gaussbayes.families.gaussian.statistics import GaussianStatistics
from gaussbayes.families.protocol import ParameterTable, Reference

_LOG_2, _LOG_PI = float(np.log(2.0)), float(np.log(np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class StudentDensity:
    """Multivariate Student-t densities of k classes."""

    gaussian: GaussianDensity  # locations as means, scale matrices as covariances
    degrees: FloatArray  # (k,) of freedom, above 2

    @property
    def n_classes(self) -> int:
        return self.gaussian.n_classes

    @property
    def n_columns(self) -> int:
        return self.gaussian.n_columns

    @property
    def n_parameters(self) -> int:
        """Those of the Gaussians: degrees of freedom are known, not estimated."""
        return self.gaussian.n_parameters

    @property
    def mean(self) -> FloatArray:
        """The means (k, d)."""
        return self.gaussian.mean

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations (k, d): larger than the scales by ``√(ν / (ν − 2))``."""
        return np.asarray(self.gaussian.deviation * np.sqrt(self._spread)[:, None])

    def dense_covariance(self) -> FloatArray:
        """The covariances ``Λ ν / (ν − 2)`` (k, d, d)."""
        return np.asarray(self.gaussian.dense_covariance() * self._spread[:, None, None])

    @property
    def _spread(self) -> FloatArray:
        return np.asarray(self.degrees / (self.degrees - 2.0))

    def marginal(self, columns: Sequence[int], names: Schema) -> "StudentDensity":
        """The densities of some features, with the same degrees of freedom."""
        return replace(self, gaussian=self.gaussian.marginal(columns, names))

    def selected(self, codes: Sequence[int]) -> "StudentDensity":
        """Only the classes with these codes, in this order."""
        return StudentDensity(self.gaussian.selected(codes), self.degrees[list(codes)])

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(x | c)`` (n, k), what is missing integrated out."""
        squares, n_features = self.gaussian.squared_distance(rows, threads)
        log_scale = self._half_log_det(rows, n_features, threads)
        result = student_log_density(squares, log_scale, self.degrees, n_features[:, None])
        return result.astype(rows.dtype, copy=False)

    def _half_log_det(self, rows: Rows, n_features: FloatArray, threads: int) -> FloatArray:
        """``½ log |Λ_c|`` of the features that are there: (1, k), or (n, k) if some are missing."""
        if (n_features == self.n_columns).all():
            log_det = np.broadcast_to(self.gaussian.covariance.log_det, self.degrees.shape)
            return np.asarray(0.5 * log_det[None])
        log_det = np.empty((rows.n_rows, self.n_classes))
        for code in range(self.n_classes):
            # The Gaussian has it at its own mean, where the squares to be taken off are small.
            one = self.gaussian.selected([code])
            at_mean = number_rows(np.where(np.isnan(rows.matrix), np.nan, one.mean[0]))
            squares, _ = one.squared_distance(at_mean, threads)
            log_det[:, code] = -(one.log_density(at_mean, threads) + 0.5 * squares)[:, 0]
        return np.asarray(log_det - 0.5 * np.log(2.0 * np.pi) * n_features[:, None])

    def expression(self, statistics: Any) -> QuadraticForm:
        """Locations, whiteners and degrees of freedom, as a record."""
        form = self.gaussian.expression(statistics, self.degrees)
        assert isinstance(form, QuadraticForm)  # scale matrices are full
        return form

    def squared_distance(self, rows: Rows, threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """Squared distances (n, k) that follow χ², and their degrees of freedom (n,).

        ``u / d`` follows the F distribution with d and ν degrees of freedom. The distance is that
        of a Gaussian at which the tail is as probable.
        """
        squares, n_features = self.gaussian.squared_distance(rows, threads)
        return chi_square_distance(squares, n_features, self.degrees), n_features

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        """One row for each class code (n,): ``m + F z √(ν / χ²)`` with z standard normal."""
        degrees = self.degrees[codes]
        rows = generator.standard_normal((codes.shape[0], self.n_columns))
        rows *= np.sqrt(degrees / generator.chisquare(degrees))[:, None]
        return number_rows(transform(self.gaussian, codes, rows))

    def draw_widely(
        self, codes: CodeArray, generator: np.random.Generator
    ) -> tuple[Rows, FloatArray]:
        """A row for each class code (n,), and the weight of each: p(row) over how it was drawn."""
        from scipy.special import betaincinv

        tail, weight = spread_tails(codes, generator)
        degrees = self.degrees[codes]
        rows = generator.standard_normal((codes.shape[0], self.n_columns))
        length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        part = betaincinv(0.5 * degrees, 0.5 * self.n_columns, tail)
        rows *= (np.sqrt(degrees * (1.0 / part - 1.0)) / length)[:, None]
        return number_rows(transform(self.gaussian, codes, rows)), weight

    def contributions(
        self, row: Rows, pair: tuple[int, int], reference: Reference | None
    ) -> tuple[float, FloatArray]:
        """The log ratio ``log p(x | a) − log p(x | b)`` at the reference, and each feature's (d,).

        They are Aumann-Shapley values: the gradient of the log ratio, integrated along the straight
        line from the reference to the row, times how far the feature moves. They sum to the log
        ratio at the row; for a Gaussian, a quadratic, they are the Shapley values. With
        ``q(α) = ν + u(r + α δ) = A α² + 2 B α + C`` the integrals of ``1/q`` and ``α/q`` are known.
        """
        if reference is None:
            reference = Reference.amid(self.n_classes)
        x = np.asarray(row.matrix[0], dtype=np.float64)
        seen = np.flatnonzero(~np.isnan(x))
        amounts = np.zeros(x.size)
        if not seen.size:
            return 0.0, amounts
        two = self.selected(pair)
        origin = reference.offset(self.gaussian.offset, self.gaussian.center)[seen]
        if seen.size < x.size:
            two = two.marginal(seen.tolist(), Schema(np.arange(2), seen.size))
        step = (x[seen] - self.gaussian.center[seen]) - origin
        at_zero = replace(two.gaussian, center=np.zeros(seen.size))
        at_reference = replace(two, gaussian=at_zero).log_density(number_rows(origin[None]))[0]
        first, second = (two.gradient_along(code, origin, step) for code in (0, 1))
        amounts[seen] = step * (first - second)
        return float(at_reference[0] - at_reference[1]), amounts

    def gradient_along(self, code: int, origin: FloatArray, step: FloatArray) -> FloatArray:
        """The mean gradient (d,) of a class's log density on the way ``origin + α step``."""
        shape, nu = self.gaussian.covariance, float(self.degrees[code])
        apart = origin - self.gaussian.offset[code]
        start, move = shape.whiten(apart, code), shape.whiten(step, code)
        plain, rising = line_integrals(
            float(move @ move), float(start @ move), nu + float(start @ start)
        )
        gradient = plain * shape.times_precision(apart, code)
        gradient += rising * shape.times_precision(step, code)
        return np.asarray(-(nu + self.n_columns) * gradient)

    def reference_point(self, reference: Reference) -> FloatArray:
        """The point (d,) that a reference stands for."""
        return self.gaussian.reference_point(reference)

    def log_likelihood(self, statistics: GaussianStatistics) -> float:
        """There is none: a Student-t has no sufficient statistics."""
        del statistics
        msg = "the log-likelihood of Student-t densities needs the rows, not their statistics alone"
        raise OptionError(msg)

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """Means, standard deviations, degrees of freedom, and correlations of a few features."""
        return (
            ParameterTable("mean", names.titles, self.mean),
            ParameterTable("standard deviation", names.titles, self.deviation),
            ParameterTable("degrees of freedom", ("ν",), self.degrees[:, None]),
            *self.gaussian.covariance.tables(names),
        )


def line_integrals(A: float, B: float, C: float) -> tuple[float, float]:
    """The integrals of ``1/q`` and ``α/q`` for ``q = A α² + 2 B α + C`` over 0 ≤ α ≤ 1."""
    if A == 0.0:  # nothing moves
        return 1.0 / C, 0.5 / C
    root = np.sqrt(max(A * C - B * B, 0.0))
    plain = np.arctan2(root, B + C) / root if root > 0 else 1.0 / (B + C)
    rising = (0.5 * np.log((A + 2.0 * B + C) / C) - B * plain) / A
    return float(plain), float(rising)


def chi_square_distance(
    squares: FloatArray, n_features: FloatArray, degrees: FloatArray | None
) -> FloatArray:
    """Squared distances (n, k) of a Gaussian at which the tail is as probable as here."""
    if degrees is None:
        return squares
    from scipy.special import betainc, gammainccinv

    half = 0.5 * np.maximum(n_features, 1.0)[:, None]
    tail = betainc(0.5 * degrees, half, degrees / (degrees + squares))
    return np.asarray(2.0 * gammainccinv(half, tail))


def student_log_density(
    squares: FloatArray,
    half_log_det: FloatArray,
    degrees: FloatArray | None,
    n_features: FloatArray | int,
) -> FloatArray:
    """Student-t log densities (n, k) by ``u`` (n, k), ``½ log |Λ|`` and degrees of freedom.

    Without degrees of freedom they are Gaussian.

    Examples
    --------
    >>> squares, half_log_det = np.array([[0.0], [4.0]]), np.zeros((1, 1))
    >>> student_log_density(squares, half_log_det, np.array([3.0]), 1).round(6).ravel().tolist()
    [-1.000889, -2.695485]
    """
    from scipy.special import gammaln

    if degrees is None:
        return np.asarray(-0.5 * (squares + n_features * (_LOG_PI + _LOG_2)) - half_log_det)
    above = 0.5 * (degrees + n_features)
    constant = gammaln(above) - gammaln(0.5 * degrees)
    constant -= 0.5 * n_features * (np.log(degrees) + _LOG_PI)
    return np.asarray(constant - half_log_det - above * np.log1p(squares / degrees))
