"""``gaussbayes export MODEL -o score.sql``: a model in other words, by the name of the file."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gaussbayes.apps.cli import command_files
from gaussbayes.apps.cli.command_options import STANDARD, as_names, option, takes
from gaussbayes.base.atomic import replace_file
from gaussbayes.model.model import Model

_DIALECTS = ("duckdb", "postgres", "sqlite", "spark", "bigquery")


def _sql(model: Model, table: str, dialect: str, **options: Any) -> bytes:
    return model.to_sql(table, dialect, **options).encode()


WRITERS: dict[str, Callable[..., bytes]] = {".sql": _sql}
"""What is written, by how the name of the file ends."""


@click.command("export")
@takes("model")
@option("-o", "--output FILE.sql", required=True, type=click.Path(dir_okay=False, allow_dash=True))
@option("--dialect", type=click.Choice(_DIALECTS), default="duckdb")
@option("--table NAME", default="rows")
@option("--keep A,B,...", what="Columns of the table to pass on, such as a key.", convert=as_names)
@option("--errors", type=click.Choice(["null", "raise"]), default="null")
@option("--patterns", type=click.Choice(["seen", "all"]), default="seen")
def command(model: str, output: str, keep: tuple[str, ...] | None, **how: Any) -> None:
    """Write a model as SQL that scores the rows of a table in a database.

    The file has one SELECT, whose columns are prediction, a probability proba_... for each class,
    and log_evidence. The table must have the features under their names. NULL is a missing value.
    With - as FILE the statement goes to standard output.

    \b
    gaussbayes export iris.json -o score.sql --dialect postgres --table flowers --keep id
    gaussbayes export iris.json -o - --dialect sqlite --table flowers | sqlite3 garden.db
    """
    suffix = ".sql" if output == STANDARD else Path(output).suffix.lower()
    if suffix not in WRITERS:
        possible = ", ".join(WRITERS)
        msg = f"the name of the file must end in {possible}, which says what is written: {output!r}"
        raise click.BadParameter(msg, param_hint="--output")
    fitted = command_files.read_solved(model)
    command_files.check_no_overwriting(output, model)
    data = WRITERS[suffix](fitted, keep=keep or (), **how)
    if output == STANDARD:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        replace_file(Path(output), data, "the statement")
