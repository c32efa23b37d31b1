"""What the tests of the server talk to: a backend that answers at once, a server on a real port."""

import asyncio
import json
import struct
from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Thread
from time import sleep
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from websockets.sync.client import ClientConnection, connect

from gaussbayes.apps.lab.guard import Door
from gaussbayes.apps.lab.server import ADDRESS, listen, make_server
from gaussbayes.apps.lab.wire_format import MessageError, encode, error_text
from gaussbayes.apps.lab.worker_process import StoppedError
from gaussbayes.base.errors import DataError

TOKEN = "a-token-of-the-tests"
MOST = 1000


def decode(message: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `static/answer_reader.js` reads: typed arrays need offsets that their size divides."""
    (length,) = struct.unpack("<I", message[:4])
    head = json.loads(message[4 : 4 + length])
    start = -(-(4 + length) // 8) * 8
    arrays = {}
    for entry in head["arrays"]:
        size = np.dtype(entry["dtype"]).itemsize * int(np.prod(entry["shape"]))
        begin = start + entry["offset"]
        assert begin % 8 == 0
        content = message[begin : begin + size]
        assert len(content) == size
        arrays[entry["name"]] = np.frombuffer(content, "<" + entry["dtype"]).reshape(entry["shape"])
    return head, arrays


@dataclass(frozen=True)
class Asked:
    number: int
    kind: str
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answered:
    head: dict[str, Any]
    arrays: dict[str, Any]


def read(text: str) -> Asked:
    try:
        body = json.loads(text)
        return Asked(body.pop("number"), body.pop("kind"), body)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        msg = f"this is no request: {error}"
        raise MessageError(msg) from None


def answer(request: Asked) -> Answered:
    if request.body.get("wrong"):
        msg = "the matrix is not positive definite"
        raise DataError(msg)
    size = request.body.get("size", 3)
    return Answered({"size": size, "id": "data"}, {"label": np.arange(size, dtype=np.float32)})


async def keep(name: str, content: AsyncIterable[bytes]) -> dict[str, Any]:
    length = sum([len(part) async for part in content])
    if not length:
        msg = f"{name} is empty"
        raise DataError(msg)
    return {"upload": "1", "name": name, "bytes": length}


async def about() -> dict[str, Any]:
    return {"version": "0"}


class Process:
    """A worker process that is none: each call has a thread, and is let go when it is stopped."""

    def __init__(self, answer: Callable[[Asked], Answered] = answer) -> None:
        self.answer = answer
        self.n_stopped = 0
        self._calls: list[asyncio.Future[Any]] = []

    async def call(self, method: str, text: str, *_: str) -> Any:
        assert method == "answer"
        call = asyncio.ensure_future(asyncio.to_thread(self.answered, text))
        self._calls.append(call)
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            if not call.cancelled():
                raise
            raise StoppedError from None

    def answered(self, text: str) -> str | bytes:
        request = read(text)
        try:
            answered = self.answer(request)
        except DataError as error:
            return error_text(str(error), request.kind, request.number)
        head = {**answered.head, "kind": request.kind, "number": request.number}
        return encode(head, answered.arrays)

    def stop(self) -> None:
        self.n_stopped += 1
        for call in self._calls:
            call.cancel()
        self._calls.clear()

    def close(self) -> None:
        self.stop()


class Functions(SimpleNamespace):
    """A backend of these functions, with nothing to clean up."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def backend(answer: Callable[[Asked], Answered] = answer, **others: Any) -> Any:
    functions: dict[str, Any] = {
        "process": lambda: Process(answer),
        "keep": keep,
        "about": about,
        "prepare": lambda: None,
    }
    return Functions(**functions | others)


@dataclass(frozen=True)
class Running:
    """A server that runs."""

    port: int

    @property
    def host(self) -> str:
        return f"{ADDRESS}:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[HTTPResponse, bytes]:
        """Send a request with these headers (``_`` stands for ``-``) and no others of our own."""
        connection = HTTPConnection(ADDRESS, self.port, timeout=300)
        connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        if body is not None and "Content_Length" not in headers:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response, content

    def open_socket(self, token: str = TOKEN, **options: Any) -> ClientConnection:
        """A socket as the page opens it."""
        given = {"origin": self.origin, "compression": None, "proxy": None} | options
        return connect(f"ws://{self.host}/{token}/socket", **given)


@contextmanager
def running(
    functions: Any = None, most: int = MOST, redirect: Path | None = None
) -> Iterator[Running]:
    """A server in a thread, until the end of the block."""
    listener = listen(0)
    port = listener.getsockname()[1]
    server = make_server(functions or backend(), Door(TOKEN, port, most), redirect)
    thread = Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        while not server.started:
            sleep(0.005)
        yield Running(port)
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
    assert not thread.is_alive()
