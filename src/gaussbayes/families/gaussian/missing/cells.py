"""Labelled rows with missing features, known by the moments of each class and pattern alone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.missing.available import Available
from gaussbayes.families.gaussian.missing.points import Block, Frame, blocks_of_cells
from gaussbayes.families.gaussian.missing.rows import refuse_absent, refuse_unlabelled
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.model.labelled import LabelledMoments


class Observed(Protocol):
    """What EM has to know of labelled rows: `IncompleteRows`, or cells."""

    @property
    def label_weight(self) -> FloatArray:
        """The weight (k,) of all labelled rows."""

    @property
    def blank(self) -> FloatArray:
        """The weight (k,) of labelled rows without any feature."""

    def available(self) -> Available:
        """The moments of each class and feature over the labelled rows that have the feature."""

    def together(self) -> Available:
        """The moments of each feature over all rows that have it, as those of one class."""

    def blocks(self, frame: Frame) -> tuple[Block, ...]:
        """The points of labelled rows."""

    def own_blocks(self, c: int, frame: Frame) -> tuple[Block, ...]:
        """The points of one class, in the frame of that class alone, in which it is number 0."""


@dataclass(frozen=True, slots=True, eq=False)
class IncompleteCells:
    """What was learnt from labelled rows, complete or not."""

    learnt: LabelledMoments
    blank: FloatArray  # (k,) weight of rows without any feature

    @property
    def label_weight(self) -> FloatArray:
        """The weight (k,) of all rows."""
        return self.learnt.weight

    def available(self) -> Available:
        """The moments of each class and feature over the rows that have the feature."""
        every = [self._available_of(c) for c in range(self.blank.size)]
        parts = zip(*((e.weight, e.anchor, e.offset, e.scatter) for e in every), strict=True)
        return Available(*(np.concatenate(part) for part in parts))

    def together(self) -> Available:
        """The moments of each feature over all rows that have it."""
        return self.available().together()

    def blocks(self, frame: Frame) -> tuple[Block, ...]:
        """The points of all classes."""
        return tuple(
            block for c in range(self.blank.size) for block in self._blocks_of(c, c, frame)
        )

    def own_blocks(self, c: int, frame: Frame) -> tuple[Block, ...]:
        """The points of one class, in the frame of that class alone, in which it is number 0."""
        return tuple(self._blocks_of(c, 0, frame))

    def _blocks_of(self, c: int, code: int, frame: Frame) -> Iterator[Block]:
        for observed, moments in self._parts(c):
            yield from blocks_of_cells(code, observed, moments, frame)

    def _available_of(self, c: int) -> Available:
        d = self.learnt.moments.n_features
        gathered: list[list[FloatArray]] = [[np.zeros((0, d))] * 4]
        for observed, moments in self._parts(c):
            squares = moments.with_layout("diagonal").scatter
            weight = observed * moments.weight[:, None]
            gathered.append([weight, moments.anchor, moments.offset, squares])
        return Available(*(np.concatenate(part) for part in zip(*gathered, strict=True))).together()

    def _parts(self, c: int) -> Iterator[tuple[NDArray[np.bool_], ClassMoments]]:
        """Cells of a class that have some feature: those of incomplete rows, then the complete."""
        whole, cells = self.learnt.moments, self.learnt.incomplete
        if cells is not None:
            first, end = np.searchsorted(cells.codes, [c, c + 1]).tolist()
            own = first + np.flatnonzero(cells.observed[first:end].any(axis=1))
            if own.size:
                yield cells.observed[own], cells.moments.selected(own.tolist())
        if whole.weight[c] > 0:
            yield np.ones((1, whole.n_features), dtype=bool), self._whole(c)

    def _whole(self, c: int) -> ClassMoments:
        """The moments of the complete rows of a class, as those of one cell.

        A pooled scatter is that of no class in particular: it enters with one of them.
        """
        moments = self.learnt.moments
        one = moments.selected([c])
        if moments.layout != "pooled":
            return one
        first = int(np.argmax(moments.weight > 0))
        scatter = moments.scatter if c == first else np.zeros_like(moments.scatter)
        return replace(one, scatter=scatter[None], layout="full")


def incomplete_cells(learnt: LabelledMoments, schema: Schema) -> IncompleteCells:
    """Check what was learnt from labelled rows.

    Raises
    ------
    DataError
        If a class has no row, or none that has a certain feature.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.learning import learn
    >>> rows = np.array([[1.0, 2.0], [3.0, np.nan], [np.nan, np.nan]])
    >>> learnt = learn(rows, np.zeros(3, np.int32), None, np.array(["a"]), "full")
    >>> cells = incomplete_cells(learnt, Schema(learnt.classes, 2))
    >>> cells.label_weight.tolist(), cells.blank.tolist(), cells.available().weight.tolist()
    ([3.0], [1.0], [[2.0, 1.0]])
    """
    k = learnt.classes.shape[0]
    refuse_unlabelled(learnt.weight, schema)
    blank, cells = np.zeros(k), learnt.incomplete
    if cells is not None:
        empty = ~cells.observed.any(axis=1)
        blank += np.bincount(cells.codes[empty], cells.moments.weight[empty], minlength=k)
    found = IncompleteCells(learnt, blank)
    refuse_absent(found.available().weight == 0, schema)
    return found
