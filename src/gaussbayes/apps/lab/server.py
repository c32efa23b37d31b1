"""The server: a port on the loopback address, a token, a browser, the routes, an end at Ctrl-C.

All routes lie behind the token (see `guard`).
"""

import errno
import logging
import secrets
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from socket import create_server, socket
from threading import Thread
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn import Config, Server
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from gaussbayes.apps.lab.backend import LARGEST_UPLOAD, Backend
from gaussbayes.apps.lab.guard import Door, guarded
from gaussbayes.apps.lab.session import converse
from gaussbayes.apps.lab.wire_format import as_json, error_text
from gaussbayes.base.errors import GaussBayesError

ADDRESS = "127.0.0.1"
_CLOSING_LENGTH = 32 << 20  # bytes that close a socket; what is shorter, but too long, is answered
_LAST_SECONDS = 1  # that a page may take to close its connection at the end
STATIC = Path(__file__).with_name("static")
# The kinds of files that are served; a machine's own list of types may be wrong.
_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
_LONGEST_NAME = 200
_log = logging.getLogger(__name__)
_BAD_HANDSHAKE = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def serve(
    backend: Backend,
    *,
    port: int = 0,
    open_browser: bool = True,
    tell: Callable[[str], object] = print,
) -> None:
    """Serve the lab until it is interrupted.

    Parameters
    ----------
    port : where to listen; 0 is a free port
    tell : called with the page's address as soon as it can be opened
    """
    with listen(port) as listener:
        token, port = secrets.token_urlsafe(32), listener.getsockname()[1]
        address = f"http://{ADDRESS}:{port}/{token}/"
        # The port is open: a browser that comes before the server runs is answered when it does.
        tell(address)
        if open_browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        with backend:
            make_server(backend, Door(token, port, LARGEST_UPLOAD)).run([listener])


def listen(port: int) -> socket:
    """A socket that listens on a port of the loopback address; 0 is a free one."""
    try:
        return create_server((ADDRESS, port), backlog=128)
    except OSError as error:
        reason = {
            errno.EADDRINUSE: "is in use by another program",
            errno.EACCES: "may not be used without special rights",
        }.get(error.errno or 0, f"cannot be used ({error.strerror})")
        msg = f"port {port} {reason}; give another one, or 0 for one that is free"
        raise OSError(error.errno, msg) from None


def make_server(backend: Backend, door: Door) -> Server:
    """The server, ready to run on a socket that listens."""
    backend.prepare()
    return Server(
        Config(
            guarded(make_app(backend), door),
            loop="asyncio",
            http="h11",
            ws=SocketProtocol,
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,  # the token is in every path
            server_header=False,
            proxy_headers=False,
            ws_max_size=_CLOSING_LENGTH,
            ws_per_message_deflate=False,  # on one machine it only takes time
            timeout_graceful_shutdown=_LAST_SECONDS,
        )
    )


def make_app(backend: Backend) -> Starlette:
    """The application, not yet behind its door; files of the page that are there now are served."""

    files = _files_in(STATIC) | {"plotly.min.js": plotly_file()}

    async def file(request: Request) -> Response:
        path = files.get(request.path_params.get("file", "index.html"))
        if path is None:
            raise HTTPException(404)
        return FileResponse(path, media_type=_TYPES[path.suffix])

    async def about(_: Request) -> Response:
        return _json(as_json(await backend.about()))

    async def upload(request: Request) -> Response:
        name = shown_name(request.headers.get("x-file-name", ""))
        try:
            record = await backend.keep(name, request.stream())
        except GaussBayesError as error:
            return _json(error_text(str(error), "upload"), 422)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it
        except Exception as error:  # noqa: BLE001 (the page is told, the terminal too)
            _log.exception("the lab could not read a file")
            text = f"the lab has an error and could not read {name}: {type(error).__name__}"
            return _json(error_text(text, "upload"), 500)
        return _json(as_json(record))

    async def talk(websocket: WebSocket) -> None:
        await websocket.accept()
        await converse(websocket, backend.process)

    app = Starlette(
        routes=[
            Route("/", file),
            Route("/static/{file:path}", file),
            Route("/about.json", about),
            Route("/upload", upload, methods=["POST"]),
            WebSocketRoute("/socket", talk),
        ]
    )
    app.router.redirect_slashes = False
    return app


class SocketProtocol(WebSocketsSansIOProtocol):
    """One socket of uvicorn, with an answer for handshakes that are none.

    Where the headers of a handshake cannot be understood, or announce a body, the library beneath
    gives up, and uvicorn (0.54) neither answers nor closes the connection, and fails over it at its
    end. One that is refused by an answer it takes for unfinished, and complains of it to the
    terminal: every few seconds if the page of an earlier lab is open and looks for its server.
    """

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.handshake_initiated and self.conn.handshake_exc is not None:
            self.handshake_initiated = self.handshake_complete = self.close_sent = True
            self.transport.write(_BAD_HANDSHAKE)
            self.transport.close()

    async def send(self, message: Any) -> None:
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


def _json(text: bytes | str, status: int = 200) -> Response:
    return Response(text, status, media_type=_TYPES[".json"])
