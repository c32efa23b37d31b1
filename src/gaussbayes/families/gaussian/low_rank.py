"""Covariances of more features than rows: low rank in the span of the rows, spherical outside.

In coordinates z of a `Span` the covariance of class c is C_c (r, r), and v_c in every direction
outside it: in the units u of the features

    Σ_c = u (Q C_c Qᵀ + v_c (I − Q Qᵀ)) u = u (v_c I + Q G_c Qᵀ) u,        G_c = C_c − v_c I

so that the density and its gradient take at most r numbers for each feature. G is positive
semi-definite: the rows' addition to the target of shrinkage. If values are missing, the rows Q_J of
the basis remain, and by the Woodbury formula, with ``G = L Lᵀ``,

    (v I + Q_J G Q_Jᵀ)⁻¹ = (I − Q_J L (v I + Lᵀ Q_Jᵀ Q_J L)⁻¹ Lᵀ Q_Jᵀ) / v
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import check_finite
from gaussbayes.base.errors import OptionError
from gaussbayes.base.threads import for_each
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import LOG_2_PI
from gaussbayes.families.gaussian.cells import patterns_of
from gaussbayes.families.gaussian.span import Span
from gaussbayes.families.gaussian.structure import Full, factor
from gaussbayes.families.protocol import ParameterTable

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity


@dataclass(frozen=True, slots=True, eq=False)
class LowRank(Full):
    """Full covariances of d features; values and whiteners are those in the span, (m, r, r)."""

    span: Span
    outside: FloatArray  # (m,) v, in squares of the units

    @classmethod
    def in_span(cls, values: FloatArray, outside: FloatArray, span: Span, names: Schema) -> Self:
        """Covariances, given those in the span (m, r, r) and the variances outside (m,)."""
        whitener, log_det = factor(values, span.names(names))
        log_det = log_det + span.n_outside * np.log(outside) + 2.0 * span.log_unit
        return cls(values, whitener, log_det, span, outside)

    @property
    def n_features(self) -> int:
        return self.span.n_columns

    @property
    def variance(self) -> FloatArray:
        basis = self.span.basis
        inside = [np.einsum("jr,jr->j", basis @ matrix, basis) for matrix in self.low_rank()]
        return np.asarray((self.outside[:, None] + np.stack(inside)) * np.square(self.span.unit))

    def low_rank(self) -> FloatArray:
        """G (m, r, r)."""
        return np.asarray(self.values - self.outside[:, None, None] * np.eye(self.values.shape[1]))

    def dense(self) -> FloatArray:
        return self._entries(np.arange(self.n_features))

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """Vectors (…, d) as (…, r + d): the components in the span, then those outside."""
        scaled = vectors / self.span.unit
        z = scaled @ self.span.basis
        outside = (scaled - z @ self.span.basis.T) / np.sqrt(self.outside[self.index(code)])
        return np.concatenate([z @ self.whitener[self.index(code)].T, outside], axis=-1)

    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        scaled, variance = vectors / self.span.unit, self.outside[self.index(code)]
        z, whitener = scaled @ self.span.basis, self.whitener[self.index(code)]
        inside = z @ whitener.T @ whitener - z / variance
        return np.asarray((scaled / variance + inside @ self.span.basis.T) / self.span.unit)

    def coloured(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        within = vectors @ self.span.basis
        outside = vectors - within @ self.span.basis.T
        outside *= np.sqrt(self.outside[self.index(code)])
        z = within @ np.linalg.cholesky(self.values[self.index(code)]).T
        return np.asarray(self.span.unit * (z @ self.span.basis.T + outside))

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Full:  # type: ignore[override]
        return Full.of(self._entries(columns), names)

    def _entries(self, columns: NDArray[np.intp]) -> FloatArray:
        """The covariances of some features (m, j, j)."""
        basis, unit = self.span.basis[columns], self.span.unit[columns]
        values = basis @ self.low_rank() @ basis.T
        values = 0.5 * (values + values.mT)
        np.einsum("mii->mi", values)[...] += self.outside[:, None]
        return np.asarray(values * (unit[:, None] * unit))

    def selected(self, codes: Sequence[int]) -> Self:
        where = np.asarray(codes, dtype=np.intp)
        inside = self.values[where], self.whitener[where], self.log_det[where]
        return type(self)(*inside, self.span, self.outside[where])

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        del names
        return ()


def spanned_density(inner: "GaussianDensity", span: Span, covariance: LowRank) -> "GaussianDensity":
    """The density of features, by that of their coordinates in the span."""
    offset = (inner.mean @ span.basis.T) * span.unit
    return replace(inner, center=span.center, offset=offset, covariance=covariance)


def in_coordinates(density: "GaussianDensity", shape: LowRank) -> "GaussianDensity":
    """The density of coordinates in the span; its log determinants are those of all features."""
    span = shape.span
    center = (density.center - span.center) / span.unit @ span.basis
    log_det = shape.log_det + span.n_outside * LOG_2_PI
    inside = Full(shape.values, shape.whitener, log_det)
    offset = density.offset / span.unit @ span.basis
    return replace(density, center=center, offset=offset, covariance=inside, degrees=None)


def distances(
    density: "GaussianDensity", shape: LowRank, rows: Rows, threads: int = 1
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """``(x − m)ᵀ Σ⁻¹ (x − m)``, ``log |Σ|`` (n, k), and numbers of observed features (n,)."""
    n, k = rows.n_rows, density.n_classes
    squares, log_det, n_features = np.empty((n, k)), np.empty((n, k)), np.empty(n)
    inner = in_coordinates(density, shape).centred

    def score(block: slice) -> None:
        some = rows[block].matrix
        x = (some.astype(np.float64) - density.center) / shape.span.unit
        n_features[block] = np.count_nonzero(~np.isnan(x), axis=1)
        if np.isfinite(x.sum()):
            squares[block], log_det[block] = _complete(inner, shape, x)
            return
        check_finite(some, block.start, allow_nan=True)
        patterns = patterns_of(x)
        for number in range(patterns.n_patterns):
            which, seen = patterns.rows(number), patterns.observed[number]
            at = which + block.start
            if seen.all():
                squares[at], log_det[at] = _complete(inner, shape, x[which])
            else:
                squares[at], log_det[at] = _incomplete(inner, shape, x[np.ix_(which, seen)], seen)

    for_each(score, shape.span.blocks(n), threads)
    return squares, log_det, n_features


def _complete(
    inner: "GaussianDensity", shape: LowRank, x: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Squared distances (n, k) and log determinants (k,) of rows x (n, d) from the centre."""
    z = x @ shape.span.basis
    rest = np.maximum(np.einsum("nj,nj->n", x, x) - np.einsum("nj,nj->n", z, z), 0.0)
    squares = inner.squared_distance(number_rows(z))[0] + rest[:, None] / shape.outside
    return squares, np.broadcast_to(shape.log_det, inner.n_classes)


