"""Everything training needs from the rows of a class: weight, mean and scatter.

The three merge (``+``) and are removed (``−``) exactly, in any grouping, and that is the whole of
batch fit, streaming, files larger than memory, a cluster, and forgetting.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gaussbayes.base.errors import DataError, RemovalError
from gaussbayes.base.schema import Schema
from gaussbayes.base.triangular import cholesky
from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.kernels.reference import scatter_shape, zero_moments

ROUNDING = 1e-9
"""Share of a weight or a scatter that a subtraction may leave behind as rounding."""

ONLY_ADDED = "remove only rows that were added"
"""How every refusal to remove rows ends."""


@dataclass(frozen=True, slots=True)
class ClassMoments:
    """Weight, mean and scatter of each class.

    The mean is ``anchor + offset``. The anchor is a float vector near the class's rows:
    ``x − anchor`` is exact for nearby floats, so the mean lives in two floats and no digit is lost
    however far from zero the rows are. The scatter ``Σ w (x − mean)(x − mean)ᵀ`` is centred, never
    divided and never regularised.

    Examples
    --------
    >>> import numpy as np
    >>> from gaussbayes.families.gaussian.summarise import summarise
    >>> left = summarise(np.array([[1.0], [2.0]]), np.array([0, 0], dtype=np.int32), None, 1)
    >>> right = summarise(np.array([[6.0]]), np.array([0], dtype=np.int32), None, 1)
    >>> both = left + right
    >>> both.weight.tolist(), both.mean.tolist(), both.scatter.tolist()
    ([3.0], [[3.0]], [[[14.0]]])
    >>> (both - right).mean.tolist()
    [[1.5]]
    """

    weight: FloatArray  # (k,)
    anchor: FloatArray  # (k, d)
    offset: FloatArray  # (k, d)
    scatter: FloatArray  # full (k, d, d), pooled (d, d) or diagonal (k, d)
    layout: ScatterLayout

    def __post_init__(self) -> None:
        k, d = self.anchor.shape
        expected = scatter_shape(self.layout, k, d)
        if self.weight.shape != (k,) or self.offset.shape != (k, d):
            msg = (
                f"moments of {k} classes and {d} features need weight ({k},) and offset "
                f"({k}, {d}), got {self.weight.shape} and {self.offset.shape}"
            )
            raise DataError(msg)
        if self.scatter.shape != expected:
            msg = f"a {self.layout} scatter has shape {expected}, got {self.scatter.shape}"
            raise DataError(msg)

    @property
    def n_classes(self) -> int:
        """How many classes there are, with or without rows."""
        return int(self.weight.shape[0])

    @property
    def n_features(self) -> int:
        """How many features a row has."""
        return int(self.anchor.shape[1])

    @property
    def mean(self) -> FloatArray:
        """The means (k, d), rounded to one float each."""
        mean: FloatArray = self.anchor + self.offset
        return mean

    def deviation(self, X: FloatArray, code: int) -> FloatArray:
        """How far rows (n, d) are from the mean of a class, exact for rows near its anchor."""
        deviation: FloatArray = (X - self.anchor[code]) - self.offset[code]
        return deviation

    def __add__(self, other: "ClassMoments") -> "ClassMoments":
        """The moments of the rows of both.

        With ``δ = mean_b − mean_a`` and ``w = w_a + w_b``: ``mean = mean_a + δ w_b / w`` and
        ``scatter = S_a + S_b + (w_a w_b / w) δδᵀ``. The heavier side keeps its anchor.
        """
        _check_alike(self, other)
        weight = self.weight + other.weight
        delta = _delta(self, other)
        share = _divide(other.weight, weight)
        swap = (other.weight > self.weight)[:, None]
        anchor = np.where(swap, other.anchor, self.anchor)
        offset = np.where(
            swap,
            other.offset - delta * _divide(self.weight, weight)[:, None],
            self.offset + delta * share[:, None],
        )
        scatter = self.scatter + other.scatter
        _add_squares(scatter, self.weight * share, delta, self.layout)
        return ClassMoments(weight, anchor, offset, scatter, self.layout)

    def __sub__(self, other: "ClassMoments") -> "ClassMoments":
        """The moments of the rows of `self` without those of `other`; see `without`."""
        return self.without(other, Schema(np.arange(self.n_classes), self.n_features))

    def without(self, other: "ClassMoments", schema: Schema) -> "ClassMoments":
        """The moments of the rows of `self` without those of `other`, which must be among them.

        With ``δ = mean_b − mean_a`` and ``w = w_a − w_b``: ``mean = mean_a − δ w_b / w`` and
        ``scatter = S_a − S_b − (w_a w_b / w) δδᵀ``.

        Parameters
        ----------
        schema : what messages call the classes and features

        Raises
        ------
        RemovalError
            If a weight would fall below zero, or a scatter be none: its sums of squares are
            negative, or would be for some combination of the features.
        """
        _check_alike(self, other)
        weight = self.weight - other.weight
        tolerance = ROUNDING * self.weight
        if np.any(weight < -tolerance):
            code = int(np.argmin(weight))
            msg = (
                f"cannot remove weight {other.weight[code]:g} from class "
                f"{schema.class_name(code)}, which has weight {self.weight[code]:g}: {ONLY_ADDED}"
            )
            raise RemovalError(msg)
        left = weight > tolerance
        weight = np.where(left, weight, 0.0)
        delta = np.where(left[:, None], _delta(self, other), 0.0)
        share = _divide(other.weight, weight)
        scatter = self.scatter - other.scatter
        _add_squares(scatter, -self.weight * share, delta, self.layout)
        offset = self.offset - delta * share[:, None]
        if self.layout != "pooled":
            scatter[~left] = 0.0
        _settle_diagonal(scatter, self, schema)
        if self.layout != "diagonal":
            _refuse_indefinite(scatter, self, schema)
        empty = ~left[:, None]
        return ClassMoments(
            weight,
            np.where(empty, 0.0, self.anchor),
            np.where(empty, 0.0, offset),
            scatter,
            self.layout,
        )

    def aligned(self, positions: Sequence[int], n_classes: int) -> "ClassMoments":
        """The same moments where class `i` has become number ``positions[i]`` of `n_classes`.

        Examples
        --------
        >>> import numpy as np
        >>> from gaussbayes.families.gaussian.summarise import summarise
        >>> one = summarise(np.array([[1.0]]), np.array([0], dtype=np.int32), None, 1)
        >>> one.aligned([2], 3).weight.tolist()
        [0.0, 0.0, 1.0]
        """
        wider = empty(n_classes, self.n_features, self.layout)
        where = np.asarray(positions, dtype=np.intp)
        wider.weight[where] = self.weight
        wider.anchor[where] = self.anchor
        wider.offset[where] = self.offset
        if self.layout == "pooled":
            return replace(wider, scatter=self.scatter)
        wider.scatter[where] = self.scatter
        return wider

    def selected(self, codes: Sequence[int]) -> "ClassMoments":
        """Only the classes with these numbers; a pooled scatter stays that of all."""
        where = np.asarray(codes, dtype=np.intp)
        scatter = self.scatter if self.layout == "pooled" else self.scatter[where]
        return ClassMoments(
            self.weight[where], self.anchor[where], self.offset[where], scatter, self.layout
        )

    def with_layout(self, layout: ScatterLayout) -> "ClassMoments":
        """Keep less of the scatter: a full one gives every layout, the others only their own.

        Examples
        --------
        >>> import numpy as np
        >>> from gaussbayes.families.gaussian.summarise import summarise
        >>> rows, codes = np.array([[1.0, 2.0], [3.0, 2.0]]), np.zeros(2, dtype=np.int32)
        >>> summarise(rows, codes, None, 1).with_layout("diagonal").scatter.tolist()
        [[2.0, 0.0]]
        """
        if layout == self.layout:
            return self
        if self.layout != "full":
            msg = (
                f"a {layout} scatter cannot be had from a {self.layout} one; "
                "fit again, or keep full moments from the start"
            )
            raise DataError(msg)
        if layout == "pooled":
            return replace(self, scatter=self.scatter.sum(axis=0), layout=layout)
        diagonal = np.diagonal(self.scatter, axis1=1, axis2=2).copy()
        return replace(self, scatter=diagonal, layout=layout)


def empty(n_classes: int, n_features: int, layout: ScatterLayout) -> ClassMoments:
    """The moments of no rows: the identity of ``+``.

    Examples
    --------
    >>> empty(2, 3, "pooled").scatter.shape
    (3, 3)
    """
    return ClassMoments(*zero_moments(n_classes, n_features, layout), layout)


def _check_alike(a: ClassMoments, b: ClassMoments) -> None:
    if (a.layout, a.anchor.shape) != (b.layout, b.anchor.shape):
        msg = (
            f"moments of {a.n_classes} classes, {a.n_features} features and {a.layout} scatter do "
            f"not go with {b.n_classes} classes, {b.n_features} features and {b.layout} scatter"
        )
        raise DataError(msg)


def _delta(a: ClassMoments, b: ClassMoments) -> FloatArray:
    """``mean_b − mean_a`` (k, d), and 0 where either has no rows."""
    both = (a.weight > 0) & (b.weight > 0)
    delta: FloatArray = (b.anchor - a.anchor) + (b.offset - a.offset)
    return np.where(both[:, None], delta, 0.0)


def _divide(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _add_squares(
    scatter: FloatArray, factor: FloatArray, delta: FloatArray, layout: ScatterLayout
) -> None:
    """Add ``factor_c δ_c δ_cᵀ`` of each class to a scatter, in place."""
    if layout == "diagonal":
        scatter += factor[:, None] * delta**2
    elif layout == "pooled":
        scaled = delta * np.sqrt(np.abs(factor))[:, None]
        # Not scaled.T @ scaled: after any product BLAS keeps its threads spinning for a while, on
        # the cores that are about to read the next rows.
        scatter += np.sign(factor.sum()) * np.einsum("ci,cj->ij", scaled, scaled)
    else:
        # A few classes at a time, so that the products stay in the cache.
        step = max(1, (1 << 15) // max(1, delta.shape[1] ** 2))
        for first in range(0, delta.shape[0], step):
            some = slice(first, first + step)
            # The products first: δᵢδⱼ is symmetric to the bit, (factor δᵢ)δⱼ would not be.
            squares = delta[some, :, None] * delta[some, None, :]
            squares *= factor[some, None, None]
            scatter[some] += squares


def _settle_diagonal(scatter: FloatArray, before: ClassMoments, schema: Schema) -> None:
    """Refuse sums of squares below zero after a removal; set those that are rounding to zero."""
    diagonal, original = (_squares(each, before.layout) for each in (scatter, before.scatter))
    below = diagonal + ROUNDING * original
    if np.any(below < 0):
        c, j = (int(at) for at in np.unravel_index(int(np.argmin(below)), below.shape))
        msg = (
            f"removing these rows would make the sum of squares of {schema.feature_name(j)}"
            f"{_owner(c, before, schema)} {diagonal[c, j]:g}: {ONLY_ADDED}"
        )
        raise RemovalError(msg)
    np.maximum(diagonal, 0.0, out=diagonal)


def _refuse_indefinite(scatter: FloatArray, before: ClassMoments, schema: Schema) -> None:
    """Refuse a scatter in which a combination of features has a sum of squares below zero.

    Sums are measured in units of those before the removal, of which rounding is a share.
    """
    unit = np.sqrt(_squares(before.scatter, before.layout))
    scale = np.divide(1.0, unit, out=np.zeros_like(unit), where=unit > 0)
    matrices = scatter[None] if before.layout == "pooled" else scatter
    scaled = matrices * scale[:, :, None]
    scaled *= scale[:, None, :]
    np.einsum("mii->mi", scaled)[...] += ROUNDING
    good = cholesky(scaled)
    if good < scaled.shape[0]:
        msg = (
            "removing these rows would give a combination of the features a negative sum of "
            f"squares{_owner(good, before, schema)}: {ONLY_ADDED}"
        )
        raise RemovalError(msg)


def _owner(c: int, moments: ClassMoments, schema: Schema) -> str:
    return "" if moments.layout == "pooled" else f" in class {schema.class_name(c)}"


def _squares(scatter: FloatArray, layout: ScatterLayout) -> FloatArray:
    """The sums of squares (m, d) in a scatter, as a view; m is 1 for a pooled one."""
    if layout == "diagonal":
        return scatter
    squares: FloatArray = np.einsum("mii->mi", scatter[None] if layout == "pooled" else scatter)
    return squares
