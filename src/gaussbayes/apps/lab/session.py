"""A conversation with one page: requests come as text, answers go back as binary messages.

While something is calculated, requests that come in wait, at most one of each kind: the latest
wins, and an older one of its kind that is still waiting is dropped unanswered. Whatever is wrong
with a request is answered with a text, and the conversation goes on. A page that is gone is no
error. One thread does all the work of the lab, so that what it holds needs no locks.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, Protocol, TypeVar

from gaussbayes.apps.lab.backend import Backend
from gaussbayes.apps.lab.wire_format import MessageError, encode, error_text
from gaussbayes.base.errors import GaussBayesError

Result = TypeVar("Result")

_QUICK = ("data", "scene", "point", "line")
"""Kinds that a hand on the mouse waits for; they are answered before others."""

_SHORT = 50_000
"""Texts up to this length are read at once; longer ones in a thread, so that others go on."""

_log = logging.getLogger(__name__)


class GoneError(Exception):
    """The page at the other end was closed."""


class Channel(Protocol):
    """The socket, as a conversation needs it; both raise `GoneError` when nobody is there."""

    async def receive(self) -> str | bytes:
        """The next message."""

    async def send(self, message: str | bytes) -> None:
        """Send a message."""


class Worker:
    """Runs functions one after the other in a thread of its own, in the order they came.

    The thread is a daemon: at Ctrl-C nobody waits for a long calculation that nobody reads.

    Examples
    --------
    >>> asyncio.run(Worker().run(pow, 2, 10))
    1024
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Callable[[], bool], Future[Any], Callable[[], Any]]]
        self._jobs = SimpleQueue()
        Thread(target=self._work, name="lab", daemon=True).start()

    async def run(self, function: Callable[..., Result], *args: Any) -> Result:
        """What the function returns or raises; if its turn comes too late, it is not called."""
        job: Future[Result] = Future()
        waiting = asyncio.wrap_future(job)
        self._jobs.put((waiting.cancelled, job, partial(function, *args)))
        return await waiting

    def begin(self, function: Callable[[], object]) -> None:
        """Run a function in its turn; nobody waits for it, nor is told if it fails."""
        job: Future[object] = Future()
        self._jobs.put((job.cancelled, job, function))

    def _work(self) -> None:
        while True:
            is_late, job, function = self._jobs.get()
            if not is_late() and job.set_running_or_notify_cancel():
                try:
                    job.set_result(function())
                except BaseException as error:  # noqa: BLE001 (raised where it is awaited)
                    job.set_exception(error)


class Waiting:
    """Requests that wait, at most one of each kind.

    Examples
    --------
    >>> from types import SimpleNamespace as Request
    >>> waiting = Waiting()
    >>> for number, kind in enumerate(["numbers", "scene", "scene"]):
    ...     waiting.put(Request(number=number, kind=kind))
    >>> [asyncio.run(waiting.get()).number for _ in range(2)]
    [2, 0]
    """

    def __init__(self) -> None:
        self._latest: dict[str, Any] = {}
        self._some = asyncio.Event()

    def put(self, request: Any) -> None:
        """Add a request in the place of the one of its kind."""
        self._latest[request.kind] = request
        self._some.set()

    async def get(self) -> Any:
        """The next one: quick kinds first, others in the order they came."""
        await self._some.wait()
        kind = next((kind for kind in _QUICK if kind in self._latest), next(iter(self._latest)))
        request = self._latest.pop(kind)
        if not self._latest:
            self._some.clear()
        return request


async def converse(channel: Channel, backend: Backend, worker: Worker) -> None:
    """Read requests and answer them until the page is gone."""
    waiting = Waiting()
    answering = asyncio.create_task(_answer_all(channel, backend, worker, waiting))
    try:
        with suppress(GoneError):
            while True:
                message = await channel.receive()
                try:
                    waiting.put(await _read(message, backend))
                except MessageError as error:
                    await channel.send(error_text(str(error), error.kind, error.number))
    finally:
        answering.cancel()
        with suppress(asyncio.CancelledError):
            await answering


async def _read(message: str | bytes, backend: Backend) -> Any:
    if isinstance(message, bytes):
        msg = "a request must be JSON in a text message, got a binary message"
        raise MessageError(msg)
    if len(message) > _SHORT:
        return await asyncio.to_thread(backend.read, message)
    return backend.read(message)


async def _answer_all(channel: Channel, backend: Backend, worker: Worker, waiting: Waiting) -> None:
    with suppress(GoneError):
        while True:
            request = await waiting.get()
            await channel.send(await worker.run(answered, request, backend))


def answered(request: Any, backend: Backend) -> str | bytes:
    """The message that answers a request: a binary one, or a text that says what is wrong."""
    try:
        answer = backend.answer(request)
        head = {**answer.head, "kind": request.kind, "number": request.number}
        return encode(head, answer.arrays)
    except GaussBayesError as error:
        text = str(error)
    except MemoryError:
        text = "there is not enough memory for this; take fewer points or a coarser grid"
    except Exception as error:  # noqa: BLE001 (the page is told, the terminal too)
        _log.exception("the lab could not answer a request of the kind %r", request.kind)
        text = (
            f"the lab has an error and could not answer this: {type(error).__name__}: {error}; "
            "the terminal shows where"
        )
    return error_text(text, request.kind, request.number)
