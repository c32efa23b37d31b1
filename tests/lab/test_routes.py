"""The routes give what they should: the page's files, plotly, what it is told, uploads, talk."""

import json
import logging
from collections.abc import AsyncIterable, Iterator
from pathlib import Path
from socket import create_connection
from time import sleep
from urllib.parse import quote

import pytest

from gaussbayes.apps.lab.server import ADDRESS, STATIC, _files_in, plotly_file, shown_name
from tests.lab.server_double import MOST, TOKEN, Running, backend, decode, running


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


def get(server: Running, path: str) -> tuple[int, str, bytes]:
    response, body = server.ask("GET", f"/{TOKEN}{path}")
    return response.status, response.getheader("Content-Type") or "", body


def test_the_page(server: Running) -> None:
    code, kind, body = get(server, "/")
    assert (code, kind) == (200, "text/html; charset=utf-8")
    assert body == (STATIC / "index.html").read_bytes()


def test_every_file_of_the_page(server: Running) -> None:
    types = {
        ".css": "text/css",
        ".html": "text/html",
        ".js": "text/javascript",
        ".svg": "image/svg+xml",
    }
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= set(types)
    for path in files:
        code, kind, body = get(server, f"/static/{path.relative_to(STATIC).as_posix()}")
        assert (code, kind.partition(";")[0]) == (200, types[path.suffix])
        assert body == path.read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/nothing",
        "/static/",
        "/static/nothing.js",
        "/static/../server.py",
        "/static/..%2Fserver.py",
        "/static//etc/passwd",
        "/static/%2e%2e/%2e%2e/errors.py",
        "/static/index.html%00",
    ],
)
def test_nothing_else(server: Running, path: str) -> None:
    assert get(server, path)[0] == 404


def test_only_files_that_belong_to_a_page(tmp_path: Path) -> None:
    for name in ("a.js", "panels/b.js", "notes.txt", "__pycache__/c.pyc", ".hidden"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert set(_files_in(tmp_path)) == {"a.js", "panels/b.js"}


def test_plotly(server: Running) -> None:
    code, kind, body = get(server, "/static/plotly.min.js")
    assert (code, kind) == (200, "text/javascript; charset=utf-8")
    assert body == plotly_file().read_bytes()
    assert b"plotly.js" in body[:100]


def test_about(server: Running) -> None:
    code, kind, body = get(server, "/about.json")
    assert (code, kind, json.loads(body)) == (200, "application/json", {"version": "0"})


def test_an_upload(server: Running) -> None:
    name = "größe \U0001f338.csv"
    response, body = server.ask(
        "POST", f"/{TOKEN}/upload", b"x" * MOST, Origin=server.origin, X_File_Name=quote(name)
    )
    assert (response.status, json.loads(body)) == (
        200,
        {"upload": "1", "name": name, "bytes": MOST},
    )


def test_an_upload_that_cannot_be_used(server: Running) -> None:
    response, body = server.ask(
        "POST", f"/{TOKEN}/upload", b"", Origin=server.origin, X_File_Name="..%2fa.csv"
    )
    assert response.status == 422
    told = {"kind": "error", "of": "upload", "number": None, "text": "a.csv is empty"}
    assert json.loads(body) == told


def test_an_upload_that_breaks_off(caplog: pytest.LogCaptureFixture) -> None:
    kept: list[bytes] = []

    async def keep(_: str, content: AsyncIterable[bytes]) -> None:
        kept.append(b"".join([part async for part in content]))

    with caplog.at_level(logging.WARNING), running(backend(keep=keep)) as server:
        with create_connection((ADDRESS, server.port)) as connection:
            lines = [
                f"POST /{TOKEN}/upload HTTP/1.1",
                f"Host: {server.host}",
                f"Origin: {server.origin}",
                "Content-Length: 100",
            ]
            connection.sendall("\r\n".join([*lines, "", "some"]).encode())
            sleep(0.05)
        assert get(server, "/about.json")[0] == 200
    assert (kept, caplog.records) == ([], [])


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("a%2Fb%5Cc.csv", "c.csv"),
        ("%00%1b%5B2J%E2%80%AEx.csv", "[2Jx.csv"),
        ("..", ".."),
        ("a/", "file"),
        ("%FF.csv", "�.csv"),
        ("x" * 300 + ".csv", "x" * 196 + ".csv"),
    ],
)
def test_names_of_files_are_only_shown(header: str, shown: str) -> None:
    assert shown_name(header) == shown


def test_the_socket(server: Running) -> None:
    with server.open_socket() as page:
        page.send('{"number": 1, "kind": "scene", "size": 40000}')
        head, arrays = decode(page.recv(10))
        assert (head["number"], arrays["label"].shape) == (1, (40000,))
        page.send(b"\0\1")
        assert json.loads(page.recv(10))["kind"] == "error"
        page.send('{"number": 2, "kind": "scene"}')
        assert decode(page.recv(10))[0]["number"] == 2
