"""The server: a port on the loopback address, a token, a browser, and an end at Ctrl-C."""

import errno
import secrets
import socket
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING

from gaussbayes.apps.lab.backend import LARGEST_UPLOAD, Backend

if TYPE_CHECKING:
    from uvicorn import Server

    from gaussbayes.apps.lab.guard import Door

ADDRESS = "127.0.0.1"
_CLOSING_LENGTH = 32 << 20  # bytes that close a socket; what is shorter, but too long, is answered
_LAST_SECONDS = 1  # that a page may take to close its connection at the end
_NEEDED = ("msgspec", "starlette", "uvicorn", "websockets", "plotly")


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
    check_extra()
    from gaussbayes.apps.lab.guard import Door

    with listen(port) as listener:
        token, port = secrets.token_urlsafe(32), listener.getsockname()[1]
        address = f"http://{ADDRESS}:{port}/{token}/"
        # The port is open: a browser that comes before the server runs is answered when it does.
        tell(address)
        if open_browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        make_server(backend, Door(token, port, LARGEST_UPLOAD)).run([listener])


def check_extra() -> None:
    """Raise, saying how to install it, if something that the lab needs is not there."""
    missing = " and ".join(name for name in _NEEDED if find_spec(name) is None)
    if missing:
        msg = f"the lab needs {missing}, which is not installed: pip install 'gaussbayes[lab]'"
        raise ImportError(msg)


def listen(port: int) -> socket.socket:
    """A socket that listens on a port of the loopback address; 0 is a free one."""
    try:
        return socket.create_server((ADDRESS, port), backlog=128)
    except OSError as error:
        reason = {
            errno.EADDRINUSE: "is in use by another program",
            errno.EACCES: "may not be used without special rights",
        }.get(error.errno or 0, f"cannot be used ({error.strerror})")
        msg = f"port {port} {reason}; give another one, or 0 for one that is free"
        raise OSError(error.errno, msg) from None


def make_server(backend: Backend, door: "Door") -> "Server":
    """The server, ready to run on a socket that listens."""
    from uvicorn import Config, Server

    from gaussbayes.apps.lab.app import SocketProtocol, make_app
    from gaussbayes.apps.lab.guard import guarded
    from gaussbayes.apps.lab.session import Worker

    worker = Worker()
    worker.begin(backend.prepare)
    return Server(
        Config(
            guarded(make_app(backend, worker), door),
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
