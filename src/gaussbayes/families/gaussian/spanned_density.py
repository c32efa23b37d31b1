"""Densities of more features than rows: low rank in the span of the rows, spherical outside.

In coordinates z of a `Span` the covariance of class c is C_c (r, r), and v_c in every direction
outside it: in the units u of the features

    Σ_c = u (Q C_c Qᵀ + v_c (I − Q Qᵀ)) u = u (v_c I + Q G_c Qᵀ) u,        G_c = C_c − v_c I

so that neither the density nor its gradient takes more than r numbers for each feature. G is
positive semi-definite: what the rows add to the target of shrinkage. Where values are missing, the
rows Q_J of the basis are left, and by the Woodbury formula, with ``G = L Lᵀ``,

    (v I + Q_J G Q_Jᵀ)⁻¹ = (I − Q_J L (v I + Lᵀ Q_Jᵀ Q_J L)⁻¹ Lᵀ Q_Jᵀ) / v
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from gaussbayes.base.checks import check_finite
from gaussbayes.base.errors import OptionError
from gaussbayes.base.threads import for_each
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import LOG_2_PI, SpannedForm
from gaussbayes.families.gaussian import class_pairs, scoring
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.description import describe_spanned
from gaussbayes.families.gaussian.drawing import transform
from gaussbayes.families.gaussian.patterns import patterns_of
from gaussbayes.families.gaussian.span import Span
from gaussbayes.families.gaussian.structure import Full
from gaussbayes.families.gaussian.tails import (
    check_gaussian,
    chi_square_distance,
    log_density,
    spread,
    table_of,
)
from gaussbayes.families.mapped import MappedDensity
from gaussbayes.families.protocol import ParameterTable


@dataclass(frozen=True, slots=True, eq=False)
class SpannedDensity(MappedDensity):
    """Gaussian or Student-t densities of k classes, of more features than rows."""

    map: Span
    inner: GaussianDensity  # of the coordinates z; of Student-t densities their scale matrices
    outside: FloatArray  # (m,) v, in squares of the units
    degrees: FloatArray | None = None  # (k,) of freedom of Student-t densities

    @property
    def n_parameters(self) -> int:
        """Those of means and full covariances of all features."""
        covariances = Full.n_parameters_of(self.outside.size, self.n_columns)
        return self.n_classes * self.n_columns + covariances

    @property
    def shared(self) -> bool:
        """Whether all classes have the same Gaussian covariance."""
        return self.outside.size < self.n_classes and self.degrees is None

    @property
    def located(self) -> tuple[FloatArray, FloatArray]:
        """A point (d,) amid the means, and the means' offsets from it (k, d)."""
        center, unit, basis = self.map.center, self.map.unit, self.map.basis
        inner = self.inner
        return center + (basis @ inner.center) * unit, (inner.offset @ basis.T) * unit

    @property
    def centred(self) -> "SpannedDensity":
        """That of rows minus the point amid the means."""
        center = self.map.center - self.located[0]
        return replace(self, map=replace(self.map, center=center))

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """Vectors (…, d) as (…, r + d): what is in the span, then what is outside."""
        scaled = vectors / self.map.unit
        z = scaled @ self.map.basis
        outside = (scaled - z @ self.map.basis.T) / np.sqrt(self.outside[self._index(code)])
        return np.concatenate([self.inner.whiten(z, code), outside], axis=-1)

    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``Σ⁻¹ v`` of vectors (…, d), by the covariance of a class."""
        scaled, variance = vectors / self.map.unit, self.outside[self._index(code)]
        z = scaled @ self.map.basis
        inside = self.inner.covariance.times_precision(z, code) - z / variance
        return np.asarray((scaled / variance + inside @ self.map.basis.T) / self.map.unit)

    def _index(self, code: int) -> int:
        return code if self.outside.size > 1 else 0

    @property
    def _variances(self) -> FloatArray:
        """v of each class (k,)."""
        return np.broadcast_to(self.outside, (self.n_classes,))

    def _low_rank(self, code: int) -> FloatArray:
        """G (r, r) of a class."""
        at = self._index(code)
        matrix = self.inner.covariance.values[at].copy()
        np.einsum("ii->i", matrix)[...] -= self.outside[at]
        return np.asarray(matrix)

    # Scores.

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(x | c)`` (n, k), what is missing integrated out."""
        out: RealArray = np.empty((rows.n_rows, self.n_classes), rows.dtype)

        def score(block: slice) -> None:
            squares, log_det, n_features = self._squares(rows[block], block.start)
            half, features = 0.5 * log_det, n_features[:, None]
            out[block] = log_density(squares, half, self.degrees, features)

        for_each(score, self.map.blocks(rows.n_rows), threads)
        return out

    score = scoring.score_by_log_density

    def expression(self, statistics: Any) -> SpannedForm:
        """Coordinates in the span, and the Gaussians of these, as a record."""
        del statistics  # no row lacked a value
        return describe_spanned(self)

    def squared_distance(self, rows: Rows, threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """Squared distances (n, k) that follow χ², and their degrees of freedom (n,)."""
        squares, n_features = np.empty((rows.n_rows, self.n_classes)), np.empty(rows.n_rows)

        def score(block: slice) -> None:
            squares[block], _, n_features[block] = self._squares(rows[block], block.start)

        for_each(score, self.map.blocks(rows.n_rows), threads)
        return chi_square_distance(squares, n_features, self.degrees), n_features

    def _squares(self, rows: Rows, first: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """``(x − m)ᵀ Σ⁻¹ (x − m)``, ``log |Σ|`` (n, k), and how many features there are (n,)."""
        x, n, k = self.map.centred(rows), rows.n_rows, self.n_classes
        d, v = self.n_columns, self._variances
        length = np.einsum("nj,nj->n", x, x)
        if np.isfinite(length).all():
            z = x @ self.map.basis
            rest = np.maximum(length - np.einsum("nj,nj->n", z, z), 0.0)
            squares = self.inner.squared_distance(number_rows(z))[0] + rest[:, None] / v
            log_det = self.inner.covariance.log_det + self.map.n_outside * np.log(self.outside)
            log_det = np.broadcast_to(log_det + 2.0 * self.map.log_unit, (n, k))
            return squares, log_det, np.full(n, float(d))
        check_finite(rows.matrix, first, allow_nan=True)
        squares, log_det = np.empty((n, k)), np.empty((n, k))
        patterns = patterns_of(x)
        for number in range(patterns.n_patterns):
            which, seen = patterns.rows(number), patterns.observed[number]
            if seen.all():
                squares[which], log_det[which], _ = self._squares(rows[which], first)
            else:
                log_unit = float(np.log(self.map.unit[seen]).sum())
                squares[which], log_det[which] = self._of_some(x[np.ix_(which, seen)], seen)
                log_det[which] += 2.0 * log_unit
        return squares, log_det, np.count_nonzero(~np.isnan(x), axis=1).astype(np.float64)

    def _of_some(self, x: FloatArray, seen: Any) -> tuple[FloatArray, FloatArray]:
        """The same of the features that are there: x (n, j), by the Woodbury formula."""
        basis = self.map.basis[seen]
        gram, mean = basis.T @ basis, self.inner.mean
        squares, log_det = np.empty((len(x), self.n_classes)), np.empty(self.n_classes)
        for code, v in enumerate(self._variances.tolist()):
            spread, axes = np.linalg.eigh(self._low_rank(code))
            root = axes * np.sqrt(np.maximum(spread, 0.0))
            apart = x - basis @ mean[code]
            inner = root.T @ gram @ root / v
            np.einsum("ii->i", inner)[...] += 1.0
            lower = np.linalg.cholesky(inner)
            turned = np.linalg.solve(lower, (apart @ basis @ root).T)
            lengths = np.einsum("nj,nj->n", apart, apart)
            squares[:, code] = (lengths - np.einsum("jn,jn->n", turned, turned) / v) / v
            log_det[code] = len(basis) * np.log(v) + 2.0 * np.log(np.diagonal(lower)).sum()
        return squares, np.broadcast_to(log_det, squares.shape)

    # Parts.

    def marginal(  # type: ignore[override]
        self, columns: Sequence[int], names: Schema
    ) -> GaussianDensity:
        """The densities of some features, with covariances of all pairs of these."""
        where = np.asarray(columns, dtype=np.intp)
        basis, unit = self.map.basis[where], self.map.unit[where]
        values = np.stack([basis @ self._low_rank(c) @ basis.T for c in range(self.outside.size)])
        values = 0.5 * (values + values.mT)
        np.einsum("mii->mi", values)[...] += self.outside[:, None]
        values *= unit[:, None] * unit
        center = self.map.center[where]
        offset = self.inner.mean @ basis.T * unit
        return GaussianDensity(center, offset, Full.of(values, names), degrees=self.degrees)

    def selected(self, codes: Sequence[int]) -> "SpannedDensity":
        """Only the classes with these codes, in this order."""
        which = list(codes)
        return replace(
            self,
            inner=self.inner.selected(codes),
            outside=self.outside[which] if self.outside.size > 1 else self.outside,
            degrees=None if self.degrees is None else self.degrees[which],
        )

    @property
    def mean(self) -> FloatArray:
        """The means (k, d)."""
        return np.asarray(self.map.center + self._offset())

    def _offset(self) -> FloatArray:
        return np.asarray(self.inner.mean @ self.map.basis.T * self.map.unit)

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations (k, d)."""
        basis = self.map.basis
        variance = np.stack(
            [
                self.outside[c] + np.einsum("jr,jr->j", basis @ self._low_rank(c), basis)
                for c in range(self.outside.size)
            ]
        )
        deviation = np.broadcast_to(np.sqrt(variance) * self.map.unit, self._offset().shape)
        return np.asarray(deviation * np.sqrt(spread(self.degrees))[:, None])

    def dense_covariance(self) -> FloatArray:
        """The covariances (m, d, d); m is 1 if the classes share one, else k."""
        names = Schema(np.arange(self.n_classes), self.n_columns)
        return self.marginal(range(self.n_columns), names).dense_covariance()

    # Draws and explanations.

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        """One row for each class code (n,)."""
        span, n = self.map, codes.shape[0]
        standard = generator.standard_normal((n, span.n_columns))
        within = standard @ span.basis
        outside = standard - within @ span.basis.T
        scale = np.ones(n)
        if self.degrees is not None:
            degrees = self.degrees[codes]
            scale = np.sqrt(degrees / generator.chisquare(degrees))
        z = transform(self.inner, codes, within * scale[:, None])
        outside *= (np.sqrt(self._variances[codes]) * scale)[:, None]
        return number_rows(span.center + span.unit * (z @ span.basis.T + outside))

    contributions = class_pairs.contributions

    def reference_point(self, weights: FloatArray) -> FloatArray:
        """The mean (d,) of the classes' means with these weights."""
        return weights @ self.mean

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """Means, standard deviations, and degrees of freedom if there are any."""
        deviation = self.deviation[: self.outside.size]
        return (
            ParameterTable("mean", names.titles, self.mean),
            ParameterTable("standard deviation", names.titles, deviation),
            *table_of(self.degrees),
        )

    # Statistics.

    def log_likelihood(self, statistics: Any) -> float:
        """``Σ w log p(x | c)`` of rows of the span, each in its own class; of Gaussians only."""
        check_gaussian(self.degrees, "the log-likelihood of statistics")
        n_outside = self.map.n_outside
        volume = 0.5 * n_outside * (LOG_2_PI + np.log(self._variances)) + self.map.log_unit
        weight: FloatArray = statistics.weight
        return self.inner.log_likelihood(statistics.inner) - float(weight @ volume)

    def expect(self, rows: Rows, responsibility: FloatArray, threads: int = 1) -> NoReturn:
        """There is nothing to expect: rows without label or value are fitted in all features."""
        del rows, responsibility, threads
        raise no_em()

    def expect_statistics(self, statistics: Any) -> tuple[Any, float]:
        """Statistics of complete rows are what is expected."""
        return statistics, self.log_likelihood(statistics)


def no_em() -> OptionError:
    """What is raised where unlabelled rows would have to be learnt from."""
    msg = "a model in the span of its rows cannot learn from unlabelled rows: fit to all at once"
    return OptionError(msg)
