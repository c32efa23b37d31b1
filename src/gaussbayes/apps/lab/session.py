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
from typing import Any, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect

from gaussbayes.apps.lab.backend import Backend
from gaussbayes.apps.lab.wire_format import MessageError, encode, error_text
from gaussbayes.base.errors import GaussBayesError

Result = TypeVar("Result")

_QUICK = ("data", "scene", "point", "line")  # a hand on the mouse waits for them: they go first
_SHORT = 50_000  # longer texts are read in a thread, so that others go on
_log = logging.getLogger(__name__)


class Worker:
    """Runs functions one after the other in a thread of its own, in the order they came.

    The thread is a daemon: at Ctrl-C nobody waits for a long calculation that nobody reads.
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


async def converse(socket: WebSocket, backend: Backend, worker: Worker) -> None:
    """Read requests and answer them until the page is gone."""
    latest: dict[str, Any] = {}  # the requests that wait, by kind
    some = asyncio.Event()

    async def answer_all() -> None:
        with suppress(WebSocketDisconnect):
            while await some.wait():
                kind = next((kind for kind in _QUICK if kind in latest), next(iter(latest)))
                request = latest.pop(kind)
                if not latest:
                    some.clear()
                await _send(socket, await worker.run(answered, request, backend))

    answering = asyncio.create_task(answer_all())
    try:
        with suppress(WebSocketDisconnect):
            while (message := await socket.receive())["type"] == "websocket.receive":
                try:
                    request = await _read(message.get("text"), backend)
                    latest[request.kind] = request
                    some.set()
                except MessageError as error:
                    await _send(socket, error_text(str(error), error.kind, error.number))
    finally:
        answering.cancel()
        with suppress(asyncio.CancelledError):
            await answering


async def _read(text: str | None, backend: Backend) -> Any:
    if text is None:
        msg = "a request must be JSON in a text message, got a binary message"
        raise MessageError(msg)
    if len(text) > _SHORT:
        return await asyncio.to_thread(backend.read, text)
    return backend.read(text)


async def _send(socket: WebSocket, message: str | bytes) -> None:
    kind = "text" if isinstance(message, str) else "bytes"
    await socket.send({"type": "websocket.send", kind: message})


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
