"""Nothing is let in but what comes from the page itself, whatever the route."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.routing import Route, WebSocketRoute
from websockets.exceptions import InvalidStatus

from gaussbayes.apps.lab.guard import Door, guarded, refusal
from gaussbayes.apps.lab.server import make_app, porch
from tests.lab.server_double import MOST, TOKEN, Running, backend, running

DOOR = Door(TOKEN, 8000, MOST)
ROUTES = make_app(backend()).routes


def requests() -> list[tuple[str, str]]:
    """Each method and path that the router knows; a socket is a method of its own."""
    found = []
    for route in ROUTES:
        assert isinstance(route, Route | WebSocketRoute), route  # no mounts, nothing unseen
        path = route.path.replace("{file:path}", "index.html")
        assert "{" not in path
        methods = route.methods if isinstance(route, Route) else {"SOCKET"}
        found += [(method, path) for method in sorted(methods or ())]
    return found


EVERY = pytest.mark.parametrize(("method", "path"), requests())


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


def status(
    server: Running, method: str, path: str, token: str | None = TOKEN, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """How a request is answered that would be in order but for these headers."""
    start = "" if token is None else f"/{token}"
    if method == "SOCKET":
        method = "GET"
        upgrade = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec_WebSocket_Version": "13",
            "Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        }
        headers = upgrade | headers
    own = {"Origin": server.origin} | headers
    sent = {name: value for name, value in own.items() if value != "absent"}
    response, body = server.ask(method, start + path, **sent)
    return response.status, {name.lower(): value for name, value in response.getheaders()}, body


def test_the_routes_are_those_planned() -> None:
    assert {path for _, path in requests()} == {
        "/",
        "/static/index.html",
        "/about.json",
        "/upload",
        "/socket",
    }


@EVERY
@pytest.mark.parametrize("token", [None, "wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "%00é"])
def test_without_the_token(server: Running, method: str, path: str, token: str | None) -> None:
    safe = None if token is None else token.replace("é", "%C3%A9")
    code, headers, body = status(server, method, path, safe)
    assert code == 403
    assert "access-control-allow-origin" not in headers
    if method != "HEAD":
        assert "token" in json.loads(body)["text"]


@EVERY
def test_the_token_is_asked_for_before_anything_else(
    server: Running, method: str, path: str
) -> None:
    wrong = {"Host": "evil.example", "Origin": "http://evil.example"}
    if method != "SOCKET":  # a handshake with a body is none, and gets no further
        wrong["Content_Length"] = "9" * 12
    code, _, body = status(server, method, path, "wrong", **wrong)
    assert code == 403
    if method != "HEAD":
        assert "token" in json.loads(body)["text"]


@EVERY
@pytest.mark.parametrize(
    "host",
    [
        "",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:{port}.evil.example",
        "0.0.0.0:{port}",
        "[::1]:{port}",
        "evil.example",
        "evil.example:{port}",
        "localhost",
        "localhost:{port}x",
    ],
)
def test_with_a_foreign_name(server: Running, method: str, path: str, host: str) -> None:
    code, _, _ = status(server, method, path, Host=host.format(port=server.port))
    assert code == 403


@EVERY
@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "file://",
        "http://evil.example",
        "http://localhost:{port}",
        "http://127.0.0.1",
        "http://127.0.0.1:{port}.evil.example",
        "https://127.0.0.1:{port}",
    ],
)
def test_from_a_foreign_page(server: Running, method: str, path: str, origin: str) -> None:
    code, headers, _ = status(server, method, path, Origin=origin.format(port=server.port))
    assert code == 403
    assert not [name for name in headers if name.startswith("access-control")]


@EVERY
def test_without_an_origin(server: Running, method: str, path: str) -> None:
    code, _, _ = status(server, method, path, Origin="absent")
    assert (code == 403) == (method not in {"GET", "HEAD"})


@EVERY
def test_with_a_body_that_is_too_large(server: Running, method: str, path: str) -> None:
    for length in (MOST + 1, 10**17):
        code, _, body = status(server, method, path, Content_Length=str(length))
        assert code == (400 if method == "SOCKET" else 413)
        if method not in {"SOCKET", "HEAD"}:
            assert "too large" in json.loads(body)["text"]


@EVERY
def test_with_a_body_of_unknown_length(server: Running, method: str, path: str) -> None:
    assert status(server, method, path, Transfer_Encoding="chunked")[0] in {400, 411}


@EVERY
def test_other_methods(server: Running, method: str, path: str) -> None:
    known = {one for one, route in requests() if route == path}
    for other in {"GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"} - known:
        code, headers, _ = status(server, other, path)
        assert code == (404 if method == "SOCKET" else 405)
        assert not [name for name in headers if name.startswith("access-control")]


@EVERY
def test_what_every_answer_tells_the_browser(server: Running, method: str, path: str) -> None:
    for token in (TOKEN, "wrong"):
        code, headers, _ = status(server, method, path, token)
        if code == 101:
            continue
        policy = dict(
            rule.strip().partition(" ")[::2]
            for rule in headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == "'self'"
        assert not {"script-src", "style-src", "script-src-elem"} & set(policy)
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        kept = code == 200 and path.startswith("/static/")  # files of the page
        assert headers["cache-control"].startswith("private" if kept else "no-store")
        assert not [name for name in headers if name.startswith("access-control")]


def test_both_names_of_the_loopback_address(server: Running) -> None:
    for name in ("127.0.0.1", "localhost"):
        host = f"{name}:{server.port}"
        code, _, _ = status(server, "GET", "/about.json", Host=host, Origin=f"http://{host}")
        assert code == 200


def test_sockets_are_refused_before_they_open(
    server: Running, caplog: pytest.LogCaptureFixture
) -> None:
    for options in ({"token": "wrong"}, {"origin": "http://evil.example"}, {"origin": None}):
        with pytest.raises(InvalidStatus) as refused, server.open_socket(**options):
            pass
        assert refused.value.response.status_code == 403
    assert caplog.records == []  # a page of an earlier lab does not fill the terminal


def scope(**changes: Any) -> dict[str, Any]:
    usual = {
        "type": "http",
        "method": "GET",
        "path": f"/{TOKEN}/",
        "headers": [(b"host", b"127.0.0.1:8000")],
    }
    return usual | changes


def test_a_header_that_comes_twice() -> None:
    host, origin = (b"host", b"127.0.0.1:8000"), (b"origin", b"http://127.0.0.1:8000")
    assert refusal(scope(), DOOR) is None
    assert refusal(scope(headers=[host, origin]), DOOR) is None
    for headers in ([host, host], [], [host, origin, origin]):
        assert refusal(scope(headers=headers), DOOR) is not None


def test_lengths_that_are_none() -> None:
    for value, code in ((b"-1", 400), (b"1e3", 400), ("²".encode("latin-1"), 400), (b"0", None)):
        headers = [(b"host", b"127.0.0.1:8000"), (b"content-length", value)]
        found = refusal(scope(headers=headers), DOOR)
        assert (found and found.status_code) == code


def test_port_80_has_no_number() -> None:
    assert Door(TOKEN, 80, MOST).hosts == ("127.0.0.1", "localhost")


def test_a_server_that_cannot_answer_a_handshake_closes_it() -> None:
    sent = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def never(*_: Any) -> None:
        raise AssertionError

    app = guarded(never, DOOR)
    asyncio.run(app(scope(type="websocket", path="/wrong/"), never, send))
    assert [(message["type"], message["code"]) for message in sent] == [("websocket.close", 1008)]
    with pytest.raises(NotImplementedError, match="lifespan"):
        asyncio.run(app({"type": "lifespan"}, never, send))


def test_what_is_shown_without_the_key() -> None:
    """The page of a shared address, only to readers who call the lab by its name; it holds nothing
    of the lab."""
    door = Door("k" * 40, 1, 100, porch())
    named, renamed = ([(b"host", host)] for host in (b"127.0.0.1:1", b"attacker.example:1"))
    scope = {"type": "http", "method": "GET", "path": "/", "headers": named}
    response = refusal(scope, door)
    assert response is not None
    assert b"A shared lab" in response.body
    assert b"k" * 40 not in b"".join(bytes(each.body) for each in door.porch.values())
    strange = ({"method": "POST"}, {"path": "/about.json"}, {"path": "/shared/main.js"})
    for wrong in (*strange, {"headers": renamed}, {"headers": []}):
        other = refusal(scope | wrong, door)
        assert other is not None
        assert other.status_code == 403