def _incomplete(
    inner: "GaussianDensity", shape: LowRank, x: FloatArray, seen: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """The same for observed features x (n, j), by the Woodbury formula."""
    basis, n_classes = shape.span.basis[seen], inner.n_classes
    gram, matrices = basis.T @ basis, shape.low_rank()
    log_unit = float(np.log(shape.span.unit[seen]).sum())
    squares, log_det = np.empty((len(x), n_classes)), np.empty(n_classes)
    for code in range(n_classes):
        v, (spread, axes) = (
            shape.outside[shape.index(code)],
            np.linalg.eigh(matrices[shape.index(code)]),
        )
        root = axes * np.sqrt(np.maximum(spread, 0.0))
        apart = x - basis @ inner.offset[code]
        inside = root.T @ gram @ root / v
        np.einsum("ii->i", inside)[...] += 1.0
        lower = np.linalg.cholesky(inside)
        turned = np.linalg.solve(lower, (apart @ basis @ root).T)
        lengths = np.einsum("nj,nj->n", apart, apart)
        squares[:, code] = (lengths - np.einsum("jn,jn->n", turned, turned) / v) / v
        log_det[code] = len(basis) * np.log(v) + 2.0 * np.log(np.diagonal(lower)).sum()
    return squares, log_det + 2.0 * log_unit


def no_em() -> OptionError:
    """The error of fits with unlabelled rows."""
    msg = "a model in the span of its rows cannot use unlabelled rows: fit to all at once"
    return OptionError(msg)
