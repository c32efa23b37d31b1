"""``gaussbayes export MODEL -o FILE``: a model for databases and runtimes, by the file's ending."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from gaussbayes.apps.cli import command_files
from gaussbayes.apps.cli.command_options import (
    OUTPUT,
    STANDARD,
    as_names,
    option,
    option_given,
    takes,
)
from gaussbayes.apps.cli.console import tell
from gaussbayes.base.atomic import replace_file
from gaussbayes.model.model import Model


def _sql(model: Model, *, table: str | None, keep: tuple[str, ...] | None, **how: Any) -> bytes:
    statement = model.to_sql(table or "rows", keep=keep or (), **how)
    return f"{statement.rstrip(';')};\n".encode()


def _onnx(model: Model, *, dtype: Any) -> bytes:
    from gaussbayes.exports.onnx_model import onnx_bytes

    return onnx_bytes(model.expression("ONNX"), dtype)


@dataclass(frozen=True, slots=True)
class Export:
    """How a kind of file is written, and the options that it takes."""

    written: Callable[..., bytes]
    options: tuple[str, ...]


EXPORTS = {
    ".sql": Export(_sql, ("table", "dialect", "keep", "errors", "patterns")),
    ".onnx": Export(_onnx, ("dtype",)),
}
"""Kinds of files by their endings."""


@click.command("export")
@takes("model")
@option("-o", "--output FILE", type=OUTPUT, required=True, what="The file: .sql or .onnx.")
@option("--table NAME")
@option(
    "--dialect",
    type=click.Choice(["duckdb", "postgres", "sqlite", "spark", "bigquery"]),
    default="duckdb",
)
@option(
    "--keep A,B,...",
    convert=as_names,
    what="Columns of the table that SQL passes on, such as a key.",
)
@option("--errors", type=click.Choice(["null", "raise"]), default="null")
@option("--patterns", type=click.Choice(["seen", "all"]), default="seen")
@option("--dtype", type=click.Choice(["float64", "float32"]), default="float64")
def command(model: str, output: str, **options: Any) -> None:
    """Export a model: SQL for databases, ONNX for other runtimes.

    The ending of FILE says which: .sql is one SELECT that scores the rows of a table, .onnx a graph
    of tensors. Both give label, posteriors and log evidence, with missing values integrated out. -
    writes SQL to standard output. What cannot be expressed is refused before anything is written.

    \b
    gaussbayes export iris.json -o score.sql --table flowers --dialect postgres
    gaussbayes export iris.json -o iris.onnx --dtype float32
    """
    ending = ".sql" if output == STANDARD else Path(output).suffix.lower()
    if ending not in EXPORTS:
        known = " or ".join(EXPORTS)
        msg = f"the file must end in {known}, got {output!r}"
        raise click.UsageError(msg)
    export = EXPORTS[ending]
    strange = option_given(*(name for name in options if name not in export.options))
    if strange is not None:
        msg = f"{strange} is not for files that end in {ending}"
        raise click.UsageError(msg)
    command_files.check_no_overwriting(output, model)
    command_files.check_writable(output, "the export")
    fitted = command_files.read_solved(model)
    content = export.written(fitted, **{name: options[name] for name in export.options})
    if output == STANDARD:
        sys.stdout.write(content.decode())
    else:
        replace_file(Path(output), content, "the export")
        tell(f"the model is in {output}")
