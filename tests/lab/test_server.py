"""The command serves on the loopback address only, ends at Ctrl-C, and says what is wrong."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest
from websockets.sync.client import connect

from gaussbayes.apps.lab import backend, messages, server
from gaussbayes.apps.lab.server import listen, serve
from tests.lab import server_double

COMMAND = [sys.executable, "-W", "error", "-m", "gaussbayes", "lab"]


@contextmanager
def lab(*arguments: str) -> Iterator[tuple["subprocess.Popen[str]", re.Match[str]]]:
    """The command as a process, and its address."""
    process = subprocess.Popen(
        [*COMMAND, "--no-browser", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([\w-]{40,})/\n", line)
        assert found, (line, process.stderr)
        yield process, found
    finally:
        process.kill()
        process.communicate()


def test_from_start_to_end() -> None:
    with lab() as (process, found):
        port, token = found.groups()
        connection = HTTPConnection("127.0.0.1", int(port), timeout=300)
        connection.request("GET", f"/{token}/about.json")
        assert connection.getresponse().read()
        connection.close()
        address = f"ws://127.0.0.1:{port}/{token}/socket"
        with connect(address, origin=f"http://127.0.0.1:{port}", proxy=None) as page:
            page.send("{")
            assert '"kind":"error"' in str(page.recv(20))
            process.send_signal(signal.SIGINT)
            written, told = process.communicate(timeout=300)
    assert process.returncode == 130
    assert written == ""
    assert told.splitlines() == ["The lab is open at this address. Ctrl-C ends it.", ""]


def test_the_first_page_needs_nothing_that_is_slow() -> None:
    """NumPy and what needs it are imported meanwhile, by the thread that answers."""
    lab = "gaussbayes.apps.lab"
    imports = f"import sys, gaussbayes.apps.cli.lab_command, {lab}.server"
    loaded = subprocess.run(
        [sys.executable, "-c", f"{imports}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "gaussbayes.apps.lab.session" in loaded
    assert not {"numpy", "pyarrow", "scipy", "sklearn", "plotly", "rich"} & set(loaded)


def test_the_file_that_leads_to_the_page_goes_when_it_was_used(tmp_path: Path) -> None:
    file = tmp_path / "open.html"
    server.write_redirect(file, "http://127.0.0.1:1/key/")
    with server_double.running(redirect=file) as lab:
        assert lab.ask("GET", "/wrong/")[0].status == 403
        assert file.exists()
        assert lab.ask("GET", f"/{server_double.TOKEN}/")[0].status == 200
        assert not file.exists()


def test_connections_that_say_nothing_are_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest if there are too many, all after a while; the page is answered meanwhile."""
    monkeypatch.setattr(server, "_MOST_SILENT", 3)
    with server_double.running() as lab:
        silent = [socket.create_connection(("127.0.0.1", lab.port), 300) for _ in range(5)]
        silent[4].sendall(b"GET / HT")  # half a request
        for cut in silent[:2]:
            assert ended(cut)
        assert lab.ask("GET", f"/{server_double.TOKEN}/")[0].status == 200
        for one in silent:
            one.close()
    monkeypatch.setattr(server, "_SILENT_SECONDS", 0.01)
    with server_double.running() as lab, socket.create_connection(("127.0.0.1", lab.port)) as late:
        late.settimeout(300)
        assert ended(late)


def ended(connection: socket.socket) -> bool:
    """Whether the other side closes a connection without a word."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_messages_that_are_too_long_are_answered_before_they_close_the_socket() -> None:
    assert server._CLOSING_LENGTH >= 8 * messages.LONGEST_MESSAGE


def test_every_lab_has_a_token_of_its_own() -> None:
    with lab() as (_, one), lab() as (_, other):
        assert one[1] != other[1]
        assert one[2] != other[2]


def test_a_port_in_use_is_told() -> None:
    taken = listen(0)
    port = taken.getsockname()[1]
    with taken, pytest.raises(OSError, match=f"port {port} is in use by another program; give"):
        listen(port)


def test_a_port_may_be_used_again_at_once() -> None:
    with listen(0) as first:
        port = first.getsockname()[1]
        client = socket.create_connection(("127.0.0.1", port))
        server, _ = first.accept()
        server.close()
        client.close()
    listen(port).close()


def test_other_machines_are_not_listened_to() -> None:
    with listen(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_the_browser_is_led_to_the_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    told: list[str] = []

    class Done:
        def run(self, sockets: list[socket.socket]) -> None:
            assert sockets[0].getsockname()[1] == int(told[-1].split(":")[2].partition("/")[0])

    class Started:
        def __init__(self, *, args: tuple[str], **_: object) -> None:
            opened.extend(args)

        def start(self) -> None:
            assert opened

    monkeypatch.setattr(server, "make_server", lambda *_: Done())
    monkeypatch.setattr(server, "Thread", Started)
    serve(server_double.backend(folder=tmp_path), tell=told.append)
    file = tmp_path / "open.html"
    assert opened == [file.as_uri()]  # the key is in no argument of a program
    assert file.stat().st_mode & 0o777 == 0o600
    assert f'content="0;url={told[0]}"' in file.read_text("utf-8")
    file.unlink()
    serve(server_double.backend(folder=tmp_path), open_browser=False, tell=told.append)
    assert len(opened) == 1
    assert not file.exists()


@pytest.mark.parametrize("missing", ["msgspec", "starlette", "uvicorn", "websockets", "plotly"])
def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    find = backend.find_spec
    monkeypatch.setattr(backend, "find_spec", lambda name: None if name == missing else find(name))
    with pytest.raises(ImportError, match=rf"needs {missing}, .*pip install 'gaussbayes\[lab\]'"):
        backend.check_extra()
