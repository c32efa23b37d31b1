"""Merging in one fixed order, so that the sum does not depend on which part came first."""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from threading import Lock
from typing import Generic, Protocol, Self, TypeVar

from gaussbayes.base.errors import DataError
from gaussbayes.base.threads import for_each


class Mergeable(Protocol):
    """Moments, with or without labels."""

    def __add__(self, other: Self, /) -> Self:
        """The moments of the rows of both."""


Moments = TypeVar("Moments", bound=Mergeable)


class MergeTree(Generic[Moments]):
    """Merge numbered blocks of moments in one fixed tree, whatever the order they arrive in.

    Node ``(level, i)`` holds the blocks ``i·2^level … (i+1)·2^level − 1``; two neighbours are
    merged as soon as both are there. The sums are thus the same to the bit for any order of
    arrival, and at most about log₂(blocks) partial results wait at a time when blocks arrive
    nearly in order. `add` may be called from several threads.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, int], Moments] = {}
        self._numbers: set[int] = set()
        self._lock = Lock()

    def add(self, number: int, moments: Moments) -> None:
        """Put block `number` (0, 1, 2, …) into its place; each number comes once."""
        with self._lock:
            if number < 0 or number in self._numbers:
                msg = f"block {number}: number the blocks 0, 1, 2, … and add each once"
                raise DataError(msg)
            self._numbers.add(number)
        level, place = 0, number
        while True:
            with self._lock:
                neighbour = self._waiting.pop((level, place ^ 1), None)
                if neighbour is None:
                    self._waiting[level, place] = moments
                    return
            moments = moments + neighbour if place % 2 == 0 else neighbour + moments
            level, place = level + 1, place // 2

    def result(self) -> Moments:
        """The moments of all blocks; the numbers added must be 0 … n − 1."""
        from_left = sorted(self._waiting, key=lambda node: node[1] << node[0])
        if not from_left:
            msg = "no block was added: there are no moments to give"
            raise DataError(msg)
        missing = set(range(max(self._numbers) + 1)) - self._numbers
        if missing:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            msg = f"block {min(missing)}{more} was never added, but block {max(self._numbers)} was"
            raise DataError(msg)
        total = self._waiting[from_left[-1]]
        for node in reversed(from_left[:-1]):
            total = self._waiting[node] + total
        return total


def merge_numbered(parts: Iterable[tuple[int, Moments]]) -> Moments:
    """The sum of numbered parts in the tree of their numbers, some of which may be absent.

    Examples
    --------
    >>> merge_numbered([(5, "f"), (0, "a"), (1, "b")])
    'abf'
    """
    nodes = dict(sorted(parts, key=itemgetter(0)))
    while len(nodes) > 1:
        parents: dict[int, Moments] = {}
        for number, node in nodes.items():
            left = parents.get(number >> 1)
            parents[number >> 1] = node if left is None else left + node
        nodes = parents
    (total,) = nodes.values()
    return total


def merge_blocks(
    function: Callable[[slice], Moments], blocks: Sequence[slice], threads: int
) -> Moments:
    """The sum of a function of blocks, worked out by several threads, in the fixed tree."""
    if len(blocks) == 1:
        return function(blocks[0])
    tree: MergeTree[Moments] = MergeTree()

    def add(numbered: tuple[int, slice]) -> None:
        tree.add(numbered[0], function(numbered[1]))

    for_each(add, enumerate(blocks), threads)
    return tree.result()
