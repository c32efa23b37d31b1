"""Work on several threads: kernels and readers release the GIL, so plain threads are enough.

The division of rows never depends on the number of threads, so the results do not either.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import lru_cache
from operator import itemgetter
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from gaussbayes.base.errors import OptionError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_MOST_THREADS = 256
"""Largest number of threads of the pool; it starts them as they are needed."""

CACHED = 1 << 18
"""Numbers that fit into the cache of a core: a block has this many, and more numbers get a second
thread."""


BLOCK_ROWS = 1 << 16
"""Rows, or counts, in a block of a thread if nothing else limits them."""


def n_threads(n_jobs: int | None) -> int:
    """The number of threads for `n_jobs`: None and −1 stand for all cores of the process.

    With None, the environment variable ``OMP_NUM_THREADS`` is a limit, as it is for BLAS; joblib
    sets it in its workers, so that processes and threads together do not exceed the cores.
    """
    if n_jobs is not None and (n_jobs == 0 or isinstance(n_jobs, bool | float | str)):
        msg = f"n_jobs must be a number of threads, None or a negative number, got {n_jobs!r}"
        raise OptionError(msg)
    if n_jobs is not None and n_jobs > 0:
        return n_jobs
    # The cores that this process may use; a container or taskset may allow fewer than exist.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    available = cores or 1
    if n_jobs is not None:
        return max(1, available + 1 + n_jobs)
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(available, int(limit)) if limit.isdigit() and int(limit) > 0 else available


class _Blas:
    """The number of current users of single-threaded BLAS, and the previous limits."""

    lock = Lock()
    users = 0
    limits: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Prevent BLAS from using threads for many small products and factorisations.

    Its threads wait for one another by spinning: on shared cores everything would take ten times as
    long. The limit holds in the whole process until the last caller has finished.
    """
    with _Blas.lock:
        if not _Blas.users:
            _Blas.limits = _blas("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")
        _Blas.users += 1
    try:
        yield
    finally:
        with _Blas.lock:
            _Blas.users -= 1
            if not _Blas.users:
                _Blas.limits.restore_original_limits()


@lru_cache
def _blas(with_scipy: bool) -> Any:
    """The loaded BLAS libraries; SciPy brings its own."""
    from threadpoolctl import ThreadpoolController

    del with_scipy
    return ThreadpoolController()


_writers: WeakKeyDictionary[object, RLock] = WeakKeyDictionary()
"""The lock of each changed object; locks are kept here because they cannot be copied."""


@contextmanager
def one_writer(changed: object) -> Iterator[None]:
    """Let only one thread at a time read and change an object, so that no change is lost."""
    with _writers.setdefault(changed, RLock()):
        yield


def rows_at_once(numbers_each: int, least: int = 1) -> int:
    """How many rows of this length fit into the cache together; at least `least`.

    Examples
    --------
    >>> rows_at_once(1024)
    256
    """
    return max(least, CACHED // max(1, numbers_each))


def ranges(n_rows: int, step: int) -> list[slice]:
    """Cut ``0 … n_rows`` into slices of `step` rows."""
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def even_ranges(n_rows: int, most: int) -> list[slice]:
    """Cut ``0 … n_rows`` into slices of equal size, at most `most` rows.

    The number of slices is a power of two, so that threads get equal numbers of them.

    Examples
    --------
    >>> [(some.start, some.stop) for some in even_ranges(10, 4)]
    [(0, 3), (3, 6), (6, 9), (9, 10)]
    """
    needed = -(-n_rows // most)
    return ranges(n_rows, max(1, -(-n_rows // (1 << max(0, needed - 1).bit_length()))))


@lru_cache
def _pool() -> "ThreadPoolExecutor":
    """The threads of this process, started when they are first needed and then kept."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="gaussbayes")


if hasattr(os, "register_at_fork"):
    # The child process has neither the threads of the pool nor those that hold locks.
    os.register_at_fork(after_in_child=_pool.cache_clear)
    os.register_at_fork(after_in_child=_writers.clear)


def for_each(work: Callable[[Item], None], items: Iterable[Item], threads: int) -> None:
    """Call `work` on every item, on up to `threads` threads, one of which is the caller's.

    After an error no further item is begun. The error raised is that of the first item that has
    one, which is the same for any number of threads.
    """
    listed = list(items)
    if min(threads, len(listed)) <= 1:
        for item in listed:
            work(item)
        return
    queue, errors = enumerate(listed), list[tuple[int, BaseException]]()

    def drain() -> None:
        # next() on the enumeration of a list is atomic, so that each item goes to one thread.
        for number, item in queue:
            if any(failed < number for failed, _ in errors):
                return
            try:
                work(item)
            except BaseException as error:  # noqa: BLE001 (raised below instead)
                errors.append((number, error))

    helpers: list[Future[None]] = []
    for _ in range(min(threads, len(listed)) - 1):
        try:
            # Context variables of this thread, such as the kernels in use, apply to all threads.
            helpers.append(_pool().submit(copy_context().run, drain))
        except RuntimeError:  # no thread can be started: the running ones do the work
            break
    drain()
    _finish(helpers)
    if errors:
        raise min(errors, key=itemgetter(0))[1]


def _finish(futures: "Iterable[Future[Any]]") -> None:
    """Wait for running jobs and cancel the others: a thread may wait within a thread."""
    for begun in [future for future in futures if not future.cancel()]:
        begun.exception()


def in_order(jobs: Iterable[Callable[[], Answer]], threads: int) -> Generator[Answer, None, None]:
    """Run the jobs on this number of threads, and yield their results in the order of the jobs.

    The caller takes jobs from `jobs` while earlier ones run, so that their preparation (reading a
    file) and their work (parsing it) overlap. At most ``threads + 1`` results wait at a time, which
    bounds the memory.
    """
    running: deque[Future[Answer]] = deque()
    try:
        for job in jobs:
            try:
                running.append(_pool().submit(job))
            except RuntimeError as error:  # the error of Python if there is no memory for a thread
                msg = "no thread can be started: memory, or the number of threads, is at its limit"
                raise MemoryError(msg) from error
            if len(running) > threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        _finish(running)
