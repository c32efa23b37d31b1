"""A progress bar for tasks that take longer than a second, if standard error is a terminal.

rich draws it. Without a terminal, without rich, or if the task takes less than a second, nothing is
written.
"""

import atexit
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import suppress
from threading import RLock, Timer
from typing import TYPE_CHECKING, TextIO, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Item = TypeVar("Item")

DELAY = 1.0
"""Seconds before a bar appears."""

_BROKEN = (OSError, ValueError)
"""Errors of writing to a closed terminal; the work continues without a bar."""


def track(
    items: Iterable[Item],
    what: str,
    total: float | None = None,
    size: Callable[[Item], int] = lambda _: 1,
    proportion: Callable[[], float | None] = lambda: None,
) -> Iterator[Item]:
    """Yield the items, and show how many are done if the loop takes longer than a second.

    A loop inside another one adds its bar to the same display. The display disappears when the
    outer loop ends, breaks off or raises.

    Parameters
    ----------
    what : the task, in a few words
    total : how many there are; None is the number of items, if they have one
    size : how many each item counts for, such as the rows of a block
    proportion : the completed proportion of the work, if it is known and the total is not
    """
    progress = _display.opened(sys.stderr)
    if progress is None:
        yield from items
        return
    if total is None and isinstance(items, Sized):
        total = len(items)
    bar, done = progress.add_task(what, total=total), 0
    try:
        for item in items:
            yield item
            done += size(item)
            part = proportion() if total is None else None
            progress.update(bar, completed=done, total=round(done / part) if part else total)
    finally:
        _display.remove(progress, bar)


class _Display:
    """The bars of all loops of the process, in a display that lasts from the first to the last."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._progress: Progress | None = None
        self._timer = Timer(DELAY, str)

    def opened(self, terminal: TextIO | None) -> "Progress | None":
        """The display, which appears after a delay; None without a terminal."""
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
        """Remove a bar, and with the last one the display."""
        with self._lock:
            if progress is self._progress and progress.task_ids == [bar]:
                self.close()
            progress.remove_task(bar)

    def close(self) -> None:
        """Restore the terminal."""
        with self._lock:
            self._timer.cancel()
            if self._progress is not None:
                self._timer.join()  # it may be starting the display
                with suppress(*_BROKEN):
                    self._progress.stop()
                self._progress = None


_display = _Display()
# An iterator that is kept but not finished must not leave the terminal without a cursor.
atexit.register(_display.close)


def _new_progress(terminal: TextIO | None) -> "Progress | None":
    """The display on a terminal; None if it is not one, or without rich."""
    try:
        if terminal is None or not terminal.isatty():
            return None
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.table import Column
    except (ImportError, *_BROKEN):
        return None
    console = Console(file=terminal)
    name = Column(no_wrap=True, overflow="ellipsis", max_width=max(8, console.width // 2 - 10))
    # Output of the loop is not redirected: standard output may be a file.
    return Progress(
        TextColumn("{task.description}", markup=False, table_column=name),
        BarColumn(bar_width=max(4, console.width // 2 - 20)),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=console.is_dumb_terminal,
    )


def _start(progress: "Progress") -> None:
    with suppress(*_BROKEN):
        progress.start()
