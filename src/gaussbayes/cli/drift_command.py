"""``gaussbayes drift OLD NEW``: whether new rows are like those that a model has learnt from."""

from typing import Any

import click

from gaussbayes.analysis.drift import Drift, drift
from gaussbayes.base.numerals import score
from gaussbayes.cli import command_files, command_options, console
from gaussbayes.cli.command_files import naming
from gaussbayes.cli.command_options import MODEL, SOURCE, RowOptions, option, takes
from gaussbayes.cli.console import warnings_told
from gaussbayes.cli.evaluate_command import GateFailedError
from gaussbayes.cli.labelled_files import LabelledFiles
from gaussbayes.model.model import Model
from gaussbayes.model.sources import Observation


@click.command("drift")
@click.argument("old", type=MODEL)
@click.argument("new", metavar="NEW|DATA...", nargs=-1, required=True, type=SOURCE)
@option("-y", "--target TARGET", what="The column that holds the classes.  [default: as before]")
@option("--min-p NUMBER", convert=command_options.number_from_0(1.0))
@takes("weights", "labels", "reading", json="Write all tests as JSON.")
def command(
    old: str, new: tuple[str, ...], min_p: float | None, as_json: bool, **arguments: Any
) -> None:
    """Test whether new rows are like those that a model has learnt from.

    NEW is another model file, or files of labelled rows, which are read as those of OLD were.
    Models are compared by their statistics alone. Class frequencies and, in each class, the
    parameters of every family are tested by likelihood ratios; the first p-value is that of
    everything together, p-values of classes and of features are adjusted by Holm's method. Rows
    without label are not compared.

    \b
    gaussbayes drift spring.json autumn.json
    gaussbayes drift spring.json 'october/*.csv' --min-p 0.001 || echo 'fit again'
    """
    command_files.check_one_input(old, *new)
    chosen = RowOptions.taken(arguments)
    before = command_files.read_model(old)
    if len(new) == 1 and command_files.holds_model(new[0]):
        after, shown = command_files.read_model(new[0]), new[0]
    else:
        after, shown = _model_of_files(before, old, new, chosen)
    with naming(f"{shown} cannot be compared with {old}"):
        result = drift(before, after)
    if as_json:
        console.write_json({"old": old, "new": shown} | result.record())
    else:
        console.print_blocks(console.stdout_console(), *result.tables())
    _check_gate(result, min_p)


def _model_of_files(
    before: Model, old: str, data: tuple[str, ...], chosen: RowOptions
) -> tuple[Model, str]:
    """The model of rows in files, read as those of the model before, and what they are called."""
    before = before.weighted_members[0][1]
    source = command_files.open_files(data, chosen, before)
    rows = LabelledFiles.of_model(source, chosen, before, old).rows
    with warnings_told():
        reduced = rows.reduce(Observation(before.observing, before.schema, labelled_only=True))
    command_files.tell_bad_rows(reduced.bad_rows)
    with naming(f"{source.shown} does not fit {old}"):
        return before.of_rows(reduced.total), source.shown


def _check_gate(result: Drift, min_p: float | None) -> None:
    if min_p is not None and not result.p_value >= min_p:
        msg = f"the p-value of drift is {score(result.p_value)}, below --min-p {min_p:g}"
        raise GateFailedError(msg)
