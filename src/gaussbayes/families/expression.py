"""How densities are described, so that others than NumPy can work them out: SQL and ONNX.

A density that is `Expressible` gives one of these records: what has to be calculated for all k
classes, as numbers and names of columns, and not how. Columns are numbered among those of the
density; a record inside another one is of what the outer one maps the columns to. Whoever writes
expressions (`gaussbayes.export`) does so by the type of the record, once for each type.

Missing values are integrated out. Where columns are independent given the class, a column without
a value adds nothing. Otherwise it depends on which columns are there: see `QuadraticForm.pattern`.
A row of which nothing is there has log-density 0 in every class.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray

LOG_2_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class DiagonalForm:
    """Gaussians without correlations: the sum over the columns that are there of

    ``log_constant_cj − ½ ((x_j − center_j − offset_cj) · scale_cj)²``.

    If the classes share their variances, the first axis of `scale` has length 1.
    """

    center: FloatArray  # (d,)
    offset: FloatArray  # (k, d)
    scale: FloatArray  # (m, d), m is 1 or k
    log_constant: FloatArray  # (k, d)


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """What changes in a `QuadraticForm` if some of the columns are missing.

    Deviations ``x − center`` that are missing are replaced by ``fill @ those that are there``, what
    is expected of them; and so are the same places of `offset`. The whitener stays as it is.
    """

    observed: NDArray[np.bool_]  # (d,)
    fill: FloatArray  # (m, missing, observed)
    log_constant: FloatArray  # (k,)

    def filled(self, offset: FloatArray, number: int = 0) -> FloatArray:
        """Deviations (…, d) with what is expected in the places of those that are missing."""
        result = np.array(offset)
        result[..., ~self.observed] = result[..., self.observed] @ self.fill[number].T
        return result


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticForm:
    """Gaussians with full covariances, or Student-t densities with such scale matrices.

    With ``u_c = |W_c (x − center − offset_c)|²`` the log-density is

    ``log_constant_c − ½ u_c``, or ``log_constant_c − ½ (ν_c + d) log(1 + u_c / ν_c)``

    if there are degrees of freedom ν; d is the number of columns that are there. If the classes
    share their covariance, the first axis of `whitener` has length 1. The centre is to be taken off
    first: that loses no digit if the rows are far from 0.
    """

    center: FloatArray  # (d,)
    offset: FloatArray  # (k, d)
    whitener: FloatArray  # (m, d, d) lower triangular, m is 1 or k
    log_constant: FloatArray  # (k,) of complete rows
    degrees: FloatArray | None  # (k,)
    seen: NDArray[np.bool_]  # (p, d) incomplete patterns of training, the heaviest first

    def pattern(self, observed: NDArray[np.bool_]) -> Pattern:
        """The form of rows that have these columns (d,): some, but not all.

        The precision matrix P says what is expected of the others, ``−P_mm⁻¹ P_mo``, and how much
        smaller the determinant gets: ``log |Σ_oo| = log |Σ| + log |P_mm|``.

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
    and ``(|x̃|² − |z|²) / outside_c``; the rest is as there. Rows with missing values have no
    description.
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

    A value that is not among these adds 0, as a missing one does.
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

    What is not an integer from 0 to 2⁵³ cannot be, and the row has no score.
    """

    rate: FloatArray  # (k, d)


@dataclass(frozen=True, slots=True, eq=False)
class LevelColumn:
    """A column that is cut into levels: numbers at `edges`, or categories that have a level each.

    A number is of the level that is as many as there are edges up to it. A category that is not
    among these counts as a missing value.
    """

    n_levels: int
    edges: FloatArray | None  # (n_levels − 1,) None for categories
    categories: tuple[Any, ...] = ()
    level: tuple[int, ...] = ()  # of each category


@dataclass(frozen=True, slots=True, eq=False)
class PairTables:
    """Pairs of levels: ``log mean_p exp Σ_j table[u_p, u_j]`` of the columns that are there.

    Levels are numbered column by column; ``table[u, u]`` is that of a parent by itself.
    """

    columns: tuple[LevelColumn, ...]
    table: FloatArray  # (V, V, k)


@dataclass(frozen=True, slots=True, eq=False)
class TransformedColumns:
    """Columns that are transformed, one by one, and a density of these.

    The logarithms of the slopes, of the columns that are there, are added to every class.
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
