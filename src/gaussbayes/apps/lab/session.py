"""A conversation with one page: requests come as text, answers go back as binary messages.

Figures, for which a hand on the mouse waits, are made by one worker process, and what the panels
show by another, which is started when it is needed; no page waits for another's work. While a
process works, requests that come in wait, at most one of each kind: the latest wins, and an older
one of its kind that is still waiting is dropped unanswered. So is one that has been worked on for
a while if a newer one of its kind is about other data or another model: the process is ended then,
as it is if the page asks for that, if it takes too long, or if the page is gone. Whatever is wrong
with a request is answered with a text, and the conversation goes on.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from gaussbayes.apps.lab.wire_format import MessageError, error_text, head_id
from gaussbayes.apps.lab.worker_process import ProcessEndedError, StoppedError

_FIGURES = ("data", "scene", "point", "line")  # in the order in which they are taken
_PANELS = ("numbers", "multiples", "curve", "surface", "take_away", "lesson", "open")
KINDS = frozenset({*_FIGURES, *_PANELS, "cancel"})
PATIENCE = 1.0  # seconds of work after which a newer request of the kind ends it
MOST_SECONDS = 120.0  # that one request may take
_MOST_DATA = 50  # requests for data that are remembered, for processes that are new
LONGEST_TEXT = 4 << 20  # characters of a request


class Asked(msgspec.Struct, frozen=True):
    """As much of a request as tells what to do with it; the worker process reads the rest."""

    kind: str
    number: int
    data: str | None = None
    model: msgspec.Raw = msgspec.Raw(b"")
    of: str | None = None
    text: str = ""  # the whole

    def makes_vain(self, running: "Asked") -> bool:
        """Whether nothing of the work on an older request of the kind would help this one."""
        if self.kind == "data":
            return self.text != running.text
        return (self.data, bytes(self.model)) != (running.data, bytes(running.model))


class Caller(Protocol):
    """A worker process; see `gaussbayes.apps.lab.worker_process.WorkerProcess`."""

    async def call(self, method: str, *args: Any) -> Any: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...


class Queue:
    """The requests of some kinds: one is worked on, the others wait."""

    def __init__(self, talk: "Talk", process: Caller) -> None:
        self._talk, self._process = talk, process
        self._waiting: dict[str, Asked] = {}
        self._running: Asked | None = None
        self._is_cancelled = False
        self._news = asyncio.Event()  # something came, or is not wanted any more

    def put(self, asked: Asked) -> None:
        """Let a request wait in the place of an older one of its kind."""
        self._waiting[asked.kind] = asked
        self._news.set()

    def cancel(self, kind: str) -> Asked | None:
        """The request of this kind that waited or was worked on, and is not any more."""
        waited = self._waiting.pop(kind, None)
        running = self._running
        if running is None or running.kind != kind:
            return waited
        self._is_cancelled = True
        self._news.set()
        return waited or running

    async def answer_all(self) -> None:
        """Answer what comes, until this is cancelled."""
        with suppress(WebSocketDisconnect):
            while True:
                if not self._waiting:
                    self._news.clear()
                    await self._news.wait()
                    continue
                kind = next((kind for kind in _FIGURES if kind in self._waiting), None)
                asked = self._waiting.pop(kind or next(iter(self._waiting)))
                message = await self._answer(asked)
                if message is not None:
                    await self._talk.send(message)

    async def _answer(self, asked: Asked) -> str | bytes | None:
        """What a request is answered; None if that is not wanted any more."""
        self._running, self._is_cancelled = asked, False
        working = asyncio.ensure_future(self._worked_on(asked))
        try:
            late = await self._until(working, asked)
            if not working.done():
                working.cancel()
                self._process.stop()
                if not late:
                    return None
                text = f"this took longer than {MOST_SECONDS:.0f} seconds, and was stopped: take "
                text += "fewer rows or features, or a simpler model"
                return error_text(text, asked.kind, asked.number)
            return working.result()
        except StoppedError:
            return None
        except ProcessEndedError as error:
            text = f"{error}: nothing else is lost, but this cannot be answered"
            return error_text(text, asked.kind, asked.number)
        finally:
            working.cancel()
            self._running = None

    async def _until(self, working: "asyncio.Future[Any]", asked: Asked) -> bool:
        """Wait until the work is done, or vain, or takes too long, which is True."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        while not (working.done() or self._is_cancelled):
            newer = self._waiting.get(asked.kind)
            is_vain = newer is not None and newer.makes_vain(asked)
            left = begun + (PATIENCE if is_vain else MOST_SECONDS) - clock()
            if left <= 0:
                return not is_vain
            self._news.clear()
            news = asyncio.ensure_future(self._news.wait())
            try:
                await asyncio.wait({working, news}, timeout=left, return_when="FIRST_COMPLETED")
            finally:
                news.cancel()
        return False

    async def _worked_on(self, asked: Asked) -> str | bytes:
        message = await self._process.call("answer", asked.text)
        if message is None:  # a new process has to be given the data
            before = self._talk.data.get(asked.data, "")
            message = await self._process.call("answer", asked.text, before)
        if asked.kind == "data" and isinstance(message, bytes):
            self._talk.remember(head_id(message), asked.text)
        answer: str | bytes = message
        return answer


