"""How commands write: messages, tables for a terminal of 80 columns, JSON for programs."""

import json
import math
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.base.errors import GaussBayesError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDEST_TEXT = 88
"""Columns of running text."""

_WIDEST = 120
"""Columns of a table; beyond, the eye loses the line."""

_WIDEST_HEADING = 10
"""Letters above a column of a narrow table."""


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


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Let errors begin with what they are about, as only the command line can call it.

    Examples
    --------
    >>> with naming("new.csv does not fit iris.json"):
    ...     raise GaussBayesError("it has no rows")
    Traceback (most recent call last):
    gaussbayes.base.errors.GaussBayesError: new.csv does not fit iris.json: it has no rows
    """
    try:
        yield
    except GaussBayesError as error:
        msg = f"{what}: {error}"
        raise type(error)(msg) from None


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

    plain = bool(os.environ.get("NO_COLOR"))
    console = QuietConsole(
        stderr=stderr,
        color_system=None if plain else "auto",
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.width = min(console.width, _WIDEST)
    return console


def print_tables(console: "Console", tables: Sequence["Table"]) -> None:
    """Tables, each after an empty line."""
    for table in tables:
        console.print()
        console.print(table)


def paragraph(console: "Console", text: str, *, indent: int = 0, style: str = "") -> None:
    """Print running text, wrapped where lines are still easy to read."""
    from rich.text import Text

    width = min(console.width, WIDEST_TEXT) - indent
    for line in Text(text, style=style).wrap(console, width):
        line.rstrip()
        console.print(Text(" " * indent).append_text(line))


def text_table(*columns: str, title: str | None = None, leading: int = 0) -> "Table":
    """An empty table in the style of all commands, its columns wrapped where they must be."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
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
    for name in columns:
        table.add_column(name, overflow="fold")
    return table


def number_table(first: str, *columns: str, title: str | None = None) -> "Table":
    """An empty table of numbers, close together, a name before each line."""
    table = text_table(first, *columns, title=title)
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    return table


def narrow_table(first: str, *columns: str, title: str) -> "Table":
    """The same with headings that are shortened, so that several columns fit side by side."""
    headings = (shortened(column, _WIDEST_HEADING) for column in columns)
    table = number_table(first, *headings, title=shortened(title, 60))
    table.columns[0].min_width = 12
    for column in table.columns[1:]:
        column.min_width = 8
    return table


def shortened(name: str, most: int) -> str:
    """A name without its middle if it is long; numbered names differ at their ends.

    Examples
    --------
    >>> shortened("mean of a measurement, number 17", 12)
    'mean …ber 17'
    """
    half = most // 2
    return name if len(name) <= most else f"{name[: half - 1]}…{name[-half:]}"


def counted(number: float, thing: str, plural: str | None = None) -> str:
    """A number of things.

    Examples
    --------
    >>> counted(1, "class", "classes"), counted(1234567, "row")
    ('1 class', '1,234,567 rows')
    """
    return f"{number:,} {thing if number == 1 else plural or thing + 's'}"


def five_digits(value: float, sign: str = "") -> str:
    """A number to five digits, with a true minus; with ``sign="+"`` also what is positive has one.

    Examples
    --------
    >>> five_digits(-1234567.0), five_digits(0.25, sign="+"), five_digits(-math.inf)
    ('−1.2346e+06', '+0.25', '−∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return _with_minus(f"{value + 0.0:{sign}.5g}")  # + 0.0: no minus before a zero


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals.

    Examples
    --------
    >>> fixed(-0.66667, 3), fixed(-0.0001, 3), fixed(math.inf, 4), fixed(math.nan, 4)
    ('−0.667', '0.000', '∞', '–')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return _with_minus(f"{round(value, decimals) + 0.0:.{decimals}f}")


def percent(proportion: float) -> str:
    """A proportion in percent.

    Examples
    --------
    >>> percent(0.0213), percent(math.nan)
    ('2.13 %', '–')
    """
    return "–" if math.isnan(proportion) else f"{100 * proportion:.2f} %"


def finite(value: float) -> float | None:
    """A number as JSON can hold it: None for infinity and NaN."""
    return float(value) if math.isfinite(value) else None


def _with_minus(text: str) -> str:
    return "−" + text[1:] if text.startswith("-") else text
