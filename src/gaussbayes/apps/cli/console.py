"""How commands write: messages, tables for a terminal of 80 columns, JSON for programs."""

import json
import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDEST_TEXT = 88  # columns of running text
_WIDEST = 120  # columns of a table; beyond, the eye loses the line
_WIDEST_HEADING = 10  # letters above a column of a narrow table


def tell(text: str) -> None:
    """Say something on standard error, where it does not mix with data."""
    click.echo(text, err=True)


@contextmanager
def warnings_told() -> Iterator[None]:
    """Say what the library warns of as the command says things: without lines of its code."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in seen:
        tell(f"warning: {warning.message}")


def write_json(value: Any, *, indent: int | None = None) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=indent))


def stdout_console(*, stderr: bool = False) -> "Console":
    """Where to print: as wide as the terminal up to a limit, with 80 columns where there is none.

    Escape codes are written to terminals only, and never where ``NO_COLOR`` is set: rich would
    leave out the colours, but not bold and dim.
    """
    from rich.console import Console

    class QuietConsole(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to the command what to do when nobody reads on; rich would end with 1."""
            raise  # noqa: PLE0704 (called while the error is handled)

    colors: Any = None if os.environ.get("NO_COLOR") else "auto"
    console = QuietConsole(
        stderr=stderr, color_system=colors, markup=False, emoji=False, highlight=False
    )
    console.width = min(console.width, _WIDEST)
    return console


def print_tables(console: "Console", *tables: "Table") -> None:
    """Tables, each after an empty line."""
    for each in tables:
        console.print()
        console.print(each)


def paragraph(console: "Console", text: str, *, indent: int = 0, style: str = "") -> None:
    """Print running text, wrapped where lines are still easy to read."""
    from rich.text import Text

    width = min(console.width, WIDEST_TEXT) - indent
    for line in Text(text, style=style).wrap(console, width):
        line.rstrip()
        console.print(Text(" " * indent).append_text(line))


def table(*columns: str, title: str | None = None, n_text: int = 1, leading: int = 0) -> "Table":
    """An empty table in the style of all commands; columns after the first `n_text` are numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    empty = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        caption_style="dim",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        leading=leading,
    )
    for place, name in enumerate(columns):
        number = place >= n_text
        empty.add_column(
            name, overflow="fold", justify="right" if number else "left", no_wrap=number
        )
    return empty


def narrow_table(first: str, *columns: str, title: str) -> "Table":
    """The same with headings that are shortened, so that several columns fit side by side."""
    headings = (shortened(column, _WIDEST_HEADING) for column in columns)
    empty = table(first, *headings, title=shortened(title, 60))
    for column, width in zip(empty.columns, [12, *(8 for _ in columns)], strict=True):
        column.min_width = width
    return empty


def shortened(name: str, most: int) -> str:
    """A name without its middle if it is long; numbered names differ at their ends.

    Examples
    --------
    >>> shortened("mean of a measurement, number 17", 12)
    'mean …ber 17'
    """
    half = most // 2
    return name if len(name) <= most else f"{name[: half - 1]}…{name[-half:]}"


def percent(proportion: float | None) -> str:
    """A proportion in percent; a dash for None and NaN."""
    if proportion is None or math.isnan(proportion):
        return "–"
    return f"{100 * proportion:.2f} %"


def finite(value: float) -> float | None:
    """A number as JSON can hold it: None for infinity and NaN."""
    return float(value) if math.isfinite(value) else None
