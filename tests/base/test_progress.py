"""Progress bars: there when somebody watches something slow, and otherwise not a byte."""

import io
import os
import re
import select
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from types import SimpleNamespace
from typing import TextIO

import pytest

from gaussbayes.base import progress
from gaussbayes.base.progress import track

HIDE_CURSOR, SHOW_CURSOR, ERASE_LINE = "\x1b[?25l", "\x1b[?25h", "\x1b[2K"
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|9[0-7])[;m]")


@dataclass
class Terminal:
    """A terminal with a program on one end and the test on the other."""

    master: int
    slave: TextIO
    seen: str = ""

    def wait_for(self, text: str) -> None:
        """Let the program write until `text` is on the terminal."""
        deadline = monotonic() + 300.0
        while text not in self.seen:
            there = select.select([self.master], [], [], max(0.0, deadline - monotonic()))[0]
            assert there, f"no {text!r} in {self.seen!r:.2000}"
            self.seen += os.read(self.master, 4096).decode()

    def everything(self) -> str:
        """All that was ever written."""
        self.slave.write("\x04")
        self.slave.flush()
        self.wait_for("\x04")
        return self.seen.removesuffix("\x04")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Standard error is a colour terminal of 80 columns, and bars come at once."""
    master, slave = os.openpty()
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST  # the bytes as they were written
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    with open(slave, "w", encoding="utf-8") as stream:  # noqa: PTH123 (a descriptor, not a path)
        for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setenv("COLUMNS", "80")
        # Not sys.stderr itself: pytest puts its own there between this fixture and the test.
        monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))
        monkeypatch.setattr(progress, "DELAY", 0.001)
        yield Terminal(master, stream)
    os.close(master)


def restored(written: str) -> bool:
    return written.count(HIDE_CURSOR) == written.count(SHOW_CURSOR) == 1


def wait_for_timers() -> None:
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()


def test_a_slow_loop_gets_a_bar_that_goes_away(terminal: Terminal, capsys) -> None:
    def slow() -> Iterator[str]:
        terminal.wait_for("0/3")  # the bar is there before the first item is
        yield from "abc"

    seen = []
    for item in track(slow(), "[bold]Größe[/] " + "x" * 200, total=3):
        seen.append(item)
        terminal.wait_for(f"{len(seen) - 1}/3")
        print("a result")  # noqa: T201 (where it was before)
    assert seen == ["a", "b", "c"]
    written = terminal.everything()
    assert capsys.readouterr().out == "a result\n" * 3
    assert "a result" not in written
    assert all(text in written for text in ("[bold]Größe[/]", "x…", "━"))
    assert COLOUR.search(written)
    assert restored(written)
    # The last thing that happens is that the line is erased and the cursor shown.
    assert min(written.rindex(SHOW_CURSOR), written.rindex(ERASE_LINE)) > written.rindex("Größe")


def test_nested_loops_share_one_display(terminal: Terminal) -> None:
    for outer in track(range(2), "outer"):
        terminal.wait_for(f"{outer}/2")
        for inner in track(range(3), "inner"):
            terminal.wait_for(f"{inner}/3")
        terminal.seen += "|"
        terminal.wait_for(ERASE_LINE)
    written = terminal.everything()
    assert restored(written)
    assert "inner" not in written[written.rindex("outer") :]  # its bar is gone
    terminal.seen = ""
    for number in track(iter(range(2)), "counted"):  # items without length
        terminal.wait_for("counted")
        terminal.wait_for(f"{number}/?")
    assert restored(terminal.everything())
    assert "outer" not in terminal.seen


@pytest.mark.parametrize("how", ["error", "break", "terminal lost"])
def test_the_terminal_is_restored(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    def loop() -> None:
        for _ in track(range(2), "failing"):
            terminal.wait_for("0/2")
            if how == "terminal lost":  # which stops nobody
                monkeypatch.setattr(threading, "excepthook", lambda _: None)
                terminal.slave.close()
            elif how == "error":
                raise KeyError
            else:
                break

    if how == "error":
        with pytest.raises(KeyError):
            loop()
    else:
        loop()
    assert how == "terminal lost" or restored(terminal.everything())


def test_a_kept_iterator_restores_the_terminal_at_exit() -> None:
    program = (
        "import os; from gaussbayes.base import progress; progress.DELAY = 0.001\n"
        "kept = progress.track(range(2), 'kept'); next(kept)\n"
        "os.read(0, 1)"  # the test has seen the bar
    )
    master, slave = os.openpty()
    with (
        subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stderr=slave,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "80"},
        ) as process,
        open(slave, "w", encoding="utf-8") as stream,  # noqa: PTH123
    ):
        terminal = Terminal(master, stream)
        terminal.wait_for("0/2")
        process.communicate(b"x")
        assert process.returncode == 0
        written = terminal.everything()
    os.close(master)
    assert restored(written)


@pytest.mark.parametrize("where", ["fast", "dumb", "no rich"])
def test_terminals_that_get_nothing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    assert progress.DELAY == 0.001
    if where == "fast":
        monkeypatch.setattr(progress, "DELAY", 3600.0)
    elif where == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    else:
        monkeypatch.setitem(sys.modules, "rich.console", None)
    for _ in track(range(100), "unseen"):
        if where != "fast":
            wait_for_timers()
    assert "\x1b" not in terminal.everything()
    assert where == "dumb" or terminal.seen == "\x04"
    waiting = [each for each in threading.enumerate() if isinstance(each, threading.Timer)]
    assert all(each.finished.is_set() for each in waiting)


@pytest.mark.parametrize("stream", [io.StringIO(), "closed", None])
def test_nothing_is_written_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | str | None
) -> None:
    assert progress.DELAY == 1.0
    if stream == "closed":
        stream = io.StringIO()
        stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    threads = threading.active_count()
    for _ in track(range(2), "unseen"):
        assert threading.active_count() == threads  # nobody is there who could write later
    assert list(track(["ab"], "unseen", 2, len)) == ["ab"]
    assert stream is None or stream.closed or stream.getvalue() == ""


def test_no_color_is_honoured(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    for _ in track(range(1), "grey"):
        terminal.wait_for("0/1")
    assert not COLOUR.search(terminal.everything())


def test_blocks_count_their_rows(terminal: Terminal) -> None:
    blocks = [[0] * 1500, [0] * 1500]
    for number, _ in enumerate(track(blocks, "reading", 3000, len)):
        terminal.wait_for("1500/3000" if number else "0/3000")
    terminal.seen = ""
    known: list[float | None] = [None]  # the proportion of bytes, where rows are not counted
    for number, _ in enumerate(track(iter("ab"), "reading", None, len, lambda: known[0])):
        terminal.wait_for("1/4" if number else "0/?")
        known[0] = 0.25
