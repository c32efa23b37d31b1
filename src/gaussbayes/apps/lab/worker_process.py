"""Processes that work for the server: each does one thing at a time, and can be ended at once.

They are forked from a process that has imported everything and does nothing else (where there is no
fork, each imports for itself), so that a new one is there within a twentieth of a second.
"""

import asyncio
import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from gaussbayes.base.errors import GaussBayesError

Result = TypeVar("Result")

_IMPORTED = ["__main__", "gaussbayes.apps.lab.work"]
# Slow to import: files need the first, pyarrow takes the second, if it is there, and an automatic
# model the third. An example needs none of them.
_OF_TABLES = ["gaussbayes.data.files", "pandas", "scipy.special"]
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_LAST_SECONDS = 5  # that a process may take to be gone after it has closed its connection


class ProcessEndedError(GaussBayesError):
    """A worker process has ended by itself: it crashed, or somebody ended it."""


class StoppedError(GaussBayesError):
    """A worker process was ended because nobody wants what it was doing."""


class WorkerThread:
    """Runs functions one after the other in a thread of its own, in the order they came.

    The thread is a daemon: at Ctrl-C nobody waits for it.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[
            tuple[Callable[[], bool], Future[Any], Callable[[], Any]] | None
        ] = SimpleQueue()
        Thread(target=self._work, name="lab", daemon=True).start()

    async def run(self, function: Callable[..., Result], *args: Any) -> Result:
        """What the function returns or raises; if its turn comes too late, it is not called."""
        job: Future[Result] = Future()
        waiting = asyncio.wrap_future(job)
        self._jobs.put((waiting.cancelled, job, partial(function, *args)))
        return await waiting

    def end(self) -> None:
        """End the thread when it has done what came before."""
        self._jobs.put(None)

    def _work(self) -> None:
        while (each := self._jobs.get()) is not None:
            is_late, job, function = each
            if not is_late() and job.set_running_or_notify_cancel():
                try:
                    job.set_result(function())
                except BaseException as error:  # noqa: BLE001 (raised where it is awaited)
                    job.set_exception(error)


class WorkerProcess:
    """A process that does what `gaussbayes.apps.lab.work.Work` can; a new one if it has ended."""

    def __init__(self, folder: Path, most_bytes: int | None = None) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self._thread, self._lock = WorkerThread(), Lock()
        self._child: tuple[BaseProcess, Any] | None = None
        self._n_stopped = 0

    async def call(self, method: str, *args: Any) -> Any:
        """What a method of `Work` returns.

        Raises `StoppedError` if the process is stopped meanwhile, and `ProcessEndedError` if it
        ends by itself.
        """
        return await self._thread.run(self._call, self._n_stopped, method, *args)

    def stop(self) -> None:
        """End the process, whatever it does; the next call starts another."""
        with self._lock:
            self._n_stopped += 1
            child, self._child = self._child, None
        if child is not None:
            child[0].kill()

    def close(self) -> None:
        """End the process and the thread that waits for it."""
        self.stop()
        self._thread.end()

    def _call(self, number: int, *called: Any) -> Any:
        process, connection = self._running(number)
        try:
            connection.send(called)
            return connection.recv()
        except (EOFError, OSError):
            connection.close()
            process.join(_LAST_SECONDS)
            with self._lock:
                if number != self._n_stopped:
                    raise StoppedError from None
                self._child = None
            msg = f"the process that did this has ended ({_how_ended(process.exitcode)})"
            raise ProcessEndedError(msg) from None

    def _running(self, number: int) -> tuple[BaseProcess, Any]:
        child = self._child
        if child is None and number == self._n_stopped:
            child = _started(self._folder, self._most_bytes)
        with self._lock:
            if number == self._n_stopped and child is not None:
                self._child = child
                return child
        if child is not None:
            child[0].kill()
        raise StoppedError


def prepare(*, has_table: bool = False) -> Any:
    """Let imports begin; what starts processes."""
    methods = multiprocessing.get_all_start_methods()
    if "forkserver" not in methods:
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_IMPORTED + _OF_TABLES * has_table)
    with _one_thread_each():
        forkserver.ensure_running()
    return context


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes share the cores: threads of BLAS in each of them would wait for one another."""
    missing = {name: value for name, value in _ONE_THREAD.items() if name not in os.environ}
    os.environ.update(missing)
    try:
        yield
    finally:
        for name in missing:
            os.environ.pop(name, None)


def _started(folder: Path, most_bytes: int | None) -> tuple[BaseProcess, Any]:
    """A new process, and the connection to it."""
    context = prepare()
    here, there = context.Pipe()
    args = (there, folder, most_bytes)
    process = context.Process(target=_work, args=args, name="lab", daemon=True)
    with _one_thread_each(), closing(there):
        process.start()
    return process, here


def _work(connection: Any, folder: Path, most_bytes: int | None) -> None:
    from gaussbayes.apps.lab.work import work  # with NumPy, which the server does without

    work(connection, folder, most_bytes)


def _how_ended(code: int | None) -> str:
    """What an exit code means, in words."""
    if code is None or code >= 0:
        return f"exit code {code}"
    import signal

    name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
    meaning = {"SIGKILL": ", for lack of memory perhaps", "SIGSEGV": ", a crash"}.get(name, "")
    return f"signal {name}{meaning}"
