"""A progress bar for whatever takes longer than a second, where somebody is watching.

It is drawn by rich on the terminal that is standard error. Without a terminal, without rich, or
when the work is done within a second, nothing is written at all.
"""

import atexit
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from contextlib import closing, contextmanager, suppress
from threading import RLock, Timer
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, Task, TaskID

Item = TypeVar("Item")
Unit: TypeAlias = Literal["items", "rows", "nothing"]
"""What a bar counts."""

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
    return _shown(items, what, total, "items", lambda _: 1)


def count_rows(
    blocks: Iterable[Item],
    what: str,
    total: int | None,
    rows: Callable[[Item], int],
    proportion: Callable[[], float | None] = lambda: None,
) -> Iterator[Item]:
    """Yield blocks of rows, and show how many rows are done, how fast, and how long it will take.

    Parameters
    ----------
    total : how many rows there are, if that is known
    rows : how many a block has
    proportion : how much of the work is done, where that is known and the number of rows is not
    """
    return _shown(blocks, what, total, "rows", rows, proportion)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that something is done, and for how long, if it takes longer than a second.

    Loops inside add their bars.
    """
    with closing(_shown((None,), what, None, "nothing", lambda _: 0)) as once:
        for _ in once:
            yield


def _shown(
    items: Iterable[Item],
    what: str,
    total: int | None,
    unit: Unit,
    size: Callable[[Item], int],
    proportion: Callable[[], float | None] = lambda: None,
) -> Generator[Item, None, None]:
    """Yield the items and let a bar follow."""
    progress = _display.opened(sys.stderr)
    if progress is None:
        yield from items
        return
    bar, done = progress.add_task(what, total=total, unit=unit), 0
    try:
        for item in items:
            yield item
            done += size(item)
            part = proportion() if total is None else None
            progress.update(bar, completed=done, total=done / part if part else total)
    finally:
        _display.remove(progress, bar)


class _Display:
    """The bars of all loops of the process: it opens with the first and closes with the last."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._progress: Progress | None = None
        self._timer = Timer(DELAY, str)

    def opened(self, terminal: TextIO | None) -> "Progress | None":
        """The display, which appears after a while; None where nobody could see it."""
        with self._lock:
            if self._progress is None:
                self._progress = _new_progress(terminal)
                if self._progress is not None:
                    # A thread, so that it appears in time even if the first item takes long.
                    self._timer = Timer(DELAY, _start, (self._progress,))
                    self._timer.daemon = True
                    self._timer.start()
            return self._progress

    def remove(self, progress: "Progress", bar: "TaskID") -> None:
        """Take a bar away, and with the last one the display."""
        with self._lock:
            if progress is self._progress and progress.task_ids == [bar]:
                self.close()
            progress.remove_task(bar)

    def close(self) -> None:
        """Leave the terminal as it was."""
        with self._lock:
            self._timer.cancel()
            if self._progress is not None:
                self._timer.join()  # it may be starting the display
                with suppress(*_BROKEN):
                    self._progress.stop()
                self._progress = None


_display = _Display()
# An iterator that somebody keeps must not leave the terminal without a cursor.
atexit.register(_display.close)


def _new_progress(terminal: TextIO | None) -> "Progress | None":
    """The display on a terminal; None if it is not one, or without rich."""
    try:
        if terminal is None or not terminal.isatty():
            return None
        from rich.console import Console
        from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
        from rich.table import Column
        from rich.text import Text
    except (ImportError, *_BROKEN):
        return None

    class Amount(ProgressColumn):
        def render(self, task: "Task") -> Text:
            return Text(_amount(task))

    console = Console(file=terminal)
    name = Column(no_wrap=True, overflow="ellipsis", max_width=max(8, console.width // 2 - 10))
    # What the loop prints stays where it prints it: standard output may be a file.
    return Progress(
        TextColumn("{task.description}", markup=False, table_column=name),
        BarColumn(bar_width=max(4, console.width // 2 - 15)),
        Amount(Column(no_wrap=True, justify="right")),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=console.is_dumb_terminal,
    )


def _start(progress: "Progress") -> None:
    with suppress(*_BROKEN):
        progress.start()


def _amount(task: "Task") -> str:
    """How much is done, and how long it takes; of rows how many a second and the time left."""
    unit, seconds, done = task.fields["unit"], task.elapsed or 0.0, task.completed
    if unit == "nothing":
        return _clock(seconds)
    if unit == "items":
        of_all = "" if task.total is None else f"/{task.total:.0f}"
        return f"{done:.0f}{of_all}  {_clock(seconds)}"
    count = f"{_short(done)} rows, {_short(done / max(seconds, 1e-9))}/s"
    if not (done and task.total):
        return f"{count}  {_clock(seconds)}"
    return f"{count}  {_clock(seconds * max(task.total / done - 1.0, 0.0))} left"


def _short(number: float) -> str:
    """A large number in few letters."""
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.0f}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"
