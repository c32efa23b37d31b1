"""Moments and counts with the labels of their classes, so that parts with other classes merge."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.base.errors import DataError, RemovalError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, LabelArray, ScatterLayout
from gaussbayes.data.labels import encode, unite
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.pattern_moments import CellNames, PatternMoments

if TYPE_CHECKING:
    from gaussbayes.families.categorical.counts import ClassCounts


@dataclass(frozen=True, slots=True)
class LabelledMoments:
    """Moments whose class `i` is called ``classes[i]``; the labels are sorted.

    Those of complete rows, and apart from them those of rows that lack some features.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.summarise import summarise
    >>> one = summarise(np.array([[1.0]]), np.zeros(1, np.int32), None, 1)
    >>> both = LabelledMoments(np.array(["b"]), one) + LabelledMoments(np.array(["a"]), one)
    >>> both.classes.tolist(), both.moments.weight.tolist()
    (['a', 'b'], [1.0, 1.0])
    """

    classes: LabelArray  # (k,)
    moments: ClassMoments  # of rows that lack no number
    incomplete: PatternMoments | None = None  # of the others
    counts: "ClassCounts | None" = None  # of features that hold categories, if there are any

    @property
    def weight(self) -> FloatArray:
        """How much the rows of each class weigh (k,), complete or not."""
        if self.incomplete is None:
            return self.moments.weight
        weight: FloatArray = self.moments.weight + self.incomplete.weight_of(self.classes.shape[0])
        return weight

    def __add__(self, other: "LabelledMoments") -> "LabelledMoments":
        """The moments of the rows of both, for the classes of either."""
        if self.classes.dtype == other.classes.dtype and np.array_equal(
            self.classes, other.classes
        ):
            return _sum(self, other)
        classes, of_self, of_other = unite(self.classes, other.classes)
        mine = self.aligned(of_self.tolist(), classes)
        return _sum(mine, other.aligned(of_other.tolist(), classes))

    def without(self, other: "LabelledMoments", schema: Schema | None = None) -> "LabelledMoments":
        """The moments of the rows of `self` without those of `other`, which must be among them.

        Classes of which nothing is left are left out; `schema` has the names for messages.

        Examples
        --------
        >>> from gaussbayes.families.gaussian.summarise import summarise
        >>> codes = np.array([0, 0, 1], np.int32)
        >>> three = summarise(np.array([[1.0], [3.0], [7.0]]), codes, None, 2)
        >>> one = summarise(np.array([[3.0]]), codes[:1], None, 1)
        >>> every = LabelledMoments(np.array(["a", "b"]), three)
        >>> every.without(LabelledMoments(np.array(["a"]), one)).moments.mean.tolist()
        [[1.0], [7.0]]
        """
        classes, _, of_other = unite(self.classes, other.classes)
        if classes.size > self.classes.size:
            strange = np.setdiff1d(other.classes, self.classes).tolist()
            msg = (
                f"there are no rows of class {strange[0]!r} to be removed: the classes are "
                f"{self.classes.tolist()!r:.200}"
            )
            raise RemovalError(msg)
        theirs = other.aligned(of_other.tolist(), self.classes)
        names = schema or _unnamed(self)
        moments = self.moments.without(theirs.moments, names.of_numbers)
        cells = _cells_without(self.incomplete, theirs.incomplete, names.of_numbers)
        counts = None
        if both := _both_counts(self, theirs):
            counts = both[0].without(both[1], names.of_categories)
        return LabelledMoments(self.classes, moments, cells, counts).with_rows()

    def merged(self, other: "LabelledMoments", layout: ScatterLayout) -> "LabelledMoments":
        """The sum of both for models that need this layout; a full scatter of both is kept whole.

        Examples
        --------
        >>> from gaussbayes.families.gaussian.summarise import summarise
        >>> full = summarise(np.array([[1.0]]), np.zeros(1, np.int32), None, 1)
        >>> one = LabelledMoments(np.array(["a"]), full)
        >>> one.merged(one.with_layout("diagonal"), "diagonal").moments.layout
        'diagonal'
        """
        mine, theirs = self.able(layout), other.able(layout)
        if mine.moments.layout != theirs.moments.layout:
            mine, theirs = mine.with_layout(layout), theirs.with_layout(layout)
        return mine + theirs

    def with_rows(self) -> "LabelledMoments":
        """Without the classes that weigh nothing."""
        there = np.flatnonzero(self.weight > 0)
        return self if there.size == self.classes.size else self.selected(there.tolist())

    def selected(self, codes: Sequence[int]) -> "LabelledMoments":
        """Only the classes with these numbers; see `ClassMoments.selected`."""
        where = np.asarray(codes, dtype=np.intp)
        return LabelledMoments(
            self.classes[where],
            self.moments.selected(codes),
            None if self.incomplete is None else self.incomplete.of_classes(codes),
            None if self.counts is None else self.counts.selected(codes),
        )

    def with_layout(self, layout: ScatterLayout) -> "LabelledMoments":
        """Keep less of the scatter; see `ClassMoments.with_layout`."""
        cells = None if self.incomplete is None else self.incomplete.with_layout(layout)
        return replace(self, moments=self.moments.with_layout(layout), incomplete=cells)

    def able(self, layout: ScatterLayout) -> "LabelledMoments":
        """The same, if a scatter of this layout can be had from it; a full one is kept whole."""
        return self if self.moments.layout == "full" else self.with_layout(layout)

    def aligned(self, places: Sequence[int], classes: LabelArray) -> "LabelledMoments":
        """The same where class `i` has become number ``places[i]`` of more classes."""
        k = classes.shape[0]
        return LabelledMoments(
            classes,
            self.moments.aligned(places, k),
            None if self.incomplete is None else self.incomplete.aligned(places),
            None if self.counts is None else self.counts.aligned(places, k),
        )


def _sum(a: LabelledMoments, b: LabelledMoments) -> LabelledMoments:
    """The sum of two with the same classes."""
    cells = a.incomplete or b.incomplete
    if a.incomplete is not None and b.incomplete is not None:
        cells = a.incomplete + b.incomplete
    both = _both_counts(a, b)
    counts = None if both is None else both[0] + both[1]
    return LabelledMoments(a.classes, a.moments + b.moments, cells, counts)


def _cells_without(
    a: PatternMoments | None, b: PatternMoments | None, schema: Schema
) -> PatternMoments | None:
    """The cells of `a` without those of `b`; None if none is left."""
    if b is None:
        return a
    if a is None:
        lacking = CellNames.of(b, schema).class_name(0)
        msg = f"there are no rows of class {lacking} to be removed: all rows seen were complete"
        raise RemovalError(msg)
    left = a.without(b, schema)
    return left if left.n_cells else None


def _both_counts(
    a: LabelledMoments, b: LabelledMoments
) -> "tuple[ClassCounts, ClassCounts] | None":
    """The counts of two, if they have any: both or neither."""
    if a.counts is not None and b.counts is not None:
        return a.counts, b.counts
    if a.counts is not None or b.counts is not None:
        msg = "rows with categorical features and rows without them are not of the same table"
        raise DataError(msg)
    return None


def _unnamed(learnt: LabelledMoments) -> Schema:
    d = learnt.moments.n_features
    q = 0 if learnt.counts is None else learnt.counts.n_features
    return Schema(learnt.classes, d + q, None, tuple(range(d, d + q)))


def label_moments(classes: Any, moments: ClassMoments) -> LabelledMoments:
    """Give classes their labels, in any order; those that weigh nothing are left out.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.moments import empty
    >>> label_moments(["b", "a"], empty(2, 1, "full")).classes.tolist()
    []
    """
    order, ordered = in_order(classes, moments.n_classes)
    return LabelledMoments(ordered, moments.selected(order.tolist())).with_rows()


def in_order(classes: Any, k: int) -> tuple[np.ndarray[Any, np.dtype[np.intp]], LabelArray]:
    """What sorts `k` labels (0 … k − 1 if None are given), and the sorted labels.

    Examples
    --------
    >>> order, ordered = in_order(["b", "a"], 2)
    >>> order.tolist(), ordered.tolist()
    ([1, 0], ['a', 'b'])
    """
    if classes is None:
        return np.arange(k), np.arange(k)
    codes, ordered = encode(classes)
    if codes.size != k or ordered.size != k:
        msg = f"there are {k} classes, so `classes` needs {k} different labels, got {classes!r}"
        raise SchemaError(msg)
    return np.argsort(codes), ordered
