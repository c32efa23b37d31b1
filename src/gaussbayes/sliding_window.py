"""A window that slides over a stream of batches: the model of the last of them.

The statistics of each batch are kept, not its rows. A batch that leaves could be subtracted, which
is exact but for rounding in proportion to all that was ever in the window: one batch of outliers
would leave its rounding behind for good. So nothing is subtracted. Batches wait in two stacks, as
in a queue made of two stacks: the older one holds the sums of each of its batches and of those that
came after it, the newer one the batches themselves and their sum. The oldest batch leaves by taking
the topmost sum away; if there is none, the batches of the newer stack are summed, newest first. The
model of the window is the sum of two records, and a batch takes part in three sums at most.
"""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import clone

from gaussbayes.base.checks import integer
from gaussbayes.estimators import GaussianClassifier


class SlidingWindow:
    """The model of the last batches of a stream; it equals one that is fitted to their rows.

    What families learn before they observe rows, such as the powers of transforms, is that of the
    first batch. Unlabelled rows have no statistics: they are kept as they are.

    Parameters
    ----------
    classifier : its settings are those of the model; it is not changed
    size : how many batches are in the window

    Examples
    --------
    >>> window = SlidingWindow(GaussianClassifier(), size=2)
    >>> for day in range(5):
    ...     window = window.update([[day], [day + 1.0], [day + 9.0], [day + 11.0]], [0, 0, 1, 1])
    >>> window.n_batches, window.classifier.means_.tolist()
    (2, [[4.0], [13.5]])
    """

    def __init__(self, classifier: GaussianClassifier, size: int) -> None:
        self.size = integer("size", size, 1)
        self._unfitted = clone(classifier)
        self._first: GaussianClassifier | None = None
        self._older: list[GaussianClassifier] = []  # sums, that of the oldest batch last
        self._newer: list[GaussianClassifier] = []
        self._sum: GaussianClassifier | None = None  # of the newer

    @property
    def n_batches(self) -> int:
        """How many batches are in the window: at most `size`."""
        return len(self._older) + len(self._newer)

    @property
    def classifier(self) -> GaussianClassifier:
        """The model of the rows in the window; unfitted before the first batch."""
        parts = [*self._older[-1:], *([] if self._sum is None else [self._sum])]
        return self._merged(*parts)

    def update(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Let a batch of rows in, and the oldest one out if the window is full."""
        if self._first is None:
            batch = clone(self._unfitted).partial_fit(X, y, sample_weight=sample_weight)
            self._first = batch
        else:
            batch = self._first.batch(X, y, sample_weight)
        if self.n_batches == self.size:
            self._drop_oldest()
        self._newer.append(batch)
        self._sum = batch if self._sum is None else self._merged(self._sum, batch)
        return self

    def _drop_oldest(self) -> None:
        if not self._older:
            for batch in reversed(self._newer):
                self._older.append(self._merged(batch, *self._older[-1:]))
            self._newer, self._sum = [], None
        self._older.pop()

    def _merged(self, *parts: GaussianClassifier) -> GaussianClassifier:
        merged: GaussianClassifier = clone(self._unfitted)
        for part in parts:
            merged.merge(part)
        return merged
