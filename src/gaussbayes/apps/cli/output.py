"""How commands write: text and tables for people, JSON for programs."""

import json
import os
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WIDEST = 120
"""Columns of a table; beyond, the eye loses the line."""

WIDEST_TEXT = 88
"""Columns of running text."""

_WIDEST_HEADING = 10
"""Letters above a column of a narrow table."""


def console(*, stderr: bool = False) -> "Console":
    """Where to print: as wide as the terminal up to a limit, with 80 columns where there is none.

    Escape codes are written to terminals only, and never where ``NO_COLOR`` is set: rich would
    leave out the colours, but not bold and dim.
    """
    from rich.console import Console

    class QuietConsole(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to the command what to do when nobody reads on; rich would end with 1."""
            raise  # noqa: PLE0704 (called while the error is handled)

    plain = bool(os.environ.get("NO_COLOR"))
    made = QuietConsole(
        stderr=stderr,
        color_system=None if plain else "auto",
        markup=False,
        emoji=False,
        highlight=False,
    )
    made.width = min(made.width, _WIDEST)
    return made


def table(*columns: str, title: str | None = None) -> "Table":
    """An empty table in the style of all commands, its columns wrapped where they must be."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        leading=1,
    )
    for name in columns:
        made.add_column(name, overflow="fold")
    return made


def number_table(first: str, *columns: str, title: str) -> "Table":
    """An empty table of numbers, close together, a name before each line."""
    made = table(first, *columns, title=title)
    made.leading = 0
    for column in made.columns[1:]:
        column.justify, column.no_wrap = "right", True
    return made


def narrow_table(first: str, *columns: str, title: str) -> "Table":
    """The same with headings that are shortened, so that several columns fit side by side."""
    headings = (shortened(column, _WIDEST_HEADING) for column in columns)
    made = number_table(first, *headings, title=shortened(title, 60))
    made.columns[0].min_width = 12
    for column in made.columns[1:]:
        column.min_width = 8
    return made


def paragraph(to: "Console", text: str, *, indent: int = 0, style: str = "") -> None:
    """Print running text, wrapped where lines are still easy to read."""
    from rich.text import Text

    width = min(to.width, WIDEST_TEXT) - indent
    for line in Text(text, style=style).wrap(to, width):
        line.rstrip()
        to.print(Text(" " * indent).append_text(line))


def write_json(value: Any, *, indent: int | None = None) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=indent))


def shortened(name: str, most: int) -> str:
    """A name without its middle if it is long; numbered names differ at their ends.

    Examples
    --------
    >>> shortened("mean of a measurement, number 17", 12)
    'mean …ber 17'
    """
    half = most // 2
    return name if len(name) <= most else f"{name[: half - 1]}…{name[-half:]}"
