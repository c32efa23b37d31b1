"""``gaussbayes forget MODEL DATA...``: rows taken away from a model again."""

from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import changing, options
from gaussbayes.base.errors import RemovalError

if TYPE_CHECKING:
    from gaussbayes.model.labelled import LabelledMoments
    from gaussbayes.model.model import Model


@click.command("forget")
@changing.rows_options
@options.json_option("Write what was forgotten as JSON to standard output.")
def command(**arguments: Any) -> None:
    """Let a model forget rows, exactly as if it had never seen them.

    The other rows are not needed. Rows that cannot have been among those seen are refused. A class
    of which no row is left is no class any more. The model file is replaced in one step; if
    anything goes wrong it stays as it was.

    \b
    gaussbayes forget iris.json withdrawn.csv
    """
    changing.change(changing.Change("forgot", _without), **arguments)


def _without(model: "Model", gone: "LabelledMoments") -> "Model":
    left = model.without(gone.with_rows())
    if not left.schema.classes.size:
        msg = "they are all that the model has seen, so that nothing would be left: delete its file"
        raise RemovalError(msg)
    return left
