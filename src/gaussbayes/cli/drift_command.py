"""``gaussbayes drift OLD NEW...``: whether new rows differ from those of a model."""

from typing import Any

import click

from gaussbayes import drift
from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.flags import option


@click.command("drift")
@click.argument("old", type=flags.MODEL)
@click.argument("new", metavar="NEW...", nargs=-1, required=True, type=flags.SOURCE)
@flags.target
@flags.weights
@option("--unlabelled", "Compare the features alone, without classes.")
@flags.settings
@flags.as_json
def command(
    old: str,
    new: tuple[str, ...],
    target: str | None,
    weights: str | None,
    unlabelled: bool,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Test whether new rows differ from those of a model.

    NEW is another model or files of rows. With classes, likelihood-ratio tests compare the class
    frequencies and the parameters of each class; p-values are adjusted by Holm's method. Rows
    without classes are compared by their evidence and by the moments of each feature.

    \b
    gaussbayes drift spring.json autumn.json
    gaussbayes drift spring.json 'october/*.csv'
    """
    inputs.check_inputs(old, *new)
    values = flags.given_values(arguments)
    inputs.check_only_reading(values)
    model = inputs.load_model(old)
    with console.warnings_as_notices():
        if inputs.holds_model(new[0]):
            result = drift(model, inputs.load_model(new[0]))
        else:
            rows = inputs.open_rows(new, values)
            y = target or model.columns_.target
            labelled = not unlabelled and (target is not None or y in rows.names)
            result = drift(model, rows, y if labelled else None, weights)
    console.show(result, as_json=as_json)
