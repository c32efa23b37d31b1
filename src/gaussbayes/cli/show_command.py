"""``gaussbayes show MODEL|FILE``: a model, or the columns of a file."""

from typing import Any

import click

from gaussbayes.cli import console, fit_command, flags, inputs

_PARAMETERS = (
    *("priors_", "means_", "covariances_", "correlations_", "category_probabilities_"),
    "n_parameters_",
)


@click.command("show")
@click.argument("file", metavar="MODEL|FILE", type=flags.SOURCE)
@flags.target
@flags.settings
@flags.as_json
def command(file: str, target: str | None, as_json: bool, **arguments: Any) -> None:
    """Show a model, or preview the columns of a file.

    A model is shown with its columns, its parameters in the units of the table, the model
    selection and its notices. For a file of rows, show lists what fit would decide about each
    column; -y excludes the column of the classes and finds columns that repeat it.

    \b
    gaussbayes show model.json
    gaussbayes show patients.csv -y ill
    """
    values = flags.given_values(arguments)
    if not inputs.holds_model(file):
        rows = inputs.open_rows((file,), values)
        columns = rows.columns(target, inputs.make_classifier(values).columns)
        console.show(columns, as_json=as_json)
        return
    model = inputs.load_model(file)
    if as_json:
        found = {name[:-1]: getattr(model, name) for name in _PARAMETERS if hasattr(model, name)}
        console.show(None, as_json=True, model=file, **fit_command.fit_record(model), **found)
        return
    blocks = [model, model.columns_, getattr(model, "selection_", None)]
    click.echo("\n\n".join(str(block) for block in blocks if block is not None))
    with click.Context(fit_command.command):  # remedies are options of fit
        console.tell_notices(fit_command.notices_of(model))
