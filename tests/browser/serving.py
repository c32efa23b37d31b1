"""The lab as its user starts it: the command, as a process of its own."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

COMMAND = (sys.executable, "-W", "error", "-m", "gaussbayes", "lab", "--no-browser")


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """The address of the page of a server that runs meanwhile; it must not complain."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([*COMMAND, *arguments], text=True, **pipes)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), process.communicate()
        yield address
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=300)
        assert told.split("\n", 1)[1].strip() == "", told
    finally:
        process.kill()
        process.communicate()
