"""The lab as its user starts it: the command, as a process of its own."""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

COMMAND = (sys.executable, "-W", "error", "-m", "gaussbayes", "lab", "--no-browser")


@contextmanager
def serving(*arguments: str, terminal: IO[str] | None = None) -> Iterator[str]:
    """The address of the page of a server that runs meanwhile; it must not complain.

    What it writes to the terminal goes to a file, appended: a pipe would be full some time.
    """
    if terminal is None:
        with tempfile.TemporaryFile("a+") as file, serving(*arguments, terminal=file) as address:
            yield address
        return
    pipes = {"stdout": subprocess.PIPE, "stderr": terminal}
    process = subprocess.Popen([*COMMAND, *arguments], text=True, **pipes)  # type: ignore[call-overload]
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), complaints(terminal)
        yield address
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
        assert complaints(terminal) == ""
    finally:
        process.kill()
        process.communicate()


def complaints(terminal: IO[str]) -> str:
    """What was written to the terminal after the first line, which says how to end the server."""
    terminal.seek(0)
    return terminal.read().partition("\n")[2].strip()
