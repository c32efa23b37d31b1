"""The server: a port on the loopback address, a token, a browser, the routes, an end at Ctrl-C.

All routes lie behind the token (see `guard`).
"""

import asyncio
import errno
import logging
import os
import secrets
import webbrowser
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
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
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from gaussbayes.apps.lab.backend import LARGEST_UPLOAD, Backend
from gaussbayes.apps.lab.guard import Door, guarded
from gaussbayes.apps.lab.session import converse
from gaussbayes.apps.lab.wire_format import as_json, error_text
from gaussbayes.base.errors import GaussBayesError

ADDRESS = "127.0.0.1"
USUAL_PORT = 8642
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
_LATER = ("surface_view.js", "panels/surface_figure.js", "shared.js")  # fetched when needed
# The address changes with every start: files of it never do, and a second tab has them at once.
_KEPT = {"cache-control": "private, max-age=86400, immutable"}
_LONGEST_NAME = 200
# Connections without a request: how many, for how long; and how many wait to be taken.
_MOST_SILENT, _SILENT_SECONDS, _MOST_WAITING = 200, 5.0, 128
_log = logging.getLogger(__name__)
_BAD_HANDSHAKE = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def serve(
    backend: Backend,
    *,
    port: int | None = None,
    open_browser: bool = True,
    tell: Callable[[str], object] = print,
) -> None:
    """Serve the lab until it is interrupted.

    Parameters
    ----------
    port : where to listen; 0 is a free port, None the usual one if it is free
    tell : called with the page's address as soon as it can be opened
    """
    with listen(port) as listener:
        token, port = secrets.token_urlsafe(32), listener.getsockname()[1]
        address = f"http://{ADDRESS}:{port}/{token}/"
        # The port is open: a browser that comes before the server runs is answered when it does.
        tell(address)
        with backend:
            redirect = backend.folder / "open.html"
            if open_browser:
                write_redirect(redirect, address)
                Thread(target=webbrowser.open, args=(redirect.as_uri(),), daemon=True).start()
            door = Door(token, port, LARGEST_UPLOAD, porch())
            make_server(backend, door, redirect).run([listener])


def write_redirect(path: Path, address: str) -> None:
    """Write a page that leads to an address, for this user alone.

    The arguments of a program can be seen by every user of a machine: the browser is given the name
    of this file, and not the key that is in the address.
    """
    page = (
        '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0;url={address}"><title>The lab</title>'
        f'<p><a href="{address}">Open the lab</a></p>\n'
    )
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(page)


def listen(port: int | None) -> socket:
    """A socket that listens on a port of the loopback address; 0 is a free one.

    None is the usual one, or one that is free if that is in use: with the usual port shared
    addresses lead to any lab.
    """
    if port is None:
        with suppress(OSError):
            return listen(USUAL_PORT)
        port = 0
    try:
        return create_server((ADDRESS, port), backlog=_MOST_WAITING)
    except OSError as error:
        reason = {
            errno.EADDRINUSE: "is in use by another program",
            errno.EACCES: "may not be used without special rights",
        }.get(error.errno or 0, f"cannot be used ({error.strerror})")
        msg = f"port {port} {reason}; give another one, or 0 for one that is free"
        raise OSError(error.errno, msg) from None


def make_server(backend: Backend, door: Door, redirect: Path | None = None) -> Server:
    """The server, ready to run on a socket that listens.

    The file `redirect` is taken away when the page was fetched.
    """
    backend.prepare()
    return Server(
        Config(
            guarded(make_app(backend, redirect), door),
            loop="asyncio",
            http=request_protocol(),
            ws=SocketProtocol,
            lifespan="off",
            interface="asgi3",
            log_config=None,
            log_level=logging.ERROR,  # what strangers send is not worth a line each
            access_log=False,  # the token is in every path
            backlog=_MOST_WAITING,
            server_header=False,
            proxy_headers=False,
            ws_max_size=_CLOSING_LENGTH,
            ws_per_message_deflate=False,  # on one machine it only takes time
            timeout_graceful_shutdown=_LAST_SECONDS,
        )
    )


def make_app(backend: Backend, redirect: Path | None = None) -> Starlette:
    """The application, not yet behind its door; files of the page are served as they are now."""
    contents = _files_in(STATIC)
    scripts = [name for name in contents if name.endswith(".js") and name not in _LATER]
    # Scripts that import one another would be asked for only when the one before was read.
    links = {"link": ", ".join(f"<static/{name}>; rel=modulepreload" for name in scripts)}

    async def page(_: Request) -> Response:
        if redirect is not None:
            redirect.unlink(missing_ok=True)  # the browser has been there
        return Response(contents["index.html"], headers=links, media_type=_TYPES[".html"])

    async def file(request: Request) -> Response:
        name = request.path_params["file"]
        if name == "plotly.min.js":
            return FileResponse(plotly_file(), headers=_KEPT, media_type=_TYPES[".js"])
        if name not in contents:
            raise HTTPException(404)
        return Response(contents[name], headers=_KEPT, media_type=_TYPES[Path(name).suffix])

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
            Route("/", page),
            Route("/static/{file:path}", file),
            Route("/about.json", about),
            Route("/upload", upload, methods=["POST"]),
            WebSocketRoute("/socket", talk),
        ]
    )
    app.router.redirect_slashes = False
    return app


def porch() -> dict[str, Response]:
    """What is shown without the key: the page of a shared address, by the paths of its files."""
    contents = _files_in(STATIC)
    paths = {"/": "shared.html", **{f"/shared/{name}": name for name in ("style.css", "shared.js")}}
    return {
        path: Response(contents[name], media_type=_TYPES[Path(name).suffix])
        for path, name in paths.items()
    }


def request_protocol() -> type[H11Protocol]:
    """Connections of uvicorn, of which only so many may be open for so long without a request.

    What opens connections and says nothing, or says it slowly, is cut off: after some seconds, or
    at once if there are many newer ones, so that file descriptors are left for the page.
    """
    silent: OrderedDict[Any, asyncio.TimerHandle] = OrderedDict()

    class RequestProtocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            loop = asyncio.get_running_loop()
            silent[transport] = loop.call_later(_SILENT_SECONDS, _cut_off, silent, transport)
            if len(silent) > _MOST_SILENT:
                _cut_off(silent, next(iter(silent)))

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            request: Any = self.cycle
            if request is not None or self.transport.get_protocol() is not self:
                _forget(silent, self.transport)

        def connection_lost(self, exc: Exception | None) -> None:
            _forget(silent, self.transport)
            super().connection_lost(exc)

    return RequestProtocol


def _cut_off(silent: "OrderedDict[Any, asyncio.TimerHandle]", transport: Any) -> None:
    _forget(silent, transport)
    transport.abort()


def _forget(silent: "OrderedDict[Any, asyncio.TimerHandle]", transport: Any) -> None:
    timer = silent.pop(transport, None)
    if timer is not None:
        timer.cancel()


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


def _files_in(folder: Path) -> dict[str, bytes]:
    """The contents of all files by their names in the folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in _TYPES and path.is_file()
    }


def _json(text: bytes | str, status: int = 200) -> Response:
    return Response(text, status, media_type=_TYPES[".json"])
