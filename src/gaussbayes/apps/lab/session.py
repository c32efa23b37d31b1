"""A conversation with one page: requests come as text, answers go back as frames.

While something is calculated, requests that come in wait, at most one of each kind: the latest
wins, and an older one of its kind that is still waiting is dropped unanswered. Whatever is wrong
with a request is answered with a text, and the conversation goes on. A page that is gone is no
error.
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from gaussbayes.apps.lab.bench import Bench
from gaussbayes.apps.lab.desk import Desk, Request, RequestError
from gaussbayes.apps.lab.texts import told
from gaussbayes.base.errors import GaussBayesError

_QUICK = ("data", "scene", "point", "line")
"""Kinds that a hand on the mouse waits for; they are answered before others."""

_SHORT = 50_000
"""Texts up to this length are read at once; longer ones in a thread, so that others go on."""

_log = logging.getLogger(__name__)


class GoneError(Exception):
    """The page at the other end was closed."""


class Channel(Protocol):
    """The socket, as a conversation needs it."""

    async def receive(self) -> str | bytes:
        """The next message; raises `GoneError` when there will be none."""

    async def send(self, message: str | bytes) -> None:
        """Send a message; raises `GoneError` if nobody is there."""


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
        self._latest: dict[str, Request] = {}
        self._some = asyncio.Event()

    def put(self, request: Request) -> None:
        """Add a request in the place of the one of its kind."""
        self._latest[request.kind] = request
        self._some.set()

    async def get(self) -> Request:
        """The next one: quick kinds first, others in the order they came."""
        await self._some.wait()
        kind = next((kind for kind in _QUICK if kind in self._latest), next(iter(self._latest)))
        request = self._latest.pop(kind)
        if not self._latest:
            self._some.clear()
        return request


async def converse(channel: Channel, desk: Desk, bench: Bench) -> None:
    """Read requests and answer them until the page is gone."""
    waiting = Waiting()
    answering = asyncio.create_task(_answer_all(channel, desk, bench, waiting))
    try:
        await _read_all(channel, desk, waiting)
    finally:
        answering.cancel()
        with suppress(asyncio.CancelledError):
            await answering


async def _read_all(channel: Channel, desk: Desk, waiting: Waiting) -> None:
    with suppress(GoneError):
        while True:
            message = await channel.receive()
            try:
                waiting.put(await _read(message, desk))
            except RequestError as error:
                await channel.send(told(str(error), error.kind, error.number))


async def _read(message: str | bytes, desk: Desk) -> Request:
    if isinstance(message, bytes):
        msg = "a request is JSON in a text message, but a binary message came"
        raise RequestError(msg)
    if len(message) > _SHORT:
        return await asyncio.to_thread(desk.read, message)
    request: Request = desk.read(message)
    return request


async def _answer_all(channel: Channel, desk: Desk, bench: Bench, waiting: Waiting) -> None:
    with suppress(GoneError):
        while True:
            request = await waiting.get()
            await channel.send(await bench.run(answered, request, desk))


def answered(request: Request, desk: Desk) -> str | bytes:
    """The message that answers a request: a frame, or a text that says what is wrong."""
    from gaussbayes.apps.lab.frames import encode

    try:
        answer = desk.answer(request)
        head: Mapping[str, Any] = {
            **answer.head,
            "kind": request.kind,
            "number": request.number,
        }
        return encode(head, answer.arrays)
    except GaussBayesError as error:
        text = str(error)
    except MemoryError:
        text = "there is not enough memory for this; take fewer points or a coarser grid"
    except Exception as error:  # noqa: BLE001 (the page is told, the terminal too)
        _log.exception("the lab could not answer a request of the kind %r", request.kind)
        text = (
            f"the lab has a mistake and could not answer this: {type(error).__name__}: {error}; "
            "the terminal shows where"
        )
    return told(text, request.kind, request.number)
