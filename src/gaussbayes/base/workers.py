"""Threads that wait for work, and do it on other cores than that of the caller.

They are kept: to start a thread takes as long as the work on a small table does. Virtual machines
often wake a thread on the core of whoever wakes it, although others are idle. There it would wait
for its turn, longer than the work takes, so that core is forbidden to it.
"""

import ctypes
import os
from _thread import allocate_lock, get_native_id, start_new_thread
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar

_current_core: Callable[[], int] | None = None
"""The core that the calling thread runs on; None where threads cannot be kept from one."""
if hasattr(os, "sched_setaffinity"):
    _current_core = getattr(ctypes.CDLL(None), "sched_getcpu", None)


class Worker:
    """A thread that does one piece of work after another, for whoever calls it."""

    waiting: ClassVar[list["Worker"]] = []

    def __init__(self) -> None:
        self._called = allocate_lock()
        self._called.acquire()
        self._native_id: int | None = None  # known when the thread runs
        self._cores: set[int] = set()  # those it is limited to
        self._work: Callable[[], None] | None = None
        start_new_thread(self._run, ())

    def call(self, work: Callable[[], None]) -> None:
        """Have `work`, which must not raise, done in this thread."""
        self._work = work
        self._leave_core_of_caller()
        self._called.release()

    def _leave_core_of_caller(self) -> None:
        if _current_core is None or self._native_id is None:
            return
        others = os.sched_getaffinity(0) - {_current_core()}
        if others and others != self._cores:
            with suppress(OSError):  # where that is not allowed, it is only slower
                os.sched_setaffinity(self._native_id, others)
                self._cores = others

    def _run(self) -> None:
        self._native_id = get_native_id()
        while True:
            self._called.acquire()
            work, self._work = self._work, None
            if work is not None:
                work()
            del work  # and with it the rows it is about
            self.waiting.append(self)


def call_worker(work: Callable[[], None]) -> None:
    """Have `work`, which must not raise, done in a thread that waits for it, or in a new one."""
    try:
        worker = Worker.waiting.pop()
    except IndexError:
        worker = Worker()
    worker.call(work)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Worker.waiting.clear)  # the child has none of the threads
