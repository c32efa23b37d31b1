"""Inputs of kernels: rows, whose columns may be separate, and the forms of a score.

A form (quadratic, linear, whitened, masked) is a model reduced to scoring: everything that does not
depend on the row is computed beforehand. Rows enter as ``x − center``, which is exact for floats
near the centre, so that a huge common offset of the data loses no digits. If the classes are far
apart the centre is 0, the offsets are the means rounded to floats, and the remainders are their
rounding errors: ``x − offset_c`` is exact near each class.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray, RealArray


def no_remainder() -> FloatArray:
    """The remainders of means that need no second float."""
    return np.empty((0, 0))


MomentArrays: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""Weight (k,), anchor (k, d), offset (k, d) and scatter, in one of the layouts, of k classes."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Rows that can be summed without being copied together first."""

    columns: tuple[NDArray[Any], ...]  # d arrays (n,), contiguous, all float32 or all float64

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, columns."""
        return self.columns[0].shape[0], len(self.columns)

    def __getitem__(self, rows: slice) -> "Columns":
        return Columns(tuple(column[rows] for column in self.columns))

    def matrix(self) -> RealArray:
        """The same numbers in one array (n, d)."""
        return np.array(self.columns).T


def as_matrix(table: RealArray | Columns) -> RealArray:
    """The rows (n, d) in one array."""
    return table.matrix() if isinstance(table, Columns) else table


@dataclass(frozen=True, slots=True)
class Quadratic:
    """``log p(x, c) = log_constant_c − ½ |whitener_c (x − center − offset_c − remainder_c)|²``.

    The first axis of `whitener` has length 1 when all classes share it.
    """

    center: RealArray  # (d,)
    offset: RealArray  # (k, d)
    whitener: RealArray  # (k or 1, d, d) lower triangular, or (k or 1, d) when diagonal
    log_constant: RealArray  # (k,)
    remainder: RealArray = field(default_factory=no_remainder)  # (k, d), or (0, 0) when it is 0

    def cast(self, dtype: "np.dtype[Any]") -> "Quadratic":
        """The same form for rows of `dtype`; the offsets compensate for the rounded centre."""
        if self.center.dtype == dtype:
            return self
        center = self.center.astype(dtype)
        exact = self.offset + (self.center - center)
        offset = exact.astype(dtype)
        remainder = self.remainder
        if remainder.size:
            remainder = (exact - offset) + remainder
        rest = self.whitener.astype(dtype), self.log_constant.astype(dtype)
        return Quadratic(center, offset, *rest, remainder.astype(dtype))


@dataclass(frozen=True, slots=True)
class Linear:
    """``log p(x, c) = log_constant_c + coefficient_c · (x − center)``, up to a term without `c`.

    With one covariance for all classes the square of `x` is the same for each of them and cancels
    in the posterior: d multiplications per class are enough.
    """

    center: RealArray  # (d,)
    coefficient: RealArray  # (k, d)
    log_constant: RealArray  # (k,)

    def cast(self, dtype: "np.dtype[Any]") -> "Linear":
        """The same form for rows of `dtype`; the constants compensate for the rounded centre."""
        if self.center.dtype == dtype:
            return self
        center = self.center.astype(dtype)
        constant = self.log_constant + self.coefficient @ (center - self.center)
        return Linear(center, self.coefficient.astype(dtype), constant.astype(dtype))


@dataclass(frozen=True, slots=True)
class Whitened:
    """``log p(x, c) = log_constant_c − ½ |whitener (x − center) − mean_c|²``.

    With one covariance for all classes a row is whitened once, d² multiplications, and compared
    with the whitened mean of each class, d of them.
    """

    center: RealArray  # (d,)
    mean: RealArray  # (k, d), whitened
    whitener: RealArray  # (d, d), lower triangular
    log_constant: RealArray  # (k,)

    def cast(self, dtype: "np.dtype[Any]") -> "Whitened":
        """The same form for rows of `dtype`; the means compensate for the rounded centre."""
        if self.center.dtype == dtype:
            return self
        center = self.center.astype(dtype)
        mean = (self.mean + self.whitener @ (self.center - center)).astype(dtype)
        return Whitened(center, mean, self.whitener.astype(dtype), self.log_constant.astype(dtype))


@dataclass(frozen=True, slots=True)
class Masked:
    """A quadratic form of rows with missing features (NaN), which are integrated out.

    ``log p(x, c) = log_constant_c + Σⱼ log_feature_cj − ½ log |R_c| − ½ zᵀ R_c⁻¹ z`` with
    ``zⱼ = scale_cj (xⱼ − centerⱼ − offset_cj − remainder_cj)``, where j runs over the observed
    features and R_c has only their rows and columns: the density of the marginal Gaussian. Each row
    needs a separate factorisation, only in double precision.

    The first axis of `scale`, `correlation` and `log_feature` has length 1 when all classes share
    them.
    """

    center: FloatArray  # (d,)
    offset: FloatArray  # (k, d)
    scale: FloatArray  # (k or 1, d): one over the standard deviations
    correlation: FloatArray  # R (k or 1, d, d), or (k or 1, 0, 0) when it is the identity
    log_feature: FloatArray  # (k or 1, d)
    log_constant: FloatArray  # (k,)
    density: bool  # False omits log |R|, for a form that is only a squared distance
    remainder: FloatArray = field(default_factory=no_remainder)  # (k, d), or (0, 0) when it is 0

    def cast(self, dtype: "np.dtype[Any]") -> "Masked":
        """This form itself, for which rows of another dtype are converted."""
        if dtype != np.float64:
            msg = f"rows with missing features are scored as float64, got {dtype}"
            raise TypeError(msg)
        return self


Form: TypeAlias = Quadratic | Linear | Whitened | Masked


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The weights of pairs of V levels of d columns in k classes."""

    count: FloatArray  # (k, V, V)
    beside: FloatArray  # (k, V, d): the rows with a level and a value of each column
    observed: FloatArray  # (k, d): the rows with a value of each column
    n_levels: FloatArray  # (d,) of each column


NOT_FINITE = 1
"""Bit in the result of a scoring kernel: a row has infinity or, unless the form is masked, NaN."""

OUT_OF_RANGE = 2
"""Bit in the result of a scoring kernel: a row is so far from every class that squares overflow."""

IMPOSSIBLE = 4
"""Bit in the result of a scoring kernel: with its bias a row has probability 0 in every class."""
