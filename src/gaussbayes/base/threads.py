"""Rows split over threads, and what is calculated of the parts merged in one fixed order.

The kernels release the GIL, so plain threads are enough. How rows are cut never depends on the
number of threads, nor does the order of merging on which part came first: neither do the results.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from threading import Lock
from typing import Generic, Protocol, Self, TypeVar

from gaussbayes.base.errors import DataError, ParameterError

Item = TypeVar("Item")


def n_threads(n_jobs: int | None) -> int:
    """How many threads `n_jobs` means: None is every core the process may use, −1 likewise.

    With None, the environment variable ``OMP_NUM_THREADS`` is a limit, as it is for BLAS; joblib
    sets it in its workers, so that processes and threads together do not exceed the cores.
    """
    if n_jobs is not None and (n_jobs == 0 or isinstance(n_jobs, bool | float | str)):
        msg = f"n_jobs must be a number of threads, None or a negative number, got {n_jobs!r}"
        raise ParameterError(msg)
    if n_jobs is not None and n_jobs > 0:
        return n_jobs
    # The cores this process may use, which in a container or under taskset are not all.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    available = cores or 1
    if n_jobs is not None:
        return max(1, available + 1 + n_jobs)
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(available, int(limit)) if limit.isdigit() and int(limit) > 0 else available


def ranges(n_rows: int, step: int) -> list[slice]:
    """Cut ``0 … n_rows`` into slices of `step` rows."""
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def for_each(work: Callable[[Item], None], items: Iterable[Item], threads: int) -> None:
    """Call `work` on every item, on up to `threads` threads; the first error is raised."""
    listed = list(items)
    threads = min(threads, len(listed))
    if threads <= 1:
        for item in listed:
            work(item)
        return
    from concurrent.futures import ThreadPoolExecutor

    queue: Iterator[Item] = iter(listed)

    def drain() -> None:
        # next() on a list iterator is atomic, so that each item goes to one thread.
        for item in queue:
            work(item)

    # What holds in this thread for a while only, the kernels in use among it, holds in all.
    contexts = [copy_context() for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda context: context.run(drain), contexts):
            pass


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
