"""Reading ahead: the next items are made in other threads while this one is used."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from queue import Full, Queue
from threading import Event, Thread
from typing import TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_PATIENCE = 0.1
"""Seconds after which a reader whose items nobody takes looks whether it should stop."""


def read_ahead(items: Iterable[Item], depth: int = 1) -> Generator[Item, None, None]:
    """Yield the items, which a thread makes up to `depth` ahead.

    The thread stops when the loop ends, breaks off or raises; what making an item raises is raised
    here, in its turn. It never keeps the process alive: it may be waiting for a pipe.
    """
    # An item in a list of its own, or at the end what was raised, or None.
    queue: Queue[list[Item] | BaseException | None] = Queue(depth)
    stop = Event()

    def put(made: list[Item] | BaseException | None) -> None:
        while not stop.is_set():
            try:
                queue.put(made, timeout=_PATIENCE)
            except Full:
                continue
            return

    def make() -> None:
        last: BaseException | None = None
        try:
            for item in items:
                put([item])
                if stop.is_set():
                    break
        except BaseException as error:  # noqa: BLE001 (raised by the loop instead)
            last = error
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()
        put(last)

    Thread(target=make, name="gaussbayes reader", daemon=True).start()
    try:
        while isinstance(made := queue.get(), list):
            yield made.pop()
        if made is not None:
            raise made
    finally:
        stop.set()


def in_order(
    jobs: Iterable[Callable[[], Answer]], threads: int, ahead: int = 1
) -> Generator[Answer, None, None]:
    """Run the jobs on so many threads, and yield their answers in the order of the jobs.

    Jobs are taken from `jobs` in a thread of their own, so that what makes them (reading a file)
    and what they do (parsing it) overlap. At most ``threads + ahead`` answers wait at a time, which
    bounds the memory.
    """
    running: deque[Future[Answer]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="gaussbayes")
    try:
        with closing(read_ahead(jobs)) as made:
            for job in made:
                running.append(pool.submit(job))
                if len(running) > threads + ahead:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
