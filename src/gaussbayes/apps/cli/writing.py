"""Rows that verbs write: to a file that appears whole at the end or not at all, or to ``-``."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from gaussbayes.base.errors import ParameterError


def refuse_overwriting(output: str, *read: str) -> None:
    """Raise if what is to be written is one of the files that are read."""
    place = Path(output)
    if output == "-" or not place.is_file():  # a terminal may be both
        return
    for name in read:
        path = Path(name)
        if path.exists() and place.samefile(path):
            msg = f"{output} is read, so that it cannot be written as well: give another name"
            raise click.UsageError(msg)


def write(
    tables: Iterable[Any], schema: Any, output: str, file_format: str | None, *, escape: bool
) -> None:
    """Write tables of rows one after the other.

    Parameters
    ----------
    tables : Arrow tables
    schema : the columns of all of them, so that there is a header even without rows
    output : a file or ``-``
    file_format : None is told by the name
    """
    from gaussbayes.data.sources.output import open_output

    try:
        opened = open_output(output, schema, format=file_format, escape=escape)
    except ParameterError as error:  # no format, or one that cannot be escaped
        raise click.UsageError(str(error)) from None
    with opened as writer:
        for table in tables:
            writer.write(table)
