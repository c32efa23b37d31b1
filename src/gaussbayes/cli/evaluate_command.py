"""``gaussbayes evaluate``: how good a model's predictions are, on rows that it has not seen."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gaussbayes.analysis.held_out import evaluate_held_out, evaluate_rows
from gaussbayes.base.numerals import counted
from gaussbayes.cli import command_files, command_options, console
from gaussbayes.cli.command_options import SOURCE, RowOptions, option, takes
from gaussbayes.cli.compare_command import COMPARED_SINGLY
from gaussbayes.cli.console import tell, warnings_told
from gaussbayes.cli.fit_command import fit_files
from gaussbayes.cli.labelled_files import LabelledFiles
from gaussbayes.cli.predict_command import read_costs
from gaussbayes.data.files import Source
from gaussbayes.model.evaluation import FIGURES, Evaluation
from gaussbayes.model.model import Model, check_n_classes
from gaussbayes.model.summary import model_title

GATES = {
    "min_accuracy": 1.0,
    "max_error": 1.0,
    "min_balanced_accuracy": 1.0,
    "min_f1": 1.0,
    "min_auc": 1.0,
    "max_log_loss": math.inf,
    "max_brier": 2.0,
    "max_calibration_error": 1.0,
}
"""The highest bar of each gate; ``min_x`` is about `Evaluation.x`."""
_SIDES = {"min": "below", "max": "above"}


class GateFailedError(click.ClickException):
    """A figure does not reach its bar."""

    exit_code = 4


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


_gate_options = takes(
    *(
        command_options.option(
            f"{_flag(name)} NUMBER",
            convert=command_options.number_from_0(highest),
            what=f"End with exit code 4 if the {FIGURES[name[4:]][0]} is {_SIDES[name[:3]]} this.",
        )
        for name, highest in GATES.items()
    )
)


@click.command("evaluate")
@click.argument("arguments", metavar="[MODEL] DATA...", nargs=-1, required=True, type=SOURCE)
@takes("target", "features", "categorical", "model_name", "covariance", "estimation", "held_out")
@option("--costs A:B=COST,...|FILE")
@_gate_options
@takes(
    "labels", "reading", seed="Decides which rows are held out.", json="Write the figures as JSON."
)
def command(
    arguments: tuple[str, ...], costs: str | None, seed: int, as_json: bool, **settings: Any
) -> None:
    """Count errors, and judge the probabilities.

    With a model file, its predictions are compared with the classes in DATA, which may be of any
    size. Without one, models are fitted to some of the rows of DATA and judged by the others. Rows
    without label are never judged by; models are fitted to them, too, unless --unlabelled drop.
    The first argument is a model file if its name ends in .json; rows in JSON lines end in .jsonl.
    With DATA after it and nothing to be fitted, - is a model on standard input.

    Each figure has a standard error. The baseline states the class frequencies of the training rows
    for every row; a model that is worse is warned of. AUC is exact for up to 2^18 different scores
    of all classes together; of more, scores that differ in their last bits count as ties.

    \b
    gaussbayes evaluate iris.json new.csv
    gaussbayes evaluate iris.csv -y species --cv 10
    gaussbayes evaluate iris.csv -y species --covariance diagonal --test new.csv
    gaussbayes evaluate tests.json new.csv --costs 'ill:well=50,well:ill=1'
    gaussbayes evaluate iris.json new.csv --min-accuracy 0.95 || echo 'not good enough'
    gaussbayes fit old.csv -y species -o - | gaussbayes evaluate - new.csv
    """
    taken = {name: settings.pop(name) for name in GATES}
    bars = {name: bar for name, bar in taken.items() if bar is not None}
    chosen = RowOptions.taken(settings)
    held_out = command_options.take_held_out(settings)
    fitting = (*settings, *command_options.HELD_OUT, "seed")
    model, data = command_files.split_arguments(arguments, chosen, fitting, piped=True)
    if not data:
        msg = f"which rows is {model} to be judged by? Give DATA after it"
        raise click.UsageError(msg)
    fitted = None if model is None else command_files.read_solved(model)
    source = command_files.open_files(data, chosen, fitted)
    if fitted is not None:
        evaluation, files = _of_model(fitted, str(model), source, chosen, costs)
    elif isinstance(held_out, Path):
        evaluation, files = _on_test_rows(source, chosen, settings, str(held_out), costs)
    else:
        evaluation, files = _on_held_out_rows(source, chosen, settings, held_out, seed, costs)
    if as_json:
        about = {"model": model} | files.record() | {"how": evaluation.how}
        record = about | {"notes": list(evaluation.notes)} | evaluation.record()
        console.write_json(record | {"gates": gate_records(evaluation, bars)})
        for warning in evaluation.warnings:
            tell(f"warning: {warning}")
    else:
        console.print_blocks(console.stdout_console(), *evaluation.tables())
    check_gates(evaluation, bars)


def _evaluated(model: Model, files: LabelledFiles, costs: str | None) -> Evaluation:
    """A model's predictions against classes, block by block; says what there is to say of rows."""
    evaluation: Evaluation | None = None
    matrix = None if costs is None else read_costs(costs, model.schema)
    for table in files:
        if table.targets.labelled.any():
            part = evaluate_rows(model, table.rows, table.targets, matrix)
            evaluation = part if evaluation is None else evaluation + part
    if evaluation is None:
        raise command_files.no_rows(
            files.rows.source, "labelled rows" if files.n_unlabelled else "rows"
        )
    files.tell(command_files.NOT_JUDGED)
    return evaluation


