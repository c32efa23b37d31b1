"""A progress bar for whatever takes longer than a second, where somebody is watching.

It is drawn by rich on the terminal that is standard error. Without a terminal, without rich, or
when the work is done within a second, nothing is written at all.
"""

import atexit
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
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

    `what` says what is done, in a few words; `total` how many items there are, where `items` has no
    length. A loop inside another one adds its bar to the same display. The display goes away when
    the outer loop ends, breaks off or raises.
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    return _shown(items, _Bar(what, total), lambda _: 1)


def count_rows(
    blocks: Iterable[Item],
    what: str,
    total: int | None,
    rows: Callable[[Item], int],
    proportion: Callable[[], float | None] | None = None,
) -> Iterator[Item]:
    """Yield blocks of rows, and show how many rows are done, how fast, and how long it will take.

    Parameters
    ----------
    total : how many rows there are, if that is known
    rows : how many a block has
    proportion : how much of the work is done, where that is known and the number of rows is not
    """
    return _shown(blocks, _Bar(what, total, counts_rows=True, proportion=proportion), rows)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that something is done, and for how long, if it takes longer than a second.

    Loops inside add their bars.
    """
    with closing(_shown((None,), _Bar(what, None, counts=False), lambda _: 0)) as once:
        for _ in once:
            yield


def _shown(
    items: Iterable[Item], bar: "_Bar", size: Callable[[Item], int]
) -> Generator[Item, None, None]:
    """Yield the items and let the bar follow."""
    terminal = sys.stderr
    try:
        watched = terminal is not None and terminal.isatty()
    except _BROKEN:
        watched = False
    if not watched:
        yield from items
        return
    shared = _current.get()
    display = _Display(terminal) if shared is None or shared.closed else shared
    bar.since = monotonic()
    display.bars.append(bar)
    try:
        if display is not shared:
            # Set here and not by the caller: the body of the loop runs in the same context.
            _current.set(display)
        for item in items:
            yield item
            bar.done += size(item)
    finally:
        if display is not shared:
            display.close()
            _current.set(None)
        display.bars.remove(bar)


@dataclass(slots=True, eq=False)
class _Bar:
    """How far one loop has come; the loop counts, the display reads."""

    what: str
    total: int | None
    done: int = 0
    since: float = 0.0
    counts: bool = True
    counts_rows: bool = False
    proportion: Callable[[], float | None] | None = None

    def cells(self) -> tuple[float | None, str, str]:
        """Which part is done, if that is known, how much that is, and how long it takes.

        Of rows it says how many are done in a second, and how long the others will take.
        """
        seconds, part = monotonic() - self.since, None
        if self.done and self.total:
            part = self.done / self.total
        elif self.done and self.total is None and self.proportion is not None:
            # Only once rows are done, for what is read may still wait to be worked on.
            part = self.proportion()
        if not self.counts_rows:
            of_all = "" if self.total is None else f"/{self.total}"
            return part, f"{self.done}{of_all}" if self.counts else "", _clock(seconds)
        count = f"{_short(self.done)} rows, {_short(self.done / max(seconds, 1e-9))}/s"
        left = f"{_clock(seconds * max(1.0 - part, 0.0) / part)} left" if part else _clock(seconds)
        return part, count, left


def _short(number: float) -> str:
    """A large number in few letters."""
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.0f}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"


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
            part, count, time = bar.cells()
            known = bar.total is not None or part is not None
            line = ProgressBar(total=1.0 if known else None, completed=part or 0.0)
            table.add_row(Text(bar.what), line, count, time)
        return table


_current: ContextVar[_Display | None] = ContextVar("progress display", default=None)
