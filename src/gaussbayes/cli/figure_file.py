"""One figure, drawn without windows and written as a file, whole or not at all."""

import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import click

from gaussbayes.cli import command_files
from gaussbayes.cli.command_options import STANDARD

ENDINGS = (".png", ".svg", ".pdf")
DPI = 150


def check_place(name: str, *read: str) -> None:
    """Raise unless a figure can be written there; before it is drawn, not after."""
    if name == STANDARD:
        return
    if Path(name).suffix.lower() not in ENDINGS:
        msg = f"figures are written as {', '.join(ENDINGS)} files, got {name!r}"
        raise click.UsageError(msg)
    command_files.check_no_overwriting(name, *read)
    command_files.check_writable(name, "the figure")


def save(
    draw: Callable[[], object], name: str, dpi: int = DPI, size: tuple[float, float] | None = None
) -> None:
    """Draw a figure, of so many inches, and write it to a file, or as PNG to standard output."""
    import matplotlib as mpl

    mpl.use("agg")  # no windows, even where there is a screen
    import matplotlib.pyplot as plt

    from gaussbayes.base.atomic import replace_file

    ending = ".png" if name == STANDARD else Path(name).suffix.lower()
    drawn = BytesIO()
    try:
        draw()
        figure = plt.gcf()
        if size is not None:
            figure.set_size_inches(size)
        # Without the date and with the same names inside, the same figure is the same file.
        dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending)
        with mpl.rc_context({"svg.hashsalt": "gaussbayes"}):
            figure.savefig(drawn, format=ending[1:], dpi=dpi, metadata=dated)
    finally:
        plt.close("all")
    if name == STANDARD:
        sys.stdout.buffer.write(drawn.getvalue())
        sys.stdout.buffer.flush()
    else:
        replace_file(Path(name), drawn.getvalue(), "the figure")
