"""``gaussbayes export MODEL -o FILE``: a model for databases and runtimes, by the file's ending."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from gaussbayes.base.atomic import replace_file
from gaussbayes.cli import command_files
from gaussbayes.cli.command_options import (
    OUTPUT,
    STANDARD,
    as_names,
    option,
    option_given,
    takes,
)
from gaussbayes.cli.console import tell
from gaussbayes.model.model import Model


def _sql(model: Model, *, table: str, keep: tuple[str, ...] | None, **how: Any) -> bytes:
    return model.to_sql(table, keep=keep or (), **how).encode()


def _onnx(model: Model, *, dtype: Any) -> bytes:
    from gaussbayes.export.onnx_model import onnx_bytes

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
@option("-o", "--output EXPORT", type=OUTPUT, required=True)
@option("--table NAME", default="rows")
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

    The ending of EXPORT says which; with - SQL goes to standard output. Missing values are
    integrated out, and what cannot be expressed is refused before anything is written.

    SQL is one SELECT, whose columns are prediction, a probability proba_... for each class, and
    log_evidence. The table must have the features under their names. NULL is a missing value.

    ONNX takes the numbers as one tensor X and each categorical feature as one of its name; NaN is a
    missing value. Its results are label, probabilities and log_evidence.

    \b
    gaussbayes export iris.json -o score.sql --dialect postgres --table flowers --keep id
    gaussbayes export iris.json -o - --dialect sqlite --table flowers | sqlite3 garden.db
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
