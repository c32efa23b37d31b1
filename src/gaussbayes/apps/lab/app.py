"""The routes of the lab, all of which lie behind the token (see `guard`), and its sockets."""

import asyncio
import logging
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from gaussbayes.apps.lab.backend import Backend
from gaussbayes.apps.lab.session import GoneError, converse
from gaussbayes.apps.lab.wire_format import as_json, error_text
from gaussbayes.apps.lab.worker import Worker
from gaussbayes.base.errors import GaussBayesError

STATIC = Path(__file__).with_name("static")

_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
"""The kinds of files that are served; a machine's own list of types may be wrong."""

_LONGEST_NAME = 200
_log = logging.getLogger(__name__)
_BAD_HANDSHAKE = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def make_app(backend: Backend, worker: Worker, static: Path = STATIC) -> Starlette:
    """The application, not yet behind its door.

    Parameters
    ----------
    backend : what answers
    worker : where it is run
    static : the folder of the page's files; those there now are served, and no others
    """
    app = Starlette(routes=routes(backend, worker, _files_in(static)))
    app.router.redirect_slashes = False
    return app


def routes(backend: Backend, worker: Worker, files: Mapping[str, Path]) -> list[BaseRoute]:
    """All routes there are."""

    async def page(_: Request) -> Response:
        return _file("index.html", files)

    async def static(request: Request) -> Response:
        return _file(request.path_params["file"], files)

    async def plotly(_: Request) -> Response:
        return _file("plotly.min.js", {"plotly.min.js": plotly_file()})

    async def about(_: Request) -> Response:
        return _json(await asyncio.to_thread(backend.about))

    async def upload(request: Request) -> Response:
        name = shown_name(request.headers.get("x-file-name", ""))
        try:
            record = await worker.run(backend.keep, name, await request.body())
        except GaussBayesError as error:
            return Response(error_text(str(error), "upload"), 422, media_type=_TYPES[".json"])
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it
        except Exception as error:  # noqa: BLE001 (the page is told, the terminal too)
            _log.exception("the lab could not read a file")
            text = f"the lab has an error and could not read {name}: {type(error).__name__}"
            return Response(error_text(text, "upload"), 500, media_type=_TYPES[".json"])
        return _json(record)

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        await converse(_SocketChannel(websocket), backend, worker)

    return [
        Route("/", page),
        Route("/static/{file:path}", static),
        Route("/plotly.min.js", plotly),
        Route("/about.json", about),
        Route("/upload", upload, methods=["POST"]),
        WebSocketRoute("/socket", socket),
    ]


class _SocketChannel:
    """Starlette's socket as a conversation needs it."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def receive(self) -> str | bytes:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise GoneError
        text: str | None = message.get("text")
        return message["bytes"] if text is None else text

    async def send(self, message: str | bytes) -> None:
        try:
            if isinstance(message, str):
                await self._socket.send_text(message)
            else:
                await self._socket.send_bytes(message)
        except WebSocketDisconnect:
            raise GoneError from None


class SocketProtocol(WebSocketsSansIOProtocol):
    """One socket of uvicorn, with an answer for handshakes that are none.

    Where the headers of a handshake cannot be understood, or announce a body, the library beneath
    gives up, and uvicorn (0.54) neither answers nor closes the connection, and fails over it at its
    end. One that is refused by an answer it takes for unfinished, and complains of it to the
    terminal: every few seconds if the page of an earlier lab is open and looks for its server.
    """

    def data_received(self, data: bytes) -> None:
        """As in uvicorn; what is no handshake is refused at once."""
        super().data_received(data)
        if not self.handshake_initiated and self.conn.handshake_exc is not None:
            self.handshake_initiated = self.handshake_complete = self.close_sent = True
            self.transport.write(_BAD_HANDSHAKE)
            self.transport.close()

    async def send(self, message: Any) -> None:
        """As in uvicorn; an answer in the place of a socket ends the handshake, too."""
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True


def plotly_file() -> Path:
    """Plotly's script in its package, which is not imported for it."""
    package = find_spec("plotly")
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).with_name("package_data") / "plotly.min.js"


def shown_name(header: str) -> str:
    r"""The name of the client's file, to be shown; it never becomes part of a path.

    Examples
    --------
    >>> shown_name("..%2F..%2Fetc%2Fpasswd"), shown_name("C%3A%5Cirises%0A.csv"), shown_name("")
    ('passwd', 'irises.csv', 'file')
    """
    last = unquote(header).replace("\\", "/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable())[-_LONGEST_NAME:] or "file"


def _files_in(folder: Path) -> dict[str, Path]:
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.suffix in _TYPES and path.is_file()
    }


def _file(name: str, files: Mapping[str, Path]) -> Response:
    if name not in files:
        raise HTTPException(404)
    return FileResponse(files[name], media_type=_TYPES[files[name].suffix])


def _json(value: Mapping[str, Any]) -> Response:
    return Response(as_json(value), media_type=_TYPES[".json"])
