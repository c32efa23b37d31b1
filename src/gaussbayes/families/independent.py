"""Common base of families whose columns are independent given the class."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np

from gaussbayes.base.checks import finite_number
from gaussbayes.base.errors import DataError
from gaussbayes.base.notices import AUTOMATIC_MODEL, Remedy
from gaussbayes.base.records import refuse
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.likelihood_ratio import (
    FamilyTests,
    FeatureChange,
    LikelihoodRatio,
    Ratio,
    bartlett_p_value,
    contingency,
)
from gaussbayes.families.protocol import AnyFamily, D, Family, S

ColumnRatio: TypeAlias = tuple[str, float, float, Ratio]
"""Name, value before and after of a parameter, and its likelihood ratio."""


def proportions_compared(counts: FloatArray, levels: Sequence[object]) -> ColumnRatio:
    """The level whose proportion differs most between two samples, with counts (2, m) of levels."""
    if not counts.sum(axis=1).all():
        return "proportion", np.nan, np.nan, contingency(counts)
    before, after = counts / counts.sum(axis=1, keepdims=True)
    most = int(np.argmax(np.abs(after - before)))
    name = f"proportion of {levels[most]}"
    return name, float(before[most]), float(after[most]), contingency(counts)


@dataclass(frozen=True, slots=True, eq=False)
class ClassSums:
    """Sums over rows by class, in arrays: the base of records of such sums."""

    class_axes: ClassVar[dict[str, int]]  # the arrays, and their class axes

    def mapped(self, function: Callable[..., FloatArray], *others: Self) -> Self:
        """Apply a function to each array, the same arrays of others, and the class axis."""
        arrays = {
            name: function(*(getattr(each, name) for each in (self, *others)), axis)
            for name, axis in self.class_axes.items()
        }
        return replace(self, **arrays)

    def trimmed(self) -> Self:
        """The statistics without values that no remaining row has."""
        return self

    @property
    def n_bytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in self.class_axes)

    def scaled(self, factor: float) -> Self:
        return self.mapped(lambda part, _: factor * part).trimmed()

    def selected(self, codes: Sequence[int]) -> Self:
        which = np.asarray(codes, dtype=np.intp)
        return self.mapped(lambda part, axis: part.take(which, axis)).trimmed()

    def aligned(self, positions: Sequence[int], n_classes: int) -> Self:
        def wider(part: FloatArray, axis: int) -> FloatArray:
            zeros = np.zeros((*part.shape[:axis], n_classes, *part.shape[axis + 1 :]))
            np.moveaxis(zeros, axis, 0)[list(positions)] = np.moveaxis(part, axis, 0)
            return zeros

        return self.mapped(wider)

    def together(self) -> Self:
        return self.mapped(lambda part, axis: part.sum(axis=axis, keepdims=True))


def class_sums(terms: FloatArray, targets: Targets) -> tuple[FloatArray, FloatArray]:
    """The weight of each class (k,), and the sums of terms (s, n, d) over its rows (s, k, d)."""
    (s, _, d), k, weights = terms.shape, targets.n_classes, targets.weights
    if targets.is_soft:
        soft_weights = targets.labels if weights is None else targets.labels * weights[:, None]
        # Not a matrix product: BLAS may add in another order with other threads.
        return soft_weights.sum(axis=0), np.einsum("nc,snj->scj", soft_weights, terms)
    codes, sums = targets.codes, np.zeros((s, k, d))
    for number, j in np.argwhere(terms.any(axis=1)).tolist():
        values = terms[number, :, j]
        sums[number, :, j] = np.bincount(codes, values if weights is None else values * weights, k)
    return np.bincount(codes, weights, k).astype(np.float64), sums


def check_alike(a: Any, b: Any) -> None:
    """Raise unless two sums have the same numbers of classes and columns."""
    mine, theirs = ((each.weight.size, each.n_columns) for each in (a, b))
    if mine != theirs:
        msg = (
            "sums of {} classes and {} columns cannot be combined with those of {} classes and {} "
            "columns"
        )
        raise DataError(msg.format(*mine, *theirs))


def column_tests(
    ratio: Callable[[int, int], ColumnRatio],
    codes: Sequence[int],
    n_columns: int,
    quantity: str,
    names: Schema,
) -> FamilyTests:
    """Likelihood ratios of independent columns, summed for each class."""
    ratios, changes, titles = [], [], names.titles
    for code in codes:
        columns = [ratio(code, j) for j in range(n_columns)]
        sums = (sum(terms) for terms in zip(*(each[3] for each in columns), strict=True))
        ratios.append(LikelihoodRatio(quantity, code, *sums))
        for title, (name, before, after, of_column) in zip(titles, columns, strict=True):
            p = bartlett_p_value(*of_column) if of_column[1] else np.nan
            changes.append(FeatureChange(title, code, name, before, after, p))
    return FamilyTests(tuple(ratios), tuple(changes))


@dataclass(frozen=True, slots=True)
class Smoothed(Family[S, D]):
    """The base of families whose only setting is the smoothing of every sum or count."""

    smoothing: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "smoothing", finite_number("smoothing", self.smoothing, 0.0))

    @property
    def options(self) -> dict[str, Any]:
        return {"smoothing": self.smoothing}

    def alternatives(self) -> dict[Remedy, AnyFamily]:
        others = (AUTOMATIC_MODEL, Remedy("smooth the estimates", (("smoothing", 1.0),)))
        return {} if self.smoothing else dict.fromkeys(others, replace(self, smoothing=1.0))

    def _raise_unknown(self, feature: str, owner: str) -> NoReturn:
        msg = (
            f"{feature} is missing in every row{owner}, so that its distribution is not defined "
            "there; add rows with a value, or exclude the feature"
        )
        raise DataError(msg)


def check_weight(weight: FloatArray, total: FloatArray) -> None:
    """Raise unless weights of classes (k,) are those of rows with and without a value (k, d)."""
    # If nearly all rows were removed, the remainder of fractional weights is mostly rounding.
    wrong = ~np.isclose(total, weight[:, None], rtol=1e-3, atol=0.0)
    if wrong.any():
        c, j = np.argwhere(wrong)[0].tolist()
        expected = f"that of the rows with and without a value of column {j}, {total[c, j]:g}"
        refuse(f"weight[{c}]", expected, f"{weight[c]:g}")
