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
from gaussbayes.base.progress import count_rows, track, working

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


def test_a_slow_loop_gets_a_bar_that_goes_away(terminal: Terminal) -> None:
    seen = []
    for item in track("abc", "spelling"):
        seen.append(item)
        terminal.wait_for(f"{len(seen) - 1}/3")
    assert seen == ["a", "b", "c"]
    written = terminal.everything()
    assert "spelling" in written
    assert "━" in written
    assert COLOUR.search(written)
    assert written.count(HIDE_CURSOR) == written.count(SHOW_CURSOR) == 1
    # The last thing that happens is that the line is erased and the cursor shown.
    assert written.rindex(SHOW_CURSOR) > written.rindex("spelling")
    assert written.rindex(ERASE_LINE) > written.rindex("spelling")


def test_the_bar_appears_while_the_first_item_is_still_being_made(terminal: Terminal) -> None:
    def slow() -> Iterator[int]:
        terminal.wait_for("0/1")
        yield 1

    assert list(track(slow(), "waiting", total=1)) == [1]


def test_items_without_length_are_counted(terminal: Terminal) -> None:
    for number in track(iter(range(2)), "counting"):
        terminal.wait_for("counting")
        terminal.wait_for(f" {number} ")
    assert "0/" not in terminal.everything()


def test_work_without_items_is_shown_with_the_loops_in_it(terminal: Terminal) -> None:
    def fail() -> None:
        with working("choosing"):
            terminal.wait_for("choosing")
            for _ in track("ab", "judging"):
                terminal.wait_for("judging")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    written = terminal.everything()
    assert written.count(HIDE_CURSOR) == written.count(SHOW_CURSOR) == 1


def test_a_fast_loop_writes_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 3600.0)
    assert list(track(range(1000), "fast")) == list(range(1000))
    assert terminal.everything() == ""
    assert not [
        t
        for t in threading.enumerate()
        if isinstance(t, threading.Timer) and t.is_alive() and not t.finished.is_set()
    ]


def test_the_delay_is_a_second() -> None:
    assert progress.DELAY == 1.0


@pytest.mark.parametrize("closed", [False, True])
def test_nothing_is_written_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, closed: bool
) -> None:
    stream = io.StringIO()
    if closed:
        stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    threads = threading.active_count()
    for _ in track(range(2), "unseen"):
        assert threading.active_count() == threads  # nobody is there who could write later
    assert closed or stream.getvalue() == ""


def test_nothing_is_written_into_a_pipe() -> None:
    program = (
        "import time; from gaussbayes.base import progress; progress.DELAY = 0.001\n"
        "for _ in progress.track(range(2), 'unseen'): time.sleep(0.05)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        env=os.environ | {"FORCE_COLOR": "1"},
    )
    assert (done.stdout, done.stderr) == (b"", b"")


def test_standard_error_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert list(track("ab", "unseen")) == ["a", "b"]


def test_no_color_is_honoured(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    for _ in track(range(1), "grey"):
        terminal.wait_for("0/1")
    assert not COLOUR.search(terminal.everything())


def test_a_dumb_terminal_gets_no_control_characters(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    for _ in track(range(1), "dumb"):
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join()
    assert "\x1b" not in terminal.everything()


def test_an_exception_restores_the_terminal(terminal: Terminal) -> None:
    def fail() -> None:
        for _ in track(range(2), "failing"):
            terminal.wait_for("0/2")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert terminal.everything().count(SHOW_CURSOR) == 1


def test_breaking_off_restores_the_terminal(terminal: Terminal) -> None:
    for _ in track(range(2), "breaking"):
        terminal.wait_for("0/2")
        break
    assert terminal.everything().count(SHOW_CURSOR) == 1


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
    assert written.count(HIDE_CURSOR) == written.count(SHOW_CURSOR) == 1


def test_nested_loops_share_one_display(terminal: Terminal) -> None:
    for outer in track(range(2), "outer"):
        for inner in track(range(3), "inner"):
            terminal.wait_for(f"{outer}/2")
            terminal.wait_for(f"{inner}/3")
        terminal.seen += "|"
    written = terminal.everything()
    assert written.count(HIDE_CURSOR) == written.count(SHOW_CURSOR) == 1
    # The bar of the inner loop is gone from the last display.
    assert "inner" not in written[written.rindex("outer") :]


def test_loops_one_after_the_other_have_displays_of_their_own(terminal: Terminal) -> None:
    for name in ("first", "second"):
        for _ in track(range(1), name):
            terminal.wait_for(name)
    written = terminal.everything()
    assert written.count(HIDE_CURSOR) == written.count(SHOW_CURSOR) == 2
    assert "first" not in written[written.index("second") :]


def test_without_rich_nothing_is_written(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    for _ in track(range(1), "plain"):
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join()
    assert terminal.everything() == ""


def test_a_terminal_that_goes_away_stops_nobody(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = 0
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    for _ in track(range(2), "lost"):
        if done == 0:
            terminal.wait_for("0/2")
        terminal.slave.close()
        done += 1
    assert done == 2


def test_standard_output_stays_where_it_was(
    terminal: Terminal, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in track(range(1), "printing"):
        terminal.wait_for("0/1")
        print("a result")  # noqa: T201
    assert capsys.readouterr().out == "a result\n"
    assert "a result" not in terminal.everything()


def test_markup_and_long_names_are_text(terminal: Terminal) -> None:
    for _ in track(range(1), "[bold]Größe[/] " + "x" * 200):
        terminal.wait_for("0/1")
    written = terminal.everything()
    assert "[bold]Größe[/]" in written
    assert "x…" in written


def test_rows_are_counted_with_their_rate_and_the_time_left(terminal: Terminal) -> None:
    blocks = [[0] * 1500, [0] * 1500]
    for number, _ in enumerate(count_rows(blocks, "reading", 3000, len)):
        terminal.wait_for("1.5 k rows, " if number else "0 rows, ")
    terminal.wait_for("left")
    written = terminal.everything()
    assert "reading" in written
    assert "/s" in written


def test_rows_of_unknown_number_are_counted(terminal: Terminal) -> None:
    for _ in count_rows(iter([[1, 2]]), "reading", None, len):
        terminal.wait_for("0 rows, ")
    assert " left" not in terminal.everything()


def test_the_time_left_is_told_by_the_share_of_bytes(terminal: Terminal) -> None:
    known: list[float | None] = [None]
    for number, _ in enumerate(count_rows(iter("ab"), "reading", None, len, lambda: known[0])):
        terminal.wait_for(f"{number} rows, ")
        if number:
            terminal.wait_for("left")
        else:
            assert " left" not in terminal.seen
        known[0] = 0.25


def test_rows_without_a_terminal_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert list(count_rows(["ab"], "unseen", 2, len)) == ["ab"]
