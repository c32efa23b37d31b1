"""``gaussbayes explain MODEL FILE``: Bayes' rule for one row."""

from typing import TYPE_CHECKING, Any

import click

from gaussbayes import DataError
from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.flags import option
from gaussbayes.cli.inputs import Classifier, Rows

if TYPE_CHECKING:
    import pyarrow as pa


@click.command("explain")
@flags.model
@click.argument("file", type=flags.SOURCE)
@flags.row
@option("--between A,B", "Two classes.  [default: the two most probable]")
@flags.settings
@flags.as_json
def command(
    model: str,
    file: str,
    row: int,
    between: str | None,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Explain one prediction with every number of Bayes' rule.

    The contribution of a feature to the log-odds of two classes is its Shapley value. Missing
    features are integrated out and contribute nothing.

    \b
    gaussbayes explain model.json new.csv --row 3
    gaussbayes explain model.json new.csv --row 3 --between setosa,virginica
    """
    inputs.check_inputs(model, file)
    values = flags.given_values(arguments)
    inputs.check_only_reading(values)
    fitted = inputs.load_model(model)
    one = find_row(fitted, inputs.open_rows((file,), values), row)
    explanation = fitted.explain(one, _pair(fitted, between))
    if not as_json:
        click.echo(f"Row {row} of {file}\n")
    console.show(explanation, as_json=as_json, model=model, file=file, row=row)


def find_row(model: Classifier, rows: Rows, number: int) -> "pa.Table":
    """Return the features of one row, counted from 1."""
    first = 1
    for batch in rows.batches(columns=model.columns_):
        if number < first + batch.num_rows:
            return inputs.used_columns(model, batch).slice(number - first, 1)
        first += batch.num_rows
    msg = f"{rows} has {inputs.counted(first - 1, 'row')}: there is no row {number}"
    raise DataError(msg)


def _pair(model: Classifier, text: str | None) -> tuple[Any, Any] | None:
    if text is None:
        return None
    labels = {str(label): label for label in model.classes_.tolist()}
    names = flags.items(text)
    if len(names) != 2 or not set(names) <= set(labels):
        msg = f"must be two of the classes {', '.join(labels)}; got {text!r}"
        raise click.BadParameter(msg, param_hint="'--between'")
    return labels[names[0]], labels[names[1]]
