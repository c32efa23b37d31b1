"""Who is let in: only the page that this server has opened itself.

The server listens on the loopback address, but every page of every site that is open in a browser
on this machine can send requests there. So each request must show

- the token, as the first part of its path: it is in the address that was opened, and nowhere else;
- this server's own name and port as its ``Host``: a foreign name that leads to the loopback address
  (DNS rebinding) is refused;
- if it has an ``Origin``, this server's own; sockets, and whatever is no GET, must have one;
- if it has a body, its length, within the limit.

The token is looked at first. What is refused never reaches a route. No answer carries a CORS
header, and each one tells the browser to load nothing from elsewhere and to run no script but our
files.
"""

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from gaussbayes.apps.lab.wire_format import error_text

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
"""As ASGI has them."""

_READING = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not let in."""

    status: int
    text: str


@dataclass(frozen=True, slots=True)
class Door:
    """What a request must show.

    Examples
    --------
    >>> Door("secret", 8000, most_bytes=100).hosts
    ('127.0.0.1:8000', 'localhost:8000')
    """

    token: str
    port: int
    most_bytes: int  # of a body

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
            "default-src 'self'",
            f"connect-src 'self' {sockets}",
            "img-src 'self' data: blob:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
        return [
            (b"content-security-policy", "; ".join(policy).encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"DENY"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"cache-control", b"no-store"),
        ]


def refusal(scope: Scope, door: Door) -> Refusal | None:
    """Why this request is not let in; None if it is."""
    first = scope["path"].removeprefix("/").partition("/")[0]
    if not secrets.compare_digest(first.encode("utf-8", "replace"), door.token.encode()):
        msg = "the address lacks the token: open the one that `gaussbayes lab` has printed"
        return Refusal(403, msg)
    hosts = _values(scope, b"host")
    if len(hosts) != 1 or hosts[0] not in door.hosts:
        return Refusal(403, f"this server is {door.hosts[0]}, not {', '.join(hosts) or 'nameless'}")
    if not _has_own_origin(scope, hosts[0]):
        return Refusal(403, "requests come from the lab's own page only")
    return _wrong_length(scope, door)


def _has_own_origin(scope: Scope, host: str) -> bool:
    origins = _values(scope, b"origin")
    if not origins:
        return scope["type"] == "http" and scope["method"] in _READING
    return origins == [f"http://{host}"]


def _wrong_length(scope: Scope, door: Door) -> Refusal | None:
    """With its length known from the start, a body that is too large is never read."""
    if _values(scope, b"transfer-encoding"):
        return Refusal(411, "a body needs its length before it (Content-Length)")
    for value in _values(scope, b"content-length"):
        if not (value.isascii() and value.isdigit()):
            return Refusal(400, f"a length must be an integer, got {value!r:.40}")
        if len(value) > 18 or int(value) > door.most_bytes:
            most = f"{door.most_bytes >> 20:,} MiB"
            return Refusal(
                413, f"this is too large: at most {most} can be sent; give a sample of the rows"
            )
    return None


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def guarded(app: Application, door: Door) -> Application:
    """The application behind its door; paths begin after the token there."""

    async def let_in(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            msg = f"the lab answers requests and sockets, not {scope['type']}"
            raise NotImplementedError(msg)
        reason = refusal(scope, door)
        if reason is not None:
            await _refuse(scope, send, reason, door)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *door.headers]}
            await send(message)

        await app({**scope, "root_path": f"/{door.token}"}, receive, send_with_headers)

    return let_in


async def _refuse(scope: Scope, send: Send, reason: Refusal, door: Door) -> None:
    """Answer without having read a body; the connection is of no further use."""
    kind = "http"
    if scope["type"] == "websocket":
        if "websocket.http.response" not in (scope.get("extensions") or {}):
            await send({"type": "websocket.close", "code": 1008, "reason": reason.text})
            return
        kind = "websocket.http"
    body = error_text(reason.text).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *door.headers,
    ]
    await send({"type": f"{kind}.response.start", "status": reason.status, "headers": headers})
    await send({"type": f"{kind}.response.body", "body": body})
