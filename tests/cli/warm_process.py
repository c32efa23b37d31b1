"""A process that has imported what the command needs, and forks for each call of it.

``python warm_process.py serve SOCKET`` waits for calls; ``python warm_process.py call SOCKET …``
makes one with its own arguments, directory, environment and open files, and ends with its exit
code. So a call in a line of shell is a process, but takes no seconds to import libraries.
"""

import json
import os
import signal
import socket
import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn

NEEDED = [
    "gaussbayes.analysis.comparison",
    "gaussbayes.report",
    "gaussbayes.estimators",
    "gaussbayes.data.files",
    "gaussbayes.data.output",
    "gaussbayes.export.onnx_model",
    "gaussbayes.export.sql",
    "gaussbayes.model.file",
    "gaussbayes.model.sources",
    "gaussbayes.plots",
    "jinja2",
    "matplotlib.backends.backend_agg",
    "matplotlib.pyplot",
    "narwhals.stable.v2",
    "PIL.PngImagePlugin",
    "pyarrow.json",
    "pyarrow.pandas_compat",
    "pyarrow.parquet",
    "rich.console",
    "rich.table",
    "sklearn.compose",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.neighbors",
    "sklearn.svm",
]
"""What subcommands import, some of them."""

_MOST_FILES = 64
_ASIDE = 500
"""From here on files are numbered that nobody has opened."""


def call(address: str, arguments: list[str]) -> int:
    """Have the command run with what this process has; returns its exit code."""
    opened = [number for number in range(_ASIDE) if _is_open(number)]
    request = [arguments, str(Path.cwd()), dict(os.environ), opened]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(address)
        socket.send_fds(connection, [b"!"], opened)
        connection.sendall(json.dumps(request).encode() + b"\n")
        return int(connection.recv(16) or b"1")


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def serve(address: str) -> NoReturn:
    """Import what takes long, and fork for each call."""
    from gaussbayes.cli import gaussbayes

    for name in NEEDED:
        import_module(name)
    for name in gaussbayes.list_commands(None):
        gaussbayes.get_command(None, name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(address)
        server.listen()
        while True:
            connection, _ = server.accept()
            if os.fork() == 0:
                server.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                answer(connection)
            connection.close()


def answer(connection: socket.socket) -> NoReturn:
    """Take the place of the caller, run the command, and say what it ended with."""
    from gaussbayes.cli import main

    _, received, _, _ = socket.recv_fds(connection, 1, _MOST_FILES)
    with connection.makefile("rb") as lines:
        arguments, folder, environment, opened = json.loads(lines.readline())
    aside = [os.dup2(number, _ASIDE + place) for place, number in enumerate(received)]
    reply = os.dup2(connection.detach(), _ASIDE + _MOST_FILES)
    os.closerange(0, _ASIDE)
    for number, place in zip(aside, opened, strict=True):
        os.dup2(number, place)
        os.close(number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin, sys.stdout = open(0, encoding="utf-8"), open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1)  # noqa: SIM115
    try:
        code = main(arguments)
    except SystemExit as end:
        code = int(end.code or 0)
    sys.stdout.flush()
    os.write(reply, str(code).encode())
    os._exit(0)


if __name__ == "__main__":
    role, place, *rest = sys.argv[1:]
    if role == "serve":
        serve(place)
    sys.exit(call(place, rest))
