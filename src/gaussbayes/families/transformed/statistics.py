"""What rows say once they are transformed: the statistics of z, and the sums of the log slopes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gaussbayes.base.merge_tree import merge_blocks
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, Targets, number_rows
from gaussbayes.families.likelihood_ratio import FamilyTests, FeatureChange
from gaussbayes.families.mapped import MappedStatistics
from gaussbayes.families.transformed.transform import Standardised, Transform, Transforms


def row_blocks(n_rows: int, n_columns: int) -> list[slice]:
    """The rows in pieces that are transformed at a time; at least one piece."""
    return ranges(n_rows, rows_at_once(8 * n_columns, 16)) or [slice(0, 0)]


@dataclass(frozen=True, slots=True, eq=False)
class TransformedStatistics(MappedStatistics):
    """The statistics of the transformed rows by another family, and ``Σ w log t'(x)`` (k, d)."""

    differs = (
        "statistics computed under different transforms cannot be combined: each fit estimates its "
        "own. Fit one model to all rows, update it with more rows, or fit the second model like "
        "the first"
    )

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return int(self.log_slope.shape[1])

    def of_columns(self, columns: Sequence[int]) -> "TransformedStatistics":
        """Only these columns, in this order."""
        some, log_slope = self.inner.of_columns(columns), self.log_slope[:, list(columns)]
        return TransformedStatistics(self.map.of_columns(columns), some, log_slope)

    def tested(self, other: "TransformedStatistics", names: Schema) -> FamilyTests:
        """Whether the transformed rows are like others; they must be transformed alike."""
        self.check_alike(other.map)
        tests: FamilyTests = self.inner.tested(other.inner, names)
        of = self.map.of * (self.n_columns // len(self.map.of))
        transforms = dict(zip(names.titles, of, strict=True))
        changes = [_in_units(change, transforms[change.feature]) for change in tests.changes]
        return replace(tests, changes=tuple(changes))


def _in_units(change: FeatureChange, transform: Transform) -> FeatureChange:
    """A change of z as one of x, if z is linear in x or it is a mean, which becomes a median."""
    if isinstance(transform, Standardised):
        origin = transform.center if change.quantity == "mean" else 0.0
        before, after = (origin + transform.scale * z for z in (change.before, change.after))
        return replace(change, before=before, after=after)
    if change.quantity != "mean":
        return replace(change, quantity=f"{change.quantity} ({transform.kind})")
    z = np.array([[change.before], [change.after]])
    before, after = Transforms((transform,)).inverse(z)[:, 0].tolist()
    return replace(change, quantity="median", before=before, after=after)


def transformed(
    transforms: Transforms, rows: Rows, names: Schema | None = None, first_row: int = 0
) -> tuple[Rows, FloatArray]:
    """Rows (n) transformed, in float64, and the logarithms of the slopes (n, d), 0 if missing.

    A value that cannot be transformed is an error that names row, counted from `first_row`, and
    column.
    """
    x: FloatArray = rows.matrix.astype(np.float64, copy=False)
    z, log_slope = transforms.forward(x, names, first_row)
    np.nan_to_num(log_slope, copy=False)
    return number_rows(z), log_slope


def transformed_rows(transforms: Transforms, rows: Rows, names: Schema | None = None) -> Rows:
    """Rows (n) transformed, in float64, block by block."""
    n, d = rows.numbers.shape
    z = np.empty((n, d))
    for block in row_blocks(n, d):
        z[block] = transformed(transforms, rows[block], names, block.start)[0].matrix
    return number_rows(z)


def observe(
    transforms: Transforms,
    family: Any,
    rows: Rows,
    targets: Targets,
    names: Schema,
    threads: int = 1,
) -> TransformedStatistics:
    """What labelled rows say, in blocks of a size that depends on the number of columns only."""

    def observe_block(block: slice) -> TransformedStatistics:
        z, log_slope = transformed(transforms, rows[block], names, block.start)
        some = targets[block]
        inner = family.observe(z, some, names)
        return TransformedStatistics(transforms, inner, _by_class(log_slope, some))

    return merge_blocks(observe_block, row_blocks(*rows.numbers.shape), threads)


def _by_class(terms: FloatArray, targets: Targets) -> FloatArray:
    """The weighted sums (k, d) of terms (n, d) over the rows of each class."""
    k, d = targets.n_classes, terms.shape[1]
    if targets.is_soft:
        return weighted_sums(terms, targets.labels * targets.total_weights()[:, None])
    if targets.weights is not None:
        terms = terms * targets.weights[:, None]
    place = targets.codes.astype(np.intp)[:, None] * d + np.arange(d)
    sums: FloatArray = np.bincount(place.ravel(), terms.ravel(), k * d).astype(np.float64)
    return sums.reshape(k, d)


def weighted_sums(terms: FloatArray, weights: FloatArray) -> FloatArray:
    """``Σ_n weights_nc terms_nj`` (k, d); BLAS may add in another order with other threads."""
    return np.asarray(np.einsum("nc,nj->cj", weights, terms))
