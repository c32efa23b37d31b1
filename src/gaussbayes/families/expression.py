"""Descriptions of densities, from which SQL and ONNX are written.

An `Expressible` density returns one of these records: the formula for all k classes as numbers and
column numbers. Columns are numbered among those of the density; a record inside another one refers
to the columns that the outer one computes. `gaussbayes.export` writes expressions by the type of
the record, once for each type.

Missing values are integrated out. If columns are independent given the class, a missing value adds
nothing. Otherwise the formula depends on which columns are observed: see `QuadraticForm.pattern`. A
row without values has log-density 0 in every class.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray

LOG_2_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class DiagonalForm:
    """Gaussians without correlations: the sum over the observed columns of

    ``log_constant_cj − ½ ((x_j − center_j − offset_cj) · scale_cj)²``.

    If the classes share their variances, the first axis of `scale` has length 1.
    """

    center: FloatArray  # (d,)
    offset: FloatArray  # (k, d)
    scale: FloatArray  # (m, d), m is 1 or k
    log_constant: FloatArray  # (k, d)


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """The changes of a `QuadraticForm` for a pattern of missing columns.

    Missing deviations ``x − center`` are replaced by their conditional expectations, ``fill @
    observed``, and so are the same entries of `offset`. The whitener does not change.
    """

    observed: NDArray[np.bool_]  # (d,)
    fill: FloatArray  # (m, missing, observed)
    log_constant: FloatArray  # (k,)

    def filled(self, offset: FloatArray, number: int = 0) -> FloatArray:
        """Deviations (…, d) with conditional expectations for the missing ones."""
        result = np.array(offset)
        result[..., ~self.observed] = result[..., self.observed] @ self.fill[number].T
        return result


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticForm:
    """Gaussians with full covariances, or Student-t densities with such scale matrices.

    With ``u_c = |W_c (x − center − offset_c)|²`` the log-density is

    ``log_constant_c − ½ u_c``, or ``log_constant_c − ½ (ν_c + d) log(1 + u_c / ν_c)``

    if there are degrees of freedom ν; d is the number of observed columns. If the classes share
    their covariance, the first axis of `whitener` has length 1. Subtract the centre first, so that
    rows far from 0 lose no digits.
    """

    center: FloatArray  # (d,)
    offset: FloatArray  # (k, d)
    whitener: FloatArray  # (m, d, d) lower triangular, m is 1 or k
    log_constant: FloatArray  # (k,) of complete rows
    degrees: FloatArray | None  # (k,)
    seen: NDArray[np.bool_]  # (p, d) incomplete patterns of training, the heaviest first

    def pattern(self, observed: NDArray[np.bool_]) -> Pattern:
        """The form of rows in which some of the columns (d,) are observed.

        The precision matrix P gives the conditional expectations of the others, ``−P_mm⁻¹ P_mo``,
        and the determinant: ``log |Σ_oo| = log |Σ| + log |P_mm|``.

        Examples
        --------
        >>> whitener = np.array([[[1.0, 0.0], [-0.75, 1.25]]])  # correlation 0.6
        >>> constant, no = np.array([-LOG_2_PI + np.log(1.25)]), np.empty((0, 2), bool)
        >>> form = QuadraticForm(np.zeros(2), np.zeros((1, 2)), whitener, constant, None, no)
        >>> pattern = form.pattern(np.array([True, False]))
        >>> pattern.fill.round(12).tolist(), (pattern.log_constant + 0.5 * LOG_2_PI).round(12)
        ([[[0.6]]], array([0.]))
        """
        missing, n_missing = ~observed, int(np.count_nonzero(~observed))
        turned, triangle = np.linalg.qr(self.whitener[:, :, missing])
        fill = -np.linalg.solve(triangle, turned.mT @ self.whitener[:, :, observed])
        half_log_det = np.log(np.abs(np.einsum("mii->mi", triangle))).sum(axis=1)
        log_constant = self.log_constant - half_log_det
        if self.degrees is None:
            log_constant = log_constant + 0.5 * n_missing * LOG_2_PI
        else:
            d = observed.size
            log_constant = log_constant + student_constant(self.degrees, d - n_missing)
            log_constant = log_constant - student_constant(self.degrees, d)
        return Pattern(observed, fill, log_constant)


def student_constant(degrees: FloatArray, n_columns: FloatArray | int) -> FloatArray:
    """``log Γ((ν+d)/2) − log Γ(ν/2) − ½ d log νπ`` (k,), or (n, k) for d (n, 1)."""
    from scipy.special import gammaln

    half = 0.5 * n_columns
    ratio = gammaln(0.5 * degrees + half) - gammaln(0.5 * degrees)
    return np.asarray(ratio - half * np.log(np.pi * degrees))


@dataclass(frozen=True, slots=True, eq=False)
class SpannedForm:
    """Densities of more columns than rows: a `QuadraticForm` in the span of these, a sphere beside.

    With ``x̃ = (x − center) / unit`` and ``z = Qᵀ x̃`` the squared distance is that of `inner` at z
    and ``(|x̃|² − |z|²) / outside_c``; the other terms are those of `inner`. Rows with missing
    values cannot be expressed.
    """

    center: FloatArray  # (d,)
    unit: FloatArray  # (d,)
    basis: FloatArray  # (d, r) Q
    inner: QuadraticForm  # of z; its constants and degrees are not to be used
    outside: FloatArray  # (k,)
    log_constant: FloatArray  # (k,)
    degrees: FloatArray | None  # (k,)


@dataclass(frozen=True, slots=True, eq=False)
class ValueTable:
    """``log p(value | class)`` of one column: −∞ is a probability of 0.

    Other values add 0, as missing values do.
    """

    column: int
    values: tuple[Any, ...]  # m strings, integers or booleans
    log_probability: FloatArray  # (k, m)


@dataclass(frozen=True, slots=True, eq=False)
class ValueTables:
    """Columns of categories that each have a table."""

    tables: tuple[ValueTable, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PoissonRates:
    """Counts: ``x log λ − λ − log x!``; a rate of 0 makes every count but 0 impossible.

    A row with another value than an integer from 0 to 2⁵³ has no score.
    """

    rate: FloatArray  # (k, d)


@dataclass(frozen=True, slots=True, eq=False)
class LevelColumn:
    """A column with levels: numbers are cut at `edges`, and each category has a level.

    The level of a number is the number of edges up to it. Missing values have the last level if
    `missing` is set, and none otherwise; categories that are not listed have none.
    """

    n_levels: int
    edges: FloatArray | None  # None for categories
    categories: tuple[Any, ...] = ()
    level: tuple[int, ...] = ()  # of each category
    missing: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PairTables:
    """Pairs of levels: ``log mean_p exp Σ_j table[u_p, u_j]`` of the observed columns.

    Levels are numbered column by column; ``table[u, u]`` is that of a parent by itself.
    """

    columns: tuple[LevelColumn, ...]
    table: FloatArray  # (V, V, k)


@dataclass(frozen=True, slots=True, eq=False)
class TransformedColumns:
    """Columns that are transformed, one by one, and a density of these.

    The logarithms of the slopes of the observed columns are added to every class.
    """

    transforms: tuple[Any, ...]  # d of `gaussbayes.families.transformed.transform`
    inner: "Expression"


Expression: TypeAlias = (
    DiagonalForm
    | QuadraticForm
    | SpannedForm
    | ValueTables
    | PoissonRates
    | PairTables
    | TransformedColumns
)
