"""Random samples in which no class is lost: of rows in memory, and of rows that stream by."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray


def stratified(codes: NDArray[np.intp], most: int, seed: int, least: int = 1) -> NDArray[np.intp]:
    """The indices of at most `most` rows, in order; all of them if there are no more.

    A class keeps its proportion, rounded, but has at least `least` rows if there are as many; only
    where that alone exceeds `most` is the sample larger.

    Examples
    --------
    >>> codes = np.array([0] * 90 + [1] * 9 + [2])
    >>> rows = stratified(codes, 20, seed=0)
    >>> np.bincount(codes[rows]).tolist()
    [18, 1, 1]
    """
    n = codes.size
    if n <= most:
        return np.arange(n)
    present, counts = np.unique(codes, return_counts=True)
    exact = counts * (most / n)
    fewest = np.minimum(counts, least)
    quota = np.maximum(fewest, exact.astype(np.intp))
    remaining = max(0, most - int(quota.sum()))
    for place in np.argsort(quota - exact, kind="stable")[:remaining]:
        quota[place] += 1
    # Classes that got more than their proportion take it from those with most to spare.
    for _ in range(max(0, int(quota.sum()) - most)):
        spare = quota - fewest
        quota[spare.argmax()] -= spare.max() > 0
    generator = np.random.default_rng(seed)
    chosen = [
        generator.choice(np.flatnonzero(codes == code), size=size, replace=False)
        for code, size in zip(present, quota, strict=True)
    ]
    return np.sort(np.concatenate(chosen))


@dataclass(slots=True, eq=False)
class StreamSample:
    """At most `most` of the rows seen, each as probable as any other, and some of every class.

    Every row draws a random key; the rows with the smallest keys are kept, and of each class at
    least the `least` smallest. All rows are kept if there are no more than `most`.

    Examples
    --------
    >>> sample = StreamSample(most=3, least=1, seed=0)
    >>> for start in range(0, 100, 10):
    ...     rows = np.arange(start, start + 10.0)[:, None]
    ...     sample.add(rows, np.zeros(10, np.int32), np.array(["a"]))
    >>> rows, labels = sample.rows()
    >>> rows.shape, labels.tolist(), sample.n_seen
    ((3, 1), ['a', 'a', 'a'], 100)
    """

    most: int
    least: int
    seed: int
    n_seen: int = 0
    _kept: list[tuple[RealArray, LabelArray, FloatArray, NDArray[np.int64]]] = field(
        default_factory=list
    )
    _n_kept: int = 0
    _limit: float = np.inf  # rows with larger keys are not among the smallest of all rows
    _limits: dict[Any, float] = field(default_factory=dict)  # nor among those of their class
    _generator: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self._generator = np.random.default_rng(self.seed)

    def add(self, rows: RealArray, codes: CodeArray, classes: LabelArray) -> None:
        """See more rows (m, d), given their class codes (m,) among some classes (k,)."""
        m = codes.shape[0]
        keys = self._generator.random(size=(m,))
        limits = [max(self._limit, self._limits.get(label, np.inf)) for label in classes.tolist()]
        near = np.flatnonzero(keys < np.array(limits)[codes])
        self._kept.append((rows[near], classes[codes[near]], keys[near], self.n_seen + near))
        self.n_seen += m
        self._n_kept += near.size
        if self._n_kept > self.most + self.most // 2:  # not after every few rows
            self._trim()

    def rows(self) -> tuple[RealArray, LabelArray]:
        """The rows kept (m, d) and their labels (m,), in the order they came."""
        if not self._kept:
            return np.empty((0, 0)), np.empty(0)
        self._trim()
        rows, labels, _, numbers = self._kept[0]
        order = np.argsort(numbers)
        return rows[order], labels[order]

    def _trim(self) -> None:
        """Keep no more than needed, and note from which key on a row need not be looked at."""
        rows, labels, keys, numbers = map(np.concatenate, zip(*self._kept, strict=True))
        if keys.size > self.most:
            smallest = np.argpartition(keys, self.most - 1)[: self.most]
            self._limit = float(keys[smallest].max())
            classes, codes = np.unique(labels, return_inverse=True)
            order = np.lexsort((keys, codes))
            rank = np.arange(keys.size) - np.searchsorted(codes[order], codes[order])
            last = order[rank == self.least - 1]
            self._limits = dict(
                zip(classes[codes[last]].tolist(), keys[last].tolist(), strict=True)
            )
            keep = np.zeros(keys.size, dtype=bool)
            keep[smallest] = True
            keep[order[rank < self.least]] = True
            rows, labels, keys, numbers = rows[keep], labels[keep], keys[keep], numbers[keep]
        self._kept, self._n_kept = [(rows, labels, keys, numbers)], keys.size