def _of_model(
    model: Model, name: str, source: Source, chosen: RowOptions, costs: str | None
) -> tuple[Evaluation, LabelledFiles]:
    """A model from a file on rows from others."""
    files = LabelledFiles.of_model(source, chosen, model, name)
    evaluation = _evaluated(model, files, costs)
    called = "from standard input" if name == command_options.STANDARD else name
    called = f"{called} ({model_title(model)})"
    how = f"the model {called} on {counted(evaluation.n_rows, 'row')} of {source.shown}"
    return replace(evaluation, how=how), files


def _on_test_rows(
    source: Source, chosen: RowOptions, settings: dict[str, Any], test: str, costs: str | None
) -> tuple[Evaluation, LabelledFiles]:
    """A model fitted to some files on the rows of another."""
    options = command_options.check_settings(settings)
    fit = fit_files(LabelledFiles.to_learn_from(source, chosen, options), options)
    command_files.tell_bad_rows(fit.reduced.bad_rows)
    command_files.tell_unlabelled(fit.reduced.n_unlabelled, chosen, command_files.LEARNT_FROM)
    if fit.selection is not None:
        tell(f"chosen: {fit.selection.choice}")
    other = command_files.open_files([test], replace(chosen, file_format=None), fit.model)
    files = LabelledFiles.of_model(other, chosen, fit.model, "fitted")
    evaluation = _evaluated(fit.model, files, costs)
    learnt = f"fitted to {counted(fit.reduced.n_rows, 'row')} of {source.shown}"
    how = f"{learnt}, judged by {counted(evaluation.n_rows, 'row')} of {other.shown}"
    return replace(evaluation, how=how), files


def _on_held_out_rows(
    source: Source,
    chosen: RowOptions,
    settings: dict[str, Any],
    held_out: Any,
    seed: int,
    costs: str | None,
) -> tuple[Evaluation, LabelledFiles]:
    """Models fitted to some rows on the others, which must fit into memory."""
    options = command_options.check_settings(settings)
    files = LabelledFiles.to_learn_from(source, chosen, options)
    # What is chosen is chosen anew without each row.
    singly = options.automatic and held_out == command_options.LEAVE_ONE_OUT
    rows = files.sample(COMPARED_SINGLY if singly else None, seed)
    check_n_classes(rows.table.classes)
    schema = files.encoder.schema(rows.table.classes)
    matrix = None if costs is None else read_costs(costs, schema)
    with warnings_told():
        evaluation = evaluate_held_out(
            rows.recipe(options), rows.table.rows, rows.labels, held_out, seed, matrix
        )
    files.tell(command_files.LEARNT_FROM)
    return evaluation, files


# Gates: bars that an evaluation must reach, or the command ends with exit code 4.


def gate_records(evaluation: Evaluation, bars: Mapping[str, float]) -> list[dict[str, Any]]:
    """Each gate with its bar and whether it was passed; by what is no number it never is."""
    given = []
    for name, bar in bars.items():
        value = getattr(evaluation, name[4:])
        passed = bool(value >= bar if name.startswith("min") else value <= bar)
        given.append({"gate": name, "bar": bar, "passed": passed})
    return given


def check_gates(evaluation: Evaluation, bars: Mapping[str, float]) -> None:
    """Raise if a figure does not reach its bar; the message says both."""
    failed = []
    for name in (each["gate"] for each in gate_records(evaluation, bars) if not each["passed"]):
        value, bar = float(getattr(evaluation, name[4:])), bars[name]
        # To six digits, or to all where it would read like the bar that it misses.
        written = repr(value) if float(f"{value:.6g}") == bar else f"{value:.6g}"
        place = f"{_SIDES[name[:3]]} {_flag(name)} {bar:g}"
        failed.append(f"the {FIGURES[name[4:]][0]} is {written}, {place}")
    if failed:
        raise GateFailedError("; ".join(failed))
