"""Rows split over threads: the kernels release the GIL, so plain threads are enough.

How rows are cut never depends on the number of threads, so neither do the results.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from typing import TypeVar

from gaussbayes.base.errors import ParameterError

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
