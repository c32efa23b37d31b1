"""Merge in one fixed order, so that the sum does not depend on the order of arrival."""

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Generic, Protocol, Self, TypeVar

from gaussbayes.base.threads import for_each


class Mergeable(Protocol):
    """Moments, with or without labels."""

    def __add__(self, other: Self, /) -> Self:
        """The moments of the rows of both."""


Moments = TypeVar("Moments", bound=Mergeable)


class MergeTree(Generic[Moments]):
    """Merge numbered blocks of moments in one fixed tree, in any order of arrival.

    Node ``(level, i)`` holds the blocks ``i·2^level … (i+1)·2^level − 1``; two neighbours are
    merged as soon as both have arrived; at the end, nodes without a neighbour move up. The sums are
    therefore the same to the bit for any order of arrival, and at most about log₂(blocks) partial
    results wait at a time when blocks arrive nearly in order. `add` may be called from several
    threads.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, int], Moments] = {}
        self._lock = Lock()

    def add(self, number: int, moments: Moments) -> None:
        """Add block `number`; each number occurs at most once."""
        self._put(0, number, moments)

    def result(self) -> Moments:
        """The moments of all blocks, at least one."""
        level = 0
        while len(self._waiting) > 1:
            for node in sorted(node for node in self._waiting if node[0] == level):
                self._put(level + 1, node[1] // 2, self._waiting.pop(node))
            level += 1
        (total,) = self._waiting.values()
        return total

    def _put(self, level: int, place: int, moments: Moments) -> None:
        """Put moments at a node, and merge them upwards with the neighbours that have arrived."""
        while True:
            with self._lock:
                neighbour = self._waiting.pop((level, place ^ 1), None)
                if neighbour is None:
                    self._waiting[level, place] = moments
                    return
            moments = moments + neighbour if place % 2 == 0 else neighbour + moments
            level, place = level + 1, place // 2


def merge_numbered(parts: Iterable[tuple[int, Moments]]) -> Moments:
    """Sum numbered parts in the merge tree that their numbers define; numbers may be absent.

    Examples
    --------
    >>> merge_numbered([(5, "f"), (0, "a"), (1, "b")])
    'abf'
    """
    tree: MergeTree[Moments] = MergeTree()
    for number, moments in parts:
        tree.add(number, moments)
    return tree.result()


def merge_blocks(
    function: Callable[[slice], Moments], blocks: Sequence[slice], threads: int
) -> Moments:
    """The sum of a function of blocks, computed by several threads, in the fixed tree."""
    if len(blocks) == 1:
        return function(blocks[0])
    tree: MergeTree[Moments] = MergeTree()

    def add(numbered: tuple[int, slice]) -> None:
        tree.add(numbered[0], function(numbered[1]))

    for_each(add, enumerate(blocks), threads)
    return tree.result()
