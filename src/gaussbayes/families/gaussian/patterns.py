"""Which features of a row are there: rows grouped by their pattern of missing values."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import RealArray

_WORD = 64
"""So many features are there or missing in one number, by which rows are sorted."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The different patterns of rows, and the rows of each.

    ``order[starts[i]:starts[i + 1]]`` are the rows of pattern i, in the order they came. Patterns
    are sorted as text is, "missing" before "there": if there are complete rows their pattern is the
    last, if there are rows without any value it is the first.
    """

    observed: NDArray[np.bool_]  # (p, d) which features are there
    number: NDArray[np.intp]  # (n,) the pattern of each row
    order: NDArray[np.intp]  # (n,) rows, pattern after pattern
    starts: NDArray[np.intp]  # (p + 1,)

    @property
    def n_patterns(self) -> int:
        """How many different patterns there are."""
        return int(self.observed.shape[0])

    @property
    def size(self) -> NDArray[np.intp]:
        """How many rows have each pattern (p,)."""
        return np.diff(self.starts)

    def rows(self, pattern: int) -> NDArray[np.intp]:
        """The rows of one pattern."""
        return self.order[self.starts[pattern] : self.starts[pattern + 1]]


def patterns_of(X: RealArray) -> Patterns:
    """Group rows (n, d) by which of their features are not NaN."""
    return group(~np.isnan(X))


def group(observed: NDArray[np.bool_]) -> Patterns:
    """Group rows by which of their features are there (n, d)."""
    n, d = observed.shape
    words = _words(observed)
    order = _sorted(words, d)
    first = np.zeros(n, dtype=bool)
    first[:1] = True
    for word in words:
        ordered = word[order]
        first[1:] |= ordered[1:] != ordered[:-1]
    number = np.empty(n, dtype=np.intp)
    number[order] = np.cumsum(first) - 1
    starts = np.append(np.flatnonzero(first), n)
    return Patterns(observed[order[starts[:-1]]].reshape(-1, d), number, order, starts)


def _sorted(words: NDArray[Any], n_features: int) -> NDArray[np.intp]:
    """The order (n,) that sorts rows by their words; those alike stay in the order they came."""
    n = words.shape[1]
    room = n.bit_length()
    if n_features + room > 64:
        order: NDArray[np.intp] = np.lexsort(words[::-1])
        return order
    # Pattern and row in one number: sorting numbers is many times quicker than sorting places.
    both = (words[0] >> np.uint64(64 - n_features)) << np.uint64(room)
    both |= np.arange(n, dtype=np.uint64)
    both.sort()
    both &= np.uint64((1 << room) - 1)
    rows: NDArray[np.intp] = both.astype(np.intp)
    return rows


def _words(observed: NDArray[np.bool_]) -> NDArray[Any]:
    """The patterns as integers (words, n), 64 features in each."""
    n, d = observed.shape
    words = max(1, -(-d // _WORD))
    padded = np.zeros((n, words * _WORD), dtype=bool)
    padded[:, :d] = observed
    return np.packbits(padded).view(">u8").reshape(n, words).T.astype(np.uint64)
