"""Rows with missing features or labels, checked, and those set aside of which nothing is known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.finite import refuse_not_finite, refuse_overflow
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.families.gaussian.missing.available import Available, available
from gaussbayes.families.gaussian.missing.points import UNLABELLED, Block, Frame, blocks_of


@dataclass(frozen=True, slots=True, eq=False)
class IncompleteRows:
    """Rows of positive weight with at least one feature, and the weight of those without any."""

    X: FloatArray  # (n, d), NaN where missing
    codes: CodeArray  # (n,), −1 without label
    weights: FloatArray  # (n,), those of unlabelled rows scaled
    label_weight: FloatArray  # (k,) of all labelled rows
    blank: FloatArray  # (k,) of labelled rows without any feature
    blank_unlabelled: float  # of unlabelled rows without any feature

    @property
    def unlabelled(self) -> NDArray[np.bool_]:
        """Which rows have no label."""
        mask: NDArray[np.bool_] = self.codes == UNLABELLED
        return mask

    def available(self) -> Available:
        """The moments of each class and feature over the labelled rows that have the feature."""
        return available(self.X, self.codes, self.weights, self.label_weight.size)

    def together(self) -> Available:
        """The moments of each feature over all rows that have it, labelled or not."""
        return available(self.X, np.zeros(self.codes.size, np.int32), self.weights, 1)

    def blocks(self, frame: Frame) -> tuple[Block, ...]:
        """The points of labelled rows."""
        which = ~self.unlabelled
        return blocks_of(self.X[which], self.codes[which], self.weights[which], frame)

    def own_blocks(self, c: int, frame: Frame) -> tuple[Block, ...]:
        """The points of one class, in the frame of that class alone, in which it is number 0."""
        own = self.codes == c
        alone = np.zeros(int(own.sum()), np.int32)
        return blocks_of(self.X[own], alone, self.weights[own], frame)

    def every_block(self, frame: Frame) -> tuple[Block, ...]:
        """The points of labelled and unlabelled rows."""
        return blocks_of(self.X, self.codes, self.weights, frame)


def incomplete_rows(
    X: RealArray,
    codes: CodeArray,
    weights: FloatArray | None,
    n_classes: int,
    schema: Schema,
    unlabelled_weight: float = 1.0,
) -> IncompleteRows:
    """Check rows (n, d), class numbers (n,) and weights (n,) or None.

    Raises
    ------
    NonFiniteError
        If there is infinity among the rows.
    DataError
        If a class has no labelled row, or none that has a certain feature; if squares overflow.

    Examples
    --------
    >>> X = np.array([[1.0], [np.nan], [3.0]])
    >>> rows = incomplete_rows(X, np.array([0, 0, -1]), None, 1, Schema(np.array(["a"]), 1), 0.5)
    >>> rows.weights.tolist(), rows.label_weight.tolist(), rows.blank.tolist()
    ([1.0, 0.5], [2.0], [1.0])
    """
    values = np.asarray(X, dtype=np.float64)
    if np.isinf(values).any():
        refuse_not_finite(np.where(np.isnan(values), 0.0, values), 0, schema.features)
    with np.errstate(over="ignore"):
        spread = np.fmax.reduce(values, axis=0, initial=0.0) - np.fmin.reduce(
            values, axis=0, initial=0.0
        )
        squares = values.shape[0] * np.square(spread)
    if not np.isfinite(squares).all():
        refuse_overflow(np.nan_to_num(values))
    share = np.ones(values.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
    labelled = codes != UNLABELLED
    share = np.where(labelled, share, unlabelled_weight * share)
    some = ~np.isnan(values).all(axis=1)
    counts: list[FloatArray] = [
        np.bincount(codes[which], share[which], minlength=n_classes).astype(np.float64)
        for which in (labelled, labelled & ~some)
    ]
    refuse_unlabelled(counts[0], schema)
    used = some & (share > 0)
    rows = IncompleteRows(
        values[used],
        codes[used],
        share[used],
        counts[0],
        counts[1],
        float(share[~some & ~labelled].sum()),
    )
    absent = [np.isnan(rows.X[rows.codes == c]).all(axis=0) for c in range(n_classes)]
    refuse_absent(np.array(absent), schema)
    return rows


def refuse_unlabelled(label_weight: FloatArray, schema: Schema) -> None:
    """Refuse a class whose labelled rows weigh nothing (k,)."""
    if not (label_weight > 0).any():
        msg = (
            "no row has a label: unlabelled rows can only be added to labelled ones, and at least "
            "two classes need some of these"
        )
        raise DataError(msg)
    if not (label_weight > 0).all():
        code = int(np.argmin(label_weight > 0))
        msg = (
            f"class {schema.class_name(code)} has no labelled rows of positive weight: each class "
            "needs some; label a few, or leave the class out"
        )
        raise DataError(msg)


def refuse_absent(absent: NDArray[np.bool_], schema: Schema) -> None:
    """Refuse a class that has no labelled row with a certain feature (k, d)."""
    if absent.any():
        c = int(np.argmax(absent.any(axis=1)))
        columns = np.flatnonzero(absent[c]).tolist()
        msg = (
            f"class {schema.class_name(c)} has no labelled row with "
            f"{schema.feature_list(columns)}: nothing says what its mean is there, and sharing "
            "a covariance does not either. Ways out: give at least one such row; leave these "
            "features out; leave the class out"
        )
        raise DataError(msg)
