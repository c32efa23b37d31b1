"""A progress bar for whatever takes longer than a second, where somebody is watching.

It is drawn by rich on the terminal that is standard error. Without a terminal, without rich, or
when the work is done within a second, nothing is written at all.
"""

import atexit
import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING, TextIO, TypeVar

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

Item = TypeVar("Item")

DELAY = 1.0
"""Seconds before a bar appears."""

_BROKEN = (OSError, ValueError)
"""What writing to a terminal that was hung up or closed raises; the work goes on without it."""


def track(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items, and show how many are done if it takes longer than a second.

    A loop inside another one adds its bar to the same display. The display goes away when the
    outer loop ends, breaks off or raises.

    Parameters
    ----------
    items : whatever is to be worked through
    what : what is being done, in a few words
    total : how many items there are, where `items` has no length

    Examples
    --------
    >>> [square**2 for square in track(range(4), "squaring")]
    [0, 1, 4, 9]
    """
    terminal = _terminal()
    if terminal is None:
        yield from items
        return
    if total is None and isinstance(items, Sized):
        total = len(items)
    shared = _current.get()
    display = _Display(terminal) if shared is None or shared.closed else shared
    bar = _Bar(what, total)
    display.bars.append(bar)
    try:
        if display is not shared:
            # Set here and not by the caller: the body of the loop runs in the same context.
            _current.set(display)
            display.appear_later()
        for item in items:
            yield item
            bar.done += 1
    finally:
        if display is not shared:
            display.close()
            _current.set(None)
        display.bars.remove(bar)


def _terminal() -> TextIO | None:
    """Standard error, if it is a terminal."""
    stream = sys.stderr
    try:
        return stream if stream is not None and stream.isatty() else None
    except _BROKEN:
        return None


@dataclass(slots=True, eq=False)
class _Bar:
    """How far one loop has come; the loop counts, the display reads."""

    what: str
    total: int | None
    done: int = 0
    since: float = field(default_factory=monotonic)


class _Display:
    """The bars of an outer loop and those inside it."""

    def __init__(self, terminal: TextIO) -> None:
        self.bars: list[_Bar] = []
        self.closed = False
        self._terminal = terminal  # kept: standard error may be another by the time it is drawn
        self._live: Live | None = None
        self._lock = Lock()
        # A thread, so that the display appears in time even if the first item takes long.
        self._timer = Timer(DELAY, self._appear)
        self._timer.daemon = True

    def appear_later(self) -> None:
        """Draw after the delay, unless closed by then."""
        # An iterator that somebody keeps must not leave the terminal without a cursor.
        atexit.register(self.close)
        self._timer.start()

    def close(self) -> None:
        """Take the display away and leave the terminal as it was."""
        atexit.unregister(self.close)
        self._timer.cancel()
        with self._lock:
            self.closed = True
            if self._live is not None:
                with suppress(*_BROKEN):
                    self._live.stop()

    def _appear(self) -> None:
        try:
            from rich.console import Console
            from rich.live import Live
        except ImportError:
            return
        with self._lock:
            console = Console(file=self._terminal)
            if self.closed or not console.is_terminal:
                return
            # What the loop prints stays where it prints it: standard output may be a file.
            self._live = Live(
                console=console,
                get_renderable=lambda: self._drawn(console.width),
                refresh_per_second=10,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            with suppress(*_BROKEN):
                self._live.start(refresh=True)

    def _drawn(self, width: int) -> "Table":
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1))
        table.add_column(no_wrap=True, overflow="ellipsis", max_width=max(8, width // 2 - 10))
        table.add_column(width=max(4, width // 2 - 15))
        table.add_column(justify="right", no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        for bar in tuple(self.bars):
            count = f"{bar.done}" if bar.total is None else f"{bar.done}/{bar.total}"
            minutes, seconds = divmod(int(monotonic() - bar.since), 60)
            line = ProgressBar(total=bar.total, completed=bar.done)
            table.add_row(Text(bar.what), line, count, f"{minutes}:{seconds:02}")
        return table


_current: ContextVar[_Display | None] = ContextVar("progress display", default=None)
