"""How commands write: messages, tables for a terminal of 80 columns, JSON for programs."""

import json
import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.base.text_tables import Block

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST_TEXT = 88  # columns of running text
_WIDEST = 120  # columns of a table; beyond, the eye loses the line


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


def stdout_console() -> "Console":
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
    console = QuietConsole(color_system=colors, markup=False, emoji=False, highlight=False)
    console.width = min(console.width, _WIDEST)
    return console


def print_blocks(console: "Console", *blocks: Block) -> None:
    """Sentences and tables, with an empty line between."""
    for place, block in enumerate(blocks):
        if place:
            console.print()
        if isinstance(block, str):
            paragraph(console, block, style=getattr(block, "style", ""))
        else:
            console.print(block)


def paragraph(console: "Console", text: str, *, style: str = "", title: str = "") -> None:
    """Print running text, wrapped where lines are still easy to read, beside a title if any."""
    from rich.text import Text

    width = min(console.width, _WIDEST_TEXT) - len(title)
    for place, line in enumerate(Text(text, style=style).wrap(console, width)):
        line.rstrip()
        console.print(Text(" " * len(title) if place else title).append_text(line))


def finite(value: float) -> float | None:
    """A number as JSON can hold it: None for infinity and NaN."""
    return float(value) if math.isfinite(value) else None