class Talk:
    """A conversation with one page."""

    def __init__(self, socket: WebSocket, start: Callable[[], Caller]) -> None:
        self._socket, self._start = socket, start
        self._queues: dict[bool, Queue] = {}
        self._processes: list[Caller] = []
        self._tasks: list[asyncio.Task[None]] = []
        self.data: OrderedDict[Any, str] = OrderedDict()  # requests by the ids they were answered

    def remember(self, key: str, text: str) -> None:
        """Keep the request for data, in case that another process needs them."""
        self.data[key] = text
        self.data.move_to_end(key)
        while len(self.data) > _MOST_DATA:
            self.data.popitem(last=False)

    async def send(self, message: str | bytes) -> None:
        """Send a message to the page."""
        kind = "text" if isinstance(message, str) else "bytes"
        await self._socket.send({"type": "websocket.send", kind: message})

    def queue(self, kind: str) -> Queue:
        """Where requests of a kind wait; its process is started by the first of them."""
        is_figure = kind in _FIGURES
        if is_figure not in self._queues:
            self._processes.append(self._start())
            self._queues[is_figure] = Queue(self, self._processes[-1])
            answering = self._queues[is_figure].answer_all()
            self._tasks.append(asyncio.create_task(answering))
        return self._queues[is_figure]

    async def take(self, text: str | None) -> None:
        """Deal with a message."""
        try:
            asked = peek(text)
        except MessageError:
            await self.send(await asyncio.to_thread(_complaint, text))
            return
        if asked.kind != "cancel":
            self.queue(asked.kind).put(asked)
            return
        stopped = self.queue(asked.of or "").cancel(asked.of or "")
        if stopped is not None:
            await self.send(error_text("stopped", stopped.kind, stopped.number))

    async def close(self) -> None:
        """End what is under way: nobody reads it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for process in self._processes:
            process.close()


async def converse(socket: WebSocket, start: Callable[[], Caller]) -> None:
    """Read requests and answer them until the page is gone; `start` makes worker processes."""
    talk = Talk(socket, start)
    talk.queue("data")  # its process starts while the page asks
    try:
        with suppress(WebSocketDisconnect):
            while (message := await socket.receive())["type"] == "websocket.receive":
                await talk.take(message.get("text"))
    finally:
        await talk.close()


_PEEK: msgspec.json.Decoder[Asked] = msgspec.json.Decoder(Asked)


def peek(text: str | None) -> Asked:
    """What a request is about; `MessageError` for what is none."""
    if text is None or len(text) > LONGEST_TEXT:
        msg = "this is no request"
        raise MessageError(msg)
    try:
        asked = _PEEK.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        asked = None
    if asked is None or asked.kind not in KINDS:
        msg = "this is no request"
        raise MessageError(msg)
    return msgspec.structs.replace(asked, text=text)


def _complaint(text: str | None) -> str:
    """What is wrong with a message that is no request."""
    from gaussbayes.apps.lab.messages import read  # with NumPy: rarely needed here

    if text is None:
        return error_text("a request must be JSON in a text message, got a binary message")
    try:
        read(text)
    except MessageError as error:
        return error_text(str(error), error.kind, error.number)
    return error_text("this is no request")
