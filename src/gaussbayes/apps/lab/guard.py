"""Who is let in: only the page that this server has opened itself.

The server listens on the loopback address, but every page of every site that is open in a browser
on this machine can send requests there. So each request must show

- the token, as the first part of its path: it is in the address that was opened, and nowhere else;
- this server's own name and port as its ``Host``: a foreign name that leads to the loopback address
  (DNS rebinding) is refused;
- if it has an ``Origin``, this server's own; sockets, and whatever is no GET, must have one;
- if it has a body, its length, within the limit.

The token is looked at first. What is refused never reaches a route. Only the page of a shared
address is shown without a token: it holds nothing of this lab, and asks pages of it that are open
in the same browser. No answer carries a CORS
header, and each one tells the browser to load nothing from elsewhere and to run no script but our
files.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gaussbayes.apps.lab.wire_format import error_text

_READING = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Door:
    """What a request must show."""

    token: str
    port: int
    most_bytes: int  # of a body
    porch: Mapping[str, Response] = field(default_factory=dict)  # answers without token, by path

    @property
    def hosts(self) -> tuple[str, ...]:
        """What this server is called; browsers leave out port 80."""
        end = "" if self.port == 80 else f":{self.port}"
        return tuple(f"{name}{end}" for name in ("127.0.0.1", "localhost"))

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """What every answer tells the browser."""
        sockets = " ".join(f"ws://{host}" for host in self.hosts)
        policy = (
            f"default-src 'self'; connect-src 'self' {sockets}; img-src 'self' data: blob:; "
            "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return [
            (b"content-security-policy", policy.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"DENY"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"cache-control", b"no-store"),
        ]


def refusal(scope: Scope, door: Door) -> Response | None:
    """What a request is answered that is not let in; None if it is."""
    first, headers = scope["path"].removeprefix("/").partition("/")[0], Headers(scope=scope)
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    is_called_so = len(hosts) == 1 and hosts[0] in door.hosts
    reads = scope["type"] == "http" and scope["method"] in _READING
    if not secrets.compare_digest(first.encode("utf-8", "replace"), door.token.encode()):
        if reads and is_called_so and scope["path"] in door.porch:
            return door.porch[scope["path"]]
        text = "the address lacks the token: open the one that `gaussbayes lab` has printed"
        return _refused(403, text)
    if not is_called_so:
        text = f"this server is {door.hosts[0]}, not {', '.join(hosts) or 'nameless'}"
        return _refused(403, text)
    if origins != [f"http://{hosts[0]}"] and (origins or not reads):
        return _refused(403, "requests come from the lab's own page only")
    return _wrong_length(headers, door)


def _wrong_length(headers: Headers, door: Door) -> Response | None:
    """With its length known from the start, a body that is too large is never read."""
    if headers.getlist("transfer-encoding"):
        return _refused(411, "a body needs its length before it (Content-Length)")
    for value in headers.getlist("content-length"):
        if not (value.isascii() and value.isdigit()):
            return _refused(400, f"a length must be an integer, got {value!r:.40}")
        if len(value) > 18 or int(value) > door.most_bytes:
            most = f"{door.most_bytes >> 20:,} MiB"
            text = f"this is too large: at most {most} can be sent; give a sample of the rows"
            return _refused(413, text)
    return None


def _refused(status: int, text: str) -> Response:
    """An answer without having read a body; the connection is of no further use."""
    return Response(error_text(text), status, {"connection": "close"}, "application/json")


def guarded(app: ASGIApp, door: Door) -> ASGIApp:
    """The application behind its door; paths begin after the token there."""

    async def let_in(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"].endswith("http.response.start"):
                headers = list(message.get("headers", ()))
                named = {name for name, _ in headers}  # only files say how long they may be kept
                message = {
                    **message,
                    "headers": headers + [h for h in door.headers if h[0] not in named],
                }
            await send(message)

        if scope["type"] not in {"http", "websocket"}:
            msg = f"the lab answers requests and sockets, not {scope['type']}"
            raise NotImplementedError(msg)
        response = refusal(scope, door)
        if response is None:
            await app({**scope, "root_path": f"/{door.token}"}, receive, send_with_headers)
        elif scope["type"] == "http" or "websocket.http.response" in (
            scope.get("extensions") or {}
        ):
            await response(scope, receive, send_with_headers)
        else:
            await send({"type": "websocket.close", "code": 1008})

    return let_in
