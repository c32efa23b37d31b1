"""``gaussbayes update MODEL DATA...``: a model learns from more rows."""

from typing import Any

import click

from gaussbayes.apps.cli import changing, options


@click.command("update")
@changing.rows_options
@options.json_option("Write what was learnt from as JSON to standard output.")
def command(**arguments: Any) -> None:
    """Let a model learn from more rows, as if it had seen them from the start.

    Classes that are new join it. The model file is replaced in one step when all rows are read; if
    anything goes wrong it stays as it was.

    \b
    gaussbayes update iris.json monday.csv tuesday.csv
    """
    step = changing.Change("learnt from", lambda model, more: model.updated(more))
    changing.change(step, **arguments)
